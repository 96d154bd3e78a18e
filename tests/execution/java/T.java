package harness;

/** What programs under test call: a trace that the runner compares, and fuel for their loops. */
public final class T {
    static final int FUEL = 400;
    static final StringBuilder TRACE = new StringBuilder();
    private static int fuel;
    private static Node first;
    private static Node second;

    private T() {}

    static void reset() {
        fuel = FUEL;
        TRACE.setLength(0);
        second = new Node(2, null);
        first = new Node(1, second);
    }

    static String nodes() {
        return first + " " + second;
    }

    /** Every loop comes by here, or logs; a program out of fuel ends with an error that nothing catches. */
    public static void tick() {
        if (--fuel < 0) {
            throw new Spent();
        }
    }

    /** A condition that costs fuel. */
    public static boolean t(boolean condition) {
        tick();
        return condition;
    }

    public static int log(int value) {
        note(value);
        return value;
    }

    public static boolean log(boolean value) {
        note(value);
        return value;
    }

    public static char log(char value) {
        note(value);
        return value;
    }

    public static String log(String value) {
        note(value);
        return value;
    }

    public static double log(double value) {
        note(value);
        return value;
    }

    /** Its type hangs on where it is called. */
    public static <X> X same(X value) {
        note(value);
        return value;
    }

    private static void note(Object value) {
        tick();
        TRACE.append(value).append(' ');
    }

    /** One of two shared nodes, or null. */
    public static Node node(int which) {
        switch (which & 3) {
            case 0:
                return null;
            case 1:
                return first;
            default:
                return second;
        }
    }

    /** A resource that tells of its end. */
    public static Res open(int number) {
        return new Res(number);
    }

    /** Mutable state that two names may mean. */
    public static final class Node {
        public int value;
        public boolean on;
        public Node next;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }

        @Override
        public String toString() {
            return value + "" + on + (next == null ? "" : ">");
        }
    }

    public static final class Res implements AutoCloseable {
        public final int number;

        Res(int number) {
            this.number = number;
        }

        @Override
        public void close() {
            note("close" + number);
        }
    }

    public static final class Spent extends Error {
        private static final long serialVersionUID = 1L;

        Spent() {
            super("out of fuel", null, false, false);
        }
    }
}
