import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        int n = 0;
        scan:
        for (int i = 0; i < 6; i++) {
            switch ((i + a) & 3) {
                case 0:
                    continue;
                case 1:
                    if (p) continue scan;
                    n += 1;
                    break;
                case 2:
                    if (q) break scan;
                    n += 10;
                default:
                    n += 100;
            }
            n++;
        }
        return n;
    }
}
