import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        int n = 0;
        String copy = s == null ? null : new String(s);
        switch (T.log(copy)) {
            case "a":
                n += 1;
            case "ab":
                n += 2;
                break;
            case "":
                n = 50;
            default:
                n += 7;
                if (p) return "returned" + n;
                break;
            case "12":
                throw new IllegalArgumentException("twelve");
        }
        return n;
    }
}
