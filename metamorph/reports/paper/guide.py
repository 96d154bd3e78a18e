"""The kit's README, and the LaTeX document that shows all of it."""

from collections.abc import Iterator, Sequence

from metamorph.reports.paper.figures import Figure
from metamorph.reports.paper.studies import Study, shortcomings
from metamorph.reports.paper.tables import Paged
from metamorph.reports.tables import Grid, latex_text, markdown, markdown_text

TITLE = "Tables and figures of a metamorph study"


def readme(studies: Sequence[Study], tables: Sequence[Paged], figures: Sequence[Figure]) -> str:
    """README.md: what was studied, what each file is, how the numbers are to be read."""
    parts = [
        f"# {TITLE}",
        _OPENING,
        markdown(_studied(studies)),
        "\n".join(_warnings(studies)),
        "## Files",
        markdown(_files(tables, figures)),
        "## How to read them",
        "\n".join((*_READING, _comparisons(studies))),
    ]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


_OPENING = (
    "The numbers of these runs, in the layout of Rabin and Alipour, *Evaluation of "
    "Generalizability of Neural Program Analyzers under Semantic-Preserving Transformations* "
    "(see CITATION.bib)."
)


def _studied(studies: Sequence[Study]) -> Grid:
    rows = tuple(
        (study.model, study.data_set, run, _weights(study), summary.corpus[:12], str(summary.seed))
        for study in studies
        for run, summary in zip(study.runs, study.summaries, strict=True)
    )
    columns = ("Model", "Dataset", "Run", "Weights (SHA-256)", "Corpus", "Seed")
    return Grid("Runs", columns, rows, texts=6)


def _weights(study: Study) -> str:
    return study.summaries[0].model.get("sha256", "-")[:12]


def _warnings(studies: Sequence[Study]) -> Iterator[str]:
    for study in studies:
        for sentence in shortcomings(study):
            yield f"- {markdown_text(f'{study.title}: {sentence}')}"


def _files(tables: Sequence[Paged], figures: Sequence[Figure]) -> Grid:
    rows = [
        (f"tables/{t.name}.tex, .md, .csv", f"Table {t.number}. {t.grid.title}") for t in tables
    ]
    rows += [
        (f"figures/{f.name}{', '.join(f.forms())}", f"Figure {f.number}. {f.caption}")
        for f in figures
    ]
    rows += [
        (
            "all.tex",
            "A document of all of them, for pdflatex or, with names in other letters, lualatex.",
        ),
        ("CITATION.bib, CITATION.cff", "What to cite."),
    ]
    return Grid("Files", ("File", "What it is"), tuple(rows), texts=2)


_READING = (
    "- The .tex and .md files are for readers; the .csv files have the same numbers unrounded, in "
    "percent, with the bounds of their 95 % intervals, and are empty where there is no number. "
    "`-` in a table stands for such a number, and a note below it tells why.",
    "- Tables 2 to 8 and figures 4 and 5 are of each site alone, and of one site drawn at random "
    "for TC and UN, as in the paper; where a run has only the other place, a note says so.",
    "- Intervals come from a bootstrap over original methods, or over projects where there are "
    "many: programs made of one method are not independent. Error bars in figures are these.",
    "- In figures' .csv files `gap` is the second bar less the first, on the same originals, in "
    "percentage points.",
    "- The noise floor is how often a prediction changes though nothing is changed.",
    "- Bars and bins are marked with the number of programs that they are of.",
    "- Figure 5: methods without a statement are a bin of their own, 0; the paper's first bin has "
    "them too.",
    "- Where figures are only .csv files, matplotlib was not installed; it comes with "
    "`pip install 'metamorph-java[figures]'`.",
)


def _comparisons(studies: Sequence[Study]) -> str:
    compared = [study.title for study in studies if study.paper.number]
    if not compared:
        return (
            "- No value of the paper is set beside these: that is done where `--data-set` names "
            "one of its data sets and the model is one of its models."
        )
    names = markdown_text(", ".join(compared))
    return (
        f"- The paper's values stand beside those of {names}, as the user named the data. Its "
        "authors trained models of their own, so that a difference is one of training as well. "
        "Tables have the values of the preprint, figures those of the journal version; the two "
        "count differently for PS."
    )


def document(tables: Sequence[Paged], figures: Sequence[Figure], studies: int) -> str:
    """all.tex: every table and figure by the paper's numbers, ready for pdflatex."""
    wide = r"width=\linewidth,height=.8\textheight,keepaspectratio" if studies > 1 else ""
    lines = [
        *_PREAMBLE,
        *(line for table in tables for line in _shown(table)),
        *(line for figure in figures for line in _included(figure, wide)),
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


_PREAMBLE = (
    r"\documentclass{article}",
    r"\usepackage{booktabs,graphicx,longtable}",
    r"\setlength{\oddsidemargin}{-1in}\addtolength{\oddsidemargin}{2cm}",
    r"\setlength{\textwidth}{\paperwidth}\addtolength{\textwidth}{-4cm}",
    r"\setlength{\topmargin}{-1in}\addtolength{\topmargin}{1cm}",
    r"\setlength{\textheight}{\paperheight}\addtolength{\textheight}{-5cm}",
    r"\setlength{\tabcolsep}{4pt}",
    # Letters that pdflatex lacks must not keep it from the rest.
    r"\makeatletter\def\UTFviii@undefined@err#1{?}\makeatother",
    r"\begin{document}",
)


def _shown(table: Paged) -> Iterator[str]:
    yield rf"\renewcommand{{\thetable}}{{{latex_text(table.number)}}}"
    yield rf"\input{{tables/{table.name}}}"
    yield r"\clearpage"


def _included(figure: Figure, size: str) -> Iterator[str]:
    yield rf"\renewcommand{{\thefigure}}{{{figure.number}}}"
    yield r"\begin{figure}[htbp]"
    yield r"\centering"
    yield rf"\includegraphics[{size}]{{figures/{figure.name}.pdf}}"
    yield rf"\caption{{{latex_text(figure.caption)}}}"
    yield rf"\label{{fig:{figure.name}}}"
    yield r"\end{figure}"
