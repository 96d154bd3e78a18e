"""Citation files: metamorph itself, and the paper whose tables the kit fills."""

from collections.abc import Iterator
from dataclasses import dataclass

from metamorph.version import VERSION


@dataclass(frozen=True, slots=True)
class Work:
    """A publication. authors: (family, given); fields: of BibTeX, in the order written."""

    key: str
    kind: str
    authors: tuple[tuple[str, str], ...]
    title: str
    year: int
    fields: tuple[tuple[str, str], ...]
    doi: str


PREPRINT = Work(
    "rabin2020evaluation",
    "misc",
    (("Rabin", "Md Rafiqul Islam"), ("Alipour", "Mohammad Amin")),
    "Evaluation of Generalizability of Neural Program Analyzers under "
    "Semantic-Preserving Transformations",
    2020,
    (("eprint", "2004.07313"), ("archiveprefix", "arXiv")),
    "10.48550/arXiv.2004.07313",
)
JOURNAL = Work(
    "rabin2021generalizability",
    "article",
    (
        ("Rabin", "Md Rafiqul Islam"),
        ("Bui", "Nghi D. Q."),
        ("Wang", "Ke"),
        ("Yu", "Yijun"),
        ("Jiang", "Lingxiao"),
        ("Alipour", "Mohammad Amin"),
    ),
    "On the Generalizability of Neural Program Models with Respect to "
    "Semantic-Preserving Program Transformations",
    2021,
    (
        ("journal", "Information and Software Technology"),
        ("volume", "135"),
        ("pages", "106552"),
    ),
    "10.1016/j.infsof.2021.106552",
)
WORKS = (PREPRINT, JOURNAL)

_TITLE = "metamorph: metamorphic testing of models of Java code"
_AUTHORS = "The metamorph authors"


def bibtex() -> str:
    """CITATION.bib: metamorph as @software, then the paper's two versions."""
    own = (
        "@software{metamorph,\n"
        f"  author = {{{{{_AUTHORS}}}}},\n"
        f"  title = {{{{{_TITLE}}}}},\n"
        f"  version = {{{VERSION}}},\n"
        "  license = {MIT}\n"
        "}\n"
    )
    return "\n".join([own, *map(_entry, WORKS)])


def _entry(work: Work) -> str:
    authors = " and ".join(f"{family}, {given}" for family, given in work.authors)
    fields = [("author", authors), ("title", f"{{{work.title}}}"), ("year", str(work.year))]
    fields += [*work.fields, ("doi", work.doi)]
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields)
    return f"@{work.kind}{{{work.key},\n{lines}\n}}\n"


def citation_file() -> str:
    """CITATION.cff in version 1.2.0 of that format."""
    lines = [
        "cff-version: 1.2.0",
        "message: If you use these tables or figures, please cite metamorph and the paper.",
        "type: software",
        f'title: "{_TITLE}"',
        f"version: {VERSION}",
        "license: MIT",
        "authors:",
        f'  - name: "{_AUTHORS}"',
        "references:",
        *(line for work in WORKS for line in _reference(work)),
    ]
    return "\n".join(lines) + "\n"


def _reference(work: Work) -> Iterator[str]:
    yield f"  - type: {'article' if work.kind == 'article' else 'generic'}"
    yield f'    title: "{work.title}"'
    yield "    authors:"
    for family, given in work.authors:
        yield f'      - family-names: "{family}"'
        yield f'        given-names: "{given}"'
    yield f"    year: {work.year}"
    for name, value in work.fields:
        if name in _CFF:
            yield f'    {_CFF[name]}: "{value}"'
    yield f'    doi: "{work.doi}"'


_CFF = {"journal": "journal", "volume": "volume", "pages": "start"}
