"""Random Java statements that leave others, and what they leave or what catches them."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from random_statements import Statements


@dataclass(slots=True)
class Target:
    """What a jump may leave; left: whether a break did, so that what follows is reached."""

    kind: str
    label: str = ""
    left: bool = False


class Jumps(Statements):
    """Writes jumps and what surrounds them."""

    block: Callable[..., bool]
    braced: Callable[..., bool]

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.targets: list[Target] = []
        self.returns = "Object"

    def label(self, share: float) -> str:
        if not self.chance(share):
            return ""
        return f"out{self.number()}"

    def labelled(self) -> bool:
        target = Target("block", self.label(1))
        self.targets.append(target)
        reached = self.braced(f"{target.label}:", 4)
        self.targets.pop()
        return reached or target.left

    def jump(self) -> bool:
        """A break, continue, return or throw, mostly under a condition."""
        line, target = self.rng.choice(self.jumps())
        if self.chance(0.7):
            self.put(
                f"if ({self.boolean(1)}) {line}"
                if self.chance(0.6)
                else f"if ({self.boolean(1)}) {{ {line} }}"
            )
            reached = True
        else:
            self.put(line)
            reached = False
        if target is not None and line.startswith("break"):
            target.left = True
        return reached

    def jumps(self) -> list[tuple[str, Target | None]]:
        found: list[tuple[str, Target | None]] = []
        breakable = loop = False
        for target in reversed(self.targets):
            if target.kind in ("loop", "switch") and not breakable:
                found += [("break;", target)] * 3
                breakable = True
            if target.kind == "loop" and not loop:
                found += [("continue;", None)] * 3
                loop = True
            if target.label:
                found += [(f"break {target.label};", target)] * 2
                found += [(f"continue {target.label};", None)] * (2 if target.kind == "loop" else 0)
        if not found or self.chance(0.25):
            value = {"Object": self.string(1), "int": self.integer(1), "boolean": self.boolean(1)}[
                self.returns
            ]
            found.append((f"return {value};", None))
            found.append((f'throw new IllegalStateException("e" + {self.integer(0)});', None))
        return found

    def guarded(self) -> bool:
        rng = self.rng
        if self.chance(0.2):
            reached = self.braced(f"try (T.Res res{(n := self.number())} = T.open({n}))", 3)
            return reached
        reached = self.braced("try", 4, "")
        caught = rng.choice(
            (
                "RuntimeException",
                "ArithmeticException",
                "IllegalStateException | NullPointerException",
            )
        )
        kind = rng.randrange(3)
        if kind < 2:
            self.put(f"}} catch ({caught} e{self.number()}) {{")
            self.put(f"    T.log({self.integer(1)});")
            reached = self.block(2) or reached
        if kind > 0:
            self.put("} finally {")
            self.put(f"    T.log({self.integer(1)});")
            reached = self.block(2) and reached
        self.put("}")
        return reached

    def assigned_on_one_path(self) -> bool:
        """A variable without a value in a block that one of two paths leaves."""
        type = self.rng.choice(("int", "boolean", "String"))
        condition, value = self.boolean(1), self.expression(type, 1)
        leaving, target = self.rng.choice(self.jumps())
        if target is not None and leaving.startswith("break"):
            target.left = True
        name = self.fresh(type, f"{condition} {value} {leaving}")
        other = "int" if type == "String" else "String"
        self.put("{")
        if self.chance(0.4):
            self.put(f"    {other} gap{self.number()};")
        self.put(f"    {type} {name};")
        self.put(
            self.rng.choice(
                [
                    f"    if ({condition}) {{ {name} = {value}; }} else {{ {leaving} }}",
                    f"    if ({condition}) {{ {leaving} }} else {name} = {value};",
                    f"    if ({condition}) {leaving} {name} = {value};",
                    f"    try {{ {name} = {value}; }} catch (RuntimeException e) {{ {leaving} }}",
                    f"    {name} = {value};",
                ]
            )
        )
        if self.chance(0.3):
            self.put(f"    T.log({name});")
        self.put("}")
        return True

    def pattern(self) -> bool:
        """A match that leaves, or not."""
        n, (leaving, target) = self.number(), self.rng.choice(self.jumps())
        if target is not None and leaving.startswith("break"):
            target.left = True
        value = self.rng.choice(("(Object) label", "T.same(s)", f"T.same({self.boolean(0)})"))
        match = f"((Object) {value}) instanceof {self.rng.choice(('String', 'Boolean'))} w{n}"
        self.put(
            self.rng.choice(
                [
                    f"if ({match}) {{ T.same(w{n}); {leaving} }}",
                    f"if ({match} && {self.boolean(1)}) {{ {leaving} }}",
                    f"if ({match}) {{ T.log(w{n}.hashCode()); }}",
                    f"{{ if (!({match})) {{ {leaving} }} }}",
                    f"T.log({match});",
                ]
            )
        )
        return True
