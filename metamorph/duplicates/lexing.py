"""The words, literals and signs of Java source, told apart without a parse.

A file with a syntax error has tokens like any other. Bytes from 0x80 up count as letters,
whatever the encoding; Unicode escapes are translated first, as javac does (JLS 3.3).
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

PAPER, IDENTIFIERS, ALL = "identifiers+literals", "identifiers", "all"
RULES = (PAPER, IDENTIFIERS, ALL)
"""Which tokens count: those of Allamanis (2019), identifiers alone, or all but comments."""

LITERAL_WORDS = frozenset({b"true", b"false", b"null"})
KEYWORDS = frozenset(
    b"_ abstract assert boolean break byte case catch char class const continue default do double "
    b"else enum extends final finally float for goto if implements import instanceof int interface "
    b"long native new package private protected public return short static strictfp super switch "
    b"synchronized this throw throws transient try void volatile while".split()
)
"""Reserved words; those that are reserved in places only (`var`, `record`) are identifiers."""

_LETTER = rb"[\w$\x80-\xff]"
_START = rb"(?<!" + _LETTER + rb".)"
# Numbers without a point or a signed exponent are words, and left to numpy.
_DECIMAL = _START + rb"(?![xX])\w*+(?:\.|(?<=[eE])[+-])(?:[eE][+-]|[\w.])*+"
_HEXADECIMAL = rb"0" + _START + rb"[xX]\w*+(?:\.|(?<=[pP])[+-])(?:[pP][+-]|[\w.])*+|"
# Every alternative begins with a literal character: only then does the search skip quickly.
_PIECE = re.compile(
    rb'("""(?:[^\\"]|\\.|"(?!""))*+"""'
    rb'|"[^"\\\n\r]*+(?:\\[^\n\r][^"\\\n\r]*+)*+"'
    rb"|'(?:[^'\\\n\r]{1,6}|\\[^\n\r][0-7]{0,2})'"
    rb"|//[^\n\r]*+"
    rb"|/\*[^*]*+\**+(?:[^/*][^*]*+\**+)*+(?:/|\Z)"
    rb"|\.[0-9](?:[eE][+-]|[\w.])*+|"
    + _HEXADECIMAL
    + b"|".join(b"%d" % digit + _DECIMAL for digit in range(10))
    + rb")",
    re.DOTALL,
)
_INTEGER = re.compile(b"|".join(b"%d" % digit + _START + rb"\w*+" for digit in range(10)))
WORD = re.compile(_LETTER + rb"+")
_NO_LETTER = re.compile(rb"[^\w$\x80-\xff]")
_SIGN = re.compile(rb">>>=|<<=|>>=|>>>|->|\.\.\.|::|\+\+|--|&&|\|\||[=!<>+\-*/&|^%]=|<<|>>|[!-~]")
_TOKEN = re.compile(b"|".join(part.pattern for part in (_PIECE, WORD, _SIGN)), re.DOTALL)
_COMMENT = (b"//", b"/*")
_ESCAPES = re.compile(rb"(?<!\\)((?:\\\\)*+)((?:\\u+[0-9A-Fa-f]{4})++)")
_HEAD = re.compile(rb"\\u+")
_BOM = b"\xef\xbb\xbf"
_SLASH = ord("/")
_LARGE = 1_000_000


@dataclass(frozen=True, slots=True)
class Pieces:
    """A stretch of source: its code without literals and comments, and the tokens cut out of it.

    code: its words count, its signs do not (where they do, they are among the literals too);
    size: of the stretch.
    """

    code: bytes
    literals: list[bytes]
    size: int


def pieces(data: bytes, rule: str = PAPER) -> Iterator[Pieces]:
    """The source in one stretch, or a large one in several: no token spans two."""
    data = _translated(data.removeprefix(_BOM))
    if len(data) <= _LARGE:
        yield _cut(data, rule)
        return
    begin = 0
    for end in _safe_ends(data):
        yield _cut(data[begin:end], rule)
        begin = end


def tokens(data: bytes, rule: str = PAPER) -> Iterator[bytes]:
    """The tokens that count by the rule, in no particular order."""
    left_out = ignored(rule)
    for piece in pieces(data, rule):
        yield from (word for word in WORD.findall(piece.code) if word not in left_out)
        yield from piece.literals


def in_order(data: bytes) -> list[bytes]:
    """All tokens but comments, one after the other, as the scanner of a compiler has them."""
    return placed(_translated(data.removeprefix(_BOM)))[0]


def placed(data: bytes) -> tuple[list[bytes], list[int]]:
    """All tokens but comments, and where each begins; Unicode escapes stay as they are."""
    tokens, starts = [], []
    for match in _TOKEN.finditer(data):
        token = match[0]
        if not token.startswith(_COMMENT):
            tokens.append(token)
            starts.append(match.start())
    return tokens, starts


def is_identifier(token: bytes) -> bool:
    """Whether a token is a name: no literal, no sign, no reserved word."""
    if not WORD.match(token) or token[:1].isdigit():
        return False
    return token not in KEYWORDS and token not in LITERAL_WORDS


def ignored(rule: str) -> frozenset[bytes]:
    """The words that do not count by the rule."""
    return {PAPER: KEYWORDS, IDENTIFIERS: KEYWORDS | LITERAL_WORDS, ALL: frozenset[bytes]()}[rule]


def _translated(data: bytes) -> bytes:
    """The source with its Unicode escapes translated to UTF-8."""
    # A single byte is found ten times as fast as two.
    if b"\\" not in data or b"\\u" not in data:
        return data
    if data.isascii() and b"\\uu" not in data and b"\\U" not in data:
        try:
            # Python's codec knows the same escapes as Java; the expression is ten times slower.
            text = data.decode("raw_unicode_escape")
        except UnicodeDecodeError:
            return _ESCAPES.sub(_characters, data)
        with suppress(UnicodeEncodeError):
            return text.encode()
        return _utf8(text.encode("utf-16-be", "surrogatepass"))
    return _ESCAPES.sub(_characters, data)


def _characters(match: re.Match[bytes]) -> bytes:
    """What a run of Unicode escapes stands for; an even number of backslashes before it stays."""
    return match[1] + _utf8(bytes.fromhex(_HEAD.sub(b"", match[2]).decode()))


def _utf8(units: bytes) -> bytes:
    return units.decode("utf-16-be", "surrogatepass").encode("utf-8", "surrogatepass")


def _cut(data: bytes, rule: str) -> Pieces:
    parts = _PIECE.split(data)
    code = b" ".join(parts[::2])
    if rule == IDENTIFIERS:
        return Pieces(_INTEGER.sub(b"", code), [], len(data))
    literals = [part for part in parts[1::2] if part[0] != _SLASH]
    if rule == ALL:
        literals += _SIGN.findall(WORD.sub(b" ", code))
    return Pieces(code, literals, len(data))


def _safe_ends(data: bytes) -> Iterator[int]:
    """Where large source can be cut: behind a literal, a comment or a sign."""
    begin = 0
    for match in _PIECE.finditer(data):
        while match.start() - begin > _LARGE:
            sign = _NO_LETTER.search(data, begin + _LARGE, match.start())
            if sign is None:
                break
            begin = sign.end()
            yield begin
        if match.end() - begin > _LARGE:
            begin = match.end()
            yield begin
    while len(data) - begin > _LARGE:
        sign = _NO_LETTER.search(data, begin + _LARGE)
        if sign is None:
            break
        begin = sign.end()
        yield begin
    yield len(data)
