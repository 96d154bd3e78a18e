"""Boolean exchange: a boolean local stores the opposite, and every read of it is negated.

Stored values and reads are negated whole (`!(a < b)`, never `a >= b`, which differs for NaN), so
nothing outside the variable can tell. Parameters, fields and `Boolean` are never touched.
"""

import re
from collections.abc import Iterator, Sequence

from metamorph.java.edits import Edit
from metamorph.java.layout import begins_line, ends_line, indentation, newline
from metamorph.java.methods import Method
from metamorph.java.scopes import Binding, declared_within
from metamorph.java.sites import Refusal, Site
from metamorph.java.switches import is_statement
from metamorph.java.tree import Tree
from metamorph.java.types import file_types
from metamorph.transforms._protocol import Choices

CODE = "BX"
NAME = "boolean exchange"
PLACES = ("single", "all", "random")

_OPPOSITE = {"|=": b"&=", "&=": b"|="}
_PRIMARY = frozenset(
    {"identifier", "parenthesized_expression", "method_invocation", "field_access", "array_access"}
)
_WORD = re.compile(rb"[\w$\x80-\xff]")
_NOT_GENERIC = frozenset(
    {
        "contains",
        "containsKey",
        "containsValue",
        "endsWith",
        "equals",
        "equalsIgnoreCase",
        "hasMoreElements",
        "hasNext",
        "isEmpty",
        "matches",
        "startsWith",
    }
)


def sites(method: Method, choices: Choices) -> Iterator[Site | Refusal]:
    """Every boolean local variable of the method."""
    tree, chosen = method.tree, []
    for binding in declared_within(tree, method.body):
        if _is_boolean(tree, binding):
            if reason := _refusal(tree, binding):
                yield Refusal(CODE, tree.start[binding.node], reason)
            else:
                chosen.append(binding)
    together = _Negations(tree, chosen).edits() if choices.distinct else {}
    for index, binding in enumerate(chosen):
        found = together if choices.distinct else _Negations(tree, [binding]).edits()
        edits = found.get(binding.node, [])
        fresh: tuple[str, ...] = ()
        if tree.kind[binding.declaration] == "enhanced_for_statement":
            fresh = (choices.fresh(),)
            edits += _loop_variable(tree, binding, fresh[0].encode())
        yield Site(CODE, index, tree.start[binding.node], tuple(edits), fresh=fresh)


def _is_boolean(tree: Tree, binding: Binding) -> bool:
    above = tree.parent[binding.declaration]
    if binding.dims or binding.kind == "field":
        return False
    if tree.kind[binding.declaration] == "enhanced_for_statement":
        return binding.type >= 0 and tree.kind[binding.type] == "boolean_type"
    if tree.kind[above] != "local_variable_declaration":
        return False
    declared = tree.child(above, "type")
    return tree.kind[declared] == "boolean_type" or (
        tree.text(declared) == "var"
        and _surely_boolean(tree, tree.child(binding.declaration, "value"))
    )


def _surely_boolean(tree: Tree, value: int) -> bool:
    kind = tree.kind[value]
    if kind == "binary_expression":
        return tree.text(tree.child(value, "operator")) in (
            "<",
            ">",
            "<=",
            ">=",
            "==",
            "!=",
            "&&",
            "||",
        )
    if kind == "unary_expression":
        return tree.text(tree.child(value, "operator")) == "!"
    return kind in ("true", "false", "instanceof_expression")


def _refusal(tree: Tree, binding: Binding) -> str:
    if doubt := binding.doubt or file_types(tree).doubt:
        return doubt
    stored = tree.child(binding.declaration, "value")
    if not binding.references and stored < 0:
        return "never-used"
    if stored >= 0 and tree.kind[stored] == "array_initializer":
        return "not-a-boolean"
    if any(_is_selector(tree, r) for r in binding.references):
        return "switch-on-boolean"
    return ""


def _is_selector(tree: Tree, node: int) -> bool:
    while tree.kind[tree.parent[node]] == "parenthesized_expression":
        node = tree.parent[node]
    return tree.kind[tree.parent[node]] == "switch_expression" and tree.field[node] == "condition"


class _Negations:
    """Which expressions are to be negated, an even number of times being none."""

    def __init__(self, tree: Tree, flipped: Sequence[Binding]) -> None:
        self.tree = tree
        self.odd: dict[int, int] = {}
        self.operators: list[tuple[int, Edit]] = []
        for binding in flipped:
            value = tree.child(binding.declaration, "value")
            if value >= 0 and tree.kind[binding.declaration] == "variable_declarator":
                self._toggle(value, binding.node)
            for reference in binding.references:
                self._reference(reference, binding.node)

    def _reference(self, node: int, owner: int) -> None:
        tree = self.tree
        outer = node
        while tree.kind[tree.parent[outer]] == "parenthesized_expression":
            outer = tree.parent[outer]
        above = tree.parent[outer]
        if tree.kind[above] != "assignment_expression" or tree.field[outer] != "left":
            self._toggle(node, owner)
            return
        operator = tree.child(above, "operator")
        sign = tree.text(operator)
        if sign != "^=":
            self._toggle(tree.child(above, "right"), owner)
        if sign in _OPPOSITE:
            edit = Edit(tree.start[operator], tree.end[operator], _OPPOSITE[sign])
            self.operators.append((owner, edit))
        if _value_is_used(tree, above):
            self._toggle(above, owner)

    def _toggle(self, node: int, owner: int) -> None:
        """Negate `node` once more; under a `!`, negate that instead."""
        tree = self.tree
        outer = node
        while tree.kind[tree.parent[outer]] == "parenthesized_expression":
            outer = tree.parent[outer]
        while _is_not(tree, tree.parent[outer]):
            node = outer = tree.parent[outer]
            while tree.kind[tree.parent[outer]] == "parenthesized_expression":
                outer = tree.parent[outer]
        if node in self.odd:
            del self.odd[node]
        else:
            self.odd[node] = owner

    def edits(self) -> dict[int, list[Edit]]:
        """The edits by the variable that caused them."""
        result: dict[int, list[Edit]] = {}
        for owner, edit in self.operators:
            result.setdefault(owner, []).append(edit)
        for node, owner in self.odd.items():
            result.setdefault(owner, []).extend(_negate(self.tree, node))
        return result


