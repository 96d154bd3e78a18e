"""The baseline that only remembers: it answers as the most similar methods of a corpus do."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from metamorph.corpus import read_sources
from metamorph.duplicates.bags import tokens
from metamorph.errors import UserError
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import Tree, parse
from metamorph.limits import Guard, Limits, within
from metamorph.models.neighbours import Gathering, Neighbours
from metamorph.models.options import Options, only
from metamorph.models.protocol import Example, Prediction
from metamorph.tasks import Task
from metamorph.tasks import load as load_task

_MOST = 1000


@dataclass(slots=True)
class Memory:
    """The methods of a corpus: their tokens, the answer to each, and files that took too long."""

    neighbours: Neighbours
    answers: list[str]
    digest: str
    over_limit: int = 0


class Nearest:
    """k nearest neighbours by Jaccard similarity of the methods' identifiers and literals.

    Nothing is learnt: where a trained model is hardly better, it may have done little more than
    remember (Allamanis 2019, section 5). Methods are not kept apart from themselves: a corpus
    that holds the methods under test answers with them.
    """

    embedded = True

    def __init__(self, name: str, memory: Memory, task: Task, count: int) -> None:
        self.name = name
        self._memory = memory
        self._task = task
        self._count = count
        self.identity = {
            "kind": "nearest",
            "corpus": memory.digest,
            "methods": str(len(memory.answers)),
            "k": str(count),
        }
        if memory.over_limit:
            self.identity["over_limit"] = str(memory.over_limit)

    def label(self, method_name: str) -> str:
        """In the form of the task."""
        return self._task.label(method_name)

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """The answer that the nearest methods agree on most."""
        return [self._predict(example) for example in batch]

    def _predict(self, example: Example) -> Prediction:
        asked = told_tokens(example.tree, example.node, self._task)
        if not asked:
            return Prediction(example.id, None, error="no-tokens")
        found = self._memory.neighbours.nearest(asked, self._count)
        if not found:
            return Prediction(example.id, None, error="no-neighbour")
        votes: defaultdict[str, float] = defaultdict(float)
        for number, similarity in found:
            votes[self._memory.answers[number]] += similarity / self._count
        candidates = tuple(sorted(votes.items(), key=lambda vote: -vote[1]))
        return Prediction(example.id, *candidates[0], candidates=candidates)


def told_tokens(tree: Tree, node: int, task: Task) -> set[bytes]:
    """The distinct identifiers and literals of a method, without its declared name if masked."""
    hidden = tree.child(node, "name") if task.name == "method-name" else -1
    starts, ends, data = tree.start, tree.end, tree.data
    return {data[starts[n] : ends[n]] for n in tokens(tree, node) if n != hidden}


@dataclass(slots=True)
class _Reading:
    """A corpus that is being read."""

    task: Task
    gathering: Gathering = field(default_factory=Gathering)
    answers: list[str] = field(default_factory=list)
    over_limit: int = 0

    def add(self, source: SourceFile) -> None:
        """Remember the methods whose answer is known, unless the file is over the limits."""
        found = within(Guard(Limits()), lambda: list(_told(source, self.task)))
        if isinstance(found, str):
            self.over_limit += 1
            return
        for answer, told in found:
            self.answers.append(answer)
            self.gathering.add(told)


def _told(source: SourceFile, task: Task) -> Iterator[tuple[str, set[bytes]]]:
    """The answers and tokens of the methods; a file with a syntax error has none."""
    tree = parse(source.data)
    if tree.has_error:
        return
    found = list(methods(source, tree))
    gold = source.gold if all(method.start < found[0].end for method in found) else None
    for method in found:
        answer = task.gold(method.name, gold if method.index == 0 else None)
        if answer:
            yield answer, told_tokens(tree, method.node, task)


def remembered(corpora: Sequence[str], task: Task) -> Memory:
    """The methods of folders, archives or JSONL files."""
    reading = _Reading(task)
    digest = hashlib.sha256(task.name.encode())
    for source in read_sources(corpora):
        if isinstance(source, SourceFile):
            digest.update(hashlib.sha256(source.data).digest())
            reading.add(source)
    if not reading.answers:
        named = " ".join(corpora)
        raise UserError(f"{named}: no method with an answer to {task.name}; name another corpus")
    gathering = reading.gathering
    neighbours = Neighbours(gathering.vocabulary, gathering.sets())
    return Memory(neighbours, reading.answers, digest.hexdigest(), reading.over_limit)


def load(rest: str, options: Options) -> Nearest:
    """The methods of the corpus `rest`; option k: how many of them have a vote (1)."""
    if not rest:
        raise UserError("model nearest: names no corpus; give --model nearest:CORPUS")
    only(options, "nearest", "extra")
    for name in options.extra.keys() - {"k"}:
        raise UserError(f"model nearest: unknown argument {name!r}; it takes k")
    count = options.extra.get("k", 1)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= _MOST:
        raise UserError(f"model nearest: k is {count!r}; give a whole number from 1 to {_MOST}")
    return of_corpora([rest], load_task(options.task, options.equality), count)


def of_corpora(corpora: Sequence[str], task: Task, count: int = 1) -> Nearest:
    """The methods of all these corpora; count: how many of them have a vote."""
    return Nearest(f"nearest:{','.join(corpora)}", remembered(corpora, task), task, count)
