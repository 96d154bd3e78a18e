import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        int n = 0;
        for (int i = 0; i < 5; i++) {
            T.tick();
            try {
                if (i == (a & 3)) throw new IllegalStateException("lost");
                if (p) break;
                n += i;
            } finally {
                n += 10;
                if (q) continue;
            }
            n += 100;
        }
        return n;
    }
}
