"""Where the nodes of a method's tree begin and end, as JavaParser 3.0.0-alpha.4 has it.

A span is the offsets of the first and last byte. What the parser leaves open is UNKNOWN, which is
before all else: array types and the brackets after a type have no span, and a declaration that
begins with an array type has no beginning.
"""

from collections.abc import Callable, Mapping

from metamorph.java.tree import COMMENTS, Tree
from metamorph.models.contexts.build import Builder, Handler

UNKNOWN = -1
NAMES = frozenset({"identifier", "underscore_pattern"})
Span = tuple[int, int]

_ENDING = frozenset({"cast_expression", "ternary_expression"})
_CLOSING = ord(">")
_BEGIN_WITH_FIRST = frozenset(
    {
        "ArrayAccessExpr",
        "AssignExpr",
        "BinaryExpr",
        "ClassExpr",
        "ConditionalExpr",
        "ExpressionStmt",
        "FieldAccessExpr",
        "InstanceOfExpr",
        "MethodCallExpr",
        "UnaryExpr",
    }
)


class Spanned(Builder):
    """A builder that finds the span of each node, from the syntax node it came from (`origin`)."""

    __slots__ = ("ends", "first", "last", "origin")

    def __init__(self, tree: Tree, handlers: Mapping[str, Handler]) -> None:
        super().__init__(tree, handlers)
        self.origin: list[int] = []
        self.first: list[int] = []
        self.last: list[int] = []
        self.ends: dict[int, int] = {}

    def add(self, label: str, parent: int, child_id: int, text: str | None = None) -> int:
        """Add a node."""
        self.origin.append(self.at)
        return super().add(label, parent, child_id, text)

    def run(self, node: int, handler: Handler | None = None) -> None:
        """Build the tree of a syntax node, then find the spans."""
        super().run(node, handler)
        for this, label in enumerate(self.label):
            first, last = _RULES.get(label, own)(self, this, self.origin[this])
            self.first.append(first)
            self.last.append(last)
        self._lose_beginnings()

    def _lose_beginnings(self) -> None:
        """What begins with a node without beginning has none either."""
        parent, first, start = self.parent, self.first, self.tree.start
        for node in range(len(parent) - 1, 0, -1):
            above = parent[node]
            if first[node] == UNKNOWN and self.origin[node] >= 0:
                kind = self.label[above].partition(":")[0]
                same = start[self.origin[node]] == start[self.origin[above]]
                if same and kind in _BEGIN_WITH_FIRST:
                    first[above] = UNKNOWN


def own(b: Spanned, this: int, origin: int) -> Span:
    """The span of a syntax node; `>>` is one token to the parser, which ends at its last."""
    last, data = b.tree.end[origin] - 1, b.tree.data
    if data[last] == _CLOSING:
        for more in data[last + 1 : last + 3]:
            if more != _CLOSING:
                break
            last += 1
    if b.kind[origin] == "annotated_type":
        origin = b.parts(origin)[-1]
    return b.tree.start[origin], last


def _unknown(b: Spanned, this: int, origin: int) -> Span:
    return UNKNOWN, UNKNOWN


def _declared(b: Spanned, node: int) -> int:
    """Where a declaration begins: with its modifiers or its type parameters or its type."""
    tree = b.tree
    modifiers = tree.child_of_kind(node, "modifiers")
    if modifiers >= 0 and tree.bytes_of(b.parts(modifiers)[0]) != b"default":
        return tree.start[modifiers]
    types = tree.child_of_kind(node, "type_parameters")
    if types >= 0:
        return tree.start[types]
    if b.kind[node] == "constructor_declaration":
        return UNKNOWN
    declared = tree.child(node, "type")
    if declared < 0:
        declared = next(p for p in b.parts(node) if b.kind[p] != "modifiers")
    if b.kind[declared] == "annotated_type":
        declared = b.parts(declared)[-1]
    return UNKNOWN if b.kind[declared] == "array_type" else tree.start[declared]


def _declaration(b: Spanned, this: int, origin: int) -> Span:
    return _declared(b, origin), b.tree.end[origin] - 1


def _annotation_member(b: Spanned, this: int, origin: int) -> Span:
    """Without modifiers nothing but its semicolon."""
    last = b.tree.end[origin] - 1
    modified = b.tree.child_of_kind(origin, "modifiers") >= 0
    return b.tree.start[origin] if modified else last, last


def _type_parameter(b: Spanned, this: int, origin: int) -> Span:
    name = next(p for p in b.parts(origin) if b.kind[p] in ("type_identifier", "identifier"))
    return b.tree.start[name], own(b, this, origin)[1]


def _variables(b: Spanned, this: int, origin: int) -> Span:
    if b.kind[origin] == "enhanced_for_statement":
        return _declared(b, origin), _name(b, this, origin)[1]
    return _declared(b, origin), b.tree.end[b.parts(origin)[-1]] - 1


def _statement(b: Spanned, this: int, origin: int) -> Span:
    if b.kind[origin] == "local_variable_declaration":
        return _declaration(b, this, origin)
    return own(b, this, origin)


def _declarator(b: Spanned, this: int, origin: int) -> Span:
    first, last = _name(b, this, origin)
    return first, last if b.kind[origin] == "enhanced_for_statement" else b.tree.end[origin] - 1


