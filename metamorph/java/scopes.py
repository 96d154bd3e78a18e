"""Which variable each simple name of a file means (JLS chapter 6)."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from metamorph.java.classes import UNKNOWN, Classes, classes_of
from metamorph.java.declarations import Declaration, declarations_of
from metamorph.java.names import LABEL, NEVER, TYPE, VARIABLE, role_of_identifier, role_of_type
from metamorph.java.tree import Tree
from metamorph.java.unicode_escapes import hide_code


@dataclass(frozen=True, slots=True)
class Binding:
    """A declared variable and every name that means it.

    kind: parameter, local, loop, resource, catch, lambda, pattern or field; node: the declaring
    identifier; declaration: the declarator, parameter, resource or pattern that holds it;
    scope_end: the node index at which its scope ends; type: node of the declared type, or -1;
    dims: pairs of brackets after the name, and one for varargs; owner: the method, constructor,
    lambda, initialiser or class whose variable it is; references: the identifiers that resolve
    to it, in source order, its declaration not among them; doubt: a refusal reason where the
    references cannot be told from the file, else "".
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


_node = attrgetter("node")


@dataclass(frozen=True, slots=True)
class Scopes:
    """The variables of a file; `of` maps a declaring or referring identifier to its binding.

    Names reached by a dot (`this.x`, `other.x`) are never references.
    """

    bindings: list[Binding]
    of: dict[int, Binding]


class _Use(NamedTuple):
    """A name that may mean a variable, what it can be, and the class body around it, or -1."""

    node: int
    role: int
    in_class: int


class _Scope(NamedTuple):
    """One range of a declaration; where two start together the one of higher rank wins."""

    start: int
    rank: int
    end: int
    certain: bool
    declared: int


@lru_cache(maxsize=4)
def resolve(tree: Tree) -> Scopes:
    """Resolve every simple variable name of the file."""
    classes = classes_of(tree)
    declarations, uses = _names(tree, classes)
    references: list[list[int]] = [[] for _ in declarations]
    doubts = [_doubt_of_all(tree)] * len(declarations)
    for name, scopes in _scopes_by_name(declarations, classes).items():
        for use, meanings in _meanings(sorted(scopes), uses.get(name, [])):
            found = declarations[meanings[0].declared]
            if use.role == VARIABLE:
                references[meanings[0].declared].append(use.node)
            reason = _doubt(tree, classes, found, use, meanings)
            for each in meanings if reason else ():
                doubts[each.declared] = doubts[each.declared] or reason
    return _assemble(declarations, references, doubts)


def declared_within(tree: Tree, node: int) -> list[Binding]:
    """The variables that are declared in a subtree, in source order."""
    return declared_between(tree, node, tree.after[node])


def declared_between(tree: Tree, start: int, stop: int) -> list[Binding]:
    """The variables that the nodes `start .. stop` declare, in source order."""
    bindings = resolve(tree).bindings
    first = bisect_left(bindings, start, key=_node)
    return bindings[first : bisect_left(bindings, stop, first, key=_node)]


def declared_type(tree: Tree, binding: Binding) -> str | None:
    """The type as written, with the brackets after the name; None where it is inferred."""
    if binding.type < 0:
        return None
    return tree.text(binding.type) + "[]" * binding.dims


def _doubt_of_all(tree: Tree) -> str:
    if tree.has_error:
        return "syntax-error"
    return "unicode-escape" if hide_code(tree) else ""


def _names(tree: Tree, classes: Classes) -> tuple[list[Declaration], dict[str, list[_Use]]]:
    """All declarations, and by name all uses of declared names, in source order."""
    declarations = list(declarations_of(tree))
    declaring = {each.node for each in declarations}
    names = {tree.bytes_of(each.node): each.name for each in declarations}
    uses: dict[str, list[_Use]] = {name: [] for name in names.values()}
    data, start, end = tree.data, tree.start, tree.end
    named = [
        node
        for node in tree.of_kinds(("identifier", "type_identifier"))
        if data[start[node] : end[node]] in names and node not in declaring
    ]
    for node, in_class in zip(named, _classes_around(tree, classes, named), strict=True):
        is_type = tree.kind[node] == "type_identifier"
        role = role_of_type(tree, node) if is_type else role_of_identifier(tree, node)
        if role != NEVER:
            uses[names[tree.bytes_of(node)]].append(_Use(node, role, in_class))
    return declarations, uses


