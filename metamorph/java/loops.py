"""Loops: the parts of their headers, and what a new header or end of the body must heed."""

from metamorph.java.flow import flow, labels_of, statements
from metamorph.java.scopes import resolve
from metamorph.java.tree import Tree

_STATEMENT_LISTS = frozenset({"block", "constructor_body", "switch_block_statement_group"})
_DECLARATIONS = frozenset(
    {
        "local_variable_declaration",
        "class_declaration",
        "enum_declaration",
        "interface_declaration",
        "record_declaration",
    }
)
_PATTERNS = frozenset({"instanceof_expression", "pattern"})


def fields(tree: Tree, node: int, field: str) -> list[int]:
    """The named children that fill a field: `init` and `update` may have several."""
    return [c for c in tree.children(node) if tree.field[c] == field and tree.named[c]]


def continues(tree: Tree, loop: int) -> list[int]:
    """The `continue` statements that go on with the loop."""
    jumps = flow(tree).jumps.get(loop, ())
    return [j for j in jumps if tree.kind[j] == "continue_statement"]


def update_runs(tree: Tree, loop: int) -> bool | None:
    """Whether the update can be reached; None where a constant is unknown."""
    if flow(tree).jumps_to(loop, "continue_statement"):
        return True
    return flow(tree).completes(tree.child(loop, "body"))


def needs_braces(tree: Tree, loop: int) -> bool:
    """Whether the init declares, or more than one statement stands where one belongs."""
    init = fields(tree, loop, "init")
    if not init:
        return False
    outermost = [loop, *labels_of(tree, loop)][-1]
    declaring = tree.kind[init[0]] == "local_variable_declaration"
    return declaring or tree.kind[tree.parent[outermost]] not in _STATEMENT_LISTS


def introduces_pattern(tree: Tree, loop: int) -> bool:
    """Whether a pattern variable of the condition lives on after the loop (JLS 6.3.2.3)."""
    condition = tree.child(loop, "condition")
    if condition < 0:
        return False
    bindings = resolve(tree).of
    names = (bindings.get(n) for n in range(condition, tree.after[condition]))
    return any(
        b is not None and b.kind == "pattern" and any(r >= tree.after[loop] for r in b.references)
        for b in names
    )


def declares(tree: Tree, block: int) -> bool:
    """Whether names of the block live until its end, where the update must not meet them."""
    for statement in statements(tree, block):
        if tree.kind[statement] in _DECLARATIONS:
            return True
        if tree.kind[statement] != "block":
            kinds = tree.kind[statement : tree.after[statement]]
            if not _PATTERNS.isdisjoint(kinds):
                return True
    return False


def semicolons(tree: Tree, loop: int) -> tuple[int, int]:
    """The two semicolons of the header; the first may end a declaration."""
    body = tree.child(loop, "body")
    found = []
    for child in tree.children(loop):
        if child == body:
            break
        if tree.kind[child] == ";":
            found.append(child)
        elif tree.kind[child] == "local_variable_declaration":
            found.append(max(c for c in tree.children(child) if tree.kind[c] == ";"))
    return found[0], found[1]


def closing_parenthesis(tree: Tree, loop: int) -> int:
    """The parenthesis that ends the header."""
    return max(c for c in tree.children(loop) if tree.kind[c] == ")")
