"""The page: one file that holds its style, scripts and data, and fetches nothing."""

import base64
import hashlib
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from metamorph.oracles.listings import Listing
from metamorph.oracles.outcomes import CATEGORIES, WITHOUT_GOLD
from metamorph.oracles.summaries import Summary
from metamorph.reports.copies import copies
from metamorph.reports.grids import numbers
from metamorph.reports.html import figures, wording
from metamorph.reports.html.embedded import KINDS, Embedded, embed
from metamorph.version import VERSION

_SCRIPTS = ("visible.js", "data.js", "diff.js", "opened.js", "listed.js", "start.js")

_OVER = {"original": "original methods", "project": "projects"}

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def page(summary: Summary, listing: Listing) -> Iterator[str]:
    """The pieces of the page, in order."""
    data = embed(listing)
    yield from (
        _environment().get_template("report.html.jinja").generate(_values(summary, listing, data))
    )


def _values(summary: Summary, listing: Listing, data: Embedded) -> dict[str, Any]:
    script, style = _script(), _resource("report.css")
    panels, length_scale = figures.by_length(summary)
    return {
        "summary": summary,
        "accounting": summary.accounting,
        "model": summary.model.get("name", "the model"),
        "headline": wording.headline(summary),
        "lead": list(wording.lead(summary)),
        "kinds": _used_kinds(summary),
        "graded": any(sum(row.categories.values()) for row in summary.tally),
        "rows": figures.studied(summary),
        "controls": [row for row in summary.tally if row.control],
        "over": _OVER[summary.clusters.kind],
        "judged": wording.judged_rows(summary),
        "places": figures.single_against_all(summary),
        "starts": figures.correct_against_wrong(summary),
        "bars": figures.category_bars(summary),
        "numbers": numbers(summary),
        "copies": [grid for grid in copies(summary) if grid.rows],
        "panels": panels,
        "length_scale": length_scale,
        "listing": listing,
        "data": data,
        "script": Markup(script),
        "style": Markup(style),
        "policy": _policy(script, style),
        "version": VERSION,
    }


def _used_kinds(summary: Summary) -> list[tuple[str, str]]:
    """The categories, and those without a right answer, as far as the run has any of the kind."""
    graded = any(sum(row.categories.values()) for row in summary.tally)
    ungraded = any(sum(row.without_gold.values()) for row in summary.tally)
    shown = (*(CATEGORIES if graded else ()), *(WITHOUT_GOLD if ungraded else ()))
    return [(kind, KINDS[kind]) for kind in shown]


@cache
def _environment() -> Environment:
    """Every value is escaped, and what it hides made visible."""
    environment = Environment(
        loader=PackageLoader("metamorph.reports.html", ""),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": wording.percent,
        "interval": wording.interval,
        "named": wording.sentence_name,
        "counted": wording.counted,
        "place": wording.place_words,
        "number": lambda count: f"{count:,}",
        "total": lambda counts: sum(counts.values()),
    }
    return environment


def _shown(value: object) -> object:
    """A text in which nothing is hidden; other values as they are."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def visible(text: str) -> str:
    """The text with control, bidirectional and unassigned characters spelt out.

    Line feeds and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(map(_spelt, text))


def _spelt(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in _HIDDEN:
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\u{{{code:x}}}"


@cache
def _script() -> str:
    body = "\n".join(_resource(name) for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{body}\n}})();\n'


@cache
def _resource(name: str) -> str:
    return (files("metamorph.reports.html") / name).read_text(encoding="utf-8")


def _policy(script: str, style: str) -> str:
    """The content security policy: this script and this style, nothing else, from nowhere."""
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
