import harness.T;
import java.util.*;
import java.util.function.*;

class Program {
    static final char STAR = (char) 42;
    static final int TWO = 2;

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        Integer boxed = p ? null : Integer.valueOf(a);
        Character letter = q ? (Character) c : null;
        String out = "";
        switch (c) {
            case 97:
                out += "a";
                break;
            case STAR:
            case (char) (STAR + 1):
                out += "*";
            case 120:
                out += "x";
        }
        try {
            switch (boxed) {
                case 1 + 1:
                    out += "two";
                    break;
                case TWO + 1:
                    out += "three";
                default:
                    out += "d";
            }
        } catch (NullPointerException e) {
            out += "null";
        }
        switch (letter) {
            case 97 -> out += "A";
            default -> out += "?";
        }
        byte small = (byte) a;
        switch (small) {
            case -1:
                out += "minus";
                break;
            case (byte) 0:
                out += "zero";
        }
        return out;
    }
}
