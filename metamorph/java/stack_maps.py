"""Where javac may write a wrong stack map, so that a class that compiles does not load.

javac forgets in some places that a variable's scope has ended (JDK-8332934 up to javac 24,
JDK-8358801, JDK-8390354 in all of them). The class breaks where a switch then puts one of its
own variables into the forgotten one's slot. Both must come together in one method, in that
order; a program that loads may cease to when variables before the switch come, go or move.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from metamorph.java.flow import LOOPS, flow
from metamorph.java.tree import Tree

REASON = "javac-stack-map"

_NEVER = 1 << 60
_SCOPES = frozenset({"block", "constructor_body", "switch_block", "for_statement"})


@dataclass(frozen=True, slots=True)
class StackMaps:
    """What of a method javac may get wrong.

    forgotten: the offset behind which a variable may first be remembered for too long;
    switches: node, offsets of start and end of each switch that puts such a slot to use.
    """

    forgotten: int
    switches: tuple[tuple[int, int, int], ...]

    def doubt(self, at: int, *, without: int = -1) -> str:
        """REASON where variables must not change from the offset on, or "".

        without: a switch that goes; its own variables then have scopes that end earlier.
        """
        goes = any(switch == without for switch, _, _ in self.switches)
        first = min(self.forgotten, at) if goes else self.forgotten
        for switch, start, end in self.switches:
            if switch != without and at < end and first <= start:
                return REASON
        return ""


_NONE = StackMaps(_NEVER, ())


def stack_maps(tree: Tree, body: int) -> StackMaps:
    """What javac may get wrong in the body of a method."""
    if not tree.of_kinds(("switch_block",), body):
        return _NONE
    switches = tuple(_switches(tree, body))
    return StackMaps(min(_ends(tree, body), default=_NEVER), switches) if switches else _NONE


def _switches(tree: Tree, body: int) -> Iterator[tuple[int, int, int]]:
    """The switches with variables that are in scope, but have no value, in a group below."""
    for node in tree.of_kinds(("switch_block",), body):
        if _shares_slots(tree, node):
            loop = _updated(tree, node)
            start = tree.start[node] if loop < 0 else tree.end[loop]
            yield tree.parent[node], start, max(tree.end[node], start + 1)


def _shares_slots(tree: Tree, block: int) -> bool:
    """Whether a group declares a variable and another follows, or labels are patterns."""
    entries = list(tree.named_children(block))
    for entry in entries:
        parts = [p for c in tree.children(entry) for p in _label_parts(tree, c)]
        if "pattern" in parts:
            return True
        if "local_variable_declaration" in parts and entry != entries[-1]:
            return True
    return False


def _label_parts(tree: Tree, child: int) -> list[str]:
    """The kind of a group's child, or those of a label's parts."""
    if tree.kind[child] != "switch_label":
        return [tree.kind[child]]
    return [tree.kind[c] for c in tree.children(child)]


def _updated(tree: Tree, node: int) -> int:
    """The body of the `for` whose update holds the node, which runs before it; or -1."""
    inner = node
    for above in tree.ancestors(node):
        if tree.kind[above] == "for_statement" and tree.field[inner] == "update":
            return tree.child(above, "body")
        inner = above
    return -1


def _ends(tree: Tree, body: int) -> Iterator[int]:
    """The offsets behind which javac may remember a variable whose scope has ended."""
    for node in range(body, tree.after[body]):
        kind = tree.kind[node]
        if kind == "variable_declarator" and _is_blank(tree, node):
            scope = next((a for a in tree.ancestors(node) if tree.kind[a] in _SCOPES), body)
            yield tree.end[scope]
        elif kind == "instanceof_expression" and _binds(tree, node):
            yield tree.end[node]
        elif kind in LOOPS and _is_only_continued(tree, node):
            yield tree.end[tree.child(node, "body")]


def _is_blank(tree: Tree, declarator: int) -> bool:
    """Whether a local variable is declared without a value."""
    declared = tree.kind[tree.parent[declarator]] == "local_variable_declaration"
    return declared and tree.child(declarator, "value") < 0


def _binds(tree: Tree, node: int) -> bool:
    """Whether an `instanceof` has a pattern."""
    return tree.child(node, "name") >= 0 or tree.child(node, "pattern") >= 0


def _is_only_continued(tree: Tree, loop: int) -> bool:
    """Whether nothing but `continue` leads to the condition or update behind the body."""
    if tree.kind[loop] not in ("do_statement", "for_statement"):
        return False
    known = flow(tree)
    jumps = known.jumps.get(loop, ())
    continued = any(tree.kind[j] == "continue_statement" for j in jumps)
    return continued and known.completes(tree.child(loop, "body")) is not True
