"""Boolean constant expressions (JLS 15.29), as far as one file tells."""

from metamorph.java.literals import Truth, literal_truth, may_be_constant
from metamorph.java.scopes import Binding, resolve
from metamorph.java.tree import Tree


def truth(tree: Tree, condition: int) -> Truth:
    """Whether a condition is the constant true or false, surely none, or perhaps one.

    A final variable with an initialiser, or a name that the file does not declare, may be a
    constant.
    """
    found = literal_truth(tree, condition)
    if found is not Truth.UNKNOWN:
        return found
    bindings = resolve(tree).of
    for name in range(condition, tree.after[condition]):
        binding = bindings.get(name)
        if binding is not None and not _may_be_constant(tree, binding):
            return Truth.VARIES
    return Truth.UNKNOWN


def _may_be_constant(tree: Tree, binding: Binding) -> bool:
    """Whether a variable may be a constant one (JLS 4.12.4), as far as its declaration tells."""
    if binding.doubt:
        return True
    value = tree.child(binding.declaration, "value")
    if binding.kind not in ("local", "loop", "field") or value < 0 or binding.dims:
        return False
    if not may_be_constant(tree, value):
        return False
    declaration = tree.parent[binding.declaration]
    if tree.kind[declaration] == "constant_declaration":
        return True
    modifiers = tree.child_of_kind(declaration, "modifiers")
    return modifiers >= 0 and b"final" in tree.bytes_of(modifiers).split()
