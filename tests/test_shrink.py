"""Shrinking: the smallest set of edits that changes a prediction, where the culprit is known."""

import json
import shlex
import sqlite3
from pathlib import Path

import pytest
from studies import metamorph

SOURCE = """\
class A {
    /** @param beta the second */
    int sum(int alpha, int beta, int gamma, int delta) {
        int rest = alpha + beta;
        for (int i = 0; i < gamma; i++) {
            rest += delta;
        }
        return rest;
    }

    int other(int first) {
        return first;
    }
}
"""

FLAG = """\
class A {
    int sum(int first) {
        boolean flag = true;
        if (flag) {
            return first;
        }
        return 0;
    }
}
"""

CULPRITS = '''
"""Models that change their answer for a known reason."""

import itertools
import re

_asked = itertools.count()


def has(code, *words):
    return [bool(re.search(rf"\\\\b{word}\\\\b", code)) for word in words]


def one(code):
    return "kept" if all(has(code, "beta")) else "lost"


def pair(code):
    """Only where both are renamed."""
    return "kept" if any(has(code, "alpha", "gamma")) else "lost"


def odd(code):
    """Where two or three of three are renamed, and one has a say of its own."""
    gone = 3 - sum(has(code, "alpha", "beta", "gamma"))
    return "kept" if gone < 2 and has(code, "delta")[0] else "lost"


def loop(code):
    """Where the loop is another one and a name too."""
    return "lost" if "while" in code and "alpha" not in code else "kept"


def fresh(code):
    """Where a renamed variable stands in an exchanged loop."""
    return "lost" if re.search(r"while \\\\(var\\\\d", code) else "kept"


def negated(code):
    return "lost" if "= false" in code else "kept"


def unsteady(code):
    return f"answer{'abcd'[next(_asked) % 4]}"


def flicker(code):
    """Steady as long as nothing is renamed."""
    return "kept" if "alpha" in code else f"lost{'abcd'[next(_asked) % 4]}"


def shy(code):
    """No answer to programs that are half renamed."""
    gone = sum(not known for known in has(code, "alpha", "beta", "gamma", "delta"))
    return {0: "kept", 4: "lost"}.get(gone)
'''.replace("\\\\", "\\")


@pytest.fixture
def culprits(folder: Path) -> Path:
    """The models and a source in the folder."""
    (folder / "culprits_for_tests.py").write_text(CULPRITS)
    (folder / "A.java").write_text(SOURCE)
    return folder


def made(model: str, place: str = "all", transform: str = "VN") -> None:
    """A run in the folder `run`."""
    options = ("--transform", transform, "--place", place, "--out", "run")
    assert (
        metamorph("run", "A.java", "--model", f"python:culprits_for_tests:{model}", *options) == 0
    )


def shrunk(outcome: str, *options: object, code: int = 0) -> dict[str, object]:
    """What shrink.json says."""
    assert metamorph("shrink", "run", outcome, *options, "--out", "small") == code
    told: dict[str, object] = json.loads(Path("small/shrink.json").read_text())
    return told


@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("one", {"beta": "var1"}),
        ("pair", {"alpha": "var0", "gamma": "var2"}),
        ("odd", {"delta": "var3"}),
    ],
)
def test_the_culprits_are_found_and_nothing_else(
    culprits: Path, model: str, names: dict[str, str]
) -> None:
    made(model)
    told = shrunk("0:0:0")
    assert told["names"] == names
    assert told["smallest"] is True and told["sites"] == 6
    assert (told["before"], told["after"]) == (
        {"label": "kept", "score": None},
        {"label": "lost", "score": None},
    )
    before, after = (Path("small", f"{name}.java").read_text() for name in ("before", "after"))
    assert before == SOURCE
    for old, new in names.items():
        before = before.replace(old, new)
    assert after == before


def test_all_edits_of_a_site_go_together(culprits: Path) -> None:
    made("one")
    shrunk("0:0:0")
    assert "beta" not in Path("small/after.java").read_text()


