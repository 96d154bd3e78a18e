"""A dry run: what a run would ask, in programs, tokens and money; nothing is asked."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from metamorph.corpus import read_sources
from metamorph.models.protocol import Asked, Counting, Example
from metamorph.oracles.summaries import Prices
from metamorph.runs.cache import Remembering, remembering
from metamorph.runs.execute import Request
from metamorph.runs.pipeline import Study, begin, examples
from metamorph.runs.rows import PARSED

BYTES_A_TOKEN = 4
"""What a token is taken for where the model's tokens cannot be counted."""


@dataclass(slots=True)
class Estimate:
    """What a run would ask.

    programs: distinct questions; askings: with originals asked again, and without a cache those
    that are equal; cached: of these, those answered already; told: the model is told a text;
    tokens_in: of the askings left, exact where `counted`; tokens_out: at most.
    """

    prices: Prices
    told: bool
    counted: bool
    files: int = 0
    unparsable: int = 0
    methods: int = 0
    variants: int = 0
    programs: int = 0
    askings: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seen: set[bytes] = field(default_factory=set)

    def lines(self) -> Iterator[str]:
        """What the user is told."""
        yield "dry run: nothing was asked"
        yield f"files     {self.files:,}, {self.unparsable:,} of them unparsable"
        yield f"methods   {self.methods:,}"
        yield f"variants  {self.variants:,}"
        yield f"programs  {self.programs:,} distinct, {self.askings:,} to be asked with repeats"
        if not self.told:
            yield "tokens    none: the model works on this machine, on the program itself"
            return
        yield f"cached    {self.cached:,} answered already"
        how = "counted" if self.counted else f"estimate: bytes / {BYTES_A_TOKEN}"
        yield f"tokens    {self.tokens_in:,} to read ({how}), {self.tokens_out:,} to write at most"
        cost = self.prices.cost(self.tokens_in, self.tokens_out)
        yield "cost      " + ("no prices given" if cost is None else f"{cost:,.4f} at most")


def rehearse(request: Request) -> Estimate:
    """Go through the corpus as the run would, and count."""
    settings = request.settings
    model = remembering(request.model, settings.options) if request.cache else request.model
    told, counted = isinstance(request.model, Asked), isinstance(request.model, Counting)
    estimate = Estimate(request.prices, told, counted)
    left = settings.limit
    for ordinal, source in enumerate(read_sources(settings.paths)):
        study = begin(ordinal, source, model, settings)
        for example in examples(study, source, left):
            _count(estimate, study, example, request)
        _close(estimate, study)
        if left is not None:
            left -= len(study.row.methods)
            if left <= 0:
                break
    return estimate


def _close(estimate: Estimate, study: Study) -> None:
    estimate.files += 1
    estimate.unparsable += study.row.status != PARSED
    estimate.methods += len(study.row.methods)
    estimate.variants += sum(len(method.variants) for method in study.row.methods)


def _count(estimate: Estimate, study: Study, example: Example, request: Request) -> None:
    """Count an example, if its question is new, with its repeats."""
    asked = request.model
    if isinstance(asked, Asked):
        text = asked.question(example)
    else:
        text = study.task.code(example.tree, example.node)
    data = text.encode("utf-8", "surrogatepass")
    original = example.id.count(".") == 1
    repeats = range(request.settings.repeat) if original else (example.repeat,)
    for number in repeats:
        digest = hashlib.blake2b(b"%d " % number + data, digest_size=16).digest()
        fresh = digest not in estimate.seen
        estimate.seen.add(digest)
        estimate.programs += fresh and number == 0
        if fresh or not (request.cache and estimate.told):
            estimate.askings += 1
            _spend(estimate, study, replace(example, repeat=number), request, len(data))


def _spend(estimate: Estimate, study: Study, example: Example, request: Request, size: int) -> None:
    if _is_known(study, example):
        estimate.cached += 1
        return
    model = request.model
    estimate.tokens_out += request.settings.options.max_tokens
    estimate.tokens_in += (
        model.tokens(example) if isinstance(model, Counting) else -(-size // BYTES_A_TOKEN)
    )


def _is_known(study: Study, example: Example) -> bool:
    model = study.model
    return isinstance(model, Remembering) and bool(model.known([model.key(example)]))
