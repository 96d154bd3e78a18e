"""Loop exchange: a basic `for` becomes a `while`, and a `while` a `for`.

The body's own text, the condition and the initialiser stay where they are; only a label and the
update move. An update that the end of the body cannot reach is dropped, as it never ran. A
`continue` of the old loop leaves a labeled block in front of the update instead (JLS 14.16).
"""

from collections.abc import Iterator

from metamorph.java.edits import Edit
from metamorph.java.flow import label_name, labels_of
from metamorph.java.layout import begins_line, blank_end, deeper, ends_line, indentation, newline
from metamorph.java.loops import (
    closing_parenthesis,
    continues,
    declares,
    fields,
    introduces_pattern,
    needs_braces,
    semicolons,
    update_runs,
)
from metamorph.java.methods import Method
from metamorph.java.rewrite import code_of, erased, replaced
from metamorph.java.sites import Refusal, Site
from metamorph.java.tree import Tree
from metamorph.java.types import file_types
from metamorph.transforms._protocol import Choices

CODE = "LX"
NAME = "loop exchange"
PLACES = ("single", "all", "random")

_CARRIERS = frozenset({"lambda_expression", "class_body", "switch_expression"})


def sites(method: Method, choices: Choices) -> Iterator[Site | Refusal]:
    """Every basic for and while loop of the method."""
    tree, found = method.tree, 0
    for node in tree.of_kinds(("for_statement", "while_statement"), method.body):
        if reason := _refusal(tree, node):
            yield Refusal(CODE, tree.start[node], reason)
            continue
        if tree.kind[node] == "while_statement":
            yield Site(CODE, found, tree.start[node], tuple(_while_to_for(tree, node)))
        else:
            labelled = _needs_label(tree, node) or _continues_stay(tree, node)
            label = choices.fresh() if labelled else ""
            edits = tuple(_for_to_while(tree, node, label.encode()))
            yield Site(CODE, found, tree.start[node], edits, fresh=(label,) if label else ())
        found += 1


def _refusal(tree: Tree, loop: int) -> str:
    if (doubt := file_types(tree).doubt) or tree.kind[loop] == "while_statement":
        return doubt
    kinds = [k for u in fields(tree, loop, "update") for k in tree.kind[u : tree.after[u]]]
    if not _CARRIERS.isdisjoint(kinds):
        return "class-or-lambda-in-update"
    if needs_braces(tree, loop) and introduces_pattern(tree, loop):
        return "pattern-used-after-loop"
    return ""


def _while_to_for(tree: Tree, loop: int) -> list[Edit]:
    condition = tree.child(loop, "condition")
    inner = next(tree.named_children(condition))
    at, end = tree.start[loop], tree.end[inner]
    opening = tree.start[condition] + 1
    return [
        Edit(at, at + len(b"while"), b"for"),
        Edit(opening, opening, b"; "),
        Edit(end, end, b"; " if tree.data[end : end + 1] == b")" else b";", -opening),
    ]


def _for_to_while(tree: Tree, loop: int, label: bytes) -> Iterator[Edit]:
    leaves = _needs_label(tree, loop)
    yield from _header(tree, loop, b"" if leaves else label)
    if label:
        for jump in continues(tree, loop):
            yield from _leave(tree, jump, label) if leaves else _renamed(tree, jump, label)
    if fields(tree, loop, "update"):
        if update_runs(tree, loop) is False:
            yield from _unreached_update(tree, loop)
        else:
            yield from _update(tree, loop, label if leaves else b"")
    if needs_braces(tree, loop):
        end = tree.end[loop]
        yield Edit(end, end, b" }", -tree.start[loop])


def _continues_stay(tree: Tree, loop: int) -> bool:
    """Whether a `continue` names a label that the new loop is no longer next to."""
    named = any(tree.child_of_kind(j, "identifier") >= 0 for j in continues(tree, loop))
    return named and needs_braces(tree, loop) and not _needs_label(tree, loop)


def _needs_label(tree: Tree, loop: int) -> bool:
    """Whether something must leave the body for the update, or may have to."""
    if not fields(tree, loop, "update"):
        return False
    runs = update_runs(tree, loop)
    return runs is None or (runs and bool(continues(tree, loop)))


def _header(tree: Tree, loop: int, label: bytes) -> Iterator[Edit]:
    """`for (init; condition; update)` -> `init; while (condition)`, comments left in place.

    Labels stay before braces, which a `break` then leaves; else they move to the loop.
    """
    start, body = tree.start[loop], tree.start[tree.child(loop, "body")]
    braces = needs_braces(tree, loop)
    labels = labels_of(tree, loop) if fields(tree, loop, "init") and not braces else []
    names = b"".join(
        label_name(tree, x).encode("utf-8", "surrogateescape") + b": " for x in labels[::-1]
    )
    names += label + b": " if label else b""
    head, tail = semicolons(tree, loop)
    opening = next(c for c in tree.children(loop) if tree.kind[c] == "(")
    closing = closing_parenthesis(tree, loop)
    if fields(tree, loop, "init"):
        for each in labels:
            yield from erased(tree, list(tree.children(each))[:-1])
        yield from replaced(tree, range(loop + 1, opening + 1), b"{ " if braces else b"")
        yield from _commas(tree, loop, tree.start[head])
        condition = b"; " + names + b"while ("
        yield Edit(tree.start[head], blank_end(tree.data, tree.end[head]), condition)
    else:
        yield Edit(start, start + len(b"for"), b"while")
        yield Edit(tree.start[head], blank_end(tree.data, tree.end[head]), b"")
    close = b")" if tree.child(loop, "condition") >= 0 else b"true)"
    moved = [c for c in tree.children(loop) if tail <= c <= closing]
    yield from replaced(tree, moved, close)
    assert tree.end[closing] <= body


