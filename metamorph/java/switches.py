"""Switch statements: their groups, labels, selectors, and the ways out of them (JLS 14.11)."""

from collections.abc import Sequence
from dataclasses import dataclass

from metamorph.java.expressions import expression_types
from metamorph.java.flow import flow, is_default, needs_exhaustion, statements
from metamorph.java.jdk import BOXES
from metamorph.java.scopes import Binding, resolve
from metamorph.java.tree import COMMENTS, Tree
from metamorph.java.types import file_types

_INTEGRAL = frozenset({"int", "char", "short", "byte", "Integer", "Character", "Short", "Byte"})
_INTEGERS = frozenset(
    {
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
        "character_literal",
    }
)
_TYPES = frozenset(
    {"class_declaration", "enum_declaration", "interface_declaration", "record_declaration"}
)
_LISTS = frozenset({"block", "constructor_body", "switch_block_statement_group"})


@dataclass(frozen=True, slots=True)
class Group:
    """The statements that a run of labels leads to.

    nodes: the switch groups or the rule that hold the labels, the last one holding the
    statements; labels: the constant expressions; default: whether `default` is among them;
    falls: whether control runs on into the next group, None where a constant decides.
    """

    nodes: tuple[int, ...]
    labels: tuple[int, ...]
    default: bool
    statements: tuple[int, ...]
    falls: bool | None


def is_statement(tree: Tree, switch: int) -> bool:
    """Whether a switch stands as a statement rather than as an expression."""
    above = tree.parent[switch]
    if above < 0 or tree.kind[above] in _LISTS or tree.kind[above] == "labeled_statement":
        return True
    return tree.field[switch] in ("consequence", "alternative") or (
        tree.field[switch] == "body" and tree.kind[above].endswith("_statement")
    )


def refusal(tree: Tree, switch: int) -> str:
    """Why the switch cannot be read as constants and groups, or ""."""
    labels = _labels(tree, switch)
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


def selector(tree: Tree, switch: int) -> int:
    """The selector expression without its parentheses."""
    node = tree.child(switch, "condition")
    while tree.kind[node] == "parenthesized_expression":
        node = next(tree.named_children(node))
    return node


def selector_type(tree: Tree, switch: int) -> str:
    """`int`, `String`, or the written name of an enum; "" where the file does not tell."""
    kinds = {
        _label_type(tree, c) for label in _labels(tree, switch) for c in constants(tree, label)
    }
    known = kinds - {""}
    if known:
        return known.pop() if len(known) == 1 else ""
    node = selector(tree, switch)
    name = expression_types(file_types(tree), node).get(node, "") or _returned(tree, node)
    if name in _INTEGRAL:
        return "int"
    if name == "String":
        return name
    return name if name and _names_one_enum(tree, name) else ""


def constants(tree: Tree, label: int) -> list[int]:
    """The constant expressions of one switch label."""
    return [c for c in tree.children(label) if tree.named[c] and tree.kind[c] not in COMMENTS]


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
    for group in found:
        first, last = group.nodes[0], tree.after[group.nodes[-1]]
        if any(_class_used_outside(tree, switch, s, last) for s in group.statements):
            return None
        for binding in _declared_between(tree, first, last):
            if any(r >= last for r in binding.references):
                declaration = tree.parent[binding.declaration]
                if not _can_move_out(tree, switch, binding, declaration):
                    return None
                shared.append(declaration)
    return shared


def _declared_between(tree: Tree, first: int, last: int) -> list[Binding]:
    of = resolve(tree).of
    found = (of.get(n) for n in range(first, last) if tree.kind[n] == "identifier")
    return list({b.node: b for b in found if b is not None and first <= b.node < last}.values())


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


def _class_used_outside(tree: Tree, switch: int, statement: int, last: int) -> bool:
    if tree.kind[statement] not in _TYPES:
        return False
    name = tree.bytes_of(tree.child(statement, "name"))
    return any(tree.bytes_of(n) == name for n in range(last, tree.after[switch]))


def _labels(tree: Tree, switch: int) -> list[int]:
    entries = tree.named_children(tree.child(switch, "body"))
    return [c for e in entries for c in tree.children(e) if tree.kind[c] == "switch_label"]


def _group(tree: Tree, nodes: list[int], body: list[int]) -> Group:
    labels = [c for n in nodes for c in tree.children(n) if tree.kind[c] == "switch_label"]
    values = [v for label in labels for v in constants(tree, label)]
    rule = tree.kind[nodes[-1]] == "switch_rule"
    falls = False if rule else flow(tree).completes_all(body)
    default = any(is_default(tree, label) for label in labels)
    return Group(tuple(nodes), tuple(values), default, tuple(body), falls)


def _label_type(tree: Tree, node: int) -> str:
    """What a constant expression is by its literals; "" for names alone."""
    kinds = tree.kind[node : tree.after[node]]
    if "string_literal" in kinds:
        return "String"
    return "int" if not _INTEGERS.isdisjoint(kinds) else ""


def _returned(tree: Tree, node: int) -> str:
    """The type that a call of a method of this file returns, if all of that name agree."""
    if tree.kind[node] != "method_invocation":
        return ""
    receiver = tree.child(node, "object")
    if receiver >= 0 and tree.kind[receiver] != "this":
        return ""
    name = tree.bytes_of(tree.child(node, "name"))
    types = {
        tree.text(tree.child(n, "type"))
        for n, kind in enumerate(tree.kind)
        if kind == "method_declaration" and tree.bytes_of(tree.child(n, "name")) == name
    }
    written = types.pop() if len(types) == 1 else ""
    return written if written.replace(".", "").isidentifier() else ""


def _names_one_enum(tree: Tree, name: str) -> bool:
    """Whether a type name can stand before a constant: no variable or second type hides it."""
    if not name.replace(".", "").isidentifier() or name == "reference" or name in BOXES:
        return False
    types = file_types(tree)
    first = name.partition(".")[0]
    declared = [
        n
        for n, kind in enumerate(tree.kind)
        if kind in _TYPES and tree.text(tree.child(n, "name")) == first
    ]
    hidden = any(binding.name == first for binding in types.bindings.values())
    return len(declared) <= 1 and not hidden and first not in types.parameters


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
