import harness.T;
import java.util.*;
import java.util.function.*;

class Program {
    static boolean ready;

    static class Own {
        boolean done = true;
    }


    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        boolean done;
        if (a > 1) {
            done = q;
        } else {
            done = !q || p;
        }
        class Inner {
            boolean done = false;

            boolean both() {
                return done | ready;
            }
        }
        final boolean fixed;
        fixed = done ^ p;
        ready |= fixed;
        ready &= !done;
        boolean or = false;
        for (int x : new int[] {a, b}) or |= x > 2 && (done = !done);
        return "" + done + fixed + new Inner().both() + new Own().done + or + ready;
    }
}
