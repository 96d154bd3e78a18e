"""Declared types of variables, as far as one file tells.

A type is an erased simple name (`int`, `String`, `Map.Entry`, `int[][]`), `null` for the null
literal, `reference` for some class or type variable that the file does not tell, or "" where it
may be a primitive as well. The names of java.lang mean its classes unless the file declares or
imports others: a class of the same package that hides them is out of sight.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from metamorph.java.classes import classes_of
from metamorph.java.jdk import BOXES
from metamorph.java.scopes import Binding, resolve
from metamorph.java.tree import COMMENTS, Tree
from metamorph.java.unicode_escapes import hide_code

REFERENCE = "reference"
_DECLARATIONS = frozenset(
    {
        "annotation_type_declaration",
        "class_declaration",
        "enum_declaration",
        "interface_declaration",
        "record_declaration",
    }
)
_PRIMITIVE_KINDS = frozenset({"boolean_type", "floating_point_type", "integral_type"})
_LONE_RETURN = re.compile(rb"\r(?!\n)")


@dataclass(frozen=True, slots=True, eq=False)
class Types:
    """The names of a file that decide what a type name or a field access means.

    declared: types and type parameters of the file; mixed: type parameters with several bounds,
    whose variables may be cast unseen; fields: (class, name) -> field of that class; doubt: why
    the text may not be what it seems, or "".
    """

    tree: Tree
    bindings: dict[int, Binding]
    declared: frozenset[str]
    parameters: frozenset[str]
    mixed: frozenset[str]
    imports: dict[str, str]
    package: str
    fields: dict[tuple[int, str], Binding]
    doubt: str


@lru_cache(maxsize=4)
def file_types(tree: Tree) -> Types:
    """What the file says about types; kept for the last few trees."""
    declared: set[str] = set()
    parameters: dict[str, bool] = {}
    imports: dict[str, str] = {}
    package = ""
    for node in tree.of_kinds(_DECLARATIONS):
        declared.add(tree.text(tree.child(node, "name")))
    for node in tree.of_kinds(("type_parameter",)):
        _add_parameter(tree, node, parameters)
    for node in tree.of_kinds(("import_declaration",)):
        _add_import(tree, node, imports)
    for node in tree.of_kinds(("package_declaration",)):
        package = _dotted(tree, operands(tree, node)[-1])
    scopes = resolve(tree)
    return Types(
        tree=tree,
        bindings=scopes.of,
        declared=frozenset(declared.union(parameters)),
        parameters=frozenset(parameters),
        mixed=frozenset(name for name, mixed in parameters.items() if mixed),
        imports=imports,
        package=package,
        fields={(b.owner, b.name): b for b in scopes.bindings if b.kind == "field"},
        doubt=_doubt(tree),
    )


def class_around(types: Types, node: int) -> int:
    """The innermost class around a node, or -1."""
    classes = classes_of(types.tree)
    at = classes.around(node)
    return types.tree.parent[classes.all[at].body] if at >= 0 else -1


def means(types: Types, name: str, full: str) -> bool:
    """Whether a simple type name stands for that class of the JDK."""
    if name in types.declared:
        return False
    imported = types.imports.get(name)
    if imported is not None:
        return imported == full
    return full.rpartition(".")[0] in ("java.lang", types.package)


def is_type(types: Types, name: str) -> bool:
    """Whether a name that is no variable of the file is known to be a type's."""
    if name in types.declared:
        return True
    if name in BOXES or name in ("Math", "Object", "String"):
        return means(types, name, f"java.lang.{name}")
    return not types.imports.get(name, "static").startswith("static")


def type_name(types: Types, node: int) -> str:
    """The type that a type node writes; "" for `var`."""
    tree, dims = types.tree, 0
    while tree.kind[node] in ("array_type", "generic_type", "annotated_type"):
        if tree.kind[node] == "array_type":
            dims += brackets(tree, tree.child(node, "dimensions"))
        inner = [c for c in tree.named_children(node) if "annotation" not in tree.kind[c]]
        node = inner[-1] if tree.kind[node] == "annotated_type" else inner[0]
    return _simple(types, node) + "[]" * dims


def brackets(tree: Tree, node: int) -> int:
    """How many pairs of brackets a `dimensions` node holds."""
    return sum(tree.kind[c] == "[" for c in tree.children(node)) if node >= 0 else 0


def variable_type(types: Types, binding: Binding) -> str:
    """The declared type of a variable; "" where it is inferred."""
    name = type_name(types, binding.type) if binding.type >= 0 else ""
    return name + "[]" * binding.dims if name else ""


def operands(tree: Tree, node: int) -> list[int]:
    """The named children that are no type arguments or comments."""
    kind, named = tree.kind, tree.named
    return [c for c in tree.children(node) if named[c] and kind[c] not in COMMENTS]


def _simple(types: Types, node: int) -> str:
    tree = types.tree
    kind = tree.kind[node]
    if kind in _PRIMITIVE_KINDS:
        return tree.text(node)
    if kind == "scoped_type_identifier":
        name = tree.text(node).removeprefix("java.lang.")
        return name if name.replace(".", "").isidentifier() else REFERENCE
    if kind != "type_identifier":
        return REFERENCE
    name = tree.text(node)
    if name == "var":
        return ""
    hidden = name in types.parameters or (
        (name == "String" or name in BOXES) and not means(types, name, f"java.lang.{name}")
    )
    return REFERENCE if hidden else name


def _add_parameter(tree: Tree, node: int, parameters: dict[str, bool]) -> None:
    """Type parameters of one name count as one: mixed if any is."""
    name = tree.child_of_kind(node, "type_identifier")
    bound = tree.child_of_kind(node, "type_bound")
    if name >= 0:
        mixed = bound >= 0 and tree.child_of_kind(bound, "&") >= 0
        parameters[tree.text(name)] = parameters.get(tree.text(name), False) or mixed


def _add_import(tree: Tree, node: int, imports: dict[str, str]) -> None:
    """Single imports; static ones keep the word, so that they stand for no class."""
    name = tree.child_of_kind(node, "scoped_identifier")
    if name >= 0 and tree.child_of_kind(node, "asterisk") < 0:
        full = _dotted(tree, name)
        static = tree.child_of_kind(node, "static") >= 0
        imports[full.rpartition(".")[2]] = f"static {full}" if static else full


def _dotted(tree: Tree, name: int) -> str:
    nodes = range(name, tree.after[name])
    return ".".join(tree.text(n) for n in nodes if tree.kind[n] == "identifier")


def _doubt(tree: Tree) -> str:
    if hide_code(tree):
        return "unicode-escape"
    lone = b"\r" in tree.data and _LONE_RETURN.search(tree.data)
    return "lone-carriage-return" if lone else ""
