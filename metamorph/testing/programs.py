"""Java methods at random: small, whole, with something for every transformation to do."""

from dataclasses import dataclass, field

from hypothesis import strategies as st

_WORDS = ("total", "count", "index", "size", "left", "right", "sum", "step", "limit", "depth")
_FLAGS = ("done", "found", "empty", "ready", "valid")
_NAMES = ("compute", "measure", "collect", "advance", "search")
_DEPTH = 2


@dataclass(slots=True)
class _Scope:
    """The variables that a statement may use; taken: all names that the method has used."""

    numbers: list[str]
    flags: list[str]
    taken: set[str] = field(default_factory=set)

    def inner(self) -> "_Scope":
        """The scope of a block: what it declares ends with it, the names stay taken."""
        return _Scope(list(self.numbers), list(self.flags), self.taken)


@st.composite
def java_methods(draw: st.DrawFn, *, max_statements: int = 6) -> str:
    """A method of ints and booleans that compiles and ends; it shrinks to fewer statements."""
    parameters = draw(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3, unique=True))
    scope = _Scope(list(parameters), [], set(parameters))
    lines = [f"    {line}" for line in _block(draw, scope, max_statements, 0)]
    listed = ", ".join(f"int {name}" for name in parameters)
    name = draw(st.sampled_from(_NAMES))
    result = draw(st.sampled_from(scope.numbers))
    return "\n".join([f"int {name}({listed}) {{", *lines, f"    return {result};", "}\n"])


def _block(draw: st.DrawFn, scope: _Scope, most: int, depth: int) -> list[str]:
    """The lines of so many statements at most, one at least."""
    lines: list[str] = []
    kinds = ("assign", "number", "flag", "if", "for", "switch")
    kind_of = st.sampled_from(kinds[: 3 if depth >= _DEPTH else 6])
    for kind in draw(st.lists(kind_of, min_size=1, max_size=most)):
        lines += _statement(draw, scope, kind, depth)
    return lines


def _statement(draw: st.DrawFn, scope: _Scope, kind: str, depth: int) -> list[str]:
    if kind == "number" and (name := _fresh(draw, scope, _WORDS)):
        value = _value(draw, scope)
        scope.numbers.append(name)
        return [f"int {name} = {value};"]
    if kind == "flag" and (name := _fresh(draw, scope, _FLAGS)):
        condition = _condition(draw, scope)
        scope.flags.append(name)
        return [f"boolean {name} = {condition};"]
    if kind == "if":
        return _around(draw, scope, f"if ({_condition(draw, scope)}) {{", depth)
    if kind == "for" and (name := _fresh(draw, scope, ("i", "j", "k", "m", "n"))):
        head = f"for (int {name} = 0; {name} < {draw(st.integers(1, 9))}; {name}++) {{"
        return _around(draw, scope, head, depth)
    if kind == "switch":
        return _switch(draw, scope)
    return [_assignment(draw, scope)]


def _fresh(draw: st.DrawFn, scope: _Scope, words: tuple[str, ...]) -> str | None:
    left = [word for word in words if word not in scope.taken]
    if not left:
        return None
    name = draw(st.sampled_from(left))
    scope.taken.add(name)
    return name


def _around(draw: st.DrawFn, scope: _Scope, head: str, depth: int) -> list[str]:
    inside = _block(draw, scope.inner(), 3, depth + 1)
    return [head, *(f"    {line}" for line in inside), "}"]


def _switch(draw: st.DrawFn, scope: _Scope) -> list[str]:
    cases = draw(st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True))
    lines = [f"switch ({draw(st.sampled_from(scope.numbers))}) {{"]
    for case in cases:
        lines += [f"    case {case}:", f"        {_assignment(draw, scope)}", "        break;"]
    return [*lines, "    default:", f"        {_assignment(draw, scope)}", "}"]


def _assignment(draw: st.DrawFn, scope: _Scope) -> str:
    flag = draw(st.sampled_from(("", *scope.flags)))
    if flag:
        return f"{flag} = {_condition(draw, scope)};"
    sign = draw(st.sampled_from(("=", "+=", "-=")))
    return f"{draw(st.sampled_from(scope.numbers))} {sign} {_value(draw, scope)};"


def _value(draw: st.DrawFn, scope: _Scope) -> str:
    atom = st.one_of(st.integers(0, 99).map(str), st.sampled_from(scope.numbers))
    operator = draw(st.sampled_from(("", " + ", " - ", " * ")))
    return f"{draw(atom)}{operator}{draw(atom)}" if operator else draw(atom)


def _condition(draw: st.DrawFn, scope: _Scope) -> str:
    flag = draw(st.sampled_from(("", *scope.flags)))
    if flag:
        return flag
    sign = draw(st.sampled_from(("<", ">", "==", "<=", "!=")))
    return f"{draw(st.sampled_from(scope.numbers))} {sign} {_value(draw, scope)}"
