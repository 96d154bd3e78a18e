"""Random Java statements without a structure: declarations, assignments, calls."""

import random
import re

from random_expressions import POOLS, Expressions, Variable

SIMPLE = (
    "int",
    "int",
    "boolean",
    "boolean",
    "char",
    "String",
    "int[]",
    "double",
    "T.Node",
    "Color",
)


class Statements(Expressions):
    """Writes plain statements line by line."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.lines: list[str] = []
        self.margin = 2

    def put(self, line: str) -> None:
        self.lines.append("    " * self.margin + line)

    # Names.

    def fresh(self, type: str, value: str = "") -> str:
        """A name that is no local here, nor in the value; it may be a field's."""
        taken = set(re.findall(r"[\w$]+", value))
        for scope in reversed(self.scopes):
            taken |= {v.name for v in scope.variables}
            if scope.barrier == "class":
                break
        free = [name for name in POOLS[type] if name not in taken]
        if free:
            return self.rng.choice(free)
        return f"{POOLS[type][0]}{self.number()}"

    def declare(self, type: str, value: str = "", *, fixed: bool = False) -> str:
        name = self.fresh(type, value)
        self.scopes[-1].variables.append(Variable(name, type, fixed))
        return name

    # Plain statements.

    def declaration(self) -> bool:
        rng = self.rng
        type = rng.choice((*SIMPLE, "Integer"))
        fixed = self.chance(0.3)
        value = self.expression(type)
        if type in ("int", "boolean") and self.chance(0.2):
            first, second = self.expression(type, 1), self.expression(type, 0)
            a, b = (self.declare(type, first + " " + second) for _ in range(2))
            self.put(f"{type} {a} = {first}, {b} = {second};")
        elif type == "boolean" and self.chance(0.25):
            condition, other = self.boolean(1), self.boolean(1)
            name = self.declare(type, f"{condition} {value} {other}")
            self.put(f"boolean {name};")
            self.put(f"if ({condition}) {name} = {value}; else {name} = {other};")
        elif type == "boolean" and self.chance(0.1):
            self.put(f"var {self.declare(type, value)} = !({value});")
        else:
            final = "final " if fixed and self.chance(0.5) else ""
            self.put(f"{final}{type} {self.declare(type, value, fixed=fixed)} = {value};")
        return True

    def straight(self) -> bool:
        """A run of statements, many of which may change places."""
        for _ in range(self.rng.randrange(2, 5)):
            self.rng.choice([self.declaration, self.pure, self.pure, self.assignment])()
        return True

    def pure(self) -> bool:
        type = self.rng.choice(("int", "boolean", "char", "double"))
        value = self.name(type, self.expression(type, 0))
        fixed = self.chance(0.5)
        self.put(f"{type} {self.declare(type, value, fixed=fixed)} = {value};")
        return True

    def assignment(self) -> bool:
        rng = self.rng

        def number() -> str:
            return self.name("int", "count", assigned=True)

        flag = self.name("boolean", "ready", assigned=True)
        node = self.name("T.Node", "T.node(1)")
        operator = rng.choice(["+=", "-=", "*=", "/=", "%=", "<<="])
        cell = f"{self.name('int[]', 'cells')}[{self.index(self.integer(0))}]"
        line = self.one(
            [
                lambda: f"{number()} = {self.integer(2)};",
                lambda: f"{number()} {operator} {self.integer(1)};",
                lambda: f"{number()}{rng.choice(['++', '--'])};",
                lambda: f"{flag} = {self.boolean(2)};",
                lambda: f"{flag} {rng.choice(['&=', '|=', '^='])} {self.boolean(1)};",
                lambda: (
                    f"{self.name('boolean', 'on', assigned=True)} = {flag} = {self.boolean(1)};"
                ),
                lambda: f"{self.name('String', 'label', assigned=True)} = {self.string(1)};",
                lambda: f"{self.name('String', 'label', assigned=True)} += {self.integer(0)};",
                lambda: f"{self.name('char', 'mark', assigned=True)} = {self.char(1)};",
                lambda: f"{cell} = {self.integer(1)};",
                lambda: f"{cell} += {self.integer(0)};",
                lambda: f"{self.name('int[]', 'cells', assigned=True)} = {self.array(1)};",
                lambda: f"{node}.value = {self.integer(1)};",
                lambda: f"{node}.on = {self.boolean(1)};",
                lambda: f"Program.{rng.choice(['count', 'total'])} += {self.integer(0)};",
                lambda: f"twice({self.integer(1)});",
            ]
        )
        self.put(line)
        return True

    def log(self) -> bool:
        self.put(
            f"T.log({self.expression(self.rng.choice(('int', 'boolean', 'char', 'String')))});"
        )
        return True

    def boolean_use(self) -> bool:
        """Reads and writes of boolean locals where they are easily got wrong."""
        flag = self.name("boolean", "ready", assigned=True)
        self.put(
            self.rng.choice(
                [
                    f'T.log("v" + {flag});',
                    f"T.log({flag} = {self.boolean(1)});",
                    f"if ({flag} = {self.boolean(1)}) T.log(1); else T.log(2);",
                    f"T.log({flag} ? {self.integer(0)} : -1);",
                    f"{flag} = {flag} == {self.boolean(0)};",
                    f"T.log(({flag} ^= {self.boolean(0)}) ? 'y' : 'n');",
                    f"T.same({flag});",
                    f"T.log(String.valueOf({flag}) + !{flag});",
                    f"boolean[] flags{self.number()} = {{{flag}, !{flag}}};",
                ]
            )
        )
        return True
