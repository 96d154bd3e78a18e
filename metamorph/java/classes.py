"""The classes of a file, and what is known of the fields that they inherit."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from metamorph.java.declarations import CLASS_BODIES
from metamorph.java.jdk_types import handed_down
from metamorph.java.tree import Tree

UNKNOWN = -2
"""A supertype that is neither in the file nor known."""
KNOWN = -1
"""A supertype outside the file whose inherited fields are known."""


@dataclass(slots=True)
class ClassBody:
    """A class with its body; `outer` and `supers` are indices in the file's list of classes.

    scope: the nodes in which its simple name means it; type_nodes: its written supertypes;
    supers: what they are, UNKNOWN until resolved; handed_down: the names of fields and types that
    it inherits from known types of the JDK.
    """

    name: str
    body: int
    outer: int
    scope: tuple[int, int]
    type_nodes: list[int]
    supers: list[int]
    handed_down: set[str] = field(default_factory=set)
    member_types: dict[str, int] = field(default_factory=dict)


class Classes:
    """All classes of a file, in source order, their supertypes resolved as far as can be."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.all = _collect(tree)
        self.by_name: dict[str, list[int]] = {}
        self.package, self.imports = _header(tree)
        for index, each in enumerate(self.all):
            self.by_name.setdefault(each.name, []).append(index)
            if each.outer >= 0 and each.scope[0] == self.all[each.outer].body:
                self.all[each.outer].member_types.setdefault(each.name, index)
        self._resolve_supers()

    def supertypes(self, index: int) -> Iterator[int]:
        """The class's supertypes of every rank within the file, and UNKNOWN if there are others."""
        seen, waiting = {index}, list(self.all[index].supers)
        while waiting:
            at = waiting.pop()
            if at in seen or at == KNOWN:
                continue
            seen.add(at)
            yield at
            if at >= 0:
                waiting += self.all[at].supers

    def around(self, node: int) -> int:
        """The innermost class around a node, or -1."""
        at = bisect_left(self.all, node, key=lambda each: each.body) - 1
        while at >= 0 and self.tree.after[self.all[at].body] <= node:
            at = self.all[at].outer
        return at

    def meaning(self, name: str, node: int) -> int:
        """The class that a simple name means at a node: KNOWN if none of the file, or UNKNOWN."""
        return self._lookup(name, self.around(node), node)

    def may_inherit(self, index: int, name: str) -> bool:
        """Whether a supertype outside the file may have a field of that name."""
        if name in self.all[index].handed_down:
            return True
        return any(
            at == UNKNOWN or name in self.all[at].handed_down for at in self.supertypes(index)
        )

    def _resolve_supers(self) -> None:
        """Repeat until nothing new is learnt: a supertype may be found only through another."""
        learning = True
        while learning:
            learning = False
            for each in self.all:
                for place, at in enumerate(each.supers):
                    if at == UNKNOWN:
                        each.supers[place] = self._meaning(each, each.type_nodes[place])
                        learning |= each.supers[place] != UNKNOWN

    def _meaning(self, user: ClassBody, type_node: int) -> int:
        path = _path(self.tree, type_node)
        if not path:
            return UNKNOWN
        found = self._lookup(path[0], user.outer, type_node)
        for name in path[1:] if found >= 0 else ():
            found = self.all[found].member_types.get(name, UNKNOWN) if found >= 0 else UNKNOWN
        return found if found != KNOWN else self._outside(user, path)

    def _lookup(self, name: str, at: int, position: int) -> int:
        """The class of the file that a simple name means; KNOWN if it means none of the file."""
        visible = [
            index
            for index in self.by_name.get(name, ())
            if self.all[index].scope[0] <= position < self.all[index].scope[1]
        ]
        found = max(visible, key=lambda index: self.all[index].scope[0], default=KNOWN)
        start = self.all[found].scope[0] if found >= 0 else -1
        while at >= 0 and self.all[at].body > start:
            if name in self.all[at].handed_down:
                return UNKNOWN
            for above in self.supertypes(at):
                if above == UNKNOWN or name in self.all[above].handed_down:
                    return UNKNOWN
                if name in self.all[above].member_types:
                    return self.all[above].member_types[name]
            at = self.all[at].outer
        return found

    def _outside(self, user: ClassBody, path: list[str]) -> int:
        known = handed_down(path, self.package, self.imports)
        if known is None:
            return UNKNOWN
        user.handed_down |= known
        return KNOWN


