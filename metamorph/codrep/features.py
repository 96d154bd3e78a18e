"""What tells whether one line of code was edited into another: features of the pair, by tokens."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

_TOKEN = re.compile(
    r'"(?:\\.|[^"\\])*"?|\'(?:\\.|[^\'\\])*\'?|//.*|[^\W\d][\w$]*|\$[\w$]*|\d[\w.]*|[^\w\s]'
)
_WORD = re.compile(r"[^\W\d][\w$]*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_COMMENT = ("//", "/*", "*")
_OPENING = frozenset(
    {"package", "import", "return", "if", "for", "while", "throw", "case", "else", "try", "catch"}
    | {"public", "private", "protected", "static", "final", "new", "break", "super", "this"}
    | {"@", "}"}
)


@dataclass(frozen=True)
class Text:
    """A line without the blanks around it; what is made of it is made once."""

    text: str

    @cached_property
    def tokens(self) -> list[str]:
        """Literals, comments, words, numbers and signs."""
        return _TOKEN.findall(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """The identifiers and keywords, those in comments and strings too."""
        return frozenset(_WORD.findall(self.text))

    @cached_property
    def parts(self) -> frozenset[str]:
        """The words' parts in lower case: `maxSize` has max and size."""
        return frozenset(part.lower() for part in _PART.findall(self.text))

    @cached_property
    def pairs(self) -> Counter[str]:
        """The pairs of neighbouring characters."""
        return Counter(map("".join, zip(self.text, self.text[1:], strict=False)))

    @cached_property
    def shape(self) -> list[str]:
        """The tokens with all names, and all literals, alike."""
        return [_shape(token) for token in self.tokens]

    @property
    def is_comment(self) -> bool:
        """Whether it looks like a line of a comment."""
        return self.text.startswith(_COMMENT)

    @property
    def opening(self) -> str:
        """The first token if it says what kind of line this is."""
        first = self.tokens[0] if self.tokens else ""
        return first if first in _OPENING else ""


def _shape(token: str) -> str:
    if token[0].isalpha() or token[0] in "_$":
        return token if token in _OPENING else "a"
    return "0" if token[0].isdigit() or token[0] in "\"'" else token


def closeness(line: Text, inserted: Text) -> float:
    """A quick guess of how much two lines have in common, between 0 and 1."""
    common = (line.pairs & inserted.pairs).total()
    both = max(1, len(line.text) + len(inserted.text) - 2)
    words = len(line.parts & inserted.parts) / max(1, len(line.parts | inserted.parts))
    return 0.7 * 2 * common / both + 0.3 * words


def share(some: int, of: int) -> float:
    """some / of, 0 where there is nothing."""
    return some / of if of else 0.0


def pair_features(line: Text, inserted: Text, counts: Counter[str]) -> dict[str, float]:
    """Features of a line as what the inserted line replaces; counts: words of the program."""
    characters = SequenceMatcher(None, line.text, inserted.text, autojunk=False)
    tokens = SequenceMatcher(None, line.tokens, inserted.tokens, autojunk=False)
    ratio = characters.ratio()
    found = {
        "characters": ratio,
        "characters-squared": ratio * ratio,
        "tokens": tokens.ratio(),
        "pairs": closeness(line, inserted),
        "parts": share(len(line.parts & inserted.parts), len(line.parts | inserted.parts)),
        "shape": SequenceMatcher(None, line.shape, inserted.shape, autojunk=False).ratio(),
        "same-shape": float(line.shape == inserted.shape),
    }
    found |= _ends(line, inserted)
    found |= _edit(line.tokens, inserted.tokens, tokens)
    found |= _words(line, inserted, counts)
    return found


