import harness.T;

class Program {
    static Object held = "ab";

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
        T.log(continueInADo(b & 3, p));
        T.log(slotBesideTheForgottenOne(b & 3, p));
        T.log(lastOfABlock(a & 3, s));
        T.log(shared(a & 3, b & 3));
        T.log(nested(a & 3, b & 3, p));
        T.log(assignedOnOnePath(a & 3, q));
        T.log(booleanOnOnePath(a & 3, p, q));
        T.log(pattern(a & 3));
        return T.log(update(a & 3, p));
    }

    static int continueInADo(int n, boolean more) {
        do {
            T.tick();
            more &= n++ < 3;
            continue;
        } while (more);
        switch (n) {
            case 0:
                String text = "none";
                return text.length();
            case 1:
                return 1;
            default:
                return T.log(n);
        }
    }

    static int slotBesideTheForgottenOne(int n, boolean more) {
        do {
            int x;
            int y = 1;
            T.tick();
            more &= n++ < y;
            continue;
        } while (more);
        switch (n) {
            case 0: int first = 1; return first;
            case 1: return T.log(2);
        }
        return n;
    }

    static int lastOfABlock(int n, String given) {
        {
            String text;
            text = given;
        }
        switch (n) {
            case 0: int first = 1; return first;
            case 1: return T.log(2);
        }
        return n;
    }

    static int shared(int n, int m) {
        switch (n) {
            case 0: int y = 1; T.log(y); break;
            case 1: y = 2; T.log(y); break;
            default: return 3;
        }
        switch (m) {
            case 0: int first = 1; T.log(first); break;
            case 1: T.log(2); break;
        }
        return n + m;
    }

    static int nested(int n, int m, boolean more) {
        do {
            int x;
            int y = 1;
            T.tick();
            more &= n++ < y;
            continue;
        } while (more);
        switch (n - 1) {
            case 0:
                switch (m) {
                    case 0: int first = 1; return first;
                    case 1: T.log(2); break;
                }
        }
        return n;
    }

    static int assignedOnOnePath(int n, boolean more) {
        int before = n;
        {
            int gap;
            String text;
            if (more) {
                text = "more";
            } else {
                return before;
            }
        }
        switch (n) {
            case 0: int first = 1; return first;
            case 1: return T.log(2);
        }
        return n;
    }

    static int booleanOnOnePath(int n, boolean p, boolean q) {
        {
            int gap;
            boolean flag;
            if (!(p && (flag = q))) {
                return 7;
            }
        }
        switch (n) {
            case 0: boolean first = q; return first ? 1 : 0;
            case 1: return T.log(2);
        }
        return n;
    }

    static int pattern(int n) {
        if (held instanceof String text && n > 1) {
            return text.length();
        }
        switch (n) {
            case 0: int first = 1; return first;
            case 1: return T.log(2);
        }
        return n;
    }

    static int update(int n, boolean more) {
        for (; more; n = switch (n) { case 0: int first = 1; yield first; case 1: yield 2; default: yield 3; }) {
            T.tick();
            more = n < 2;
            continue;
        }
        return n;
    }
}
