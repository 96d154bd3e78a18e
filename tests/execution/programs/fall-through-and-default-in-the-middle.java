import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        StringBuilder out = new StringBuilder();
        for (int k = -1; k < 8; k++) {
            switch (k) {
                case 1:
                    out.append("one ");
                default:
                    out.append("default ");
                case 2:
                    out.append("two ");
                    break;
                case 3:
                case 4:
                    out.append("three-four ");
                    if (p) break;
                    out.append("on ");
                case 5: {
                    out.append("five ");
                    if (q) {
                        break;
                    }
                }
                case 6:
            }
            out.append(k).append(";");
        }
        return out.toString();
    }
}
