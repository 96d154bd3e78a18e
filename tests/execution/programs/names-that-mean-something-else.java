import harness.T;
import java.util.*;
import java.util.function.*;

class Program {
    static int length = 4;
    static String var0 = "v";
    int field = 2;

    static int value(int value) {
        return value + length;
    }


    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        String length = "abc" + s;
        int value = length.length();
        Program program = new Program();
        int field = 7;
        program.field = 9;
        value: for (int i = 0; i < 2; i++) {
            if (i == a) break value;
            value += value(value);
        }
        IntUnaryOperator run = field1 -> field1 + program.field;
        IntUnaryOperator nested = n -> {
            IntUnaryOperator deeper = m -> m + n;
            return deeper.applyAsInt(n + 1);
        };
        Object other = new Object() {
            int field = 11;

            @Override
            public String toString() {
                int value = field;
                return "o" + value + this.field;
            }
        };
        for (int i = 0; i < 2; i++) T.log(i);
        for (String i : new String[] {"x", var0}) T.log(i);
        try {
            T.log(1 / a);
        } catch (ArithmeticException i) {
            T.log("caught");
        }
        Object o = p ? (Object) s : (Object) a;
        if (o instanceof String text && text.length() > 1) T.log(text);
        if (!(o instanceof Integer number)) return "no number";
        return value + run.applyAsInt(number) + nested.applyAsInt(field) + other.toString();
    }
}
