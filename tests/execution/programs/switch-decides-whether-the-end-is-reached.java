import harness.T;
import java.util.*;
import java.util.function.*;

class Program {
    static int sign(int n) {
        switch (n & 1) {
            case 0:
                return -1;
            default:
                throw new IllegalStateException("odd");
        }
    }

    static int both(int n) {
        final int result;
        switch (n & 3) {
            case 0:
                result = 4;
                break;
            case 1:
            case 2:
                result = 5;
                break;
            default:
                return 6;
        }
        return result;
    }


    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        return both(a) + sign(b);
    }
}
