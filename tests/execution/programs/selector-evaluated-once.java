import harness.T;
import java.util.*;
import java.util.function.*;

class Program {
    static int calls;

    static int next(int n) {
        calls++;
        return T.log(n & 3);
    }


    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        int i = 0;
        int n = 0;
        switch (next(a)) {
            case 0:
                n = 1;
                break;
            case 1:
            case 2:
                n = 2;
        }
        switch (i++) {
            case 0:
                n += i * 10;
                break;
            case 1:
                n += 1000;
        }
        switch (xs[i++]) {
            case 1:
                n += i * 100;
            case 2:
                i = 5;
                break;
            default:
        }
        switch (next(b)) { }
        switch (next(b)) {
            default:
                n += calls;
        }
        return n + i;
    }
}
