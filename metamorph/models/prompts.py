"""What a model that is asked in words is told: the task's prompt, or the user's own."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from metamorph.errors import UserError
from metamorph.models.options import Options
from metamorph.models.protocol import Example
from metamorph.tasks import Task
from metamorph.tasks import load as load_task

_PLACE = "{code}"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question with a place for the code; own: the text of the user's, "" for the task's."""

    task: Task
    own: str = ""

    def text(self, example: Example) -> str:
        """The whole question about an example."""
        return self.asked(sendable(self.task.code(example.tree, example.node)))

    def asked(self, code: str) -> str:
        """The whole question about a piece of code."""
        return self.own.replace(_PLACE, code) if self.own else self.task.prompt(code)

    @property
    def sha256(self) -> str:
        """What tells the prompt from others."""
        asked = self.own or self.task.prompt(_PLACE)
        return hashlib.sha256(asked.encode()).hexdigest()


def prompt_of(options: Options) -> Prompt:
    """The prompt that the options ask for; raises UserError."""
    return Prompt(load_task(options.task, options.equality), _own(options.prompt))


def sendable(code: str) -> str:
    """Code as text that JSON can carry: bytes that are no UTF-8 become replacement characters."""
    return code.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _own(file: str) -> str:
    if not file:
        return ""
    try:
        text = Path(file).read_text("utf-8")
    except OSError as error:
        raise UserError(f"prompt {file}: {error.strerror}; give a text file") from None
    except UnicodeDecodeError:
        raise UserError(f"prompt {file}: not UTF-8 text; save it as UTF-8") from None
    if _PLACE not in text:
        raise UserError(f"prompt {file}: no {_PLACE} in it; write {_PLACE} where the method goes")
    return text
