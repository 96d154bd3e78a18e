"""Whether two statements that follow each other may be swapped (the conditions of PS)."""

from collections.abc import Set

from metamorph.java.effects import Effect
from metamorph.java.tree import Tree

_OWNERS = frozenset(
    {
        "class_body",
        "compact_constructor_declaration",
        "constructor_declaration",
        "enum_body",
        "interface_body",
        "lambda_expression",
        "method_declaration",
        "static_initializer",
    }
)
_HANDLERS = ("catch_clause", "finally_clause")
_TRIES = frozenset({"try_statement", "try_with_resources_statement"})


def conflict(first: Effect, second: Effect, guarded: range | None) -> str:
    """Why the order of two statements can be told, as a short name; "" if they commute.

    guarded: see `guarded_nodes` of the block that holds them.
    """
    if _meet(first.writes, second.reads | second.writes) or _meet(first.reads, second.writes):
        return "local-conflict"
    if _meet(first.declares, second.words) or _meet(first.words, second.declares):
        return "captures-name"
    if first.numbered and second.numbered:
        return "class-numbers"
    shared = (first.unknown or first.mutable) and (second.unknown or second.mutable)
    if shared and (first.unknown or second.unknown):
        return "unknown-effects"
    if first.throws and second.throws:
        return "two-may-throw"
    writes, reads = first.heap_writes, first.heap_reads
    if _meet(writes, second.heap_reads | second.heap_writes) or _meet(reads, second.heap_writes):
        return "heap-conflict"
    if (first.throws and _survives(second, guarded)) or (
        second.throws and _survives(first, guarded)
    ):
        return "throw-before-effect"
    return ""


def guarded_nodes(tree: Tree, block: int) -> range | None:
    """The innermost part of a try statement around a block from which exceptions are handled.

    That is, seen by a catch or finally clause of the same method or lambda; None where none is.
    """
    part = block
    for above in tree.ancestors(block):
        if tree.kind[above] in _OWNERS:
            return None
        if tree.kind[above] in _TRIES and _is_handled(tree, above, part):
            return range(part, tree.after[part])
        part = above
    return None


def _is_handled(tree: Tree, statement: int, part: int) -> bool:
    """Whether a clause of the try statement runs after an exception in that part of it."""
    if tree.kind[part] == "finally_clause":
        return False
    handlers = _HANDLERS[1:] if tree.kind[part] == "catch_clause" else _HANDLERS
    return any(tree.kind[child] in handlers for child in tree.children(statement))


def _survives(effect: Effect, guarded: range | None) -> bool:
    """Whether anything of the effect can be seen after an exception that follows it.

    Locals end with the method, or with the guarded part that declares them.
    """
    if effect.heap_writes or effect.unknown:
        return True
    return guarded is not None and any(local not in guarded for local in effect.writes)


def _meet(left: Set[int] | Set[str], right: Set[int] | Set[str]) -> bool:
    return not left.isdisjoint(right)
