"""Try-catch insertion: one statement comes to stand in a `try` whose `catch` throws on.

The handler rethrows the very exception, and the compiler knows which ones it can be (JLS
11.2.2), so no `throws` clause changes. A declaration whose variable lives on is never wrapped.
With `--handler print` the handler prints the stack trace and goes on, as earlier tools' did: that
changes the handling of errors, and these variants say so.
"""

from collections.abc import Iterator

from metamorph.java.edits import Edit
from metamorph.java.methods import Method
from metamorph.java.scopes import declared_within, resolve
from metamorph.java.sites import Refusal, Site
from metamorph.java.stack_maps import stack_maps
from metamorph.java.tree import Tree
from metamorph.java.types import file_types, means
from metamorph.transforms._protocol import Choices

CODE = "TC"
NAME = "try-catch insertion"
PLACES = ("single", "random")

CHANGES_HANDLING = "error-handling"
"""The note of variants that swallow exceptions."""

_STATEMENTS = frozenset({"expression_statement", "local_variable_declaration"})
_LISTS = frozenset({"block", "constructor_body", "switch_block_statement_group"})


def sites(method: Method, choices: Choices) -> Iterator[Site | Refusal]:
    """Every expression statement and local declaration of the method's statement lists."""
    tree, found = method.tree, 0
    maps = stack_maps(tree, method.body)
    for node in tree.of_kinds(_STATEMENTS, method.body):
        if tree.kind[tree.parent[node]] not in _LISTS:
            continue
        start, end = tree.start[node], tree.end[node]
        swallows = choices.handler == "print"
        reason = _refusal(tree, node) or maps.doubt(start)
        if reason := reason or (_must_assign(tree, node) if swallows else ""):
            yield Refusal(CODE, start, reason)
            continue
        name = choices.fresh()
        handling = f"{name}.printStackTrace();" if swallows else f"throw {name};"
        handler = f" }} catch (Exception {name}) {{ {handling} }}".encode()
        edits = (Edit(start, start, b"try { "), Edit(end, end, handler, -start))
        note = CHANGES_HANDLING if swallows else ""
        yield Site(CODE, found, start, edits, fresh=(name,), note=note)
        found += 1


def _refusal(tree: Tree, statement: int) -> str:
    types = file_types(tree)
    if types.doubt:
        return types.doubt
    if not means(types, "Exception", "java.lang.Exception"):
        return "exception-means-another-class"
    if tree.kind[statement] == "local_variable_declaration" and _lives_on(tree, statement):
        return "declared-name-used-after"
    return ""


def _lives_on(tree: Tree, declaration: int) -> bool:
    """Whether a variable that the statement declares is used behind it."""
    last = tree.after[declaration]
    return any(
        binding.doubt != "" or any(r >= last for r in binding.references[-1:])
        for binding in declared_within(tree, declaration)
    )


def _must_assign(tree: Tree, statement: int) -> str:
    """Whether a variable may be unassigned once its assignment can be left by an exception."""
    of = resolve(tree).of
    for node in range(statement, tree.after[statement]):
        if tree.kind[node] != "assignment_expression":
            continue
        left = of.get(tree.child(node, "left"))
        blank = left is not None and tree.child(left.declaration, "value") < 0
        if (left is not None and left.kind == "local" and blank) or _in_constructor(
            tree, statement
        ):
            return "assignment-may-be-definite"
    return ""


def _in_constructor(tree: Tree, node: int) -> bool:
    """Whether a final field may be what is assigned."""
    return any(tree.kind[above] == "constructor_body" for above in tree.ancestors(node))
