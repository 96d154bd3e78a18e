"""Loop exchange: a basic `for` becomes a `while`, and a `while` a `for`.

The body's own text, the condition and the initialiser stay where they are; only a label and the
update move. An update that the end of the body cannot reach is dropped, as it never ran. A
`continue` of the old loop leaves a labeled block in front of the update instead (JLS 14.16).
"""

from collections.abc import Iterator

from metamorph.java.edits import Edit
from metamorph.java.flow import Flow, flow, label_name, labels_of, statements
from metamorph.java.layout import begins_line, blank_end, indentation, newline
from metamorph.java.methods import Method
from metamorph.java.rewrite import erased, replaced
from metamorph.java.scopes import resolve
from metamorph.java.sites import Refusal, Site
from metamorph.java.tree import Tree
from metamorph.transforms._protocol import Choices

CODE = "LX"
NAME = "loop exchange"
PLACES = ("single", "all", "random")

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
_CARRIERS = frozenset({"lambda_expression", "class_body", "switch_expression"})


def sites(method: Method, choices: Choices) -> Iterator[Site | Refusal]:
    """Every basic for and while loop of the method."""
    tree, found = method.tree, 0
    for node in range(method.body, tree.after[method.body]):
        kind = tree.kind[node]
        if kind == "while_statement":
            edits = _while_to_for(tree, node)
        elif kind == "for_statement":
            if reason := _refusal(tree, node):
                yield Refusal(CODE, tree.start[node], reason)
                continue
            edits = _for_to_while(tree, node, choices)
        else:
            continue
        yield Site(CODE, found, tree.start[node], tuple(edits))
        found += 1


def _refusal(tree: Tree, loop: int) -> str:
    updates = _fields(tree, loop, "update")
    kinds = [k for u in updates for k in tree.kind[u : tree.after[u]]]
    if not _CARRIERS.isdisjoint(kinds):
        return "class-or-lambda-in-update"
    if updates and _update_runs(flow(tree), loop) is None:
        return "unknown-constant"
    if _braces_needed(tree, loop) and _introduces_pattern(tree, loop):
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


def _for_to_while(tree: Tree, loop: int, choices: Choices) -> list[Edit]:
    runs = bool(_fields(tree, loop, "update")) and bool(_update_runs(flow(tree), loop))
    jumps = [
        j for j in flow(tree).jumps.get(loop, ()) if tree.kind[j] == "continue_statement" and runs
    ]
    label = choices.fresh().encode() if jumps else b""
    edits = [*_header(tree, loop), *(e for j in jumps for e in _leave(tree, j, label))]
    if runs:
        edits += _update(tree, loop, label)
    if _braces_needed(tree, loop):
        end = tree.end[loop]
        edits.append(Edit(end, end, b" }", -tree.start[loop]))
    return edits


def _header(tree: Tree, loop: int) -> Iterator[Edit]:
    """`for (init; condition; update)` -> `init; while (condition)`, comments left in place."""
    start, body = tree.start[loop], tree.start[tree.child(loop, "body")]
    labels = labels_of(tree, loop) if _fields(tree, loop, "init") else []
    names = b"".join(
        label_name(tree, x).encode("utf-8", "surrogateescape") + b": " for x in labels[::-1]
    )
    head, tail = _semicolons(tree, loop)
    opening = next(c for c in tree.children(loop) if tree.kind[c] == "(")
    closing = max(c for c in tree.children(loop) if tree.kind[c] == ")")
    if _fields(tree, loop, "init"):
        for label in labels:
            yield from erased(tree, list(tree.children(label))[:-1])
        braces = b"{ " if _braces_needed(tree, loop) else b""
        yield from replaced(tree, [loop + 1, opening], braces)
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
    """The update at the end of the body, outside the scope of the body's own names."""
    data, body = tree.data, tree.child(loop, "body")
    text = _update_text(tree, loop)
    start, end = tree.start[body], tree.end[body]
    if tree.kind[body] == "block" and not label and not _declares(tree, body):
        brace = end - 1
        if begins_line(data, brace) and b"\n" in data[start:brace]:
            margin = _inner_margin(tree, body)
            at = brace - len(indentation(data, brace))
            yield Edit(at, at, margin + text + newline(data), -start)
        else:
            space = b"" if data[brace - 1 : brace].isspace() else b" "
            yield Edit(brace, brace, space + text + b" ", -start)
        return
    mark = label + b": " if label else b""
    space = b" " if data[start - 1 : start] == b")" else b""
    yield Edit(start, start, space + b"{ " + mark)
    yield Edit(end, end, b" " + text + b" }", -start)


def _inner_margin(tree: Tree, block: int) -> bytes:
    data = tree.data
    outer = indentation(data, tree.end[block] - 1)
    for child in tree.children(block):
        if tree.named[child] and begins_line(data, tree.start[child]):
            return indentation(data, tree.start[child])
    return outer + b"    "


def _update_text(tree: Tree, loop: int) -> bytes:
    return b" ".join(tree.bytes_of(u) + b";" for u in _fields(tree, loop, "update"))


def _leave(tree: Tree, jump: int, label: bytes) -> list[Edit]:
    """`continue` and `continue outer` -> `break label`."""
    start, name = tree.start[jump], tree.child_of_kind(jump, "identifier")
    keyword = start + len(b"continue")
    if name < 0:
        return [Edit(start, keyword, b"break " + label)]
    return [Edit(start, keyword, b"break"), Edit(tree.start[name], tree.end[name], label)]


def _update_runs(flow: Flow, loop: int) -> bool | None:
    """Whether the update can be reached; None where a constant is unknown."""
    if flow.jumps_to(loop, "continue_statement"):
        return True
    return flow.completes(flow.tree.child(loop, "body"))


def _braces_needed(tree: Tree, loop: int) -> bool:
    """Whether the init declares, or more than one statement stands where one belongs."""
    init = _fields(tree, loop, "init")
    if not init:
        return False
    outermost = [loop, *labels_of(tree, loop)][-1]
    declares = tree.kind[init[0]] == "local_variable_declaration"
    return declares or tree.kind[tree.parent[outermost]] not in _STATEMENT_LISTS


def _introduces_pattern(tree: Tree, loop: int) -> bool:
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


def _declares(tree: Tree, block: int) -> bool:
    """Whether names of the block live until its end, where the update must not meet them."""
    for statement in statements(tree, block):
        if tree.kind[statement] in _DECLARATIONS:
            return True
        if tree.kind[statement] != "block":
            kinds = tree.kind[statement : tree.after[statement]]
            if not _PATTERNS.isdisjoint(kinds):
                return True
    return False


def _fields(tree: Tree, node: int, field: str) -> list[int]:
    return [c for c in tree.children(node) if tree.field[c] == field and tree.named[c]]


def _semicolons(tree: Tree, loop: int) -> tuple[int, int]:
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


def _commas(tree: Tree, loop: int, before: int) -> Iterator[Edit]:
    """The commas between the expressions of the init become semicolons."""
    for child in tree.children(loop):
        if tree.kind[child] == "," and tree.start[child] < before:
            yield Edit(tree.start[child], tree.end[child], b";")
