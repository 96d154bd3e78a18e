"""Characters that are not seen, or that steer what is seen: names and answers may hold any."""

import re

_HIDDEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff"
    "\ud800-\udfff]"
)


def spelt_out(text: str) -> str:
    r"""The text with such signs as `\u001b`; line feeds and tabs stay."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def visible(text: str) -> str:
    """The text in one line, such signs spelt out."""
    return spelt_out(" ".join(text.split()))


def told(message: str) -> str:
    """A message to the user in one line; bytes of names that are no text are spelt out."""
    line = " ".join(message.splitlines())
    return spelt_out(line.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
