import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        int sum = 0;
        switch (a & 3) {
            case 0:
                int shared = 4;
                final String word = "w";
                sum += shared + word.length();
                break;
            case 1:
                shared = b;
                sum += shared;
            case 2: {
                int own = sum;
                sum += own + 1;
            }
            default:
                shared = 9;
                sum += shared * 2;
        }
        return sum;
    }
}