def _update(tree: Tree, loop: int, label: bytes) -> Iterator[Edit]:
    """The update at the end of the body, outside the scope of the body's own names.

    Where a constant decides whether the body ends, a jump that is never taken makes the update
    reachable (JLS 14.22); compilers leave it out.
    """
    data, body = tree.data, tree.child(loop, "body")
    text = _update_text(tree, loop)
    start, end = tree.start[body], tree.end[body]
    if label or (tree.kind[body] == "block" and declares(tree, body)):
        unsure = not continues(tree, loop) and update_runs(tree, loop) is None
        never = b"{ if (false) break " + label + b"; " if unsure else b""
        space = b" " if data[start - 1 : start] == b")" else b""
        mark = label + b": " if label else b""
        yield Edit(start, start, space + b"{ " + mark + never)
        yield Edit(end, end, (b" } " if unsure else b" ") + text + b" }", -tree.start[loop])
    elif tree.kind[body] == "block":
        yield _at_end(tree, body, text)
    else:
        yield from _around(tree, loop, body, text)


def _at_end(tree: Tree, block: int, text: bytes) -> Edit:
    """Before the closing brace, on a line of its own where that has one."""
    data, start, brace = tree.data, tree.start[block], tree.end[block] - 1
    if begins_line(data, brace) and b"\n" in data[start:brace]:
        at = brace - len(indentation(data, brace))
        return Edit(at, at, _inner_margin(tree, block) + text + newline(data), -start)
    space = b"" if data[brace - 1 : brace].isspace() else b" "
    return Edit(brace, brace, space + text + b" ", -start)


def _around(tree: Tree, loop: int, body: int, text: bytes) -> Iterator[Edit]:
    """Braces around a single statement; where it has lines of its own, so has the update."""
    data, start, end = tree.data, tree.start[body], tree.end[body]
    space = b" " if data[start - 1 : start] == b")" else b""
    if tree.kind[body] == ";":
        yield Edit(start, end, space + b"{ " + text + b" }")
        return
    closing = closing_parenthesis(tree, loop)
    outer = indentation(data, tree.start[loop])
    if begins_line(data, tree.start[loop]) and begins_line(data, start) and ends_line(data, end):
        line = newline(data)
        yield Edit(tree.end[closing], tree.end[closing], b" {")
        lines = line + indentation(data, start) + text + line + outer + b"}"
        yield Edit(end, end, lines, -tree.start[loop])
        return
    yield Edit(start, start, space + b"{ ")
    yield Edit(end, end, b" " + text + b" }", -tree.start[loop])


def _unreached_update(tree: Tree, loop: int) -> Iterator[Edit]:
    """An update that never ran, kept only where a `catch` around it may count on it."""
    updates = fields(tree, loop, "update")
    calls = any(
        tree.kind[n] in ("method_invocation", "object_creation_expression")
        for u in updates
        for n in range(u, tree.after[u])
    )
    if calls and any(tree.kind[a].startswith("try_") for a in tree.ancestors(loop)):
        body = tree.child(loop, "body")
        start, end = tree.start[body], tree.end[body]
        space = b" " if tree.data[start - 1 : start] == b")" else b""
        never = b"{ if (false) { " + _update_text(tree, loop) + b" } "
        yield Edit(start, start, space + never)
        yield Edit(end, end, b" }", -tree.start[loop])


def _inner_margin(tree: Tree, block: int) -> bytes:
    data = tree.data
    outer = indentation(data, tree.end[block] - 1)
    for child in tree.children(block):
        if tree.named[child] and begins_line(data, tree.start[child]):
            return indentation(data, tree.start[child])
    return deeper(outer)


def _update_text(tree: Tree, loop: int) -> bytes:
    return b" ".join(code_of(tree, u) + b";" for u in fields(tree, loop, "update"))


def _leave(tree: Tree, jump: int, label: bytes) -> list[Edit]:
    """`continue` and `continue outer` -> `break label`."""
    start, name = tree.start[jump], tree.child_of_kind(jump, "identifier")
    keyword = start + len(b"continue")
    if name < 0:
        return [Edit(start, keyword, b"break " + label)]
    return [Edit(start, keyword, b"break"), Edit(tree.start[name], tree.end[name], label)]


def _renamed(tree: Tree, jump: int, label: bytes) -> list[Edit]:
    name = tree.child_of_kind(jump, "identifier")
    return [Edit(tree.start[name], tree.end[name], label)] if name >= 0 else []


def _commas(tree: Tree, loop: int, before: int) -> Iterator[Edit]:
    """The commas between the expressions of the init become semicolons."""
    for child in tree.children(loop):
        if tree.kind[child] == "," and tree.start[child] < before:
            yield Edit(tree.start[child], tree.end[child], b";")
