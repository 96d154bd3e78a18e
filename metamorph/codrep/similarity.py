"""The textual baseline: the line that is most like the inserted one, character by character."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from metamorph.codrep.predictors import Answer
from metamorph.codrep.reading import LONGEST, Question


class Similarity:
    """Points at the first of the lines with the highest ratio of matching characters.

    Blanks around lines do not count. A line that is the inserted one already is not replaced by
    it, so it is left out.
    """

    name = "similarity"

    def predict(self, questions: Sequence[Question]) -> list[Answer]:
        """One line each; no line where all are blank or the inserted one."""
        return [_answer(question) for question in questions]


def _answer(question: Question) -> Answer:
    inserted = question.inserted.decode("utf-8", "surrogateescape").strip()
    matcher = SequenceMatcher(None, "", inserted[:LONGEST], autojunk=False)
    best, found = 0.0, None
    seen = {inserted, ""}
    for number, line in enumerate(question.lines, 1):
        text = line.decode("utf-8", "surrogateescape").strip()
        if text in seen:
            continue
        seen.add(text)
        matcher.set_seq1(text[:LONGEST])
        if matcher.real_quick_ratio() <= best or matcher.quick_ratio() <= best:
            continue
        ratio = matcher.ratio()
        if ratio > best:
            best, found = ratio, number
    return Answer(found, "" if found else "no-line-is-alike")
