import harness.T;
import java.util.*;
import java.util.function.*;

class Program {
    static int last;

    static int ended(int n) {
        int r = n;
        try (T.Res one = T.open(1); T.Res two = T.open(n)) {
            r += one.number + two.number;
            if (n > 2) return r;
            r = r / n;
        } finally {
            last = r;
        }
        return -r;
    }

    static int plain(int a) {
        return a;
    }

    static void empty() {
    }


    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        empty();
        int first = ended(a);
        int r;
        r = s.length();
        if (p) {
            return first + r;
        } else {
            return plain(r) * last + ended(b);
        }
    }
}
