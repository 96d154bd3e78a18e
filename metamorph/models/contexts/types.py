"""Types and annotations as JavaParser 3.0.0-alpha.4 shapes them."""

from collections.abc import Sequence
from functools import partial

from metamorph.java.jdk import BOXES
from metamorph.java.tree import COMMENTS
from metamorph.models.contexts.build import Builder, Child, Handler

ANNOTATIONS = frozenset({"annotation", "marker_annotation"})

# A part of a qualified type: name, type_arguments node or -1, annotations, and the node of the
# type up to the end of this part.
Segment = tuple[str, int, Sequence[int], int]


def simple_type(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A type that is one name."""
    name = b.tree.text(node)
    label = "PrimitiveType" if name in BOXES else "ClassOrInterfaceType"
    b.add(label, parent, child_id, name)


def primitive_type(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`int` and the like."""
    b.add("PrimitiveType", parent, child_id, b.tree.text(node))


def void_type(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`void`."""
    b.add("VoidType", parent, child_id, "void")


def class_type(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A qualified or generic class type."""
    qualified_type(b, segments(b, node), parent, child_id)


def segments(b: Builder, node: int) -> list[Segment]:
    """The parts of a class type, left to right."""
    found: list[Segment] = []
    arguments = -1
    annotations: list[int] = []
    whole = node
    while True:
        kind = b.kind[node]
        parts = b.parts(node)
        if kind == "generic_type" and parts:
            arguments, node = parts[-1], parts[0]
        elif kind == "scoped_type_identifier" and len(parts) > 1:
            annotations += [p for p in parts[1:-1] if b.kind[p] in ANNOTATIONS]
            found.append((b.tree.text(parts[-1]), arguments, annotations, whole))
            arguments, annotations, node = -1, [], parts[0]
            whole = node
        elif kind == "annotated_type" and parts:
            annotations += parts[:-1]
            node = parts[-1]
        else:
            found.append((b.tree.text(node), arguments, annotations, whole))
            found.reverse()
            return found


def qualified_type(b: Builder, parts: Sequence[Segment], parent: int, child_id: int) -> None:
    """Add a class type.

    The parser never forgets the arguments of a part: they move on to each following part without
    its own, and a first part that lost them is a leaf called GenericClass.
    """
    last = len(parts) - 1
    held = [-1] * (last + 1)
    for k, (_, own, _, _) in enumerate(parts):
        held[k] = own if own >= 0 or k == 0 else held[k - 1]
    for k in range(last, -1, -1):
        name, _, annotations, b.at = parts[k]
        arguments = b.parts(held[k]) if held[k] >= 0 else []
        kept = arguments if k == last or held[k + 1] != held[k] else arguments[:0]
        leaf = not (k or kept or annotations)
        label = "PrimitiveType" if name in BOXES else "ClassOrInterfaceType"
        text = name
        if leaf and held[k] >= 0:
            text += _printed(b, held[k])
            label = "GenericClass" if arguments else label
        child = b.add(label, parent, child_id, text if leaf else None)
        later = argument_children(b, kept, 1 if k else 0)
        first = len(later) + (1 if k else 0)
        later += [(i, n, None) for i, n in enumerate(annotations, first)]
        b.then_numbered(child, later)
        parent, child_id = child, 0


def _printed(b: Builder, node: int) -> str:
    """A node's text without comments and white space."""
    leaves = (n for n in range(node, b.after[node]) if b.after[n] == n + 1)
    return "".join(b.tree.text(n) for n in leaves if b.kind[n] not in COMMENTS)


def argument_children(
    b: Builder, arguments: Sequence[int], first: int
) -> list[tuple[int, int, Handler | None]]:
    """Type arguments with their child ids: array types have no range, so they share one."""
    found: list[tuple[int, int, Handler | None]] = []
    array = -1
    for child_id, node in enumerate(arguments, first):
        if b.kind[node] == "array_type":
            array = child_id if array < 0 else array
            found.append((array, node, None))
        else:
            found.append((child_id, node, None))
    return found


def array_type(b: Builder, node: int, parent: int, child_id: int) -> None:
    """An array type outside declarations: one ArrayType a dimension."""
    _array(b, node, parent, child_id, ())


def _array(b: Builder, node: int, parent: int, child_id: int, outer: Sequence[int]) -> None:
    element, dimensions = element_type(b, node)
    for annotations in dimensions:
        parent = b.add("ArrayType", parent, child_id)
        b.then(parent, [(a, None) for a in (*annotations, *outer)], 1)
        child_id, outer = 0, ()
    b.stack.append((element, parent, child_id, None))


def element_type(b: Builder, node: int) -> tuple[int, list[list[int]]]:
    """The element type of a type, and the annotations of each of its dimensions."""
    found: list[list[int]] = []
    while b.kind[node] == "array_type":
        parts = b.parts(node)
        found[:0] = dimension_annotations(b, parts[-1])
        node = parts[0]
    return node, found


def dimension_annotations(b: Builder, node: int) -> list[list[int]]:
    """For each `[]` of a dimensions node its annotations; nothing for -1."""
    found: list[list[int]] = []
    if node < 0:
        return found
    pending: list[int] = []
    for child in b.kids(node):
        if b.kind[child] in ANNOTATIONS:
            pending.append(child)
        elif b.kind[child] == "[":
            found.append(pending)
            pending = []
    return found


def bracket_pairs(dimensions: Sequence[Sequence[int]], node: int = -1) -> list[Child]:
    """The children that stand for `[]` in a declaration; node: -1 if they follow a type."""
    return [(node, partial(_bracket_pair, annotations=a) if a else _plain_pair) for a in dimensions]


def _plain_pair(b: Builder, node: int, parent: int, child_id: int) -> None:
    b.add("ArrayBracketPair", parent, child_id, "[]")


def _bracket_pair(
    b: Builder, node: int, parent: int, child_id: int, annotations: Sequence[int] = ()
) -> None:
    this = b.add("ArrayBracketPair", parent, child_id)
    b.then(this, [(a, None) for a in annotations])


def annotated_type(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A type with annotations, which become its last children."""
    parts = b.parts(node)
    annotations, inner = parts[:-1], parts[-1]
    if b.kind[inner] in ("type_identifier", "scoped_type_identifier", "generic_type"):
        found = segments(b, inner)
        name, arguments, own, whole = found[-1]
        found[-1] = (name, arguments, [*own, *annotations], whole)
        qualified_type(b, found, parent, child_id)
    elif b.kind[inner] == "array_type":
        _array(b, inner, parent, child_id, annotations)
    else:
        this = b.add("PrimitiveType", parent, child_id)
        b.then(this, [(a, None) for a in annotations])


def supertype(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A type after extends, implements or in a bound: annotations go to its scope, if any."""
    found = segments(b, node)
    if b.kind[node] == "annotated_type" and len(found) > 1:
        parts = b.parts(node)
        annotations = parts[:-1]
        name, arguments, own, whole = found[-1]
        found[-1] = (name, arguments, [a for a in own if a not in annotations], whole)
        name, arguments, own, whole = found[-2]
        found[-2] = (name, arguments, [*own, *annotations], whole)
    qualified_type(b, found, parent, child_id)


def wildcard(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`?`, with or without a bound."""
    parts = b.parts(node)
    children = [p for p in parts if b.kind[p] not in ANNOTATIONS and b.kind[p] != "super"]
    children += [p for p in parts if b.kind[p] in ANNOTATIONS]
    this = b.add("WildcardType", parent, child_id, None if children else "?")
    b.then(this, [(c, None) for c in children])


def type_parameter(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`T extends A & B`: bounds first, annotations after them."""
    parts = b.parts(node)
    names = [p for p in parts if b.kind[p] in ("type_identifier", "identifier")]
    bounds = [p for p in parts if b.kind[p] == "type_bound"]
    children: list[Child] = [(t, supertype) for bound in bounds for t in b.parts(bound)]
    children += [(p, None) for p in parts if b.kind[p] in ANNOTATIONS]
    name = b.tree.text(names[0]) if names and not children else None
    this = b.add("TypeParameter", parent, child_id, name)
    b.then(this, children)


def annotation(b: Builder, node: int, parent: int, child_id: int) -> None:
    """An annotation with or without arguments."""
    name, arguments = b.tree.child(node, "name"), b.tree.child(node, "arguments")
    values = b.parts(arguments) if arguments >= 0 else []
    if arguments < 0:
        label = "MarkerAnnotationExpr"
    elif not values or b.kind[values[0]] == "element_value_pair":
        label = "NormalAnnotationExpr"
    else:
        label = "SingleMemberAnnotationExpr"
    this = b.add(label, parent, child_id)
    b.then(this, [(name, qualified_name), *((v, None) for v in values)])


def qualified_name(b: Builder, node: int, parent: int, child_id: int) -> None:
    """An annotation's name: each qualifier is the only child of the name after it."""
    while b.kind[node] == "scoped_identifier":
        b.at = node
        parent = b.add("QualifiedNameExpr", parent, child_id)
        child_id = 0
        node = b.parts(node)[0]
    b.at = node
    b.add("NameExpr", parent, child_id, b.tree.text(node))


def value_pair(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`key = value` of an annotation; the key is no node."""
    this = b.add("MemberValuePair", parent, child_id)
    b.then(this, [(b.tree.child(node, "value"), None)])


HANDLERS: dict[str, Handler] = {
    "annotated_type": annotated_type,
    "annotation": annotation,
    "array_type": array_type,
    "boolean_type": primitive_type,
    "element_value_pair": value_pair,
    "floating_point_type": primitive_type,
    "generic_type": class_type,
    "integral_type": primitive_type,
    "marker_annotation": annotation,
    "scoped_type_identifier": class_type,
    "type_identifier": simple_type,
    "type_parameter": type_parameter,
    "void_type": void_type,
    "wildcard": wildcard,
}
