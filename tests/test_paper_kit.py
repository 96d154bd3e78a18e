"""The paper kit's files: whole, the same each time, and sensible on bad input."""

import csv
import io
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from papers import own, silent, summary
from studies import metamorph, study, write_corpus, write_models

from metamorph.errors import UserError
from metamorph.reports.paper import studies as paper
from metamorph.reports.paper.figures import FIGURES, draw
from metamorph.reports.paper.kit import Written, write
from metamorph.reports.paper.points import by_place


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Written]:
    """A kit of two studies, one of them empty and named to do harm."""
    pytest.importorskip("matplotlib")
    folder = tmp_path_factory.mktemp("kit")
    return folder, write(two(), folder)


def two() -> list[paper.Study]:
    return [own("Java-Large"), paper.study(silent(), "run", "\\input{x} $a$ %_ <b> ü \u202e")]


def test_a_kit_has_the_files_that_its_readme_names(kit: tuple[Path, Written]) -> None:
    folder, written = kit
    names = {path.relative_to(folder).as_posix() for path in written.files}
    assert len(names) == 3 * (1 + 2 + 2 + 1) + 3 * 3 + 4
    assert names == {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    readme = (folder / "README.md").read_text(encoding="utf-8")
    for name in {name.partition(".")[0] for name in names} - {"README", "CITATION"}:
        assert name in readme
    assert not written.without_figures and not written.left


def test_the_same_runs_give_the_same_bytes(
    kit: tuple[Path, Written], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw(FIGURES[0], [by_place(study) for study in two()], tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (kit[0] / "figures" / path.name).read_bytes(), path.name
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for path in write(two(), tmp_path / "kit").files:
        if path.suffix == ".csv":
            again = kit[0] / path.relative_to(tmp_path / "kit")
            assert path.read_bytes() == again.read_bytes(), path.name


def test_figures_are_whole_and_have_no_dates(kit: tuple[Path, Written]) -> None:
    folder, _ = kit
    for figure in FIGURES:
        pdf = (folder / "figures" / f"{figure.name}.pdf").read_bytes()
        svg = (folder / "figures" / f"{figure.name}.svg").read_text(encoding="utf-8")
        assert pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF")
        assert b"/CreationDate" not in pdf and b"/FontType 3" not in pdf
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        assert "<dc:date>" not in svg


def test_csv_has_the_counts_of_the_summary(kit: tuple[Path, Written]) -> None:
    text = (kit[0] / "tables" / "table7-code2seq-java-large.csv").read_text(encoding="utf-8")
    found = {row["transform"]: row for row in csv.DictReader(io.StringIO(text))}
    for row in summary().tally:
        if (row.transform, row.place) != ("VN", "all"):
            cells = found[row.transform]
            numbers = [int(cells[name]) for name in ("originals", "variants", "judged", "changed")]
            assert numbers == [row.originals, row.variants, row.judged, row.changed]
    assert found["LX"]["changed"] == "" and found["LX"]["paper_changed"] == "21112"


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
def test_the_latex_document_compiles(kit: tuple[Path, Written], tmp_path: Path) -> None:
    folder = shutil.copytree(kit[0], tmp_path / "kit")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


def test_without_matplotlib_tables_are_written_and_the_way_out_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    written = write([own("Java-Large")], tmp_path)
    assert written.without_figures
    assert {path.suffix for path in tmp_path.glob("figures/*")} == {".csv"}
    assert "includegraphics" not in (tmp_path / "all.tex").read_text()
    readme = (tmp_path / "README.md").read_text()
    assert "metamorph-java[figures]" in readme and ".svg" not in readme


def test_files_of_an_earlier_kit_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write([own("Java-Large")], tmp_path)
    left = write([own("Java-Small")], tmp_path).left
    assert [path.name[:6] for path in left] == ["table7"] * 3 + ["table8"] * 3


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot be written .* give another --out"):
        write([own()], tmp_path / "file")


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("--paper",), "--out DIR"),
        (("--data-set", "x"), "for --paper"),
        (("run",), "one RUN at a time"),
        (("--paper", "--out", "kit", "--format", "md"), "no --format"),
        (("--paper", "--out", "kit", "--fail-on-change", "0.1"), "no gates"),
        (("run", "run", "--paper", "--out", "k", "--data-set", "a", "--data-set", "b"), "2 names"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    arguments: tuple[str, ...], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert metamorph("report", "run", *arguments) == 2
    assert fault in capsys.readouterr().err


def test_a_real_run_gives_a_kit(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_models(tmp_path)
    write_corpus(tmp_path / "corpus", files=3)
    run = study("run", "corpus", "--place", "both", transform="VN,UN")
    capsys.readouterr()
    assert metamorph("report", run, "--paper", "--out", "kit", "--data-set", "toys") == 0
    out, err = capsys.readouterr()
    assert "README.md" in out and "pip install 'metamorph-java[figures]'" in err
    (table,) = Path("kit/tables").glob("table2-7-*-toys.csv")
    with table.open(encoding="utf-8") as lines:
        found = {row["transform"]: row for row in csv.DictReader(lines)}
    assert found["VN"]["originals"] == "12" and found["VN"]["place"] == "single"
