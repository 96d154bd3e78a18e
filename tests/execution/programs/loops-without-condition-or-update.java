import harness.T;
import java.util.*;
import java.util.function.*;

class Program {
    static int total;

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        int n = 0;
        for (;;) {
            T.tick();
            if (n++ > (a & 3)) break;
            if (p) continue;
            T.log(n);
        }
        for (int i = 0;;) {
            T.tick();
            if (i > 2) break;
            i += 2;
        }
        for (n = 0, total = b; n < 3; n++) ;
        for (; n > 0; n--) T.log(n);
        while (true) {
            T.tick();
            if (n++ > 1) return n + total;
        }
    }
}
