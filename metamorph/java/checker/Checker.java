import com.sun.tools.javac.api.JavacTaskImpl;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles variants of files, one after another, in a warm JVM, and compares them with the originals.
 *
 * <p>Arguments: {@code errors} or {@code classes}, then options for javac. Each line of standard
 * input is answered by a line of standard output, fields being separated by tabs:
 *
 * <ul>
 *   <li>{@code file PATH BASE64}: the file that the next variants are of: {@code ok}.
 *   <li>{@code variant BASE64}: {@code error CODE LINE MESSAGE} where there are more errors of a
 *       kind than in the original, else {@code same}. With {@code classes} that means the same
 *       class files, {@code captured} that only the names of fields which hold captured variables
 *       differ, {@code different CLASS} that more does, and {@code broken} that the original has
 *       errors.
 * </ul>
 *
 * <p>Other sources are found below the file's source root, which its package tells. When many
 * variants have been compiled below one root, all of it is compiled once, if it compiles as it is,
 * and its classes are used from then on, which is much faster.
 */
final class Checker {
    private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();
    private static final Pattern PACKAGE = Pattern.compile("^\\s*package\\s+([\\w.]+)\\s*;", Pattern.MULTILINE);
    private static final Map<String, String> MODULES = systemModules();
    private static final int PATIENCE = 40;
    private static final int MOST_SOURCES = 5000;

    private final boolean wantClasses;
    private final List<String> options;
    private final Map<String, Memory> managers = new HashMap<>();
    private Path path;
    private String text = "";
    private Memory files;
    private List<String> fileOptions = List.of();
    private Result original;