def _classes_around(tree: Tree, classes: Classes, nodes: list[int]) -> Iterator[int]:
    """The innermost class around each of the nodes, which are in order."""
    at, upcoming, all_ = -1, 0, classes.all
    for node in nodes:
        while upcoming < len(all_) and all_[upcoming].body < node:
            at = upcoming
            upcoming += 1
        while at >= 0 and tree.after[all_[at].body] <= node:
            at = all_[at].outer
        yield at


def _scopes_by_name(declarations: list[Declaration], classes: Classes) -> dict[str, list[_Scope]]:
    found: dict[str, list[_Scope]] = {}
    fields: dict[int, list[int]] = {}
    for index, each in enumerate(declarations):
        scopes = found.setdefault(each.name, [])
        scopes += [_Scope(start, 1, end, sure, index) for start, end, sure in each.spans]
        if each.kind == "field" and not each.private:
            fields.setdefault(each.spans[0].start, []).append(index)
    for heir in range(len(classes.all)):
        _inherit(heir, declarations, classes, fields, found)
    return found


def _inherit(
    heir: int,
    declarations: list[Declaration],
    classes: Classes,
    fields: dict[int, list[int]],
    found: dict[str, list[_Scope]],
) -> None:
    """The fields that a class inherits within the file are in scope in its body."""
    start = classes.all[heir].body
    end = classes.tree.after[start]
    for distance, above in enumerate(classes.supertypes(heir)):
        for index in fields.get(classes.all[above].body, ()) if above != UNKNOWN else ():
            found[declarations[index].name].append(_Scope(start, -distance, end, True, index))


def _meanings(scopes: list[_Scope], uses: list[_Use]) -> Iterator[tuple[_Use, list[_Scope]]]:
    """Each use in a scope, with its innermost one; where that is not certain, the next too."""
    open_: list[_Scope] = []
    upcoming = 0
    for use in uses:
        while upcoming < len(scopes) and scopes[upcoming].start <= use.node:
            open_.append(scopes[upcoming])
            upcoming += 1
        while open_ and open_[-1].end <= use.node:
            open_.pop()
        meanings = []
        for scope in reversed(open_):
            if use.node < scope.end:
                meanings.append(scope)
                if scope.certain:
                    break
        if meanings:
            yield use, meanings


def _doubt(
    tree: Tree, classes: Classes, found: Declaration, use: _Use, meanings: list[_Scope]
) -> str:
    """Why this use may not mean what it seems to mean."""
    if found.kind != "field" and use.role == TYPE:
        return "also-a-type"
    if use.role == LABEL:
        return "case-label" if _may_be_constant(tree, found) else ""
    if use.role == TYPE:
        return ""
    if not meanings[0].certain:
        return "pattern-scope" if found.kind == "pattern" else "own-annotation"
    at = use.in_class
    while at >= 0 and classes.all[at].body > meanings[0].start:
        if classes.may_inherit(at, found.name):
            return "may-be-inherited-field"
        at = classes.all[at].outer
    return ""


def _may_be_constant(tree: Tree, found: Declaration) -> bool:
    """Whether a `case` may name this local: then it is final."""
    if found.kind == "field" or tree.kind[found.declaration] != "variable_declarator":
        return False
    modifiers = tree.child_of_kind(tree.parent[found.declaration], "modifiers")
    return modifiers >= 0 and b"final" in tree.bytes_of(modifiers)


def _assemble(
    declarations: list[Declaration], references: list[list[int]], doubts: list[str]
) -> Scopes:
    bindings, of = [], {}
    for each, used, doubt in zip(declarations, references, doubts, strict=True):
        end = max(span.end for span in each.spans) if each.spans else each.node
        binding = Binding(
            each.name,
            each.kind,
            each.node,
            each.declaration,
            end,
            each.type,
            each.dims,
            each.owner,
            tuple(used),
            doubt,
        )
        bindings.append(binding)
        of.update(dict.fromkeys((each.node, *used), binding))
    return Scopes(bindings, of)
