"""CodRep: datasets as they are found, scores as the competition computes them, faults by name."""

import json
import math
from pathlib import Path

import pytest
from codrep_tasks import INSERTED, PROGRAM, SOLUTION, on_stdin, write_dataset
from studies import metamorph as cli

from metamorph.codrep.reading import find_tasks, fingerprint, question, without_artefact

LINES = b"one\ntwo\nthree\nfour\nfive\n"


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Three tasks of five lines each."""
    return write_dataset(tmp_path / "D1", (LINES, 2), (LINES, 4), (LINES[:-1], 5))


def path_of(dataset: Path, number: int) -> Path:
    return dataset / "Tasks" / f"{number}.txt"


def test_the_loss_is_the_mean_of_tanh_and_silence_costs_one(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_stdin(monkeypatch, f"{path_of(dataset, 1)} 2\n{path_of(dataset, 3)} 3 4 5\n")
    assert cli("codrep", "evaluate", "-d", dataset) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "Total files: 3"
    loss = float(lines[1].removeprefix("Average line error: ").split()[0])
    assert math.isclose(loss, (0 + 1 + math.tanh(2)) / 3, abs_tol=1e-15)
    assert lines[1].endswith(" (the lower, the better)")
    assert lines[2] == "Recall@1: 0.3333333333333333 (the higher, the better)"
    assert "tasks without a prediction: 1, " in err
    assert "3 tasks, fingerprint " in err


@pytest.mark.parametrize("option", ["-d{}", "--datasets={}", "-datasets={}"])
def test_datasets_are_named_as_the_competition_names_them(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    other = write_dataset(dataset.parent / "D2", (LINES, 1))
    on_stdin(monkeypatch, f"{path_of(other, 1)} 1\n")
    assert cli("codrep", "evaluate", option.format(f"{dataset}:{other}")) == 0


@pytest.mark.parametrize(
    "spelling", ["D1/Tasks/1.txt", "Tasks/1.txt", "1.txt", "{}/Tasks/../Tasks//1.txt"]
)
def test_paths_are_normalised(
    dataset: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    spelling: str,
) -> None:
    on_stdin(monkeypatch, f"{spelling.format(dataset)} 2\n")
    assert cli("codrep", "evaluate", "-d", dataset) == 0
    assert "Recall@1: 0.3333333333333333" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Tasks/1.txt 2\nTasks/2.txt 1\n{}/Tasks//1.txt 3\n", "line 3: {}/Tasks/1.txt: predicted"),
        ("Tasks/1.txt 0\n", "line 1: {}/Tasks/1.txt: line 0 is not among its lines, 1 to 5"),
        ("Tasks/1.txt 6\n", "line 1: {}/Tasks/1.txt: line 6 is not among its lines, 1 to 5"),
        ("Tasks/1.txt 2\n\n", "line 2: blank"),
        ("Tasks/1.txt\n", "line 1: {}/Tasks/1.txt: no line number"),
        ("Tasks/1.txt 3.0\n", "line 1: '3.0' is no whole number"),
        ("Tasks/7.txt 3\n", "line 1: Tasks/7.txt: no task of the datasets"),
        ("Tasks/7.txt 3\nTasks/1.txt x\n", "(1 more lines at fault)"),
        ("\udcff\udcfe\n", "line 1:"),
    ],
)
def test_a_faulty_prediction_is_named_with_its_line(
    dataset: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    fault: str,
) -> None:
    on_stdin(monkeypatch, text.replace("{}", str(dataset)))
    assert cli("codrep", "evaluate", "-d", dataset) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert fault.replace("{}", str(dataset)) in err


@pytest.mark.parametrize("solution", [None, ""])
def test_a_prediction_without_solution_is_a_fault(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    solution: str | None,
) -> None:
    dataset = write_dataset(tmp_path, (LINES, None))
    if solution is not None:
        (dataset / "Solutions" / "1.txt").write_text(solution)
    on_stdin(monkeypatch, "Tasks/1.txt 1\n")
    assert cli("codrep", "evaluate", "-d", dataset) == 2
    assert "Solutions/1.txt: the solution is missing, empty" in capsys.readouterr().err


def test_a_relative_path_into_two_datasets_is_a_fault(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write_dataset(dataset.parent / "D2", (LINES, 1))
    on_stdin(monkeypatch, "Tasks/1.txt 1\n")
    assert cli("codrep", "evaluate", "-d", f"{dataset}:{other}") == 2
    assert "is in several datasets" in capsys.readouterr().err


def test_a_dataset_named_twice_counts_once(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_stdin(monkeypatch, "")
    assert cli("codrep", "evaluate", "-d", f"{dataset}:{dataset.parent}") == 0
    out, err = capsys.readouterr()
    assert out.startswith("Total files: 3\nAverage line error: 1.0 ")
    assert "named twice, counted once" in err


def test_an_empty_dataset_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_stdin(monkeypatch, "")
    write_dataset(tmp_path)
    assert cli("codrep", "evaluate", "-d", tmp_path) == 2
    assert "no task there" in capsys.readouterr().err


def test_paths_with_blanks_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = write_dataset(tmp_path / "a folder", (LINES, 2))
    on_stdin(monkeypatch, f"{path_of(dataset, 1)} 2\n")
    assert cli("codrep", "evaluate", "-d", dataset) == 0
    assert "Recall@1: 1.0" in capsys.readouterr().out


@pytest.mark.parametrize(("shift", "where"), [(-1, "before"), (1, "behind")])
def test_predictions_off_by_one_are_noticed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    shift: int,
    where: str,
) -> None:
    dataset = write_dataset(tmp_path, (LINES, 2), (LINES, 3), (LINES, 4))
    on_stdin(monkeypatch, "".join(f"{n}.txt {n + 1 + shift}\n" for n in (1, 2, 3)))
    assert cli("codrep", "evaluate", "-d", dataset) == 0
    assert f"all 3 predictions are one line {where} the solution" in capsys.readouterr().err


def test_every_task_is_told_where_it_is_asked_for(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_stdin(monkeypatch, "2.txt 3\n")
    assert cli("codrep", "evaluate", "-d", dataset, "--per-task", tmp_path / "o.jsonl") == 0
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [(row["task"], row["predicted"], row["solution"]) for row in rows] == [
        ("1.txt", None, 2),
        ("2.txt", 3, 4),
        ("3.txt", None, 5),
    ]
    assert [row["loss"] for row in rows] == [1.0, math.tanh(1), 1.0]


@pytest.mark.parametrize(
    ("name", "lines"),
    [("first", [1, 1, 1]), ("middle", [2, 2, 2]), ("last", [5, 5, 5]), ("maximum", [5, 1, 1])],
)
def test_baselines_point_where_the_competition_s_do(
    dataset: Path, capsys: pytest.CaptureFixture[str], name: str, lines: list[int]
) -> None:
    assert cli("codrep", "baseline", name, "-d", dataset) == 0
    expected = [f"{path_of(dataset, n)} {line}" for n, line in enumerate(lines, 1)]
    assert capsys.readouterr().out.splitlines() == expected


def test_random_depends_on_the_seed_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = write_dataset(tmp_path, *[(b"x\n" * 99, 1)] * 20)
    outs = []
    for seed in (1, 1, 2):
        assert cli("codrep", "baseline", "random", "-d", dataset, "--seed", seed) == 0
        outs.append(capsys.readouterr().out)
    assert outs[0] == outs[1] != outs[2]


def test_maximum_needs_solutions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset = write_dataset(tmp_path, (LINES, None))
    assert cli("codrep", "baseline", "maximum", "-d", dataset) == 2
    assert "no solution, which maximum needs" in capsys.readouterr().err


def test_only_line_feeds_end_lines() -> None:
    asked = question(b"x = 1;\r\n\r\nint x;\x0c\r\nint \xe9 = 2;\x85\x0b\rint z;")
    assert asked.inserted == b"x = 1;"
    assert asked.lines == [b"int x;\x0c\r", b"int \xe9 = 2;\x85\x0b\rint z;"]


def test_what_a_diff_left_behind_is_no_code() -> None:
    artefact = b" No newline at end of file"
    assert without_artefact(b"class A {\n}\n" + artefact) == b"class A {\n}\n"
    assert without_artefact(b"class A {\n}\n") == b"class A {\n}\n"


def test_the_fingerprint_is_of_contents_not_of_places(tmp_path: Path) -> None:
    prints = []
    for name, solution in (("a", 2), ("b", 2), ("c", 3)):
        folder = write_dataset(tmp_path / name, (PROGRAM, SOLUTION), (LINES, solution))
        prints.append(fingerprint(find_tasks([str(folder)])[0]))
    assert prints[0] == prints[1] != prints[2]


def test_tasks_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    write_dataset(tmp_path, *[(LINES, 1)] * 11)
    tasks, _ = find_tasks([str(tmp_path)])
    assert [task.path.stem for task in tasks] == [str(n) for n in range(1, 12)]
    assert tasks[0].question().inserted == INSERTED
