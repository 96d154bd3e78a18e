import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        int i = a + 1;
        int j = b * 2;
        boolean less = i < j;
        char next = (char) (c + 1);
        long wide = 5L;
        i++;
        j -= 3;
        wide <<= 2;
        double half = i / 2.0;
        String fixed = "k";
        int[] made = new int[3];
        made[1] = i;
        boolean twice = less;
        less = false;
        return i + j + "" + less + next + wide + half + fixed + made[1] + twice;
    }
}
