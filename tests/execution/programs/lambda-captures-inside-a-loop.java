import harness.T;
import java.util.*;
import java.util.function.*;

class Program {

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        List<IntSupplier> made = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            final int own = i * a;
            boolean odd = (i & 1) == 1;
            if (odd == p) continue;
            made.add(() -> own + (odd ? 1 : 0));
        }
        int sum = 0;
        for (IntSupplier each : made) sum = sum * 3 + each.getAsInt();
        return sum;
    }
}
