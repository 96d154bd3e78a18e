"""Random Java expressions over the variables in scope, typed, with effects and exceptions."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

POOLS = {
    "int": ("i", "j", "k", "n", "x", "count", "total", "var1", "$d"),
    "boolean": ("ok", "done", "flag", "ready", "neg", "on"),
    "char": ("d", "mark", "ch"),
    "String": ("t", "label", "text", "värt"),
    "int[]": ("zs", "cells", "data"),
    "double": ("r", "rate"),
    "T.Node": ("node", "other", "head"),
    "Color": ("color", "hue"),
    "Integer": ("boxed", "maybe"),
}
FIELDS = {
    "count": "int",
    "total": "int",
    "ready": "boolean",
    "on": "boolean",
    "mark": "char",
    "label": "String",
    "cells": "int[]",
}
"""Static fields of the program, named as its locals may be too."""


COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")


@dataclass(slots=True)
class Variable:
    """A variable in scope.

    fixed: never assigned, so that a lambda may capture it; counter: assigned by its loop alone.
    """

    name: str
    type: str
    fixed: bool = False
    counter: bool = False


@dataclass(slots=True)
class Scope:
    """Variables of a block; barrier: "", or what the block is the body of, `lambda` or `class`."""

    barrier: str = ""
    variables: list[Variable] = field(default_factory=list)


class Expressions:
    """Writes expressions; the scopes are kept by those who write statements."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.scopes: list[Scope] = []
        self.numbers = 0

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def one(self, makers: Sequence[Callable[[], str]]) -> str:
        return self.rng.choice(makers)()

    def number(self) -> int:
        """A number for a name of its own."""
        self.numbers += 1
        return self.numbers

    def visible(self, type: str, *, assigned: bool = False) -> list[Variable]:
        """The variables of a type that may be read, or assigned, here; fields too."""
        found = [v for v in self._reachable(assigned) if v.type == type]
        hidden = {v.name for scope in self.scopes for v in scope.variables}
        fields = [n for n, t in FIELDS.items() if t == type and n not in hidden]
        return found + [Variable(name, type) for name in fields]

    def _reachable(self, assigned: bool) -> Iterator[Variable]:
        inside, names = True, set()
        for scope in reversed(self.scopes):
            for variable in scope.variables:
                allowed = not (assigned and (variable.fixed or variable.counter))
                reachable = inside or (variable.fixed and not assigned)
                if variable.name not in names and allowed and reachable:
                    yield variable
                names.add(variable.name)
            inside = inside and not scope.barrier

    def expression(self, type: str, depth: int = 2) -> str:
        makers: dict[str, Callable[[int], str]] = {
            "int": self.integer,
            "boolean": self.boolean,
            "char": self.char,
            "String": self.string,
            "int[]": self.array,
            "double": self.double,
            "T.Node": self.node,
            "Color": self.color,
            "Integer": self.boxed,
        }
        return makers[type](depth)

    def name(self, type: str, default: str, *, assigned: bool = False) -> str:
        found = self.visible(type, assigned=assigned)
        return self.rng.choice(found).name if found else default

    def integer(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0 or self.chance(0.3):
            return rng.choice(
                [str(rng.randrange(-2, 8)), self.name("int", "3"), self.name("int", "1")]
            )
        left, right = self.integer(depth - 1), self.integer(depth - 1)
        return self.one(
            [
                lambda: f"{left} + {right}",
                lambda: f"(({left}) - ({right}))",
                lambda: f"(({left}) * ({right}))",
                lambda: f"(({left}) {rng.choice('/%')} ({right}))",
                lambda: f"(({left}) {rng.choice('/%')} (({right}) | 1))",
                lambda: f"({left} << 1)",
                lambda: f"({left} & 3)",
                lambda: f"({self.boolean(depth - 1)} ? {left} : {right})",
                lambda: f"{self.name('int[]', 'new int[] {1, 2}')}[{self.index(left)}]",
                lambda: f"{self.name('int[]', 'cells')}.length",
                lambda: f"{self.name('String', 'label')}.length()",
                lambda: f"T.log({left})",
                lambda: f"twice({left})",
                lambda: f"({self.name('int', 'count', assigned=True)} = {left})",
                lambda: f"{self.name('int', 'total', assigned=True)}++",
                lambda: f"(--{self.name('int', 'total', assigned=True)})",
                lambda: f"(int) {self.name('char', 'mark')}",
                lambda: f"{self.name('T.Node', 'T.node(1)')}.value",
                lambda: f"({self.boxed(depth - 1)})",
                lambda: f"Integer.parseInt({self.name('String', 'label')})",
                lambda: f"({self.name('int', '1')} + {self.name('int', '2')})",
                lambda: self.switch_value(depth),
            ]
        )

    def index(self, number: str) -> str:
        """An index that is often in range."""
        return number if self.chance(0.4) else f"({number}) & 1"

    def switch_value(self, depth: int) -> str:
        """A switch expression, with a rule of each kind."""
        name = f"q{self.number()}"
        body = f"{{ int {name} = {self.integer(depth - 1)}; yield {name} + 1; }}"
        return (
            f"switch ({self.name('int', '1')}) {{ case 1, 2 -> {self.integer(depth - 1)}; "
            f"case 3 -> {body} default -> {self.integer(0)}; }}"
        )

    def boolean(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0 or self.chance(0.25):
            return rng.choice(
                [
                    self.name("boolean", "true"),
                    f"!{self.name('boolean', 'ready')}",
                    self.name("boolean", "false"),
                ]
            )
        left, right = self.boolean(depth - 1), self.boolean(depth - 1)
        assigned = self.name("boolean", "ready", assigned=True)
        return self.one(
            [
                lambda: f"({left} && {right})",
                lambda: f"({left} || {right})",
                lambda: f"({left} {rng.choice('&|^')} {right})",
                lambda: f"!({left} && {right})",
                lambda: f"!!{self.name('boolean', 'on')}",
                lambda: f"({left} == {right})",
                lambda: (
                    f"({self.name('int', '1')} {rng.choice(COMPARISONS)} {self.integer(depth - 1)})"
                ),
                lambda: f"({self.double(depth - 1)} {rng.choice(COMPARISONS)} {self.double(0)})",
                lambda: f"{self.name('String', 'label')}.equals({self.string(0)})",
                lambda: f"({self.name('String', 'label')} == null)",
                lambda: f"({assigned} = {left})",
                lambda: f"({assigned} {rng.choice(['&=', '|=', '^='])} {left})",
                lambda: f"({left} ? {right} : {self.boolean(0)})",
                lambda: f"T.log({left})",
                lambda: f"T.same({left})",
                lambda: f"T.<Boolean>same({left})",
                lambda: f"Boolean.valueOf({left})",
                lambda: f"(boolean) {self.name('boolean', 'on')}",
                lambda: f"new boolean[] {{{left}, {right}}}[{rng.randrange(2)}]",
                lambda: f"{self.name('T.Node', 'T.node(2)')}.on",
                lambda: f"((Object) {self.name('boolean', 'on')} == Boolean.TRUE)",
            ]
        )

    def char(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0 or self.chance(0.6):
            return rng.choice([f"'{rng.choice('abxz0')}'", self.name("char", "'c'")])
        return self.one(
            [
                lambda: f"(char) ({self.char(0)} + {self.integer(0)})",
                lambda: f"{self.name('String', 'label')}.charAt({self.integer(0)})",
                lambda: f"({self.boolean(depth - 1)} ? {self.char(0)} : {self.char(0)})",
                lambda: f"T.log({self.char(0)})",
            ]
        )

    def string(self, depth: int) -> str:
        """At most one variable that is a string, so that strings grow slowly."""
        rng = self.rng
        text = rng.choice(
            [f'"{rng.choice(["", "a", "b", "ab", "x"])}"', self.name("String", '"q"')]
        )
        if depth <= 0 or self.chance(0.4):
            return text
        return self.one(
            [
                lambda: f'"n" + {self.name("int", "1")} + {self.boolean(0)}',
                lambda: f"{text} + {self.name('boolean', 'on')}",
                lambda: f"{text} + {self.name('char', 'mark')}",
                lambda: f"String.valueOf({self.integer(depth - 1)})",
                lambda: f'"abc".substring({self.name("int", "1")})',
                lambda: f"({self.boolean(depth - 1)} ? {text} : null)",
                lambda: f"T.same({text})",
            ]
        )

    def array(self, depth: int) -> str:
        fresh = f"new int[] {{{self.integer(0)}, {self.integer(0)}}}"
        return self.rng.choice([self.name("int[]", "cells"), fresh, self.name("int[]", "cells")])

    def double(self, depth: int) -> str:
        return self.one(
            [
                lambda: f"(double) {self.name('int', '1')} / {self.name('int', '0')}",
                lambda: f"0.0 / {self.name('int', '0')}",
                lambda: self.name("double", "1.5"),
                lambda: "Double.NaN",
            ]
        )

    def node(self, depth: int) -> str:
        return self.rng.choice(
            [f"T.node({self.integer(0)})", self.name("T.Node", "null"), "T.node(1).next"]
        )

    def color(self, depth: int) -> str:
        return self.rng.choice(
            [f"pick({self.integer(0)})", self.name("Color", "Color.RED"), "Color.BLUE"]
        )

    def boxed(self, depth: int) -> str:
        return self.one(
            [
                lambda: f"({self.boolean(0)} ? (Integer) ({self.integer(0)}) : null)",
                lambda: f"Integer.valueOf({self.integer(0)})",
                lambda: self.name("Integer", "Integer.valueOf(2)"),
            ]
        )
