"""The kit as files in a folder."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metamorph.durable import write_text
from metamorph.errors import UserError
from metamorph.reports.paper import figures as drawing
from metamorph.reports.paper.citations import bibtex, citation_file
from metamorph.reports.paper.guide import document, readme
from metamorph.reports.paper.points import COLUMNS, plain
from metamorph.reports.paper.studies import Study, together
from metamorph.reports.paper.tables import Paged, tables
from metamorph.reports.tables import csv_text, latex, markdown, markdown_text


@dataclass(frozen=True, slots=True)
class Written:
    """What a kit came to.

    without_figures: matplotlib is not there; left: files of an earlier kit in the same folder.
    """

    files: tuple[Path, ...]
    without_figures: bool
    left: tuple[Path, ...]


def write(studies: Sequence[Study], folder: Path) -> Written:
    """Write all tables and figures of the studies, and what explains them.

    Raises UserError where the folder cannot be written.
    """
    try:
        files = list(_write(together(studies), folder))
    except OSError as error:
        raise UserError(
            f"{folder}: cannot be written ({error.strerror}); give another --out"
        ) from error
    found = [path for part in ("tables", "figures") for path in (folder / part).iterdir()]
    left = sorted(set(found) - set(files))
    return Written(tuple(files), not drawing.available(), tuple(left))


def _write(studies: Sequence[Study], folder: Path) -> Iterator[Path]:
    for part in ("tables", "figures"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    paged = tables(studies)
    for table in paged:
        for name, text in _forms(table).items():
            yield _save(folder / "tables" / name, text)
    drawable = drawing.FIGURES if drawing.available() else ()
    for figure in drawing.FIGURES:
        panels = [figure.panel(study) for study in studies]
        yield _save(folder / "figures" / f"{figure.name}.csv", csv_text(COLUMNS, plain(panels)))
        if drawable:
            yield from drawing.draw(figure, panels, folder / "figures")
    yield _save(folder / "all.tex", document(paged, drawable, len(studies)))
    yield _save(folder / "README.md", readme(studies, paged, drawing.FIGURES))
    yield _save(folder / "CITATION.bib", bibtex())
    yield _save(folder / "CITATION.cff", citation_file())


def _forms(table: Paged) -> Mapping[str, str]:
    """The files of a table by name."""
    title = f"**Table {table.number}.** {markdown_text(table.grid.title)}\n\n"
    return {
        f"{table.name}.tex": latex(table.grid),
        f"{table.name}.md": title + markdown(table.grid),
        f"{table.name}.csv": _csv(table.rows),
    }


def _csv(rows: Sequence[Mapping[str, object]]) -> str:
    return csv_text(tuple(rows[0]), (tuple(row.values()) for row in rows))


def _save(path: Path, text: str) -> Path:
    write_text(path, text)
    return path
