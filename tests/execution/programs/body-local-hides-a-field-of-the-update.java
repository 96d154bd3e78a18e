import harness.T;
import java.util.*;
import java.util.function.*;

class Program {
    static int count = 1;
    static int step = 2;

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        for (int i = 0; i < 5; i += step, count++) {
            int step = 100;
            T.log(step + count);
            String count = "c" + i;
            T.log(count);
            if (i == (a & 3)) continue;
            T.log("after");
        }
        return count;
    }
}
