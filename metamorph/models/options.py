"""What a user may tell an adapter besides its name."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from metamorph.errors import UserError


@dataclass(frozen=True, slots=True)
class Options:
    """Options of all adapters; each takes those that mean something to it.

    task: the kind of answer asked for, a name of `metamorph.tasks`; equality: when two answers are
    the same, "" for the task's own rule; comments: `strip` or
    `official`, what the official checkpoints see of comments; beam: the width of a beam search,
    0 for greedy; base_url: the server of an `openai:` model; headers: sent with every request;
    timeout: seconds a request may take, or a command be silent; retries: how often a failed
    request is sent again; max_connections: requests under way at once; max_tokens: the longest
    answer; temperature, sampling_seed: of models that sample; prompt: a file that replaces the
    built-in prompt; template: a file that shapes the requests to a foreign server and reads its
    answers; device: where a torch model runs; batch: examples put to a local model at once;
    extra: further sampling parameters, passed on as they are.
    """

    task: str = "method-name"
    equality: str = ""
    comments: str = "strip"
    beam: int = 0
    base_url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 60.0
    retries: int = 5
    max_connections: int = 8
    max_tokens: int = 64
    temperature: float = 0.0
    sampling_seed: int = 0
    prompt: str = ""
    template: str = ""
    device: str = "cpu"
    batch: int = 16
    extra: Mapping[str, object] = field(default_factory=dict)


_FOR_ALL = ("task", "equality", "timeout", "retries", "max_connections", "batch")
_FLAGS = {"extra": "--model-arg", "headers": "--header"}


def only(options: Options, model: str, *taken: str) -> None:
    """Raise UserError where an option was given that would be in vain.

    taken: those that mean something to the model. Those of pace change no answer: they may stand.
    """
    for option in fields(Options):
        name = option.name
        if name not in (*_FOR_ALL, *taken) and getattr(options, name) != getattr(_PLAIN, name):
            flag = _FLAGS.get(name) or f"--{name.replace('_', '-')}"
            raise UserError(f"{model} takes no {flag}; leave it out")


_PLAIN = Options()
