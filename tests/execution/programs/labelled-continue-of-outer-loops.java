import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        int steps = 0;
        outer:
        for (int i = 0; i < 4; i++) {
            inner:
            for (int j = 0; j < 4; T.log(j), j++) {
                steps++;
                if (j == i) continue outer;
                if (i + j == (a & 7)) break outer;
                if (j == (b & 3)) continue inner;
                while (q && steps < 20) {
                    steps++;
                    if (steps % 5 == 0) continue outer;
                    if (steps % 7 == 0) break inner;
                }
                do {
                    if (p) continue outer;
                    if (steps++ > 30) continue;
                } while (steps < 12);
            }
            T.log("end" + i);
        }
        return steps;
    }
}
