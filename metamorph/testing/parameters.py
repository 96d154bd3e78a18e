"""Parameters: what a test may say about how its model is studied."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields

from metamorph.errors import UserError
from metamorph.models.options import Options
from metamorph.oracles.controls import CONTROLS
from metamorph.runs.plans import plan
from metamorph.runs.settings import CHECKS, PLACES, Settings
from metamorph.tasks import load as load_task
from metamorph.transforms import parse_codes


@dataclass(frozen=True, slots=True)
class Parameters:
    """How variants are made, asked about and judged.

    transforms: codes joined by commas, or `all`; repeat: how often originals are asked, so that
    those whose answers vary are known; max_change: the largest change rate that passes;
    min_originals: with fewer judged originals nothing is asserted.
    """

    transforms: str = "all"
    place: str = "single"
    seed: int = 0
    repeat: int = 2
    limit: int | None = None
    task: str = "method-name"
    equality: str = ""
    check: str = "syntax"
    max_change: float = 0.0
    min_originals: int = 1

    def settings(self, paths: tuple[str, ...], model: str) -> Settings:
        """The settings of a run with these; raises UserError."""
        try:
            codes = parse_codes(self.transforms)
            pairs, _ = plan(list(codes), self.place)
            load_task(self.task, self.equality)
        except ValueError as error:
            raise UserError(str(error)) from error
        controls = set(CONTROLS).intersection(codes)
        if controls and len(controls) < len(codes):
            raise UserError(f"{self.transforms}: study {' and '.join(sorted(controls))} apart")
        return Settings(
            paths,
            model,
            pairs,
            place=self.place,
            seed=self.seed,
            limit=self.limit,
            check=self.check,
            repeat=self.repeat,
            options=self.options,
        )

    @property
    def options(self) -> Options:
        """The options of a model that answers these questions."""
        return Options(task=self.task, equality=self.equality)

    @property
    def study(self) -> dict[str, object]:
        """Those that outcomes depend on; the others judge them."""
        return {n: v for n, v in asdict(self).items() if n not in ("max_change", "min_originals")}


_NAMES = tuple(field.name for field in fields(Parameters))


def merged(layers: Iterable[tuple[str, Mapping[str, object]]]) -> Parameters:
    """The parameters of all layers, later ones going first; raises UserError.

    A layer comes with the words that say who set it.
    """
    given: dict[str, object] = {}
    for who, layer in layers:
        for name, value in layer.items():
            if name not in _NAMES:
                raise UserError(f"{who}: no parameter {name!r}; known are {', '.join(_NAMES)}")
            given[name] = _checked(who, name, value)
    return Parameters(**given)  # type: ignore[arg-type]


def _checked(who: str, name: str, value: object) -> object:
    if name == "transforms" and isinstance(value, list | tuple):
        value = ",".join(str(code) for code in value)
    suits, wanted = _WANTED[name]
    if not suits(value):
        raise UserError(f"{who}: {name} is {value!r}; give {wanted}")
    return value


_Check = tuple[Callable[[object], bool], str]
"""Whether a value suits, and what would."""


def _whole(least: int) -> _Check:
    def suits(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and value >= least

    return suits, f"a number from {least} up"


def _choice(known: Iterable[str]) -> _Check:
    names = tuple(known)
    return lambda value: value in names, " or ".join(names)


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


_TEXT: _Check = (lambda value: isinstance(value, str), "text")
_WANTED: dict[str, _Check] = {
    "transforms": (lambda value: isinstance(value, str) and bool(value), "codes such as VN,PS"),
    "place": _choice(PLACES),
    "seed": (lambda value: isinstance(value, int), "a whole number"),
    "repeat": _whole(1),
    "limit": (lambda value: value is None or _whole(1)[0](value), "a number from 1 up, or None"),
    "task": _TEXT,
    "equality": _TEXT,
    "check": _choice(CHECKS),
    "max_change": (_is_share, "a share between 0 and 1"),
    "min_originals": _whole(1),
}
