"""Switch to if: a switch statement over constants becomes a chain of `if`.

The selector is evaluated once, and null still throws; statements stay in place, in order. Runs
of groups that fall through share a branch, in which each group asks again whether it was
entered. A `break` that ends its group vanishes, any other leaves a label (JLS 14.11, 14.15).
"""

from bisect import bisect
from collections.abc import Iterator, Sequence

from metamorph.java.edits import Edit
from metamorph.java.layout import begins_line, blank_end, indentation, line_start
from metamorph.java.methods import Method
from metamorph.java.rewrite import code_of, erased, replaced
from metamorph.java.scopes import resolve
from metamorph.java.selectors import selector, selector_type
from metamorph.java.sites import Refusal, Site
from metamorph.java.stack_maps import StackMaps, stack_maps
from metamorph.java.switches import (
    Group,
    clusters,
    groups,
    is_statement,
    labels_in,
    leaving,
    refusal,
    shared_locals,
)
from metamorph.java.tree import Tree
from metamorph.java.types import file_types, means
from metamorph.transforms._protocol import Choices

CODE = "SF"
NAME = "switch to if"
PLACES = ("single", "all", "random")

MOST_LABELS = 300
"""A longer chain would nest deeper than compilers like."""

_STATEMENT_LISTS = frozenset({"block", "constructor_body", "switch_block_statement_group"})
_OPERATIONS = frozenset({"binary_expression", "ternary_expression"})


def sites(method: Method, choices: Choices) -> Iterator[Site | Refusal]:
    """Every switch statement of the method."""
    tree, found = method.tree, 0
    maps = stack_maps(tree, method.body)
    for node in tree.of_kinds(("switch_expression",), method.body):
        if not is_statement(tree, node):
            continue
        if reason := _refusal(tree, node, maps):
            yield Refusal(CODE, tree.start[node], reason)
            continue
        chain = _Chain(tree, node, choices)
        yield Site(CODE, found, tree.start[node], tuple(chain.edits()), fresh=chain.fresh)
        found += 1


def _refusal(tree: Tree, switch: int, maps: StackMaps) -> str:
    if reason := file_types(tree).doubt or refusal(tree, switch):
        return reason
    found = groups(tree, switch)
    labels = sum(len(g.labels) for g in found)
    if not labels:
        return "nothing-to-compare"
    if labels > MOST_LABELS:
        return "too-many-labels"
    if sum(g.default for g in found) > 1:
        return "several-defaults"
    kind = selector_type(tree, switch, labels_in(tree, switch))
    hidden = kind == "String" and not means(file_types(tree), "String", "java.lang.String")
    if not kind or hidden:
        return "unknown-selector-type"
    if shared_locals(tree, switch, found) is None:
        return "local-shared-by-groups"
    return maps.doubt(tree.start[switch], without=switch)


