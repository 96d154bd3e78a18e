import harness.T;
import java.util.*;
import java.util.function.*;

class Program {
    static String show(Object value) {
        return "o" + value;
    }

    static String show(boolean value) {
        return "b" + value;
    }


    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        boolean flag = p;
        Object boxed = (Object) flag;
        boolean[] row = {flag, !flag, flag & q};
        boolean[][] rows = new boolean[][] {row, {flag}};
        Boolean wrapped = flag;
        BooleanSupplier later = () -> flag ^ q;
        boolean cast = (boolean) wrapped;
        String text = "is " + flag + (flag ? 1 : 2) + cast;
        boolean generic = T.<Boolean>same(flag);
        boolean plain = T.same(flag);
        List<Boolean> list = new ArrayList<>(Arrays.asList(flag, generic, !plain));
        list.add(flag);
        return show(flag) + show((Object) flag) + boxed + row[1] + rows[1][0] + wrapped
                + later.getAsBoolean() + text + list + (flag == wrapped);
    }
}