def _name(b: Spanned, this: int, origin: int) -> Span:
    """A declared name and the brackets behind it."""
    tree = b.tree
    if b.kind[origin] in NAMES:
        return own(b, this, origin)
    name, dimensions = tree.child(origin, "name"), tree.child(origin, "dimensions")
    if name < 0:
        return _name(b, this, tree.child_of_kind(origin, "variable_declarator"))
    return tree.start[name], tree.end[name if dimensions < 0 else dimensions] - 1


def _parameter(b: Spanned, this: int, origin: int) -> Span:
    """A caught exception's is that of its clause, a lambda's lone name has its parentheses."""
    above = b.tree.parent[origin]
    if b.kind[origin] == "catch_formal_parameter":
        return own(b, this, above)
    if b.kind[origin] not in NAMES:
        return _declaration(b, this, origin)
    lone = b.kind[above] == "inferred_parameters" and len(b.parts(above)) == 1
    return own(b, this, above if lone else origin)


def _brackets(b: Spanned, this: int, origin: int) -> Span:
    if origin < 0:
        return UNKNOWN, UNKNOWN
    place = 0
    while b.label[this - 1 - place] == "ArrayBracketPair" and b.origin[this - 1 - place] == origin:
        place += 1
    opening = [k for k in b.kids(origin) if b.kind[k] == "["][place]
    closing = [k for k in b.kids(origin) if b.kind[k] == "]"][place]
    return b.tree.start[opening], b.tree.end[closing] - 1


def _level(b: Spanned, this: int, origin: int) -> Span:
    return own(b, this, b.tree.parent[origin])


def _switch_entry(b: Spanned, this: int, origin: int) -> Span:
    """From its label to its last statement."""
    tree = b.tree
    kid, stop = tree.after[origin], tree.after[tree.parent[origin]]
    end = origin
    while kid < stop and b.kind[kid] != "switch_label":
        end = kid if b.kind[kid] not in COMMENTS else end
        kid = tree.after[kid]
    return tree.start[origin], tree.end[end] - 1


def _super(b: Spanned, this: int, origin: int) -> Span:
    """`A.super` begins with its scope, which is a sibling of the keyword."""
    above = b.tree.parent[origin]
    qualified = b.text[this] is None and b.kind[origin] == "super"
    return b.tree.start[above if qualified else origin], b.tree.end[origin] - 1


def _class(b: Spanned, this: int, origin: int) -> Span:
    first, last = own(b, this, origin)
    return UNKNOWN if b.kind[b.parts(origin)[0]] == "array_type" else first, last


def _lambda(b: Spanned, this: int, origin: int) -> Span:
    """One of a bare name ends there; one of several parameters begins with the first."""
    given = b.tree.child(origin, "parameters")
    if b.kind[given] in NAMES:
        return own(b, this, given)
    first, last = own(b, this, origin)
    parts = b.parts(given)
    if parts and b.kind[given] == "formal_parameters":
        return _declared(b, parts[0]), last
    return b.tree.start[parts[0]] if len(parts) > 1 else first, last


def _reference(b: Spanned, this: int, origin: int) -> Span:
    """A reference of a type ends with the type."""
    if b.kind[origin] != "method_reference":
        return own(b, this, origin)
    is_type = this + 1 < len(b.label) and b.label[this + 1] == "TypeExpr"
    return _type(b, this, origin) if is_type else own(b, this, origin)


def _type(b: Spanned, this: int, origin: int) -> Span:
    scope = b.parts(origin)[0]
    return (UNKNOWN, UNKNOWN) if b.kind[scope] == "array_type" else own(b, this, scope)


def _ending(b: Spanned, this: int, origin: int) -> Span:
    """A cast or conditional before `->` or `::` ends with what stands before that."""
    if origin not in b.ends:
        _find_ends(b, this, origin)
    return b.tree.start[origin], b.ends[origin]


def _find_ends(b: Spanned, this: int, origin: int) -> None:
    """The end of a cast or conditional and of those at its end, which all end there."""
    chain = [origin]
    while b.kind[chain[-1]] in _ENDING:
        chain.append(b.kids(chain[-1])[-1])
    last = chain[-1]
    if b.kind[last] == "lambda_expression":
        last = b.tree.child(last, "parameters")
    elif b.kind[last] == "method_reference":
        above = b.parent[this]
        if b.label[above] == "MethodReferenceExpr" and b.origin[above] == origin:
            last = b.parts(last)[0]
    b.ends.update(dict.fromkeys(chain, b.tree.end[last] - 1))


_RULES: dict[str, Callable[[Spanned, int, int], Span]] = {
    "AnnotationMemberDeclaration": _annotation_member,
    "ArrayBracketPair": _brackets,
    "ArrayCreationLevel": _level,
    "ArrayType": _unknown,
    "CastExpr": _ending,
    "ClassExpr": _class,
    "ConditionalExpr": _ending,
    "ConstructorDeclaration": _declaration,
    "ExpressionStmt": _statement,
    "FieldDeclaration": _declaration,
    "IntersectionType": _ending,
    "LambdaExpr": _lambda,
    "MethodDeclaration": _declaration,
    "MethodReferenceExpr": _reference,
    "Parameter": _parameter,
    "SuperExpr": _super,
    "SwitchEntryStmt": _switch_entry,
    "TypeExpr": _type,
    "TypeParameter": _type_parameter,
    "UnionType": _unknown,
    "VariableDeclarationExpr": _variables,
    "VariableDeclarator": _declarator,
    "VariableDeclaratorId": _name,
}