    private Checker(boolean wantClasses, List<String> options) {
        this.wantClasses = wantClasses;
        this.options = new ArrayList<>(options);
        this.options.addAll(List.of("-proc:none", "-nowarn", "-implicit:none"));
        this.options.addAll(List.of("-Xmaxerrs", "1000000", "-XDshould-stop.ifError=FLOW"));
    }

    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        if (JAVAC == null) {
            out.println("no compiler");
            out.flush();
            return;
        }
        List<String> options = Arrays.asList(args).subList(1, args.length);
        Checker checker = new Checker(args[0].equals("classes"), options);
        out.println("ready\t" + Runtime.version().feature());
        out.flush();
        var jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String job = jobs.readLine(); job != null; job = jobs.readLine()) {
            out.println(checker.answer(job.split("\t", -1)));
            out.flush();
        }
    }

    private String answer(String[] job) throws IOException {
        if (job[0].equals("file")) {
            begin(Path.of(job[1]).toAbsolutePath().normalize(), decoded(job[2]));
            return "ok";
        }
        if (original == null) {
            original = compile(text);
        }
        if (wantClasses && !original.errors.isEmpty()) {
            return "broken\t" + original.errors.get(0);
        }
        files.precompile(options);
        Result variant = compile(decoded(job[1]));
        String error = newError(original, variant);
        if (error != null) {
            return "error\t" + error;
        }
        return wantClasses ? Classes.compare(original.classes, variant.classes) : "same";
    }

    private void begin(Path path, String text) throws IOException {
        this.path = path;
        this.text = text;
        original = null;
        String name = packageName(text);
        Path root = sourceRoot(path, name);
        String module = root == null ? null : MODULES.get(name);
        fileOptions = new ArrayList<>(options);
        boolean patched = options.contains("--patch-module");
        if (module != null && !patched) {
            fileOptions.addAll(List.of("--patch-module", module + "=" + root));
        }
        files = managers.get(root + " " + module);
        if (files == null) {
            boolean ownSources = module == null && !patched && root != null && !hasClassPath();
            files = new Memory(ownSources ? root : null);
            managers.clear();
            managers.put(root + " " + module, files);
        }
    }

    private boolean hasClassPath() {
        return wantClasses && (options.contains("-cp") || options.contains("-classpath"));
    }

    private static String packageName(String text) {
        Matcher found = PACKAGE.matcher(text);
        return found.find() ? found.group(1) : "";
    }

    /**
     * The folder that the package's own folders lie in; null where they are named otherwise, or
     * where the file is none of the file system's, as in an archive.
     */
    private static Path sourceRoot(Path path, String name) {
        Path folder = path.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            return null;
        }
        if (name.isEmpty()) {
            return folder;
        }
        Path tail = Path.of(name.replace('.', '/'));
        if (!folder.endsWith(tail)) {
            return null;
        }
        for (int i = 0; i < tail.getNameCount() && folder != null; i++) {
            folder = folder.getParent();
        }
        return folder;
    }

    /** Package to the module of the JDK that has it. */
    private static Map<String, String> systemModules() {
        Map<String, String> found = new HashMap<>();
        for (var module : ModuleFinder.ofSystem().findAll()) {
            String name = module.descriptor().name();
            module.descriptor().packages().forEach(each -> found.put(each, name));
        }
        return found;
    }

    private static String decoded(String base64) {
        byte[] bytes = Base64.getDecoder().decode(base64);
        try {
            var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException error) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
    }

    /** The errors and class files of the file's own classes; those it needs are only looked at. */
    private Result compile(String source) throws IOException {
        var found = new DiagnosticCollector<JavaFileObject>();
        files.classes.clear();
        Source unit = new Source(path, source);
        var task = (JavacTaskImpl) JAVAC.getTask(null, files, found, fileOptions, null, List.of(unit));
        task.setLocale(Locale.ROOT);
        List<Element> own = new ArrayList<>();
        task.enter().forEach(own::add);
        task.analyze(own);
        Result result = new Result();
        result.add(found, unit);
        if (wantClasses && result.errors.isEmpty()) {
            task.generate(own);
            result.add(found, unit);
            files.classes.forEach((name, bytes) -> result.classes.put(name, bytes.toByteArray()));
        }
        return result;
    }

    /** The first error of a kind that became more frequent, or null. */
    private static String newError(Result before, Result after) {
        Map<String, Integer> counts = new HashMap<>();
        before.codes.forEach(code -> counts.merge(code, 1, Integer::sum));
        after.codes.forEach(code -> counts.merge(code, -1, Integer::sum));
        List<String> known = before.messages;
        String fallback = null;
        for (int i = 0; i < after.codes.size(); i++) {
            if (counts.get(after.codes.get(i)) < 0) {
                if (!known.contains(after.messages.get(i))) {
                    return after.errors.get(i);
                }
                fallback = after.errors.get(i);
            }
        }
        return fallback;
    }

    private static final class Result {
        private final List<String> codes = new ArrayList<>();
        private final List<String> messages = new ArrayList<>();
        private final List<String> errors = new ArrayList<>();
        private final Map<String, byte[]> classes = new TreeMap<>();

        /** Take the errors of one unit, and those of no file at all. */
        void add(DiagnosticCollector<JavaFileObject> found, JavaFileObject unit) {
            codes.clear();
            messages.clear();
            errors.clear();
            for (Diagnostic<? extends JavaFileObject> each : found.getDiagnostics()) {
                boolean own = each.getSource() == null || each.getSource().getName().equals(unit.getName());
                if (each.getKind() == Diagnostic.Kind.ERROR && own) {
                    String message = each.getMessage(Locale.ROOT).replaceAll("\\s+", " ");
                    codes.add(each.getCode());
                    messages.add(message);
                    errors.add(each.getCode() + "\t" + each.getLineNumber() + "\t" + message);
                }
            }
        }
    }

    /** Class files, compared. */
    private static final class Classes {
        static String compare(Map<String, byte[]> before, Map<String, byte[]> after)
                throws IOException {
            if (!before.keySet().equals(after.keySet())) {
                return "different\t" + before.keySet() + " " + after.keySet();
            }
            String verdict = "same";
            for (String name : before.keySet()) {
                if (!Arrays.equals(before.get(name), after.get(name))) {
                    if (!normalised(before.get(name)).equals(normalised(after.get(name)))) {
                        return "different\t" + name;
                    }
                    verdict = "captured";
                }
            }
            return verdict;
        }

        /** The class file with its {@code val$name} fields numbered instead of named. */
        private static String normalised(byte[] bytes) throws IOException {
            StringBuilder result = new StringBuilder();
            Map<String, Integer> numbers = new HashMap<>();
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
            result.append(in.readLong()).append(' ');
            int count = in.readUnsignedShort();
            for (int i = 1; i < count; i++) {
                int tag = in.readUnsignedByte();
                result.append(tag).append(' ');
                if (tag == 1) {
                    String text = in.readUTF();
                    int number = numbers.size();
                    boolean captured = text.startsWith("val$");
                    result.append(
                            captured ? "val$#" + numbers.computeIfAbsent(text, t -> number) : text);
                } else {
                    result.append(Arrays.toString(in.readNBytes(size(tag))));
                    i += tag == 5 || tag == 6 ? 1 : 0;
                }
            }
            return result.append(Arrays.toString(in.readAllBytes())).toString();
        }

        /** The size of a constant after its tag (JVMS 4.4). */
        private static int size(int tag) {
            switch (tag) {
                case 5:
                case 6:
                    return 8;
                case 7:
                case 8:
                case 16:
                case 19:
                case 20:
                    return 2;
                case 15:
                    return 3;
                default:
                    return 4;
            }
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final Path place;
        private final String text;

        Source(Path place, String text) {
            super(place.toUri(), Kind.SOURCE);
            this.place = place;
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Compiled extends SimpleJavaFileObject {
        private final String name;
        private final byte[] bytes;

        Compiled(String name, ByteArrayOutputStream bytes) {
            super(URI.create("memory:///" + name.replace('.', '/') + ".class"), Kind.CLASS);
            this.name = name;
            this.bytes = bytes.toByteArray();
        }

        @Override
        public InputStream openInputStream() {
            return new ByteArrayInputStream(bytes);
        }
    }

    /**
     * Keeps the class files that javac writes. Where the root patches a module of the JDK, a source
     * belongs to that module, but everything else is taken from the JDK's own classes.
     */
    private static final class Memory extends ForwardingJavaFileManager<StandardJavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes = new HashMap<>();
        private final Map<String, List<JavaFileObject>> library = new HashMap<>();
        private final Path sources;
        private int compiled;
        private boolean patched;

        Memory(Path sources) throws IOException {
            super(JAVAC.getStandardFileManager(null, null, StandardCharsets.UTF_8));
            this.sources = sources;
            if (sources != null && sources.toFile().isDirectory()) {
                fileManager.setLocationFromPaths(StandardLocation.SOURCE_PATH, List.of(sources));
            }
        }

        /** Compile the whole source root, once it has been worth it. */
        void precompile(List<String> options) throws IOException {
            if (sources == null || ++compiled != PATIENCE) {
                return;
            }
            List<Path> all;
            try (Stream<Path> walk = Files.walk(sources)) {
                all = walk.filter(each -> each.toString().endsWith(".java"))
                        .filter(each -> !each.endsWith("module-info.java"))
                        .limit(MOST_SOURCES + 1)
                        .collect(Collectors.toList());
            }
            if (all.size() > MOST_SOURCES) {
                return;
            }
            Memory whole = new Memory(null);
            var units = whole.fileManager.getJavaFileObjectsFromPaths(all);
            var ignored = new DiagnosticCollector<JavaFileObject>();
            if (JAVAC.getTask(null, whole, ignored, options, null, units).call()) {
                whole.classes.forEach(this::keep);
                fileManager.setLocationFromPaths(StandardLocation.SOURCE_PATH, List.of());
            }
        }

        private void keep(String name, ByteArrayOutputStream bytes) {
            int dot = name.lastIndexOf('.');
            String owner = dot < 0 ? "" : name.substring(0, dot);
            library.computeIfAbsent(owner, each -> new ArrayList<>()).add(new Compiled(name, bytes));
        }

        @Override
        public String inferBinaryName(Location location, JavaFileObject file) {
            boolean own = file instanceof Compiled;
            return own ? ((Compiled) file).name : super.inferBinaryName(location, file);
        }

        /** The manager outlives a compilation, but may be told of a patch only once. */
        @Override
        public boolean handleOption(String option, Iterator<String> rest) {
            if (option.equals("--patch-module")) {
                if (patched) {
                    rest.next();
                    return true;
                }
                patched = true;
            }
            return super.handleOption(option, rest);
        }

        @Override
        public Location getLocationForModule(Location location, JavaFileObject file)
                throws IOException {
            if (file instanceof Source) {
                Path place = ((Source) file).place;
                return fileManager.getLocationForModule(
                        location, fileManager.getJavaFileObjects(place).iterator().next());
            }
            return super.getLocationForModule(location, file);
        }

        /** A module's declaration is passed over: its dependencies are not on a module path. */
        @Override
        public Iterable<JavaFileObject> list(
                Location location, String name, Set<JavaFileObject.Kind> kinds, boolean recurse)
                throws IOException {
            if (location.getName().contains("PATCH_MODULE")) {
                return List.of();
            }
            var found = super.list(location, name, kinds, recurse);
            if (location == StandardLocation.CLASS_PATH && library.containsKey(name)) {
                List<JavaFileObject> all = new ArrayList<>(library.get(name));
                found.forEach(all::add);
                return all;
            }
            if (location != StandardLocation.SOURCE_PATH || !name.isEmpty()) {
                return found;
            }
            List<JavaFileObject> kept = new ArrayList<>();
            found.forEach(each -> {
                if (!each.isNameCompatible("module-info", JavaFileObject.Kind.SOURCE)) {
                    kept.add(each);
                }
            });
            return kept;
        }

        @Override
        public JavaFileObject getJavaFileForInput(
                Location location, String name, JavaFileObject.Kind kind) throws IOException {
            boolean module = location == StandardLocation.SOURCE_PATH && name.equals("module-info");
            return module ? null : super.getJavaFileForInput(location, name, kind);
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
