"""Methods, classes, parameters and variables as JavaParser 3.0.0-alpha.4 shapes them."""

from collections.abc import Sequence

from metamorph.java.tree import COMMENTS
from metamorph.models.contexts.build import Builder, Child, Handler
from metamorph.models.contexts.types import (
    ANNOTATIONS,
    bracket_pairs,
    dimension_annotations,
    element_type,
    supertype,
)

Numbered = tuple[int, int, Handler | None]


def annotations_of(b: Builder, node: int) -> list[int]:
    """A declaration's annotations; the parser drops those after `default`."""
    modifiers = node + 1
    if b.kind[modifiers] != "modifiers":
        if b.named[modifiers] and b.kind[modifiers] not in COMMENTS:
            return []
        modifiers = b.tree.child_of_kind(node, "modifiers")
        if modifiers < 0:
            return []
    found = []
    for part in b.parts(modifiers):
        if b.kind[part] in ANNOTATIONS:
            found.append(part)
        elif b.kind[part] == "modifier" and b.tree.bytes_of(part) == b"default":
            break
    return found


def variable(
    b: Builder, node: int, annotations: Sequence[int], declarators: Sequence[Child]
) -> list[Numbered]:
    """The children of a variable or field declaration: annotations, element type, declarators,
    and the type's brackets, which have no range and so share one child id."""
    element, dimensions = element_type(b, b.tree.child(node, "type"))
    children: list[Child] = [(a, None) for a in annotations]
    children += [(element, None), *declarators]
    numbered = [(i, n, h) for i, (n, h) in enumerate(children)]
    numbered += [(len(children), n, h) for n, h in bracket_pairs(dimensions)]
    return numbered


def declared(b: Builder, node: int) -> list[Numbered]:
    """The children of a declaration of any number of variables."""
    kind = b.kind
    declarators: list[Child] = [
        (c, None) for c in b.parts(node) if kind[c] == "variable_declarator"
    ]
    return variable(b, node, annotations_of(b, node), declarators)


