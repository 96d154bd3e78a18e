import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        for (int i = 0; i < 3; i = T.log(i + 1)) {
            if (p) {
                return "early";
            } else {
                break;
            }
        }
        for (int i = a; i < 10; T.log(-1)) {
            throw new IllegalStateException("x" + i);
        }
        return "late";
    }
}
