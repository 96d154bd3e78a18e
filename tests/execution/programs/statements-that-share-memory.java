import harness.T;
import java.util.*;
import java.util.function.*;

class Program {
    static int count = 5;
    static int[] cells = {1, 2, 3};

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        T.Node left = T.node(a);
        T.Node right = T.node(b);
        left.value = 5;
        right.value = 6;
        int y = count;
        int count = 3;
        int z = count + y;
        cells[0] = z;
        int[] alias = cells;
        alias[0]++;
        int seen = cells[0];
        xs[0] = 8;
        ys[0] = 9;
        int third = xs[0];
        String text = "t" + seen;
        String more = "m" + y;
        left.next = right;
        int deep = left.next.value;
        return third + text + more + deep + left.value;
    }
}
