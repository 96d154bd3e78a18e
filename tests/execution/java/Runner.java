import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles and runs versions of a program in one warm JVM, and compares what they do.
 *
 * <p>Argument: a folder with the compiled class harness.T. Each line of standard input is {@code
 * SEED INPUTS BASE64 BASE64 ...}: so many random inputs, a program (a class Program with {@code
 * static Object run(int, int, boolean, boolean, char, String, int[], int[])}), and its variants.
 * Each is answered by a line with a field a version: {@code ok RETURNED THROWN SPENT} for the
 * program, {@code same} or {@code differs MESSAGE} for the others, {@code error MESSAGE} for what
 * does not compile, {@code unloadable MESSAGE} for what compiles, but to class files that the JVM
 * rejects (a fault of javac).
 */
final class Runner {
    private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();
    private static final int[] INTS = {0, 1, 2, 3, 4, 5, -1, -2, 7, 10, 100, Integer.MAX_VALUE, Integer.MIN_VALUE};
    private static final String[] STRINGS = {"", "a", "b", "ab", "abc", "12", "x", null};
    private static final String CHARS = "abcxyz01 ";
    private static final Class<?>[] SIGNATURE = {
        int.class, int.class, boolean.class, boolean.class, char.class, String.class, int[].class, int[].class
    };

    private final Memory files;
    private final ClassLoader parent;
    private final Method reset;
    private final Method nodes;
    private final StringBuilder trace;

    private Runner(Path harness) throws Exception {
        files = new Memory(harness);
        parent = new URLClassLoader(new URL[] {harness.toUri().toURL()});
        Class<?> t = parent.loadClass("harness.T");
        reset = t.getDeclaredMethod("reset");
        reset.setAccessible(true);
        nodes = t.getDeclaredMethod("nodes");
        nodes.setAccessible(true);
        Field field = t.getDeclaredField("TRACE");
        field.setAccessible(true);
        trace = (StringBuilder) field.get(null);
    }

