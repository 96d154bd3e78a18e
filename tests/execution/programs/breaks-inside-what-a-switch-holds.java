import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        int n = 0;
        leave:
        switch (a & 3) {
            case 0:
                for (int i = 0; i < 5; i++) {
                    if (i == 2) break;
                    if (q) break leave;
                    n++;
                }
                n += 10;
                break;
            case 1:
                switch (b & 1) {
                    case 0:
                        n = 5;
                        break;
                    default:
                        if (p) break leave;
                        n = 6;
                }
                n += 20;
                break;
            case 2:
                try {
                    if (p) break;
                    n = xs[b];
                } finally {
                    n += 30;
                }
            case 3:
                Runnable later = () -> {
                    for (;;) {
                        break;
                    }
                    switch (b) {
                        case 0:
                            T.log("zero");
                            return;
                        default:
                            break;
                    }
                    T.log("later");
                };
                later.run();
        }
        return n;
    }
}
