"""The building of a JavaParser-shaped tree from a flattened syntax tree, without recursion."""

from collections.abc import Callable, Iterable, Mapping

from metamorph.java.flattening import TAKEN_OVER
from metamorph.java.tree import COMMENTS, Tree

Handler = Callable[["Builder", int, int, int], None]
Child = tuple[int, Handler | None]


class Builder:
    """Lists of nodes in depth-first order, and the work that is still to do.

    earlier: what was built of the tree before its edits; untouched nodes are taken from there.

    label: type name, for operators `BinaryExpr:plus`; parent: index or -1; child_id: what the
    extractor calls the child id; text: the printed text of a leaf, None for other nodes.
    A handler gets (builder, syntax node, parent, child id), adds its node and schedules its
    children. Phantom children are never added: they only shift the child ids of the others.
    at: the syntax node in hand.
    """

    __slots__ = (
        "after",
        "at",
        "child_id",
        "earlier",
        "field",
        "handlers",
        "kind",
        "label",
        "named",
        "parent",
        "stack",
        "text",
        "tree",
    )

    def __init__(
        self, tree: Tree, handlers: Mapping[str, Handler], earlier: "Recorded | None" = None
    ) -> None:
        self.earlier = earlier
        self.tree = tree
        self.kind = tree.kind
        self.after = tree.after
        self.named = tree.named
        self.at = -1
        self.field = tree.field
        self.handlers = handlers
        self.label: list[str] = []
        self.parent: list[int] = []
        self.child_id: list[int] = []
        self.text: list[str | None] = []
        self.stack: list[tuple[int, int, int, Handler | None]] = []

    def run(self, node: int, handler: Handler | None = None) -> None:
        """Build the tree of a syntax node."""
        stack, kind, handlers = self.stack, self.kind, self.handlers
        taken = self.tree.taken if self.earlier else {}
        stack.append((node, -1, 0, handler))
        while stack:
            node, parent, child_id, handler = stack.pop()
            self.at = node
            if handler is None:
                if node in taken and self._take(taken[node], parent, child_id):
                    continue
                handler = handlers.get(kind[node], unknown)
            handler(self, node, parent, child_id)

    def _take(self, node: int, parent: int, child_id: int) -> bool:
        """Take over what was built of an untouched node, if anything was by its kind's rule."""
        assert self.earlier is not None
        first, stop = self.earlier.spans.get(node, (0, 0))
        if first == stop:
            return False
        before, moved = self.earlier.nodes, len(self.label) - first
        self.label += before.label[first:stop]
        self.text += before.text[first:stop]
        self.child_id.append(child_id)
        self.child_id += before.child_id[first + 1 : stop]
        self.parent.append(parent)
        self.parent += [above + moved for above in before.parent[first + 1 : stop]]
        return True

    def add(self, label: str, parent: int, child_id: int, text: str | None = None) -> int:
        """Add a node; with a text it is a leaf."""
        self.label.append(label)
        self.parent.append(parent)
        self.child_id.append(child_id)
        self.text.append(text)
        return len(self.label) - 1

    def then(self, parent: int, children: Iterable[Child], first: int = 0) -> None:
        """Schedule children in order, numbered from `first`."""
        work = [(n, parent, i, h) for i, (n, h) in enumerate(children, first)]
        work.reverse()
        self.stack += work

    def then_numbered(
        self, parent: int, children: Iterable[tuple[int, int, Handler | None]]
    ) -> None:
        """Schedule children (child id, syntax node, handler) in order."""
        work = [(n, parent, i, h) for i, n, h in children]
        work.reverse()
        self.stack += work

    def kids(self, node: int) -> list[int]:
        """The children without comments, tokens included."""
        after, kind = self.after, self.kind
        child, stop = node + 1, after[node]
        found = []
        while child < stop:
            if kind[child] not in COMMENTS:
                found.append(child)
            child = after[child]
        return found

    def parts(self, node: int) -> list[int]:
        """The named children without comments."""
        after, kind, named = self.after, self.kind, self.named
        child, stop = node + 1, after[node]
        found = []
        while child < stop:
            if named[child] and kind[child] not in COMMENTS:
                found.append(child)
            child = after[child]
        return found


def unknown(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A kind without a rule: its name in CamelCase, its named children in source order."""
    parts = b.parts(node)
    label = "".join(word.capitalize() for word in b.kind[node].split("_"))
    leaf = b.tree.text(node) if not parts else None
    this = b.add(label, parent, child_id, leaf or None)
    b.then(this, [(part, None) for part in parts])


class Recorded:
    """What was built of a tree, and the span of nodes that each of its syntax nodes became.

    Only of kinds that variants take over, where they were built by their kind's own rule.
    """

    __slots__ = ("_handlers", "nodes", "spans")

    def __init__(self, tree: Tree, handlers: Mapping[str, Handler]) -> None:
        self.nodes = Builder(tree, {**handlers, **dict.fromkeys(TAKEN_OVER, self._build)})
        self.spans: dict[int, tuple[int, int]] = {}
        self._handlers = handlers
        self.nodes.run(0)

    def _build(self, b: Builder, node: int, parent: int, child_id: int) -> None:
        b.stack.append((node, len(b.label), 0, self._end))
        self._handlers.get(b.kind[node], unknown)(b, node, parent, child_id)

    def _end(self, b: Builder, node: int, first: int, _: int) -> None:
        self.spans[node] = first, len(b.label)
