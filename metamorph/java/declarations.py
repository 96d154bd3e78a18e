"""The variables that a file declares, and the ranges of nodes in which they are in scope."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from metamorph.java.pattern_scopes import Span, pattern_spans
from metamorph.java.tree import Tree


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declared variable; the fields are those of `scopes.Binding`, `spans` its scope."""

    name: str
    kind: str
    node: int
    declaration: int
    type: int
    dims: int
    owner: int
    spans: tuple[Span, ...]
    private: bool = False


CLASS_BODIES = frozenset({"annotation_type_body", "class_body", "enum_body", "interface_body"})
_CALLABLES = frozenset(
    {
        "compact_constructor_declaration",
        "constructor_declaration",
        "lambda_expression",
        "method_declaration",
        "static_initializer",
    }
)
_INITIALISED = CLASS_BODIES | {"enum_body_declarations"}
_FIELDS = frozenset({"constant_declaration", "field_declaration"})
_Parse = Callable[[Tree, int, int], "Declaration | None"]


def declarations_of(tree: Tree) -> Iterator[Declaration]:
    """Every variable that the file declares, in source order."""
    kind, parent, field = tree.kind, tree.parent, tree.field
    for name in tree.of_kinds(("identifier",)):
        parse = _DECLARING.get((kind[parent[name]], field[name]))
        if parse is not None and tree.bytes_of(name) != b"_":
            made = parse(tree, name, parent[name])
            if made is not None:
                yield made


def owner_of(tree: Tree, node: int) -> int:
    """The method, constructor, lambda, initialiser or class (the file: 0) that the node is in."""
    known = _owners(tree)
    passed = []
    owner = 0
    for above in tree.ancestors(node):
        if above in known:
            owner = known[above]
            break
        passed.append(above)
        holder = tree.parent[above]
        if tree.kind[above] in CLASS_BODIES:
            owner = holder
            break
        block = tree.kind[above] == "block" and tree.kind[holder] in _INITIALISED
        if block or tree.kind[above] in _CALLABLES:
            owner = above
            break
    known.update(dict.fromkeys(passed, owner))
    return owner


@lru_cache(maxsize=4)
def _owners(tree: Tree) -> dict[int, int]:
    """What `owner_of` found of the children of nodes so far: deep trees are walked up once."""
    return {}


def _make(
    tree: Tree, name: int, kind: str, holder: int, type_node: int, *spans: Span
) -> Declaration:
    dims = _brackets(tree, tree.parent[name])
    if tree.kind[holder] == "spread_parameter":
        dims += 1
    if type_node >= 0 and tree.bytes_of(type_node) == b"var":
        type_node = -1
    text = tree.text(name)
    return Declaration(text, kind, name, holder, type_node, dims, owner_of(tree, holder), spans)


def _brackets(tree: Tree, holder: int) -> int:
    dimensions = tree.child(holder, "dimensions")
    if dimensions < 0:
        return 0
    return sum(tree.kind[child] == "[" for child in tree.children(dimensions))


def _inside(tree: Tree, node: int) -> Span:
    """All of a node; no range at all where there is none (a method without a body)."""
    return Span(node, tree.after[node]) if node >= 0 else Span(0, 0)


def _declarator(tree: Tree, name: int, holder: int) -> Declaration | None:
    statement = tree.parent[holder]
    kind = tree.kind[statement]
    if kind == "spread_parameter":
        return _parameter(tree, name, statement)
    if kind in _FIELDS:
        return _field(tree, name, holder)
    type_node, around = tree.child(statement, "type"), tree.parent[statement]
    if tree.kind[around] == "program":
        return _make(tree, name, "field", holder, type_node, _inside(tree, around))
    if tree.kind[around] == "switch_block_statement_group":
        around = tree.parent[around]
    spans = (*_own_annotations(tree, statement), Span(holder, tree.after[around]))
    label = "loop" if tree.kind[around] == "for_statement" else "local"
    return _make(tree, name, label, holder, type_node, *spans)


def _own_annotations(tree: Tree, statement: int) -> Iterator[Span]:
    """Where javac, unlike JLS 6.3, lets an annotation name the variable that it stands on."""
    held = tree.child_of_kind(statement, "modifiers")
    if held >= 0 and tree.child_of_kind(held, "annotation") >= 0:
        yield Span(held, tree.after[held], certain=False)


