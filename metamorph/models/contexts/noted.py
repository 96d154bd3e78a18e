"""The trees of methods in files with comments, as the official extractor walks them."""

from collections.abc import Mapping

from metamorph.java.tree import Tree
from metamorph.models.contexts.build import Builder, Handler
from metamorph.models.contexts.comments import PHANTOM, Attribution, attribute, printed_comment
from metamorph.models.contexts.spans import UNKNOWN, Span, Spanned

_UNPRINTED = frozenset({"ArrayBracketPair", "ArrayCreationLevel"})
_HEAD = frozenset({"import_declaration", "module_declaration", "package_declaration"})


class File:
    """The tree of a whole file, its comments given away."""

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
        """A method's tree by itself, and what is printed before some of its nodes."""
        whole, found, tree = self._nodes, self._found, self._nodes.tree
        part = Builder(tree, {})
        notes: dict[int, str] = {}
        work = [(self._methods[node], -1, 0)]
        while work:
            here, parent, child_id = work.pop()
            label = whole.label[here]
            text = None if here in found.orphans else whole.text[here]
            this = part.add(label, parent, child_id, text)
            if text is not None and here in found.comment and label not in _UNPRINTED:
                notes[this] = printed_comment(tree, found.comment[here])
            kids = self._numbered(here)
            work += [(kid, this, number) for kid, number in reversed(kids)]
        return part, notes

    def empty_body(self, node: int) -> str:
        """The body of a method without statements, as the parser prints it."""
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
        if node not in self._found.sorted:
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


def noted_file(tree: Tree, handlers: Mapping[str, Handler]) -> File:
    """The tree of a file, or of a method alone."""
    nodes = Spanned(tree, handlers)
    nodes.run(0, _unit if tree.kind[0] == "program" else None)
    return File(nodes, attribute(nodes))


def _unit(b: Builder, node: int, parent: int, child_id: int) -> None:
    this = b.add("CompilationUnit", parent, child_id)
    b.then(this, [(p, _head if b.kind[p] in _HEAD else None) for p in b.parts(node)])


def _head(b: Builder, node: int, parent: int, child_id: int) -> None:
    b.add("ImportDeclaration", parent, child_id)
