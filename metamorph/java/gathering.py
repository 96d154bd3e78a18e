"""The effect of a statement while it is gathered, node by node."""

from dataclasses import dataclass, field

from metamorph.java.jdk import PRIMITIVES
from metamorph.java.tree import Tree
from metamorph.java.types import Types


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of one statement.

    reads, writes: local variables, by the node of their declaration (a declaration without a
    value is a write too, so that nothing passes it); declares: names of locals that it brings
    into scope; words: every name in it that could mean a variable; heap_reads, heap_writes: fields
    by name (`.size`), array elements by type (`int[]`, `reference[]`); mutable: whether it touches
    a part of the heap that others can change; unknown: may also do anything to the heap and
    outside, wait or never end; throws: why it may throw, in short names; numbered: whether it
    holds classes whose binary names depend on what stands before them (JLS 13.1).
    """

    reads: frozenset[int]
    writes: frozenset[int]
    declares: frozenset[str]
    words: frozenset[str]
    heap_reads: frozenset[str]
    heap_writes: frozenset[str]
    mutable: bool
    unknown: bool
    throws: frozenset[str]
    numbered: bool


@dataclass(slots=True)
class Gathering:
    """What was found so far.

    known: the types of the statement's expressions; elements: the array type of each initialiser.
    """

    types: Types
    tree: Tree
    known: dict[int, str]
    reads: set[int] = field(default_factory=set)
    writes: set[int] = field(default_factory=set)
    declares: set[str] = field(default_factory=set)
    heap_reads: set[str] = field(default_factory=set)
    heap_writes: set[str] = field(default_factory=set)
    throws: set[str] = field(default_factory=set)
    elements: dict[int, str] = field(default_factory=dict)
    mutable: bool = False
    unknown: bool = False
    numbered: bool = False

    def effect(self, words: frozenset[str]) -> Effect:
        return Effect(
            reads=frozenset(self.reads),
            writes=frozenset(self.writes),
            declares=frozenset(self.declares),
            words=words,
            heap_reads=frozenset(self.heap_reads),
            heap_writes=frozenset(self.heap_writes),
            mutable=self.mutable or bool(self.heap_writes),
            unknown=self.unknown,
            throws=frozenset(self.throws),
            numbered=self.numbered,
        )

    def type(self, node: int) -> str:
        return self.known.get(node, "")

    def child_type(self, node: int, field: str) -> str:
        return self.known.get(self.tree.child(node, field), "")

    def sign(self, node: int) -> str:
        return self.tree.text(self.tree.child(node, "operator"))

    def anything(self) -> None:
        """Nothing is known of what happens here."""
        self.unknown = True
        self.throws.add("unknown")

    def needs_primitive(self, *nodes: int) -> None:
        """These operands are used as primitives: a box may be null."""
        if any(self.type(node) not in PRIMITIVES for node in nodes):
            self.throws.add("unboxing")

    def stores(self, target: str, value: int) -> None:
        """A value goes to a variable of that type: a box may be opened on the way."""
        if target in PRIMITIVES or not target:
            self.needs_primitive(value)
