"""Which variable each simple name of a file means (JLS chapter 6)."""

from dataclasses import dataclass

from metamorph.java.tree import Tree


@dataclass(frozen=True, slots=True)
class Binding:
    """A declared variable and every name that means it.

    node: the declaring identifier; declaration: the declarator, parameter, resource or pattern
    that holds it; scope_end: the node index at which its scope ends; type: node of the declared
    type, or -1; dims: pairs of brackets after the name, and one for varargs; owner: the method,
    constructor, lambda, initialiser or class whose variable it is; references: the identifiers
    that resolve to it, in source order, its declaration not among them; doubt: a refusal reason
    where the references cannot be told from the file, else "".
    """

    name: str
    kind: str
    node: int
    declaration: int
    scope_end: int
    type: int
    dims: int
    owner: int
    references: tuple[int, ...]
    doubt: str


@dataclass(frozen=True, slots=True)
class Scopes:
    """The variables of a file; `of` maps a declaring or referring identifier to its binding."""

    bindings: list[Binding]
    of: dict[int, Binding]


def resolve(tree: Tree) -> Scopes:
    """Resolve every simple variable name of the file."""
    return Scopes([], {})


def declared_type(tree: Tree, binding: Binding) -> str | None:
    """The type as written, with the brackets after the name; None where it is inferred."""
    if binding.type < 0:
        return None
    return tree.text(binding.type) + "[]" * binding.dims
