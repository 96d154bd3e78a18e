"""Reading the answer to a task out of what a generating model wrote around it."""

from metamorph.models.answered_names import read_name
from metamorph.models.spoken import fenced, without_thoughts
from metamorph.tasks import Task

EMPTY, UNPARSED = "empty-answer", "unparsed"
"""The errors of a text without a word, and of one from which no single answer can be read."""


def read_answer(text: str, task: Task) -> tuple[str, str]:
    """(label, "") or ("", error): the answer to the task that the text gives."""
    spoken = without_thoughts(text)
    if not spoken:
        return "", UNPARSED if text.strip() else EMPTY
    found = read_name(spoken) if task.name == "method-name" else _plain(spoken, task)
    label = task.label(found)
    return (label, "") if label else ("", UNPARSED)


def _plain(text: str, task: Task) -> str:
    """The answer to another task: out of its fence, and a label out of its quotes."""
    blocks, around = fenced(text)
    if len(blocks) == 1 and not around.strip():
        text = blocks[0]
    return text.strip().strip("`\"'*") if task.name.startswith("label") else text
