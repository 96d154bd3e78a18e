import harness.T;
import java.util.*;
import java.util.function.*;

class Program {
    enum Color { RED, GREEN, BLUE }

    static Color pick(int n) {
        return n < 0 || n > 2 ? null : Color.values()[n];
    }


    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        Color color = pick(a);
        int n = 0;
        switch (color) {
            case RED:
                n = 1;
                break;
            case GREEN:
                color = Color.BLUE;
                n = 2;
            case BLUE:
                n += 10;
                break;
        }
        switch (pick(b & 1)) {
            case GREEN -> n += 100;
            case RED, BLUE -> {
                if (p) break;
                n += 200;
            }
        }
        return n + " " + color;
    }
}