def _loop_variable(tree: Tree, binding: Binding, fresh: bytes) -> Iterator[Edit]:
    """The loop assigns another variable, and every round begins with a declaration."""
    loop, data = binding.declaration, tree.data
    body = tree.child(loop, "body")
    start, end = tree.start[body], tree.end[body]
    declaration = b"boolean " + tree.bytes_of(binding.node) + b" = !" + fresh + b";"
    yield Edit(tree.start[binding.node], tree.end[binding.node], fresh)
    if tree.kind[body] == "block":
        first = next(tree.named_children(body), -1)
        line = ends_line(data, start + 1)
        own_line = line and first >= 0 and begins_line(data, tree.start[first])
        before = newline(data) + indentation(data, tree.start[first]) if own_line else b" "
        yield Edit(start + 1, start + 1, before + declaration)
        return
    space = b" " if data[start - 1 : start] == b")" else b""
    yield Edit(start, start, space + b"{ " + declaration + b" ", -1)
    yield Edit(end, end, b" }", -tree.start[loop])


def _is_not(tree: Tree, node: int) -> bool:
    return tree.kind[node] == "unary_expression" and tree.text(tree.child(node, "operator")) == "!"


def _value_is_used(tree: Tree, assignment: int) -> bool:
    """Whether an assignment is more than a statement of its own."""
    above = tree.parent[assignment]
    if tree.kind[above] == "for_statement":
        return tree.field[assignment] == "condition"
    if tree.kind[above] != "expression_statement":
        return True
    rule = tree.parent[above]
    switch = tree.parent[tree.parent[rule]]
    return tree.kind[rule] == "switch_rule" and not is_statement(tree, switch)


def _negate(tree: Tree, node: int) -> Iterator[Edit]:
    start, end = tree.start[node], tree.end[node]
    kind = tree.kind[node]
    outer_first = len(tree.data) - end
    if kind in ("true", "false"):
        yield Edit(start, end, b"false" if kind == "true" else b"true")
    elif _is_not(tree, node) and not _gives_var_its_type(tree, node):
        glued = _WORD.match(tree.data, start - 1) and _WORD.match(tree.data, start + 1)
        yield Edit(start, start + 1, b" " if glued else b"")
    elif _may_be_generic(tree, node):
        opening, closing = (b"(", b")") if kind == "ternary_expression" else (b"", b"")
        yield Edit(start, start, b"!((boolean) " + opening, outer_first)
        yield Edit(end, end, closing + b")", -start)
    elif kind in _PRIMARY:
        yield Edit(start, start, b"!", outer_first)
    else:
        yield Edit(start, start, b"!(", outer_first)
        yield Edit(end, end, b")", -start)


def _gives_var_its_type(tree: Tree, node: int) -> bool:
    """Whether a `var` is boolean only as the operand, perhaps a `Boolean`, stands under `!`."""
    declarator = tree.parent[node]
    if tree.kind[declarator] != "variable_declarator":
        return False
    return tree.text(tree.child(tree.parent[declarator], "type")) == "var"


def _may_be_generic(tree: Tree, node: int) -> bool:
    """Whether the type may hang on where the value goes, as that of `<T> T get()` does.

    Under `!` such a call would be an Object; a cast to boolean asks for what the variable did.
    """
    pending = [node]
    while pending:
        node = pending.pop()
        kind = tree.kind[node]
        if kind == "parenthesized_expression":
            pending += tree.named_children(node)
        elif kind == "ternary_expression":
            pending += (tree.child(node, "consequence"), tree.child(node, "alternative"))
        elif kind == "switch_expression" or (
            kind == "method_invocation" and _generic_call(tree, node)
        ):
            return True
    return False


def _generic_call(tree: Tree, call: int) -> bool:
    name = tree.text(tree.child(call, "name"))
    if name in _NOT_GENERIC:
        return False
    receiver = tree.child(call, "object")
    if receiver >= 0 and tree.kind[receiver] != "this":
        return True
    returns = [
        tree.kind[tree.child(n, "type")]
        for n in tree.of_kinds(("method_declaration",))
        if tree.text(tree.child(n, "name")) == name
    ]
    return not returns or any(r != "boolean_type" for r in returns)
