"""Tables of text, and how they are written as Markdown, LaTeX and CSV."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from metamorph.characters import visible

_PAGE = 40
"""Rows that fit on a page."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of cells that are written out already.

    texts: how many of the first columns hold words, set flush left; the others hold numbers.
    notes: sentences below it; label: what LaTeX refers to it by; groups: so many rows belong
    together, and LaTeX leaves some space between the groups.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1
    notes: tuple[str, ...] = ()
    label: str = ""
    groups: int = 0


def markdown(grid: Grid) -> str:
    """The table as GitHub and others read it, its cells in line with each other."""
    head = [markdown_text(column) for column in grid.columns]
    rows = [[markdown_text(cell) for cell in row] for row in grid.rows]
    widths = [max(3, *(len(row[n]) for row in [head, *rows])) for n in range(len(head))]
    rule = ["-" * w if n < grid.texts else "-" * (w - 1) + ":" for n, w in enumerate(widths)]
    lines = [_aligned(head, widths, grid.texts), f"| {' | '.join(rule)} |"]
    lines += [_aligned(row, widths, grid.texts) for row in rows]
    lines += [f"\n{markdown_text(note)}" for note in grid.notes]
    return "\n".join(lines) + "\n"


def _aligned(cells: Sequence[str], widths: Sequence[int], texts: int) -> str:
    pairs = zip(cells, widths, strict=True)
    padded = (c.ljust(w) if n < texts else c.rjust(w) for n, (c, w) in enumerate(pairs))
    return f"| {' | '.join(padded)} |"


def markdown_text(text: str) -> str:
    """Text that Markdown shows as it is, in one line."""
    return re.sub(r"[\\`*_{}\[\]<>|#~&$]", r"\\\g<0>", visible(text))


def latex(grid: Grid) -> str:
    """The table as a float of the booktabs package; a long one is a longtable, over pages."""
    columns = "l" * grid.texts + "r" * (len(grid.columns) - grid.texts)
    caption = rf"\caption{{{latex_text(grid.title)}}}"
    caption += rf"\label{{{grid.label}}}" if grid.label else ""
    notes = [rf"\par\smallskip{{\footnotesize {latex_text(note)}\par}}" for note in grid.notes]
    head = [r"\toprule", _latex_row(grid.columns), r"\midrule"]
    rows = [*_latex_rows(grid), r"\bottomrule"]
    if len(grid.rows) > _PAGE:
        begin = [rf"\begin{{longtable}}{{@{{}}{columns}@{{}}}}", rf"{caption} \\"]
        heads = [*head, r"\endfirsthead", *head, r"\endhead"]
        lines = ["{\\small", *begin, *heads, *rows, r"\end{longtable}}", *notes]
    else:
        tabular = [rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}", *head, *rows, r"\end{tabular}"]
        begin = [r"\begin{table}[htbp]", r"\centering\small", caption]
        lines = [*begin, *tabular, *notes, r"\end{table}"]
    return "\n".join(lines) + "\n"


def _latex_rows(grid: Grid) -> Iterator[str]:
    for number, row in enumerate(grid.rows):
        if grid.groups and number and not number % grid.groups:
            yield r"\addlinespace"
        yield _latex_row(row)


def _latex_row(cells: Sequence[str]) -> str:
    # A bracket after a line's end would be taken for its argument.
    text = " & ".join(latex_text(cell) for cell in cells)
    return (rf"{{}}{text} \\" if text.startswith(("[", "*")) else rf"{text} \\").strip()


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "−": "$-$",
    "≥": r"$\geq$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def latex_text(text: str) -> str:
    """Text that LaTeX shows as it is; a hyphen between numbers becomes a dash."""
    escaped = "".join(_LATEX.get(sign, sign) for sign in visible(text)).replace("--", "-{}-")
    return re.sub(r"(?<=\d)-(?=\d)", "--", escaped)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated values as RFC 4180 has them, but with plain line feeds; None is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_csv_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def _csv_cell(text: str) -> str:
    """The text in one line; what a spreadsheet would take for a formula is quoted for it."""
    shown = visible(text)
    return f"'{shown}" if shown[:1] in "=+-@" and len(shown) > 1 else shown