def _field(tree: Tree, name: int, holder: int) -> Declaration:
    statement = tree.parent[holder]
    body = _inside(tree, _body(tree, name))
    made = _make(tree, name, "field", holder, tree.child(statement, "type"), body)
    return replace(made, private=b"private" in _modifiers(tree, statement))


def _body(tree: Tree, node: int) -> int:
    """The class body around a node; -1 where broken code has none."""
    bodies = (above for above in tree.ancestors(node) if tree.kind[above] in CLASS_BODIES)
    return next(bodies, -1)


def _modifiers(tree: Tree, node: int) -> list[bytes]:
    held = tree.child_of_kind(node, "modifiers")
    return [tree.bytes_of(child) for child in tree.children(held)] if held >= 0 else []


def _parameter(tree: Tree, name: int, holder: int) -> Declaration | None:
    above = tree.parent[tree.parent[holder]]
    kind, type_node = tree.kind[above], _type_child(tree, holder)
    body = _inside(tree, tree.child(above, "body"))
    if kind == "record_declaration":
        component = _make(tree, name, "field", holder, type_node, body)
        return replace(component, private=True, owner=above)
    label = "lambda" if kind == "lambda_expression" else "parameter"
    return _make(tree, name, label, holder, type_node, body)


def _type_child(tree: Tree, holder: int) -> int:
    """The declared type: the field `type`, or the first node that can be one."""
    found = tree.child(holder, "type")
    if found >= 0:
        return found
    skipped = ("modifiers", "identifier", "underscore_pattern", "variable_declarator")
    children = tree.named_children(holder)
    return next((child for child in children if tree.kind[child] not in skipped), -1)


def _enum_constant(tree: Tree, name: int, holder: int) -> Declaration:
    body = _body(tree, name)
    type_node = tree.child(tree.parent[body], "name") if body >= 0 else -1
    return _make(tree, name, "field", holder, type_node, _inside(tree, body))


def _caught(tree: Tree, name: int, holder: int) -> Declaration:
    types = tree.child_of_kind(holder, "catch_type")
    if types >= 0 and tree.after[types + 1] == tree.after[types]:
        types += 1
    body = _inside(tree, tree.child(tree.parent[holder], "body"))
    return _make(tree, name, "catch", holder, types, body)


def _resource(tree: Tree, name: int, holder: int) -> Declaration:
    body = tree.child(tree.parent[tree.parent[holder]], "body")
    scope = Span(name, tree.after[body])
    return _make(tree, name, "resource", holder, tree.child(holder, "type"), scope)


def _enhanced_for(tree: Tree, name: int, holder: int) -> Declaration:
    body = _inside(tree, tree.child(holder, "body"))
    return _make(tree, name, "loop", holder, tree.child(holder, "type"), body)


def _lambda(tree: Tree, name: int, holder: int) -> Declaration:
    if tree.kind[holder] == "lambda_expression":
        return _make(tree, name, "lambda", name, -1, _inside(tree, tree.child(holder, "body")))
    body = _inside(tree, tree.child(tree.parent[holder], "body"))
    return _make(tree, name, "lambda", name, -1, body)


def _instanceof(tree: Tree, name: int, holder: int) -> Declaration:
    type_node = tree.child(holder, "right")
    return _make(tree, name, "pattern", holder, type_node, *pattern_spans(tree, holder))


def _pattern(tree: Tree, name: int, holder: int) -> Declaration | None:
    """A pattern within a record pattern or a switch label."""
    top = holder
    while tree.kind[top] != "instanceof_expression" and tree.kind[tree.parent[top]] in _NESTING:
        top = tree.parent[top]
    type_node = _type_child(tree, holder)
    return _make(tree, name, "pattern", holder, type_node, *pattern_spans(tree, top))


_NESTING = frozenset(
    {
        "instanceof_expression",
        "pattern",
        "record_pattern",
        "record_pattern_body",
        "record_pattern_component",
        "type_pattern",
    }
)
_DECLARING: dict[tuple[str, str], _Parse] = {
    ("catch_formal_parameter", "name"): _caught,
    ("enhanced_for_statement", "name"): _enhanced_for,
    ("enum_constant", "name"): _enum_constant,
    ("formal_parameter", "name"): _parameter,
    ("inferred_parameters", ""): _lambda,
    ("instanceof_expression", "name"): _instanceof,
    ("lambda_expression", "parameters"): _lambda,
    ("record_pattern_component", ""): _pattern,
    ("resource", "name"): _resource,
    ("type_pattern", ""): _pattern,
    ("variable_declarator", "name"): _declarator,
}