@lru_cache(maxsize=4)
def classes_of(tree: Tree) -> Classes:
    """The classes of the tree, computed once."""
    return Classes(tree)


def _collect(tree: Tree) -> list[ClassBody]:
    found: list[ClassBody] = []
    open_: list[int] = []
    for body in tree.of_kinds(CLASS_BODIES):
        while open_ and tree.after[found[open_[-1]].body] <= body:
            open_.pop()
        found.append(_class(tree, found, body, open_[-1] if open_ else -1))
        open_.append(len(found) - 1)
    return found


def _class(tree: Tree, found: list[ClassBody], body: int, outer: int) -> ClassBody:
    holder = tree.parent[body]
    if tree.kind[holder] == "enum_constant":
        return ClassBody("", body, outer, (0, 0), [], [outer])
    if tree.kind[holder] == "object_creation_expression":
        plain = tree.kind[holder + 1] == "new"
        types = [tree.child(holder, "type") if plain else -1]
        return ClassBody("", body, outer, (0, 0), types, [UNKNOWN])
    types = list(_written_supertypes(tree, holder))
    name = tree.text(tree.child(holder, "name"))
    return ClassBody(name, body, outer, _scope(tree, holder), types, [UNKNOWN] * len(types))


def _scope(tree: Tree, holder: int) -> tuple[int, int]:
    """The class body around a member, the rest of the block for a local class, or the file."""
    around = tree.parent[holder]
    if tree.kind[around] == "enum_body_declarations":
        around = tree.parent[around]
    if tree.kind[around] == "switch_block_statement_group":
        around = tree.parent[around]
    if tree.kind[around] in CLASS_BODIES or tree.kind[around] == "program":
        return around, tree.after[around]
    return holder, tree.after[around]


def _written_supertypes(tree: Tree, holder: int) -> Iterator[int]:
    for child in tree.named_children(holder):
        if tree.kind[child] == "superclass":
            yield from tree.named_children(child)
        elif tree.kind[child] in ("super_interfaces", "extends_interfaces"):
            for types in tree.named_children(child):
                yield from tree.named_children(types)


def _path(tree: Tree, type_node: int) -> list[str]:
    """The names of a possibly qualified and generic type; empty if it is written otherwise."""
    while type_node >= 0 and tree.kind[type_node] in ("annotated_type", "generic_type"):
        children = tree.named_children(type_node)
        type_node = next(
            (c for c in children if tree.kind[c] not in ("annotation", "marker_annotation")), -1
        )
    if type_node < 0:
        return []
    if tree.kind[type_node] == "type_identifier":
        return [tree.text(type_node)]
    inside = range(type_node + 1, tree.after[type_node])
    plain = all(tree.kind[n] in ("scoped_type_identifier", "type_identifier", ".") for n in inside)
    if tree.kind[type_node] != "scoped_type_identifier" or not plain:
        return []
    return [tree.text(n) for n in inside if tree.kind[n] == "type_identifier"]


def _header(tree: Tree) -> tuple[str, dict[str, str]]:
    """The file's package, and simple name -> full name of its single-type imports."""
    package, imports = "", {}
    for node in tree.named_children(0):
        if tree.kind[node] == "package_declaration":
            package = _dotted(tree, node)
        elif tree.kind[node] == "import_declaration" and not _is_wild(tree, node):
            full = _dotted(tree, node)
            imports[full.rpartition(".")[2]] = full
    return package, imports


def _dotted(tree: Tree, node: int) -> str:
    """The last name of a package or import declaration, without white space and comments."""
    name = -1
    for child in tree.named_children(node):
        if tree.kind[child] in ("identifier", "scoped_identifier"):
            name = child
    inside = range(name, tree.after[name]) if name >= 0 else ()
    return ".".join(tree.text(n) for n in inside if tree.kind[n] == "identifier")


def _is_wild(tree: Tree, node: int) -> bool:
    return any(tree.kind[child] == "asterisk" for child in tree.children(node))
