import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        int r = 7;
        int z = 1;
        try {
            r = xs[0];
            z = 1 / (z - a);
            ys[0] = r;
            xs[1] = z;
        } catch (RuntimeException e) {
            T.log(r * 100 + z);
        }
        int n = 3;
        try {
            n = 4;
            n += Integer.parseInt(s);
            int m = n;
            n = m / b;
        } finally {
            T.log(n);
        }
        return r + n;
    }
}