class _Chain:
    """A switch on its way to becoming a chain of ifs.

    value: how the branches name the selector's value; temporary: what declares it, or "" where
    the selector is a variable that can be read again; label: what a `break` leaves, or "";
    fresh: the names that the file did not have.
    """

    def __init__(self, tree: Tree, switch: int, choices: Choices) -> None:
        self.tree, self.switch = tree, switch
        found = groups(tree, switch)
        self.clusters = clusters(found)
        self.kind = selector_type(tree, switch, labels_in(tree, switch))
        self.shared = shared_locals(tree, switch, found) or []
        again = _can_be_read_again(tree, switch, self.clusters)
        self.value = tree.text(selector(tree, switch)) if again else choices.fresh()
        self.temporary = "" if again else f"{self.kind} {self.value} = "
        self.ends, self.exits = self._breaks()
        self.label = choices.fresh(nth=int(not again)) if self.exits else ""
        self.fresh = tuple(name for name in ("" if again else self.value, self.label) if name)
        self.braces = bool(self.temporary or self.shared) or not _in_list(tree, switch)

    def edits(self) -> Iterator[Edit]:
        tree = self.tree
        yield from self._header()
        for index, cluster in enumerate(self.clusters):
            for place, group in enumerate(cluster):
                yield from self._group(index, place, group)
        for node in self.ends:
            if tree.kind[tree.parent[node]] == "if_statement":
                yield from replaced(tree, [node], b"{ }")
            else:
                yield from erased(tree, [node])
        for node in self.exits:
            at = tree.start[node] + len(b"break")
            yield Edit(at, at, b" " + self.label.encode())
        for declaration in self.shared:
            yield from _assignment(tree, declaration)
        yield from self._close()

    def _breaks(self) -> tuple[list[int], list[int]]:
        """The breaks that vanish, and those that need a label."""
        ends, exits = [], []
        for cluster in self.clusters:
            for group in cluster:
                last, others = leaving(self.tree, self.switch, group)
                ends += last if group is cluster[-1] else []
                exits += others if group is cluster[-1] else last + others
        return ends, exits

    def _header(self) -> Iterator[Edit]:
        tree, switch = self.tree, self.switch
        condition, body = tree.child(switch, "condition"), tree.child(switch, "body")
        opening = "{ " if self.braces else ""
        hoisted = "".join(_declaration(tree, d) for d in self.shared)
        label = f"{self.label}: " if self.label else ""
        unasked = _is_never_asked(self.clusters) and self.kind != "int"
        null_check = f"{self.value}.hashCode(); " if unasked else ""
        first = null_check + hoisted + label + self._opening(0, 0)
        brace = body + 1
        outer = list(tree.children(switch))
        before, between = [c for c in outer if c < condition], [c for c in outer if c < body]
        if self.temporary:
            parts = list(tree.children(condition))
            yield from replaced(tree, [*before, parts[0]], _bytes(opening + self.temporary))
            behind = [parts[-1], *between[len(before) + 1 :], brace]
            yield from replaced(tree, behind, _bytes("; " + first))
        else:
            yield from replaced(tree, [*between, brace], _bytes(opening + first))

    def _group(self, index: int, place: int, group: Group) -> Iterator[Edit]:
        """The labels of a group become what opens its branch."""
        tree = self.tree
        text = b"" if index == place == 0 else _bytes(self._opening(index, place))
        for node in group.nodes:
            tokens = _label_tokens(tree, node)
            if not text:
                yield from self._unlabelled(tokens, group)
                continue
            start = tree.start[tokens[0]]
            if begins_line(tree.data, start):
                margin = line_start(tree.data, start)
                yield Edit(margin, start, indentation(tree.data, tree.start[self.switch]))
            yield from replaced(tree, tokens, text)
            text = b""

    def _unlabelled(self, tokens: Sequence[int], group: Group) -> Iterator[Edit]:
        """Labels vanish; a block that they open the first branch with moves up to its `if`."""
        tree = self.tree
        brace, start = tree.start[tree.child(self.switch, "body")], tree.start[tokens[0]]
        gap = tree.data[brace + 1 : start]
        first = self.clusters[0]
        alone = group is first[0] and len(group.nodes) == 1 and _has_braces(tree, first, self.ends)
        if alone and gap and not gap.strip():
            yield Edit(brace + 1, start, b" ")
            yield from replaced(tree, tokens, b"")
            yield Edit(tree.end[tokens[-1]], blank_end(tree.data, tree.end[tokens[-1]]), b"")
        else:
            yield from erased(tree, tokens)

    def _opening(self, index: int, place: int) -> str:
        """What stands before the statements of a group, closing the branch above it."""
        cluster = self.clusters[index]
        several = len(cluster) > 1
        if place:
            last = place == len(cluster) - 1
            return "}" if last else f"}} if ({self._entered(cluster, place)}) {{"
        bare = _has_braces(self.tree, cluster, self.ends)
        condition = self._condition(index)
        parts = []
        if index:
            closed = _has_braces(self.tree, self.clusters[index - 1], self.ends)
            parts += ["else"] if closed else ["}", "else"]
        parts += [f"if ({condition})"] if condition else []
        parts += [] if bare else ["{"]
        parts += [f"if ({self._entered(cluster, 0)}) {{"] if several else []
        return " ".join(parts)

    def _condition(self, index: int) -> str:
        """When a branch is taken, no branch above it being so; "" for always."""
        later = [g for c in self.clusters[index + 1 :] for g in c]
        earlier = [g for c in self.clusters[:index] for g in c]
        if any(g.default for g in self.clusters[index]):
            return self._is_none(later) if later else ""
        if not later and any(g.default for g in earlier):
            return ""
        return self._is_any(self.clusters[index])

    def _entered(self, cluster: Sequence[Group], place: int) -> str:
        """Whether a fall-through branch was entered at this group or above it."""
        above, below = cluster[: place + 1], cluster[place + 1 :]
        return self._is_none(below) if any(g.default for g in above) else self._is_any(above)

    def _is_any(self, found: Sequence[Group]) -> str:
        return " || ".join(self._compare(label, "==", "") for g in found for label in g.labels)

    def _is_none(self, found: Sequence[Group]) -> str:
        return " && ".join(self._compare(label, "!=", "!") for g in found for label in g.labels)

    def _compare(self, label: int, sign: str, negation: str) -> str:
        tree = self.tree
        text = code_of(tree, label).decode("utf-8", "surrogateescape")
        if self.kind == "int":
            text = f"({text})" if tree.kind[label] in _OPERATIONS else text
            return f"{self.value} {sign} {text}"
        if self.kind != "String" and tree.kind[label] == "identifier":
            text = f"{self.kind}.{text}"
        return f"{negation}{self.value}.equals({text})"

    def _close(self) -> Iterator[Edit]:
        """The switch's own brace serves the last branch, or the braces around, or none."""
        tree, body = self.tree, self.tree.child(self.switch, "body")
        needed = self.braces + (not _has_braces(tree, self.clusters[-1], self.ends))
        if not needed:
            yield from erased(tree, [tree.after[body] - 1])
        elif needed == 2:
            end = tree.end[body]
            yield Edit(end, end, b" }", -tree.start[self.switch])


