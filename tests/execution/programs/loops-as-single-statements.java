import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        int n = 0;
        if (p) for (int i = 0; i < 2; i++) n += i; else while (n < 3) n++;
        if (q)
            for (int i = 0, k = 1; i < 3; i++, k *= 2) {
                if (i == 1) continue;
                n += k;
            }
        else n = 7;
        switch (a & 1) {
            case 0:
                for (n++; n < 9; n += 2) ;
            case 1:
                label: for (int i = 0; i < 3; i++) if (i == 1) continue label; else n++;
        }
        return n;
    }
}
