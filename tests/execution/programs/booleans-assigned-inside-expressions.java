import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        boolean set = false, other = p;
        int n = 0;
        if (set = a > 3) n++;
        if ((other &= q) | (set |= p)) n += 10;
        if (set ^= other) n += 100;
        boolean last = other = set = !q;
        while (last = !last) {
            T.tick();
            n += 1000;
        }
        last = set == other;
        T.log((last != q) + "" + (set ? "s" : "o") + other);
        return n;
    }
}