def _can_be_read_again(tree: Tree, switch: int, found: Sequence[Sequence[Group]]) -> bool:
    """Whether the selector is `this` or a local variable that all branches can ask again."""
    if tree.kind[selector(tree, switch)] == "this":
        return True
    binding = resolve(tree).of.get(selector(tree, switch))
    if binding is None or binding.kind == "field" or binding.doubt or _is_never_asked(found):
        return False
    body = tree.child(switch, "body")
    next_one = bisect(binding.references, body)
    inside = binding.references[next_one : next_one + 1]
    return not any(r < tree.after[body] for r in inside) or all(
        len(cluster) == 1 for cluster in found
    )


def _is_never_asked(found: Sequence[Sequence[Group]]) -> bool:
    """Whether one group is entered whatever the selector is."""
    return len(found) == 1 and len(found[0]) == 1 and found[0][0].default


def _in_list(tree: Tree, switch: int) -> bool:
    above = tree.parent[switch]
    while above >= 0 and tree.kind[above] == "labeled_statement":
        above = tree.parent[above]
    return above >= 0 and tree.kind[above] in _STATEMENT_LISTS


def _has_braces(tree: Tree, cluster: Sequence[Group], ends: Sequence[int]) -> bool:
    """Whether a branch is a block already, nothing of it standing outside."""
    left = [s for s in cluster[0].statements if s not in ends]
    return len(cluster) == 1 and len(left) == 1 and tree.kind[left[0]] == "block"


def _label_tokens(tree: Tree, node: int) -> list[int]:
    """The children of a group or rule up to the last colon or the arrow."""
    children = list(tree.children(node))
    last = max(i for i, c in enumerate(children) if tree.kind[c] in (":", "->"))
    return children[: last + 1]


def _declaration(tree: Tree, declaration: int) -> str:
    name = tree.text(tree.child(tree.child(declaration, "declarator"), "name"))
    return f"{tree.text(tree.child(declaration, 'type'))} {name}; "


def _assignment(tree: Tree, declaration: int) -> Iterator[Edit]:
    """`int x = 1;` -> `x = 1;` and `int x;` -> nothing."""
    declarator = tree.child(declaration, "declarator")
    if tree.child(declarator, "value") < 0:
        yield from erased(tree, [declaration])
    else:
        yield Edit(tree.start[declaration], tree.start[declarator], b"")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
