"""The training loop: epochs, a falling rate, validation, checkpoints that a run resumes from."""

import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import numpy as np
import torch

from metamorph.durable import whole_bytes
from metamorph.errors import UserError

_WARM_UP = 200
_LOWEST = 0.01

B = TypeVar("B")
"""What an optimiser step takes."""


class Network(Protocol):
    """What the loop needs of a model in training."""

    def state(self) -> dict[str, object]:
        """What a checkpoint must hold."""
        ...

    def load(self, state: dict[str, object]) -> None:
        """Take over a checkpoint."""
        ...


class Validated(Protocol):
    """How good a network is on what was held out; the epoch of the greatest merit is kept."""

    @property
    def merit(self) -> float:
        """Above 0, the more the better."""
        ...

    def line(self) -> str:
        """The figures, for stderr."""
        ...

    def logged(self) -> dict[str, float]:
        """The figures by name, for the log."""
        ...


class Lessons(Protocol[B]):
    """What a network is taught."""

    @property
    def unit(self) -> str:
        """What its examples are called, several of them."""
        ...

    def __len__(self) -> int:
        """How many examples an epoch has."""
        ...

    def batches(self, rng: np.random.Generator) -> Iterator[B]:
        """All examples in random order."""
        ...

    def step(self, batch: B, rate: float) -> float:
        """One optimiser step; the loss."""
        ...

    def validate(self) -> Validated:
        """How good the network is now."""
        ...


@dataclass(frozen=True, slots=True)
class Settings:
    """How long and how fast.

    minutes: the time budget, None for none; the rate falls to nearly 0 with whichever of the
    two budgets is used up first; width: contexts a method and step; checkpoint: seconds between
    two checkpoints.
    """

    epochs: int
    batch: int
    width: int
    rate: float
    minutes: float | None = None
    seed: int = 0
    eval_width: int = 200
    checkpoint: float = 300.0

    def words(self) -> list[str]:
        """The options of `models train` that say the same, the width aside."""
        names = ("epochs", "batch", "rate", "seed")
        words = option_words({name: getattr(self, name) for name in names})
        return words if self.minutes is None else [*words, "--minutes", f"{self.minutes:g}"]


def option_words(options: Mapping[str, object]) -> list[str]:
    """Options as a command line has them."""
    return [word for name, value in options.items() for word in (f"--{name}", str(value))]


class Trainer(Generic[B]):
    """One training, from its beginning or from its checkpoint."""

    def __init__(
        self, network: Network, lessons: Lessons[B], settings: Settings, folder: Path
    ) -> None:
        self._network = network
        self._lessons = lessons
        self._settings = settings
        self._folder = folder
        self._epoch = self._steps = 0
        self._in_epoch = 0
        self._spent = 0.0
        self._losses: list[float] = []
        self._best = 0.0

    @property
    def checkpoint_file(self) -> Path:
        """Where the state is kept."""
        return self._folder / "checkpoint.pt"

    @property
    def best_file(self) -> Path:
        """Where the network of the best epoch is kept."""
        return self._folder / "best.pt"

    @property
    def epochs_done(self) -> int:
        """Whole epochs so far."""
        return self._epoch

    def load_best(self) -> None:
        """Go back to the network of the best epoch, where one was kept."""
        if self.best_file.exists():
            self._network.load(torch.load(self.best_file, weights_only=True))

    def resume(self) -> bool:
        """Take up the checkpoint, where there is one."""
        if not self.checkpoint_file.exists():
            return False
        saved = torch.load(self.checkpoint_file, weights_only=True)
        self._network.load(saved["network"])
        self._epoch, self._in_epoch = saved["epoch"], saved["in_epoch"]
        self._steps, self._spent = saved["steps"], saved["spent"]
        self._best = saved.get("best", 0.0)
        if "random" in saved:
            torch.set_rng_state(saved["random"])
        return True

    def begin(self, *, resume: bool) -> None:
        """Go on from the checkpoint, or make sure that there is none; raises UserError."""
        if resume and self.resume():
            print("resumed from the checkpoint", file=sys.stderr, flush=True)
        elif self.checkpoint_file.exists() and not resume:
            folder = self._folder
            raise UserError(f"{folder}: holds a checkpoint; --resume goes on with it")

    def run(self) -> None:
        """Train until a budget is used up, with a checkpoint after each epoch."""
        while self._epoch < self._settings.epochs and self._progress() < 1:
            began = time.monotonic()
            self._run_epoch()
            self._epoch, self._in_epoch = self._epoch + 1, 0
            scores = self._lessons.validate()
            self._log(scores, time.monotonic() - began)
            if scores.merit > self._best:
                self._best = scores.merit
                _save(self._network.state(), self.best_file)
            self.save()

    def save(self) -> None:
        """Write the checkpoint, whole or not at all."""
        state = {
            "network": self._network.state(),
            "epoch": self._epoch,
            "in_epoch": self._in_epoch,
            "steps": self._steps,
            "spent": self._spent,
            "best": self._best,
            "random": torch.get_rng_state(),
        }
        _save(state, self.checkpoint_file)

    def _run_epoch(self) -> None:
        settings = self._settings
        rng = np.random.default_rng([settings.seed, self._epoch])
        saved = last = time.monotonic()
        self._losses = []
        for number, batch in enumerate(self._lessons.batches(rng)):
            if number < self._in_epoch:
                continue
            self._losses.append(self._lessons.step(batch, self._rate()))
            self._steps += 1
            self._in_epoch = number + 1
            now = time.monotonic()
            self._spent, last = self._spent + now - last, now
            if now - saved > settings.checkpoint:
                self.save()
                saved = now
                self._report()
            if self._progress() >= 1:
                break

    def _progress(self) -> float:
        """The used share of the budget that is used most."""
        settings = self._settings
        taken = self._in_epoch * settings.batch
        done = (self._epoch + taken / max(1, len(self._lessons))) / settings.epochs
        if settings.minutes is None:
            return done
        return max(done, self._spent / (60 * settings.minutes))

    def _rate(self) -> float:
        warm = min(1.0, (self._steps + 1) / _WARM_UP)
        return self._settings.rate * warm * max(_LOWEST, 1 - self._progress())

    def _report(self) -> None:
        print(
            f"epoch {self._epoch + 1} step {self._steps} {100 * self._progress():.0f} % "
            f"loss {np.mean(self._losses):.4f}",
            file=sys.stderr,
            flush=True,
        )

    def _log(self, scores: Validated, seconds: float) -> None:
        entry = {
            "epoch": self._epoch,
            "steps": self._steps,
            "loss": float(np.mean(self._losses)),
            "seconds": seconds,
            "valid": scores.logged(),
        }
        with (self._folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(entry) + "\n")
        print(
            f"epoch {self._epoch}: loss {entry['loss']:.4f}, valid {scores.line()}, "
            f"{len(self._lessons) / seconds:.0f} {self._lessons.unit}/s",
            file=sys.stderr,
            flush=True,
        )


def _save(state: dict[str, object], path: Path) -> None:
    """Write what can be loaded again, whole or not at all."""
    with whole_bytes(path) as file:
        torch.save(state, file)
