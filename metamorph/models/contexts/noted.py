"""The trees of methods in files with comments, as the official extractor walks them."""

from collections.abc import Mapping

from metamorph.java.tree import COMMENTS, Tree
from metamorph.models.contexts.build import Builder, Handler
from metamorph.models.contexts.comments import PHANTOM, Attribution, attribute, printed_comment
from metamorph.models.contexts.spans import UNKNOWN, Span, Spanned
from metamorph.models.contexts.tokens import CONTROL

_UNPRINTED = frozenset({"ArrayBracketPair", "ArrayCreationLevel"})
_HEAD = frozenset({"import_declaration", "module_declaration", "package_declaration"})


class Noted:
    """A tree whose comments are given away."""

    __slots__ = ("_found", "_methods", "_nodes")

    def __init__(self, nodes: Spanned, found: Attribution) -> None:
        self._nodes = nodes
        self._found = found
        self._methods = {
            nodes.origin[node]: node
            for node, label in enumerate(nodes.label)
            if label == "MethodDeclaration"
        }

    def method(self, node: int) -> tuple[Builder, dict[int, str]]:
        """A method's tree by itself, and what is printed for leaves with comments."""
        whole, found, tree = self._nodes, self._found, self._nodes.tree
        part = Builder(tree, {})
        notes: dict[int, str] = {}
        work = [(self._methods[node], -1, 0)]
        while work:
            here, parent, child_id = work.pop()
            label = whole.label[here]
            text = None if here in found.orphans else whole.text[here]
            this = part.add(label, parent, child_id, text)
            if text is not None and label not in _UNPRINTED:
                note = self._note(here, text)
                if note != text:
                    notes[this] = note
            kids = self._numbered(here)
            work += [(kid, this, number) for kid, number in reversed(kids)]
        return part, notes

    def _note(self, leaf: int, text: str) -> str:
        """What is printed for a leaf: a comment before it, others within lost type arguments."""
        found, nodes = self._found, self._nodes
        if nodes.label[leaf] == "GenericClass":
            text = self._lost(nodes.origin[leaf], text)
        if leaf in found.comment:
            return printed_comment(nodes.tree, found.comment[leaf]) + text
        return text

    def _lost(self, type_node: int, text: str) -> str:
        """A type and its arguments, whose nodes have moved on to a later part of the type."""
        nodes, tree = self._nodes, self._nodes.tree
        span = range(type_node + 1, tree.after[type_node])
        before: dict[int, str] = {}
        for node, comment in sorted(self._found.comment.items()):
            if nodes.origin[node] in span:
                first = nodes.first[node]
                before[first] = before.get(first, "") + printed_comment(tree, comment)
        if not before:
            return text
        tokens = [n for n in span if tree.after[n] == n + 1 and tree.kind[n] not in COMMENTS]
        return "".join(before.get(tree.start[n], "") + tree.text(n) for n in tokens)

    def body_lines(self, node: int) -> int:
        """The lines of code in a method without statements, as the official extractor counts them.

        It takes some of what comments hold for code, and the brace after a comment.
        """
        text = self._empty_body(node).replace("\r\n", "\n").replace("\t", " ")
        if text.startswith("{\n"):
            text = text[3:].strip(CONTROL)
        if text.endswith("\n}"):
            text = text[:-2].strip(CONTROL)
        lines = [line.strip(CONTROL) for line in text.split("\n")] if text else []
        return sum(not line.startswith(("/", "*")) for line in lines)

    def _empty_body(self, node: int) -> str:
        """The body as the parser prints it."""
        found, tree = self._found, self._nodes.tree
        method = self._methods[node]
        kids = found.kids[method]
        body = next(kid for kid in kids if self._nodes.label[kid] == "BlockStmt")
        before = max((self._nodes.first[k] for k in kids if k not in (PHANTOM, body)), default=-1)
        printed = [c for c in found.orphans.get(method, ()) if before < tree.start[c]]
        printed = [c for c in printed if tree.start[c] < self._nodes.first[body]]
        if body in found.comment:
            printed.append(found.comment[body])
        within = found.orphans.get(body, ())
        parts = [*(printed_comment(tree, c) for c in printed), "{\n"]
        return "".join([*parts, *(printed_comment(tree, c) for c in within), "}"])

    def _numbered(self, node: int) -> list[tuple[int, int]]:
        """The children with their child ids: the place of the first one with the same span."""
        kids = self._found.kids[node]
        if node not in self._found.ordered:
            return [(kid, self._nodes.child_id[kid]) for kid in kids]
        places: dict[Span, int] = {}
        numbered = []
        for place, kid in enumerate(kids):
            number = places.setdefault(self._span(kid), place)
            if kid != PHANTOM:
                numbered.append((kid, number))
        return numbered

    def _span(self, node: int) -> Span:
        if node == PHANTOM:
            return UNKNOWN, UNKNOWN
        return self._nodes.first[node], self._nodes.last[node]


def noted(tree: Tree, handlers: Mapping[str, Handler], node: int) -> Noted:
    """The tree of a file or of a method alone, with the comments within it."""
    nodes = Spanned(tree, handlers)
    nodes.run(node, _unit if tree.kind[node] == "program" else None)
    return Noted(nodes, attribute(nodes))


def _unit(b: Builder, node: int, parent: int, child_id: int) -> None:
    this = b.add("CompilationUnit", parent, child_id)
    b.then(this, [(p, _head if b.kind[p] in _HEAD else None) for p in b.parts(node)])


def _head(b: Builder, node: int, parent: int, child_id: int) -> None:
    b.add("ImportDeclaration", parent, child_id)
