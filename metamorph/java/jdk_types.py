"""Types of the JDK that are often extended on the spot, and the members that they hand down.

What counts is a field or a member type that a subclass outside the JDK inherits, in any release
from 8 on. A class of the file's own package that hides a type of java.lang is out of sight.
"""

from collections.abc import Mapping, Sequence

_INTERFACES = {
    "java.awt.event": "AWTEventListener ActionListener AdjustmentListener ComponentListener"
    " ContainerListener FocusListener HierarchyBoundsListener HierarchyListener"
    " InputMethodListener ItemListener KeyListener MouseListener MouseMotionListener"
    " MouseWheelListener TextListener WindowFocusListener WindowListener WindowStateListener",
    "java.beans": "ExceptionListener PropertyChangeListener VetoableChangeListener",
    "java.io": "Closeable DataInput DataOutput Externalizable FileFilter FilenameFilter Flushable"
    " ObjectInput ObjectInputValidation ObjectOutput Serializable",
    "java.lang": "Appendable AutoCloseable CharSequence Cloneable Comparable Iterable Readable"
    " Runnable",
    "java.lang.reflect": "InvocationHandler",
    "java.nio.file": "FileVisitor PathMatcher",
    "java.security": "PrivilegedAction PrivilegedExceptionAction",
    "java.util": "Collection Comparator Deque Enumeration EventListener Formattable Iterator List"
    " ListIterator Map.Entry NavigableSet Observer Queue RandomAccess Set SortedSet",
    "java.util.concurrent": "BlockingDeque BlockingQueue Callable CompletionService Delayed"
    " Executor ExecutorService RejectedExecutionHandler ScheduledExecutorService ThreadFactory"
    " TransferQueue",
    "java.util.function": "BiConsumer BiFunction BiPredicate BinaryOperator BooleanSupplier"
    " Consumer DoubleBinaryOperator DoubleConsumer DoubleFunction DoublePredicate DoubleSupplier"
    " DoubleToIntFunction DoubleToLongFunction DoubleUnaryOperator Function IntBinaryOperator"
    " IntConsumer IntFunction IntPredicate IntSupplier IntToDoubleFunction IntToLongFunction"
    " IntUnaryOperator LongBinaryOperator LongConsumer LongFunction LongPredicate LongSupplier"
    " LongToDoubleFunction LongToIntFunction LongUnaryOperator ObjDoubleConsumer ObjIntConsumer"
    " ObjLongConsumer Predicate Supplier ToDoubleBiFunction ToDoubleFunction ToIntBiFunction"
    " ToIntFunction ToLongBiFunction ToLongFunction UnaryOperator",
    "javax.swing.event": "AncestorListener CaretListener CellEditorListener ChangeListener"
    " DocumentListener HyperlinkListener InternalFrameListener ListDataListener"
    " ListSelectionListener MenuDragMouseListener MenuKeyListener MenuListener MouseInputListener"
    " PopupMenuListener RowSorterListener TableColumnModelListener TableModelListener"
    " TreeExpansionListener TreeModelListener TreeSelectionListener TreeWillExpandListener"
    " UndoableEditListener",
}
_CLASSES = {
    "java.awt.event": "ComponentAdapter ContainerAdapter FocusAdapter HierarchyBoundsAdapter"
    " KeyAdapter MouseAdapter MouseMotionAdapter WindowAdapter",
    "java.io": "InputStream OutputStream",
    "java.lang": "ClassLoader Error Exception InheritableThreadLocal Number RuntimeException"
    " ThreadLocal Throwable",
    "java.nio.file": "SimpleFileVisitor",
    "java.util": "AbstractCollection AbstractQueue AbstractSet HashSet LinkedHashSet TimerTask",
}
_WITH_MEMBERS = {
    "java.io.FilterInputStream": "in",
    "java.io.FilterOutputStream": "out",
    "java.io.FilterReader": "in lock",
    "java.io.FilterWriter": "lock out",
    "java.io.PrintStream": "out",
    "java.io.PrintWriter": "lock out",
    "java.io.Reader": "lock",
    "java.io.Writer": "lock",
    "java.lang.Thread": "Builder MAX_PRIORITY MIN_PRIORITY NORM_PRIORITY State"
    " UncaughtExceptionHandler",
    "java.util.AbstractList": "modCount",
    "java.util.AbstractMap": "Entry SimpleEntry SimpleImmutableEntry",
    "java.util.AbstractSequentialList": "modCount",
    "java.util.ArrayList": "modCount",
    "java.util.HashMap": "Entry SimpleEntry SimpleImmutableEntry",
    "java.util.LinkedHashMap": "Entry SimpleEntry SimpleImmutableEntry",
    "java.util.LinkedList": "modCount",
    "java.util.Map": "Entry",
    "java.util.TreeMap": "Entry SimpleEntry SimpleImmutableEntry",
}


def _full_names(table: Mapping[str, str]) -> list[str]:
    return [f"{package}.{name}" for package, names in table.items() for name in names.split()]


HANDED_DOWN: dict[str, frozenset[str]] = {
    **dict.fromkeys(["java.lang.Object", *_full_names(_INTERFACES)], frozenset()),
    **dict.fromkeys(_full_names(_CLASSES), frozenset()),
    **{name: frozenset(members.split()) for name, members in _WITH_MEMBERS.items()},
}
"""Full name of a type -> names of the fields and member types that its subclasses inherit."""

_WITH_PACKAGE_MEMBERS = {*_full_names(_CLASSES), *_WITH_MEMBERS}


def handed_down(
    path: Sequence[str], package: str, imports: Mapping[str, str]
) -> frozenset[str] | None:
    """What subclasses inherit from a type of the JDK, or None if it is not known.

    path: the type's names as written; what they mean is read off the file's package and its
    single-type imports. A class of the JDK itself may inherit members without a modifier too.
    """
    first, *rest = path
    if first in imports:
        names = [".".join([imports[first], *rest])]
    else:
        written = ".".join(path)
        names = [f"{package}.{written}", f"java.lang.{written}", written]
    full = next((name for name in names if name in HANDED_DOWN), "")
    if full in _WITH_PACKAGE_MEMBERS and package.startswith("java."):
        return None
    return HANDED_DOWN.get(full)
