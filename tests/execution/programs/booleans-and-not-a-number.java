import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        double rate = (double) a / b;
        boolean less = rate < 1.5;
        boolean more = rate >= 1.5;
        boolean same = rate == rate;
        boolean unlike = rate != rate;
        if (!less) T.log("not less");
        if (!more) T.log("not more");
        return less + " " + more + " " + (same ? 1 : 0) + unlike + !(less || more);
    }
}
