"""Which node each comment goes to, as the comment inserter of JavaParser 3.0.0-alpha.4 decides.

A comment first goes down into the nodes around it; the children of every node that it comes
through are sorted by where they begin. There it is given to a neighbour: a line comment to what
begins on its line, any other to what follows it without an empty line between. What goes to
nothing becomes an orphan, which is a child of the node it was left in.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from metamorph.java.tree import COMMENTS, Tree
from metamorph.models.contexts.spans import NAMES, UNKNOWN, Span, Spanned

PHANTOM = -1

_WITH_PHANTOM = frozenset(
    {
        "AnnotationDeclaration",
        "ClassOrInterfaceDeclaration",
        "ConstructorDeclaration",
        "EnumDeclaration",
        "FieldAccessExpr",
        "MethodCallExpr",
    }
)
_LINE_END = re.compile(rb"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Attribution:
    """What comments do to a tree.

    kids: the children of each node in their order; ordered: those whose children were sorted, the
    phantom among them as PHANTOM; comment: the comment that a node was given; orphans: those that
    were left in a node. Comments are nodes of the syntax tree.
    """

    kids: list[list[int]]
    ordered: set[int] = field(default_factory=set)
    comment: dict[int, int] = field(default_factory=dict)
    orphans: dict[int, list[int]] = field(default_factory=dict)


def attribute(b: Spanned) -> Attribution:
    """Give away the comments within a tree."""
    tree = b.tree
    found = [n for n in tree.of_kinds(COMMENTS, b.origin[0]) if n > b.origin[0]]
    return _Inserter(b, found).run()


class _Inserter:
    """The work on one tree; comments are numbers into `nodes` and `spans`, in source order."""

    def __init__(self, b: Spanned, nodes: Sequence[int]) -> None:
        self.b = b
        self.nodes = nodes
        self.spans = [comment_span(b.tree, node) for node in nodes]
        self.ends = [match.end() - 1 for match in _LINE_END.finditer(b.tree.data)]
        self.lines = [self.line(first) for first, _ in self.spans]
        self.is_line = [b.kind[node] == "line_comment" for node in nodes]
        self.given: set[int] = set()
        self.found = Attribution([[] for _ in b.label])
        for node in range(1, len(b.parent)):
            self.found.kids[b.parent[node]].append(node)

    def run(self) -> Attribution:
        """Down with all comments, then give them away from the innermost nodes outwards."""
        held = self._held()
        for node, comments in reversed(held):
            self._by_line(node, [c for c in comments if self.is_line[c]])
            self._by_order(node, comments)
            orphans = [c for c in comments if c not in self.given]
            if orphans:
                self.found.orphans[node] = [self.nodes[c] for c in orphans]
        return self.found

    def line(self, offset: int) -> int:
        """The number of the line that a byte is in; that of UNKNOWN is 0."""
        return 0 if offset == UNKNOWN else bisect_left(self.ends, offset) + 1

    def _held(self) -> list[tuple[int, list[int]]]:
        """The nodes that comments come to and those that stay there, outer nodes first."""
        held: list[tuple[int, list[int]]] = []
        work = [(0, list(range(len(self.nodes))))] if self.nodes else []
        while work:
            node, comments = work.pop()
            self._sort(node)
            for kid in self.found.kids[node]:
                inside = self._inside(kid, comments) if kid != PHANTOM else slice(0)
                if comments[inside]:
                    work.append((kid, comments[inside]))
                    del comments[inside]
            if comments:
                held.append((node, comments))
        return held

    def _sort(self, node: int) -> None:
        first, kids = self.b.first, self.found.kids
        children = kids[node]
        if self._has_phantom(node):
            numbers = {self.b.child_id[kid] for kid in children}
            missing = next(n for n in range(len(children) + 1) if n not in numbers)
            later = (i for i, kid in enumerate(children) if self.b.child_id[kid] > missing)
            children.insert(next(later, len(children)), PHANTOM)
        children.sort(key=lambda kid: UNKNOWN if kid == PHANTOM else first[kid])
        self.found.ordered.add(node)

    def _has_phantom(self, node: int) -> bool:
        """Whether a child without span is not in the tree: a lambda's bare name has a type too."""
        label = self.b.label[node]
        bare = label == "Parameter" and self.b.kind[self.b.origin[node]] in NAMES
        return bare or label in _WITH_PHANTOM

    def _inside(self, node: int, comments: list[int]) -> slice:
        """Those of the comments, which are in order, that lie within a node and not at its rim."""
        first, last = self.b.first[node], self.b.last[node]
        begin = bisect_right(comments, first, key=lambda c: self.spans[c][0])
        end = bisect_left(comments, last, begin, key=lambda c: self.spans[c][0])
        while end > begin and self.spans[comments[end - 1]][1] >= last:
            end -= 1
        return slice(begin, end)

    def _by_line(self, node: int, comments: list[int]) -> None:
        """A line comment goes to every child that ends on its line, or to what begins there."""
        if not comments:
            return
        ending: dict[int, list[int]] = defaultdict(list)
        for kid in self.found.kids[node]:
            if kid != PHANTOM:
                ending[self.line(self.b.last[kid])].append(kid)
        for comment in comments:
            for kid in ending[self.lines[comment]]:
                self._to_nearest(kid, comment)

    def _to_nearest(self, node: int, comment: int) -> None:
        """Give a comment to the last node, from `node` down, that begins on its line."""
        line = self.lines[comment]
        stack = [node]
        while stack:
            here = stack.pop()
            if here < 0:
                if self.line(self.b.tree.start[~here]) == line:
                    return
            elif self.line(self.b.first[here]) == line and here not in self.found.comment:
                self._give(here, comment)
                return
            else:
                stack += self._by_beginning(here)

    def _by_beginning(self, node: int) -> list[int]:
        """The children of a node and its orphans, as negative numbers, by where they begin."""
        first, start = self.b.first, self.b.tree.start
        things = [kid for kid in self.found.kids[node] if kid != PHANTOM]
        things += [~comment for comment in self.found.orphans.get(node, ())]
        return sorted(things, key=lambda n: first[n] if n >= 0 else start[~n])

    def _by_order(self, node: int, comments: list[int]) -> None:
        """A comment goes to the next child without one, unless an empty line is between."""
        before = -1
        for thing in self._with_comments(node, comments):
            if thing < 0:
                before = -1 if ~thing in self.given else ~thing
            elif before >= 0 and thing not in self.found.comment:
                end = self.line(self.spans[before][1])
                if self.line(self.b.first[thing]) <= end + 1:
                    self._give(thing, before)
                    before = -1

    def _with_comments(self, node: int, comments: list[int]) -> Iterator[int]:
        """The children of a node and the comments, as negative numbers, in source order."""
        first, at = self.b.first, 0
        for kid in self.found.kids[node]:
            if kid == PHANTOM:
                continue
            while at < len(comments) and self.spans[comments[at]][0] < first[kid]:
                yield ~comments[at]
                at += 1
            yield kid

    def _give(self, node: int, comment: int) -> None:
        self.found.comment[node] = self.nodes[comment]
        self.given.add(comment)


def comment_span(tree: Tree, node: int) -> Span:
    """Where a comment begins and ends; a line comment ends with its line's end."""
    first, last = tree.start[node], tree.end[node] - 1
    if tree.kind[node] == "line_comment":
        ending = _LINE_END.match(tree.data, last + 1)
        last = ending.end() - 1 if ending else last
    return first, last


def printed_comment(tree: Tree, node: int) -> str:
    """A comment as the parser prints it before a node."""
    text = tree.text(node)
    if tree.kind[node] == "line_comment":
        text = text.rstrip("\r\n").replace("\r", " ")
    return text + "\n"