def declarator(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`name = value`."""
    this = b.add("VariableDeclarator", parent, child_id)
    value = b.tree.child(node, "value")
    if value >= 0:
        b.stack.append((value, this, 1, None))
    declarator_id(b, node, this, 0)


def declarator_id(b: Builder, node: int, parent: int, child_id: int) -> None:
    """The declared name; with brackets of its own it is no leaf."""
    tree = b.tree
    dimensions = tree.child(node, "dimensions")
    text = tree.text(tree.child(node, "name")) if dimensions < 0 else None
    this = b.add("VariableDeclaratorId", parent, child_id, text)
    if dimensions >= 0:
        b.then(this, bracket_pairs(dimension_annotations(b, dimensions), dimensions))


def parameter_of(
    b: Builder,
    node: int,
    parent: int,
    child_id: int,
    types: Sequence[Child],
    dimensions: Sequence[Sequence[int]],
) -> None:
    """A parameter: annotations, name, type, and the type's brackets under one child id."""
    this = b.add("Parameter", parent, child_id)
    named = b.tree.child_of_kind(node, "variable_declarator")
    children: list[Child] = [(a, None) for a in annotations_of(b, node)]
    children += [(named if named >= 0 else node, declarator_id), *types]
    numbered = [(i, n, h) for i, (n, h) in enumerate(children)]
    numbered += [(len(children), n, h) for n, h in bracket_pairs(dimensions)]
    b.then_numbered(this, numbered)


def parameter(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A formal parameter, variable arity or not."""
    declared_type = b.tree.child(node, "type")
    if declared_type < 0:
        declared_type = next(p for p in b.parts(node) if b.kind[p] != "modifiers")
    element, dimensions = element_type(b, declared_type)
    parameter_of(b, node, parent, child_id, [(element, None)], dimensions)


def _throws(b: Builder, node: int) -> list[Child]:
    throws = b.tree.child_of_kind(node, "throws")
    return [(p, None) for p in b.parts(throws)] if throws >= 0 else []


def _type_parameters(b: Builder, node: int) -> list[Child]:
    found = b.tree.child_of_kind(node, "type_parameters")
    return [(p, None) for p in b.parts(found)] if found >= 0 else []


def _parameters(b: Builder, node: int) -> list[Child]:
    found = b.tree.child(node, "parameters")
    if found < 0:
        return []
    return [(p, None) for p in b.parts(found) if b.kind[p] != "receiver_parameter"]


def method(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A method: annotations, type parameters, type, name, parameters, brackets, throws, body."""
    this = b.add("MethodDeclaration", parent, child_id)
    tree = b.tree
    element, dimensions = element_type(b, tree.child(node, "type"))
    children: list[Child] = [(a, None) for a in annotations_of(b, node)]
    children += _type_parameters(b, node)
    children += [(element, None), (tree.child(node, "name"), None), *_parameters(b, node)]
    numbered: list[Numbered] = [(i, n, h) for i, (n, h) in enumerate(children)]
    numbered += [(len(children), n, h) for n, h in bracket_pairs(dimensions)]
    behind = tree.child(node, "dimensions")
    later = bracket_pairs(dimension_annotations(b, behind), behind)
    later += _throws(b, node)
    body = tree.child(node, "body")
    if body >= 0:
        later.append((body, None))
    numbered += [(i, n, h) for i, (n, h) in enumerate(later, len(children) + len(dimensions))]
    b.then_numbered(this, numbered)


def constructor(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A constructor; its name comes last, after a phantom child in the name's usual place."""
    this = b.add("ConstructorDeclaration", parent, child_id)
    children: list[Child] = [(a, None) for a in annotations_of(b, node)]
    children += _type_parameters(b, node)
    later = [*_parameters(b, node), *_throws(b, node), (b.tree.child(node, "body"), None)]
    later.append((b.tree.child(node, "name"), None))
    b.then(this, later, len(children) + 1)
    b.then(this, children)


def constructor_call(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`this(..)` and `super(..)`: type arguments, outer instance, arguments."""
    this = b.add("ExplicitConstructorInvocationStmt", parent, child_id)
    tree = b.tree
    types, scope = tree.child(node, "type_arguments"), tree.child(node, "object")
    children: list[Child] = [(p, None) for p in b.parts(types)] if types >= 0 else []
    if scope >= 0:
        children.append((scope, None))
    children += [(p, None) for p in b.parts(tree.child(node, "arguments"))]
    b.then(this, children)


def initializer(b: Builder, node: int, parent: int, child_id: int) -> None:
    """An initialiser block of a class."""
    this = b.add("InitializerDeclaration", parent, child_id)
    body = node if b.kind[node] == "block" else b.parts(node)[-1]
    b.stack.append((body, this, 0, None))


def field(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A field declaration."""
    this = b.add("FieldDeclaration", parent, child_id)
    b.then_numbered(this, declared(b, node))


def empty_member(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A stray semicolon of a class."""
    b.add("EmptyMemberDeclaration", parent, child_id, ";")


def empty_type(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A stray semicolon of an annotation type: a declaration whose only child is a phantom."""
    b.add("EmptyTypeDeclaration", parent, child_id)


def anonymous_body(b: Builder, node: int, parent: int, child_id: int) -> None:
    """The members of an anonymous class: children of its creation, there is no node for it."""
    b.then(parent, members(b, node), child_id)


def members(b: Builder, node: int) -> list[Child]:
    """The members in a class, interface, annotation or enum-declarations body."""
    if node < 0:
        return []
    semicolon = empty_type if b.kind[node] == "annotation_type_body" else empty_member
    special = {"block": initializer, "static_initializer": initializer, ";": semicolon}
    kids = [k for k in b.kids(node) if b.named[k] or b.kind[k] == ";"]
    if b.kind[node] == "enum_body_declarations":
        kids = kids[1:]
    return [(k, special.get(b.kind[k])) for k in kids]


def _type_list(b: Builder, node: int, kinds: Sequence[str]) -> list[Child]:
    found: list[Child] = []
    for part in b.parts(node):
        if b.kind[part] in kinds:
            inner = b.parts(part)
            if inner and b.kind[inner[0]] == "type_list":
                inner = b.parts(inner[0])
            found += [(t, supertype) for t in inner]
    return found


def _named_type(b: Builder, node: int, this: int, later: Sequence[Child]) -> None:
    """Annotations, a phantom, then `later` and the name."""
    annotations: list[Child] = [(a, None) for a in annotations_of(b, node)]
    rest = [*later, (b.tree.child(node, "name"), None)]
    b.then(this, rest, len(annotations) + 1)
    b.then(this, annotations)


def class_declaration(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A class or interface: members before type parameters and supertypes, name last."""
    this = b.add("ClassOrInterfaceDeclaration", parent, child_id)
    later = members(b, b.tree.child(node, "body"))
    later += _type_parameters(b, node)
    later += _type_list(b, node, ("superclass", "extends_interfaces"))
    later += _type_list(b, node, ("super_interfaces",))
    later += _type_list(b, node, ("permits",))
    _named_type(b, node, this, later)


def record_declaration(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A record, shaped like a class, its components as parameters before the members."""
    this = b.add("RecordDeclaration", parent, child_id)
    later = [*_parameters(b, node), *members(b, b.tree.child(node, "body"))]
    later += _type_parameters(b, node)
    later += _type_list(b, node, ("super_interfaces",))
    _named_type(b, node, this, later)


def compact_constructor(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A record's constructor without parameters."""
    this = b.add("CompactConstructorDeclaration", parent, child_id)
    children: list[Child] = [(a, None) for a in annotations_of(b, node)]
    later: list[Child] = [(b.tree.child(node, "body"), None), (b.tree.child(node, "name"), None)]
    b.then(this, later, len(children) + 1)
    b.then(this, children)


def enum_declaration(b: Builder, node: int, parent: int, child_id: int) -> None:
    """An enum: members, interfaces, constants, name."""
    this = b.add("EnumDeclaration", parent, child_id)
    constants: list[Child] = []
    later: list[Child] = []
    for part in b.parts(b.tree.child(node, "body")):
        if b.kind[part] == "enum_constant":
            constants.append((part, None))
        else:
            later += members(b, part)
    later += [*_type_list(b, node, ("super_interfaces",)), *constants]
    _named_type(b, node, this, later)


def enum_constant(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A constant: annotations, arguments, members; alone it is a leaf."""
    arguments, body = b.tree.child(node, "arguments"), b.tree.child(node, "body")
    children: list[Child] = [(a, None) for a in annotations_of(b, node)]
    children += [(p, None) for p in b.parts(arguments)] if arguments >= 0 else []
    children += members(b, body)
    text = None if children else b.tree.text(b.tree.child(node, "name"))
    this = b.add("EnumConstantDeclaration", parent, child_id, text)
    b.then(this, children)


def annotation_declaration(b: Builder, node: int, parent: int, child_id: int) -> None:
    """An annotation type."""
    this = b.add("AnnotationDeclaration", parent, child_id)
    _named_type(b, node, this, members(b, b.tree.child(node, "body")))


def annotation_member(b: Builder, node: int, parent: int, child_id: int) -> None:
    """An element of an annotation type: annotations, type, default; its name is no node."""
    this = b.add("AnnotationMemberDeclaration", parent, child_id)
    value = b.tree.child(node, "value")
    children: list[Child] = [(a, None) for a in annotations_of(b, node)]
    children.append((b.tree.child(node, "type"), None))
    if value >= 0:
        children.append((value, None))
    b.then(this, children)


HANDLERS: dict[str, Handler] = {
    "annotation_type_declaration": annotation_declaration,
    "annotation_type_element_declaration": annotation_member,
    "class_body": anonymous_body,
    "class_declaration": class_declaration,
    "compact_constructor_declaration": compact_constructor,
    "constant_declaration": field,
    "constructor_declaration": constructor,
    "enum_constant": enum_constant,
    "enum_declaration": enum_declaration,
    "explicit_constructor_invocation": constructor_call,
    "field_declaration": field,
    "formal_parameter": parameter,
    "interface_declaration": class_declaration,
    "method_declaration": method,
    "record_declaration": record_declaration,
    "spread_parameter": parameter,
    "variable_declarator": declarator,
}