def _ends(line: Text, inserted: Text) -> dict[str, float]:
    prefix = _common(line.text, inserted.text)
    shorter = min(len(line.text), len(inserted.text)) - prefix
    suffix = min(shorter, _common(line.text[::-1], inserted.text[::-1]))
    longest = max(len(line.text), len(inserted.text))
    return {
        "prefix": share(prefix, longest),
        "suffix": share(suffix, longest),
        "outside": share(prefix + suffix, longest),
        "contained": float(line.text in inserted.text or inserted.text in line.text),
        "first-token": float(line.tokens[:1] == inserted.tokens[:1]),
        "last-token": float(line.tokens[-1:] == inserted.tokens[-1:]),
        "opening": float(line.opening == inserted.opening != ""),
        "other-opening": float(line.opening != inserted.opening),
        "braces": float(_balance(line, "{", "}") != _balance(inserted, "{", "}")),
        "parentheses": float(_balance(line, "(", ")") != _balance(inserted, "(", ")")),
        "comment": float(line.is_comment != inserted.is_comment),
        "length": abs(math.log((len(line.text) + 1) / (len(inserted.text) + 1))),
    }


def _common(one: str, other: str) -> int:
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length


def _balance(line: Text, opening: str, closing: str) -> int:
    return line.tokens.count(opening) - line.tokens.count(closing)


def _edit(old: list[str], new: list[str], matcher: "SequenceMatcher[str]") -> dict[str, float]:
    """How the tokens of the one become those of the other."""
    changes = [op for op in matcher.get_opcodes() if op[0] != "equal"]
    gone = sum(op[2] - op[1] for op in changes)
    come = sum(op[4] - op[3] for op in changes)
    swapped = [op for op in changes if op[2] - op[1] == 1 == op[4] - op[3]]
    alike = sum(_shape(old[op[1]]) == _shape(new[op[3]]) for op in swapped)
    return {
        "one-change": float(len(changes) == 1),
        "two-changes": float(len(changes) == 2),
        "changes": math.log1p(len(changes)),
        "gone": math.log1p(gone),
        "come": math.log1p(come),
        "only-come": float(gone == 0),
        "only-gone": float(come == 0),
        "token-for-token": float(len(swapped) == len(changes)),
        "alike-for-alike": share(alike, len(changes)),
    }


def _words(line: Text, inserted: Text, counts: Counter[str]) -> dict[str, float]:
    """What the program says of the words that go and come."""
    gone, come = line.words - inserted.words, inserted.words - line.words
    kept = line.words & inserted.words
    return {
        "gone-is-used-elsewhere": share(sum(counts[word] > 1 for word in gone), len(gone)),
        "gone-is-used-nowhere": float(bool(gone) and all(counts[word] <= 1 for word in gone)),
        "come-is-used-elsewhere": share(sum(counts[word] > 0 for word in come), len(come)),
        "no-word-gone": float(not gone),
        "no-word-comes": float(not come),
        "rare-words-kept": sum((1 / (1 + counts[word]) for word in kept), 0.0),
        "rare-words-come": sum((1 / (1 + counts[word]) for word in come), 0.0),
    }


def place_features(
    number: int, texts: Sequence[str], inserted: Text, twins: int, already: Sequence[int]
) -> dict[str, float]:
    """Features of where a line stands; number: its index; twins: lines like it in the program.

    already: where the inserted line stands already.
    """
    near = set(_neighbours(number, texts, 4))
    around = near | set(_neighbours(number, texts, 15))
    words = inserted.words
    gap = min((abs(number - at) for at in already), default=0)
    return {
        "words-near": share(len(words & near), len(words)),
        "words-around": share(len(words & around), len(words)),
        "twins": math.log(twins),
        "position": number / len(texts),
        "already-beside": float(0 < gap <= 3),
        "already-near": float(3 < gap <= 15),
    }


def _neighbours(number: int, texts: Sequence[str], reach: int) -> Iterator[str]:
    for at in range(max(0, number - reach), min(len(texts), number + reach + 1)):
        if at != number:
            yield from _WORD.findall(texts[at])


def word_counts(texts: Sequence[str]) -> Counter[str]:
    """How often each word stands in the program."""
    return Counter(word for text in texts for word in _WORD.findall(text))
