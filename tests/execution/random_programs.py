"""Random Java programs, made of the constructs that the transformations touch.

A program is a class `Program` for the runner. Its loops burn fuel, so that it ends; nearly all
programs compile, the rest is thrown away by who asks for them.
"""

import random
from collections.abc import Callable

from random_expressions import FIELDS, Scope, Variable
from random_jumps import Jumps, Target

HEAD = """\
import harness.T;
import java.util.function.*;

class Program {
    enum Color { RED, GREEN, BLUE }

    static final int ONE = 1, TWO = 2;
    static int count, total = 3;
    static boolean ready, on = true;
    static char mark = 'b';
    static String label = "ab";
    static int[] cells = {1, 2, 3};

    static int twice(int n) {
        total += n;
        return n * 2;
    }

    static Color pick(int n) {
        return n < 0 || n > 2 ? null : Color.values()[n];
    }

    static Object run(int a, int b, boolean p, boolean q, char c, String s, int[] xs, int[] ys) {
"""
PARAMETERS = {
    "a": "int",
    "b": "int",
    "p": "boolean",
    "q": "boolean",
    "c": "char",
    "s": "String",
    "xs": "int[]",
    "ys": "int[]",
}


class Programs(Jumps):
    """Writes one program."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.budget = 0

    def program(self) -> str:
        names = [Variable(name, type, fixed=name in "bqys") for name, type in PARAMETERS.items()]
        self.scopes = [Scope("class", names)]
        self.budget = self.rng.randrange(12, 26)
        if self.block(self.rng.randrange(4, 9)):
            self.put(f"return {self.boolean(1)} + {self.string(1)} + {self.integer(1)};")
        return HEAD + "\n".join(self.lines) + "\n    }\n}\n"

    def block(self, most: int, *, switch_group: bool = False) -> bool:
        """Some statements in a scope of their own; whether the end is reached.

        switch_group: the scope is the switch's, so that the names stay taken.
        """
        self.scopes.append(Scope())
        self.margin += 1 if len(self.scopes) > 2 else 0
        reached = True
        for _ in range(most):
            if self.budget <= 0 or not reached:
                break
            self.budget -= 1
            reached = self.statement()
        if reached:
            self.show_locals()
        gone = self.scopes.pop()
        self.margin -= 1 if len(self.scopes) > 1 else 0
        if switch_group:
            self.scopes[-1].variables += [Variable(v.name, "out of reach") for v in gone.variables]
        return reached

    def show_locals(self) -> None:
        """Log the values of the block's own variables, so that a wrong one is seen."""
        for variable in self.scopes[-1].variables:
            if variable.type in ("int", "boolean", "char", "String") and self.chance(0.6):
                self.put(f"T.log({variable.name});")

    def braced(self, head: str, most: int, tail: str = "}", *, tick: bool = False) -> bool:
        """`head { ... tail`; an empty tail leaves the block open."""
        self.put(f"{head} {{".strip())
        if tick:
            self.put("    T.tick();")
        reached = self.block(most)
        if tail:
            self.put(tail)
        return reached

    def statement(self) -> bool:
        rng = self.rng
        deep = len(self.scopes) > 5
        kinds: list[tuple[Callable[[], bool], int]] = [
            (self.declaration, 14),
            (self.straight, 8),
            (self.assignment, 14),
            (self.log, 6),
            (self.boolean_use, 6),
        ]
        if not deep:
            kinds += [
                (self.choice, 9),
                (self.counted_loop, 9),
                (self.while_loop, 6),
                (self.other_loop, 4),
                (self.switch, 10),
                (self.arrow_switch, 3),
                (self.labelled, 4),
                (self.guarded, 6),
                (self.lambda_or_class, 5),
                (self.nested_block, 2),
                (self.assigned_on_one_path, 3),
                (self.pattern, 2),
            ]
        if len(self.scopes) > 2:
            kinds.append((self.jump, 7))
        makers, weights = zip(*kinds, strict=True)
        maker: Callable[[], bool] = rng.choices(makers, weights)[0]
        return maker()

    # Structures.

    def choice(self) -> bool:
        condition = self.boolean(2)
        if self.chance(0.2):
            self.put(f"if ({condition}) T.log({self.integer(1)});")
            return True
        reached = self.braced(
            f"if ({condition})", 3, "}" if (alone := self.chance(0.5)) else "} else {"
        )
        if alone:
            return True
        other = self.block(3)
        self.put("}")
        return reached or other

    def nested_block(self) -> bool:
        return self.braced("", 3)

    def loop(
        self, head: str, most: int, tail: str = "}", *, endless: bool = False, counter: str = ""
    ) -> bool:
        """A loop, maybe labelled; whether what follows is reached."""
        target = Target("loop", self.label(0.35))
        self.targets.append(target)
        self.scopes.append(Scope())
        if counter:
            self.scopes[-1].variables.append(Variable(counter, "int", counter=True))
        prefix = f"{target.label}: " if target.label else ""
        self.braced(prefix + head, most, tail, tick=True)
        self.scopes.pop()
        self.targets.pop()
        return target.left or not endless

    def counted_loop(self) -> bool:
        rng = self.rng
        i, size = self.fresh("int"), rng.randrange(1, 4)
        field = rng.choice(("count", "total"))
        heads = [
            f"for (int {i} = 0; {i} < {size}; {i}++)",
            f"for (int {i} = {size}; {i} > 0; {i}--)",
            f"for (int {i} = 0; {i} < {size} && {self.boolean(1)}; ++{i})",
            f"for (int {i} = 0, {i}0 = 5; {i} < {size}; {i}++, {i}0--)",
            f"for (int {i} = 0; {i} < {size}; T.log({i}), {i} += 1)",
            f"for (int {i} = 0; {i} < {size}; {i}++, Program.count++)",
        ]
        if field != i and not any(v.name == field for s in self.scopes for v in s.variables):
            heads += [f"for (int {i} = 0; {i} < {size}; {i}++, {field}++)"] * 2
        if self.chance(0.15):
            self.put(f"{rng.choice(heads)} T.log({self.integer(1)});")
            return True
        return self.loop(rng.choice(heads), 4, counter=i)

    def while_loop(self) -> bool:
        condition = self.boolean(1)
        if self.chance(0.2):
            head = f"while ({self.name('int', 'total', assigned=True)}-- > 0 && T.t({condition}))"
            self.put(f"{head} T.log({self.integer(1)});")
            return True
        return self.loop(f"while (T.t({condition}))", 4)

    def other_loop(self) -> bool:
        rng = self.rng
        kind = rng.randrange(5)
        if kind == 0:
            return self.loop("for (;;)", 5, endless=True)
        if kind == 1:
            return self.loop("while (true)", 5, endless=True)
        if kind == 2:
            array = self.array(1)
            n = self.fresh("int", array)
            return self.loop(f"for (int {n} : {array})", 3, counter=n)
        if kind == 3:
            number = self.name("int", "total", assigned=True)
            heads = (
                f"for ({number} = 0; {number} < 3; {number}++)",
                f"for (; T.t({self.boolean(1)}); {number}++)",
            )
            return self.loop(rng.choice(heads), 3)
        condition = self.boolean(1)
        target = Target("loop", self.label(0.3))
        self.targets.append(target)
        prefix = f"{target.label}: " if target.label else ""
        self.braced(f"{prefix}do", 3, f"}} while (T.t({condition}));", tick=True)
        self.targets.pop()
        return True

    def lambda_or_class(self) -> bool:
        """Bodies of their own, which capture what is never assigned."""
        rng = self.rng
        n = self.number()
        kinds = [
            (
                "lambda",
                f"IntUnaryOperator f{n} = z{n} -> {{",
                "};",
                f"T.log(f{n}.applyAsInt({self.integer(1)}));",
                "int",
            ),
            (
                "lambda",
                f"BooleanSupplier f{n} = () -> {{",
                "};",
                f"T.log(f{n}.getAsBoolean());",
                "boolean",
            ),
            (
                "class",
                f"class Own{n} {{ int count = 4; boolean flag; int own(int z{n}) {{",
                "} }",
                f"T.log(new Own{n}().own({self.integer(0)}));",
                "int",
            ),
            (
                "class",
                f"IntUnaryOperator f{n} = new IntUnaryOperator() {{ boolean done; "
                f"public int applyAsInt(int z{n}) {{",
                "} };",
                f"T.log(f{n}.applyAsInt({self.integer(0)}));",
                "int",
            ),
        ]
        barrier, head, tail, use, returns = rng.choice(kinds)
        saved = self.targets, self.returns
        self.targets, self.returns = [], returns
        names = [Variable(f"z{n}", "int")] if f"z{n}" in head else []
        names += [Variable("count", "int"), Variable("flag", "boolean")] if "Own" in head else []
        names += [Variable("done", "boolean")] if "done" in head else []
        self.scopes.append(Scope(barrier, names))
        self.put(head)
        if self.block(4):
            self.put(f"    return {self.integer(1) if returns == 'int' else self.boolean(1)};")
        self.put(tail)
        self.scopes.pop()
        self.targets, self.returns = saved
        self.put(use)
        return True

    # Switches.

    def switch(self) -> bool:
        rng = self.rng
        selector, labels = self.selector()
        rng.shuffle(labels)
        labels = labels[: rng.randrange(1, len(labels) + 1)]
        default = rng.randrange(len(labels) + 1) if self.chance(0.7) else -1
        target = Target("switch", self.label(0.2))
        self.put(f"{target.label + ': ' if target.label else ''}switch ({selector}) {{")
        self.targets.append(target)
        self.scopes.append(Scope())
        shared = self.chance(0.2)
        name = self.fresh("int") if shared else ""
        reached = True
        for index in range(len(labels) + (default >= 0)):
            at = index - (0 <= default < index)
            self.put("    default:" if index == default else f"    case {labels[at]}:")
            if shared:
                value = self.integer(0) if index else "1"
                self.put(f"        {'' if index else 'int '}{name} = {value}; T.log({name});")
                if index == 0:
                    self.scopes[-1].variables.append(Variable(name, "int", counter=True))
            reached = self.group()
        self.scopes.pop()
        self.targets.pop()
        self.put("}")
        return reached or target.left or default < 0

    def group(self) -> bool:
        rng = self.rng
        if self.chance(0.12):
            return True
        self.margin += 1
        if braces := self.chance(0.2):
            self.put("{")
        reached = self.block(rng.randrange(1, 4), switch_group=not braces)
        if braces:
            self.put("}")
        if reached and self.chance(0.65):
            self.put("    break;")
            self.targets[-1].left = True
            reached = False
        self.margin -= 1
        return reached

    def selector(self) -> tuple[str, list[str]]:
        """A selector and labels that fit it."""
        rng = self.rng
        numbers = ["0", "ONE", "2", "3", "4", "-1", "ONE + 4"]
        number = self.name("int", "total")
        return rng.choice(
            [
                (number, numbers),
                (f"T.log({self.integer(1)})", numbers),
                (f"{number} & 3", ["0", "1", "TWO", "3"]),
                (f"{number}++" if number in FIELDS else number, numbers),
                (self.name("char", "mark"), ["'a'", "'b'", "'c'", "'x'", "'0'"]),
                (self.name("String", "label"), ['"a"', '"ab"', '""', '"b"', '"x"']),
                (f"T.log({self.string(1)})", ['"a"', '"ab"', '"" + ONE', '"b"']),
                (f"pick({self.integer(0)})", ["RED", "GREEN", "BLUE"]),
                (self.name("Color", "pick(1)"), ["RED", "GREEN", "BLUE"]),
                (self.name("Integer", "total"), numbers),
                (f"(byte) {number}", ["0", "1", "2", "-1"]),
            ]
        )

    def arrow_switch(self) -> bool:
        rng = self.rng
        selector, labels = self.selector()
        rng.shuffle(labels)
        target = Target("switch")
        self.put(f"switch ({selector}) {{")
        self.targets.append(target)
        self.put(f"    case {labels[0]}, {labels[1]} -> {{")
        self.block(3)
        self.put("    }")
        self.put(f"    case {labels[2]} -> T.log({self.integer(1)});")
        if self.chance(0.5):
            self.put(
                '    default -> throw new IllegalStateException("d");'
                if self.chance(0.3)
                else "    default -> { }"
            )
        self.targets.pop()
        self.put("}")
        return True


def random_program(rng: random.Random) -> str:
    """The source of a program."""
    return Programs(rng).program()