    public static void main(String[] args) throws Exception {
        Runner runner = new Runner(Path.of(args[0]));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        out.println("ready");
        out.flush();
        var jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String job = jobs.readLine(); job != null; job = jobs.readLine()) {
            out.println(String.join("\t", runner.answer(job.split(" "))));
            out.flush();
        }
    }

    private String[] answer(String[] job) throws Exception {
        List<Source> sources = new ArrayList<>();
        for (int i = 2; i < job.length; i++) {
            String text = new String(Base64.getDecoder().decode(job[i]), StandardCharsets.UTF_8);
            sources.add(new Source(i - 2, text));
        }
        String[] answers = new String[sources.size()];
        ClassLoader loader = compiled(sources, answers);
        List<String> expected = List.of();
        for (int i = 0; i < answers.length && (i == 0 || answers[0] == null); i++) {
            if (answers[i] != null) {
                continue;
            }
            try {
                List<String> seen = behaviour(loader, i, job);
                expected = i == 0 ? seen : expected;
                answers[i] = i == 0 ? null : compared(expected, seen);
            } catch (LinkageError error) {
                answers[i] = "unloadable " + error.toString().lines().findFirst().orElse("");
            }
        }
        if (answers[0] == null) {
            long thrown = expected.stream().filter(each -> each.startsWith("throws ")).count();
            long spent = expected.stream().filter(each -> each.contains("harness.T$Spent")).count();
            answers[0] = "ok " + (expected.size() - thrown) + " " + (thrown - spent) + " " + spent;
        }
        for (int i = 0; i < answers.length; i++) {
            answers[i] = answers[i] == null ? "error original" : answers[i].replaceAll("\\s+", " ");
        }
        return answers;
    }

    /** The versions that compile; the answers of the others are filled in. */
    private ClassLoader compiled(List<Source> sources, String[] answers) {
        List<Source> left = new ArrayList<>(sources);
        while (!left.isEmpty()) {
            files.classes.clear();
            var found = new DiagnosticCollector<JavaFileObject>();
            var options = List.of("-nowarn", "-proc:none", "-g:none", "-XDshould-stop.ifError=FLOW");
            if (JAVAC.getTask(null, files, found, options, null, left).call()) {
                break;
            }
            boolean removed = false;
            for (Diagnostic<? extends JavaFileObject> each : found.getDiagnostics()) {
                if (each.getKind() == Diagnostic.Kind.ERROR && each.getSource() instanceof Source) {
                    Source source = (Source) each.getSource();
                    removed |= left.remove(source);
                    if (answers[source.number] == null) {
                        answers[source.number] =
                                "error line " + each.getLineNumber() + ": " + each.getMessage(null);
                    }
                }
            }
            if (!removed) {
                throw new IllegalStateException(found.getDiagnostics().toString());
            }
            if (answers[0] != null) {
                break;
            }
        }
        return new Loader(parent, files.classes);
    }

    /** Verifies all classes at once; else one that is bad would be an exception of the program. */
    private void link(ClassLoader loader, String prefix) throws ClassNotFoundException {
        for (String name : files.classes.keySet()) {
            if (name.startsWith(prefix)) {
                loader.loadClass(name).getDeclaredMethods();
            }
        }
    }

    private List<String> behaviour(ClassLoader loader, int version, String[] job) throws Exception {
        link(loader, "p" + version + ".");
        Class<?> program = loader.loadClass("p" + version + ".Program");
        Method run = program.getDeclaredMethod("run", SIGNATURE);
        run.setAccessible(true);
        Random random = new Random(Long.parseLong(job[0]));
        List<String> seen = new ArrayList<>();
        for (int n = Integer.parseInt(job[1]); n > 0; n--) {
            Object[] inputs = inputs(random);
            String given = Arrays.deepToString(inputs);
            reset.invoke(null);
            String end = ended(run, inputs, "p" + version + ".");
            seen.add(
                    end + " | " + trace + "| " + nodes.invoke(null) + " " + state(program)
                            + Arrays.toString((int[]) inputs[6]) + Arrays.toString((int[]) inputs[7])
                            + " GIVEN " + given);
        }
        return seen;
    }

    private static String ended(Method run, Object[] inputs, String prefix) throws Exception {
        try {
            return "returns " + run.invoke(null, inputs);
        } catch (InvocationTargetException error) {
            String text = "throws " + error.getCause();
            return text.replace(prefix, "");
        }
    }

    private static Object[] inputs(Random random) {
        int[] xs = array(random);
        int[] ys = random.nextInt(4) == 0 ? xs : array(random);
        return new Object[] {
            number(random), number(random), random.nextBoolean(), random.nextBoolean(),
            CHARS.charAt(random.nextInt(CHARS.length())), STRINGS[random.nextInt(STRINGS.length)], xs, ys
        };
    }

    private static int number(Random random) {
        int bound = random.nextInt(3) == 0 ? INTS.length : 6;
        return INTS[random.nextInt(bound)];
    }

    private static int[] array(Random random) {
        int size = random.nextInt(6) - 1;
        return size < 0 ? null : random.ints(size, -2, 6).toArray();
    }

    /** The static fields of the program. */
    private static String state(Class<?> program) throws IllegalAccessException {
        StringBuilder result = new StringBuilder();
        for (Field field : program.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
                field.setAccessible(true);
                Object value = field.get(null);
                boolean array = value instanceof int[];
                result.append(array ? Arrays.toString((int[]) value) : value).append(' ');
            }
        }
        return result.toString();
    }

    private static String compared(List<String> before, List<String> after) {
        for (int i = 0; i < before.size(); i++) {
            if (!before.get(i).equals(after.get(i))) {
                return "differs before: " + before.get(i) + " after: " + after.get(i);
            }
        }
        return "same";
    }

    private static final class Source extends SimpleJavaFileObject {
        private final int number;
        private final String text;

        Source(int number, String text) {
            super(URI.create("memory:///p" + number + "/Program.java"), Kind.SOURCE);
            this.number = number;
            this.text = "package p" + number + "; " + text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Loader extends ClassLoader {
        private final Map<String, ByteArrayOutputStream> classes;

        Loader(ClassLoader parent, Map<String, ByteArrayOutputStream> classes) {
            super(parent);
            this.classes = new HashMap<>(classes);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            ByteArrayOutputStream bytes = classes.get(name);
            if (bytes == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, bytes.toByteArray(), 0, bytes.size());
        }
    }

    private static final class Memory extends ForwardingJavaFileManager<StandardJavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

        Memory(Path harness) throws Exception {
            super(JAVAC.getStandardFileManager(null, null, StandardCharsets.UTF_8));
            fileManager.setLocationFromPaths(StandardLocation.CLASS_PATH, List.of(harness));
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            classes.put(name, bytes);
            return new SimpleJavaFileObject(URI.create("memory:///" + name), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return bytes;
                }
            };
        }
    }
}
