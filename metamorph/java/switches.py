"""Switch statements: their groups, labels, selectors, and the ways out of them (JLS 14.11)."""

from collections.abc import Sequence
from dataclasses import dataclass

from metamorph.java.flow import flow, is_default, needs_exhaustion, statements
from metamorph.java.scopes import Binding, declared_between
from metamorph.java.selectors import constants
from metamorph.java.tree import Tree

_TYPES = frozenset(
    {"class_declaration", "enum_declaration", "interface_declaration", "record_declaration"}
)
_LISTS = frozenset({"block", "constructor_body", "switch_block_statement_group"})


@dataclass(frozen=True, slots=True)
class Group:
    """The statements that a run of labels leads to.

    nodes: the switch groups or the rule that hold the labels, the last one holding the
    statements; labels: the constant expressions; default: whether `default` is among them;
    falls: whether control may run on into the next group.
    """

    nodes: tuple[int, ...]
    labels: tuple[int, ...]
    default: bool
    statements: tuple[int, ...]
    falls: bool


def is_statement(tree: Tree, switch: int) -> bool:
    """Whether a switch stands as a statement rather than as an expression."""
    above = tree.parent[switch]
    if above < 0 or tree.kind[above] in _LISTS or tree.kind[above] == "labeled_statement":
        return True
    branch = tree.field[switch] in ("body", "consequence", "alternative")
    return branch and tree.kind[above].endswith("_statement")


def refusal(tree: Tree, switch: int) -> str:
    """Why the switch cannot be read as constants and groups, or ""."""
    labels = labels_in(tree, switch)
    if not labels:
        return "no-labels"
    for label in labels:
        if needs_exhaustion(tree, label) or tree.child_of_kind(label, "guard") >= 0:
            return "pattern-or-null-label"
    return ""


def groups(tree: Tree, switch: int) -> list[Group]:
    """The groups in source order; labels without statements belong to the group below them."""
    found: list[Group] = []
    pending: list[int] = []
    entries = list(tree.named_children(tree.child(switch, "body")))
    for entry in entries:
        pending.append(entry)
        body = statements(tree, entry)
        if body or entry == entries[-1]:
            found.append(_group(tree, pending, body))
            pending = []
    return found


def leaving(tree: Tree, switch: int, group: Group) -> tuple[list[int], list[int]]:
    """The breaks of a group that leave the switch: those that end it, and the others.

    A break ends the group when nothing of the group would run after it anyway.
    """
    last = tree.after[group.nodes[-1]]
    all_breaks = [
        j
        for j in flow(tree).jumps.get(switch, ())
        if tree.kind[j] == "break_statement" and group.nodes[-1] < j < last
    ]
    tails = _tails(tree, group)
    return [b for b in all_breaks if b in tails], [b for b in all_breaks if b not in tails]


def clusters(found: Sequence[Group]) -> list[tuple[Group, ...]]:
    """Runs of groups each of which, but the last, falls into the next."""
    result: list[tuple[Group, ...]] = []
    run: list[Group] = []
    for group in found:
        run.append(group)
        if not group.falls or group is found[-1]:
            result.append(tuple(run))
            run = []
    return result


def shared_locals(tree: Tree, switch: int, found: Sequence[Group]) -> list[int] | None:
    """The local declarations of one group that another one uses; None if one cannot move out.

    A declaration can move in front of the switch when it declares one plain variable whose name
    means nothing else within the switch.
    """
    shared: list[int] = []
    local_types = any(tree.kind[s] in _TYPES for group in found for s in group.statements)
    for group in found:
        first, last = group.nodes[0], tree.after[group.nodes[-1]]
        for binding in declared_between(tree, first, last):
            if _used_behind(tree, switch, binding, last):
                declaration = tree.parent[binding.declaration]
                if local_types or not _can_move_out(tree, switch, binding, declaration):
                    return None
                shared.append(declaration)
    return shared


def _used_behind(tree: Tree, switch: int, binding: Binding, last: int) -> bool:
    """Whether a later group uses the variable; where that is in doubt, whether it may."""
    if binding.references and binding.references[-1] >= last:
        return True
    name = tree.bytes_of(binding.node)
    return binding.doubt != "" and any(
        tree.kind[n] == "identifier" and tree.bytes_of(n) == name
        for n in range(last, tree.after[switch])
    )


def _can_move_out(tree: Tree, switch: int, binding: Binding, declaration: int) -> bool:
    if tree.kind[declaration] != "local_variable_declaration" or binding.dims or binding.doubt:
        return False
    parts = list(tree.children(declaration))
    written = tree.child(declaration, "type")
    value = tree.child(binding.declaration, "value")
    plain = tree.kind[parts[0]] != "modifiers" and tree.text(written) != "var" and len(parts) == 3
    if not plain or (value >= 0 and tree.kind[value] == "array_initializer"):
        return False
    own = {binding.node, *binding.references}
    name = tree.bytes_of(binding.node)
    inside = range(switch, tree.after[switch])
    return not any(
        tree.bytes_of(n) == name and n not in own
        for n in inside
        if tree.kind[n] in ("identifier", "type_identifier")
    )


def labels_in(tree: Tree, switch: int) -> list[int]:
    """All labels of a switch."""
    entries = tree.named_children(tree.child(switch, "body"))
    return [c for e in entries for c in tree.children(e) if tree.kind[c] == "switch_label"]


def _group(tree: Tree, nodes: list[int], body: list[int]) -> Group:
    labels = [c for n in nodes for c in tree.children(n) if tree.kind[c] == "switch_label"]
    values = [v for label in labels for v in constants(tree, label)]
    rule = tree.kind[nodes[-1]] == "switch_rule"
    falls = not rule and flow(tree).completes_all(body) is not False
    default = any(is_default(tree, label) for label in labels)
    return Group(tuple(nodes), tuple(values), default, tuple(body), falls)


def _tails(tree: Tree, group: Group) -> set[int]:
    """The statements after which the group ends."""
    tails: set[int] = set()
    pending = list(group.statements[-1:])
    while pending:
        node = pending.pop()
        tails.add(node)
        kind = tree.kind[node]
        if kind == "block":
            pending += statements(tree, node)[-1:]
        elif kind == "if_statement":
            ends = (tree.child(node, "consequence"), tree.child(node, "alternative"))
            pending += (end for end in ends if end >= 0)
        elif kind == "synchronized_statement":
            pending.append(tree.child(node, "body"))
    return tails