def test_what_is_shown_is_short_and_can_be_repeated(
    culprits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made("pair")
    capsys.readouterr()
    assert metamorph("shrink", "run", "A.sum[VN-all]") == 0
    shown = capsys.readouterr().out
    assert "sites     2 of 6 are enough; no fewer are" in shown
    assert "-        int rest = alpha + beta;\n" in shown
    assert "+        int rest = var0 + beta;\n" in shown
    assert "return rest" not in shown
    repeat = shlex.split(shown.splitlines()[-1].removeprefix("repeat"))
    assert repeat == ["metamorph", "shrink", "run", "0:0:0"]
    assert metamorph(*repeat[1:]) == 0
    assert capsys.readouterr().out == shown


def test_several_transformations_are_shrunk_together(culprits: Path) -> None:
    made("loop")
    told = shrunk("A.sum", "--transform", "LX,VN,UN")
    assert told["kept"] == ["LX line 5", "VN line 3: alpha -> var0"]
    assert told["steps"] == [
        {"transform": "LX", "place": "all"},
        {"transform": "VN", "place": "all"},
        {"transform": "UN", "place": "random"},
    ]
    after = Path("small/after.java").read_text()
    assert "while (i < gamma)" in after and "alpha" not in after and "beta" in after


def test_a_site_in_the_code_that_another_one_brought_is_shrunk_too(culprits: Path) -> None:
    made("fresh")
    told = shrunk("0:0", "--transform", "LX,VN")
    assert told["kept"] == ["LX line 5", "VN line 5: i -> var5"]


def test_a_site_on_a_renamed_word_does_not_need_the_renaming(culprits: Path) -> None:
    (culprits / "A.java").write_text(FLAG)
    made("negated")
    assert shrunk("A.sum", "--transform", "VN,BX")["kept"] == ["BX line 3"]


def test_an_answer_that_varies_is_told(culprits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made("unsteady")
    capsys.readouterr()
    assert metamorph("shrink", "run", "0:0:0") == 3
    shown = capsys.readouterr()
    assert "cannot be shrunk: the answer to the original is" in shown.err and not shown.out


def test_an_answer_that_varies_with_the_edits_alone_is_told_too(
    culprits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made("flicker")
    capsys.readouterr()
    told = shrunk("0:0:0")
    assert (told["names"], told["steady"]) == ({"alpha": "var0"}, False)
    assert "unsteady  asked again" in capsys.readouterr().out


def test_no_more_is_asked_than_allowed(culprits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made("pair")
    capsys.readouterr()
    told = shrunk("0:0:0", "--max-questions", 6)
    assert told["questions"] == 7 and told["stopped"] is True and told["smallest"] is False
    assert {"alpha", "gamma"} < set(told["names"])  # type: ignore[call-overload]
    assert "perhaps fewer: no more questions are allowed" in capsys.readouterr().out


def test_another_model_than_that_of_the_run_is_told(
    culprits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made("one")
    with sqlite3.connect("run/results.sqlite") as connection:
        connection.execute("UPDATE methods SET label = 'other'")
    manifest = json.loads(Path("run/manifest.json").read_text())
    manifest["model"]["kind"] = "another"
    Path("run/manifest.json").write_text(json.dumps(manifest))
    shrunk("0:0:0")
    told = capsys.readouterr().err
    assert "the model's weights or version are not those of the run" in told
    assert "the run had another answer to the original: other" in told


def test_programs_without_an_answer_count_as_unchanged(culprits: Path) -> None:
    made("shy")
    told = shrunk("0:0:0")
    assert len(told["names"]) == 4  # type: ignore[arg-type]
    assert told["unanswered"] and told["smallest"] is False


def test_what_does_not_change_cannot_be_shrunk(
    culprits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made("pair", "both")
    assert metamorph("shrink", "run", "0:0:0") == 2
    assert "0:0:0 A.sum[VN-single] WWSP: not a changed prediction" in capsys.readouterr().err
    assert metamorph("shrink", "run", "A.other", "--transform", "VN") == 3
    assert "the prediction stays" in capsys.readouterr().err
    assert metamorph("shrink", "run", "A.other", "--transform", "SF") == 3
    assert "find no site" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ("9:0:0", "9:0:0: no such outcome; the run has 0:0:0 to 0:1:1"),
        ("0:0:77", "that method has 0:0:0 to 0:0:6"),
        ("99999999999999999999:0:0", "the run has 0:0:0"),
        ("A.sun", "A.sun: no such outcome; did you mean A.sum?"),
        ("A.sum[ZZ]", "did you mean A.sum?"),
        ("x[", "not an outcome; write 3:12:0"),
        ("sum[VN-single]", "6 outcomes, 0 of them changed, among them: 0:0:0 A.sum[VN-single]"),
    ],
)
def test_an_outcome_that_is_none_is_told_with_those_that_are_near(
    culprits: Path, capsys: pytest.CaptureFixture[str], outcome: str, said: str
) -> None:
    made("pair", "both")
    capsys.readouterr()
    assert metamorph("shrink", "run", outcome) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("outcome", ["sum", "A.sum[VN]", "A.java:3", "0:0"])
def test_an_outcome_has_names_too(culprits: Path, outcome: str) -> None:
    made("pair", "both")
    assert shrunk(outcome)["outcome"] == "0:0:6"


def test_a_source_that_is_gone_or_changed_is_told_in_a_line(
    culprits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made("pair")
    capsys.readouterr()
    Path("A.java").write_text(SOURCE.replace("beta", "bet"))
    assert metamorph("shrink", "run", "sum") == 2
    assert capsys.readouterr().err.endswith(
        "A.java: changed or gone since the run; repeat the run\n"
    )
    Path("A.java").unlink()
    assert metamorph("shrink", "run", "sum") == 2
    assert "A.java: the source is gone" in capsys.readouterr().err


def test_an_outcome_of_an_archive_is_read_from_it(culprits: Path) -> None:
    import zipfile

    with zipfile.ZipFile("a.zip", "w") as archive:
        archive.writestr("src/A.java", SOURCE)
    options = ("--transform", "VN", "--place", "all", "--out", "run")
    assert metamorph("run", "a.zip", "--model", "python:culprits_for_tests:one", *options) == 0
    assert shrunk("sum")["names"] == {"beta": "var1"}


def test_files_are_not_put_among_others(culprits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made("one")
    Path("small").mkdir()
    Path("small/mine").write_text("")
    assert metamorph("shrink", "run", "sum", "--out", "small") == 2
    assert "small: not an empty folder" in capsys.readouterr().err
    assert metamorph("shrink", "run", "sum", "--out", "A.java/small") == 2
    assert "A.java/small: cannot be made" in capsys.readouterr().err
