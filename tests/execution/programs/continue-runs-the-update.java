import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        int sum = 0;
        for (int i = 0, j = 9; i < 6; i++, j--) {
            if (i == (a & 3)) continue;
            switch (i) {
                case 1:
                    continue;
                case 2:
                    break;
                default:
                    if (p) continue;
            }
            try {
                if (i == (b & 3)) continue;
                T.log(i / (a - i));
            } catch (ArithmeticException e) {
                continue;
            } finally {
                T.log(j);
            }
            sum += i * j;
        }
        return sum;
    }
}
