"""Baselines, recordings, and many workers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from suites_of_users import JAVA, run, write_suite

pytest_plugins = ("pytester",)

TESTS = """
import os
def chosen(code):
    return globals()[os.environ.get("MODEL", "steady")](code)

def fickle(code):
    return "sum" if "total" in code and "rest" in code and "first" in code else code

def test_it(metamorph):
    metamorph.assert_no_worse(chosen, "java", transforms="VN")
"""
BASELINE = "metamorph-baseline.json"


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite with a test against a baseline, of eight methods more."""
    more = {f"More{n}": JAVA.replace("Sums", f"More{n}") for n in range(4)}
    write_suite(pytester, TESTS, **more)
    return pytester


@pytest.fixture
def baseline(suite: pytest.Pytester) -> pytest.Pytester:
    """The same with its baseline written."""
    run(suite, "--metamorph-update").assert_outcomes(passed=1)
    return suite


def test_a_test_without_a_baseline_says_how_to_write_it(suite: pytest.Pytester) -> None:
    result = run(suite)
    result.assert_outcomes(failed=1)
    assert "no baseline there; write it with --metamorph-update" in result.stdout.str()
    assert not (suite.path / BASELINE).exists()


def test_a_baseline_is_written_on_request_and_sorted(baseline: pytest.Pytester) -> None:
    text = (baseline.path / BASELINE).read_text()
    data = json.loads(text)
    assert (data["kind"], data["schema"]) == ("metamorph-baseline", 1)
    kept = data["tests"]["test_user.py::test_it"]
    assert len(kept["outcomes"]) == 40
    assert kept["outcomes"]["Sums.sum-int-int[VN-2]"].startswith("CCP ")
    assert text == json.dumps(data, indent=1, sort_keys=True) + "\n"
    run(baseline, "--metamorph-update").assert_outcomes(passed=1)
    assert (baseline.path / BASELINE).read_text() == text


def test_tests_of_one_name_in_two_files_have_baselines_of_their_own(
    suite: pytest.Pytester,
) -> None:
    text = (suite.path / "test_user.py").read_text()
    other = text.replace('transforms="VN"', 'transforms="LX"') + "\n"
    (suite.path / "test_other.py").write_text(other)
    run(suite, "--metamorph-update").assert_outcomes(passed=2)
    run(suite).assert_outcomes(passed=2)


def test_the_same_outcomes_pass(baseline: pytest.Pytester) -> None:
    result = run(baseline)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*0 of 40 variants of 10 methods changed, 0 in the baseline*"])


def test_one_change_more_may_be_chance(
    baseline: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = baseline.path / "test_user.py"
    source.write_text(source.read_text().replace('"MODEL", "steady"', '"MODEL", "rare"'))
    with source.open("a") as out:
        out.write("\ndef rare(code):\n    return 'x' if 'first * 2' in code else 'sum'\n")
    path = baseline.path / "java" / "More0.java"
    path.write_text(path.read_text().replace("second * 2", "first * 2"))
    run(baseline, "--metamorph-update").assert_outcomes(passed=1)
    monkeypatch.setenv("MODEL", "steady")
    run(baseline, "--metamorph-update").assert_outcomes(passed=1)
    monkeypatch.setenv("MODEL", "rare")
    result = run(baseline)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["*1 of 40 variants * changed, 0 in the baseline; difference +2.5*"]
    )


def test_changes_everywhere_are_worse(
    baseline: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL", "fickle")
    result = run(baseline)
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert "worse than the baseline: " in text
    assert "0 in the baseline; difference +" in text


def test_fewer_changes_are_no_worse(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL", "fickle")
    run(suite, "--metamorph-update").assert_outcomes(passed=1)
    monkeypatch.setenv("MODEL", "steady")
    run(suite).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"schema": 7}, "a baseline of another version (schema 7, not 1); write it anew"),
        ({"kind": "other"}, "not a baseline of metamorph"),
        ({"tests": {}}, "no baseline of test_user.py::test_it; write it with --metamorph-update"),
    ],
)
def test_a_baseline_that_is_none_of_ours_is_told(
    baseline: pytest.Pytester, change: dict[str, object], fault: str
) -> None:
    path = baseline.path / BASELINE
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    result = run(baseline)
    result.assert_outcomes(failed=1)
    assert fault in result.stdout.str()


def test_a_damaged_baseline_is_told_and_not_lost(baseline: pytest.Pytester) -> None:
    (baseline.path / BASELINE).write_text('{"kind": ')
    result = run(baseline)
    result.assert_outcomes(failed=1)
    assert "cannot be read as a baseline" in result.stdout.str()


def test_other_variants_than_the_baseline_has_are_told(baseline: pytest.Pytester) -> None:
    for path in (baseline.path / "java").iterdir():
        path.write_text(path.read_text().replace("rest", "left").replace("number", "figure"))
    result = run(baseline)
    result.assert_outcomes(failed=1)
    assert "none of the 40 variants of the baseline is among those judged now" in (
        result.stdout.str()
    )
    result = run(baseline, "--metamorph-seed=5")
    assert "the baseline has seed 0, the test 5" in result.stdout.str()


def test_what_was_recorded_is_judged_again_without_a_model(pytester: pytest.Pytester) -> None:
    tests = """
LIMIT = 0.2

def test_it(metamorph):
    metamorph.assert_invariant(reader, "java", transforms="VN", max_change=LIMIT)

@metamorph_cases("java", transforms="LX")
def test_case(metamorph, case):
    metamorph.assert_invariant(reader, case)
"""
    write_suite(pytester, tests)
    run(pytester, "--metamorph-record=kept.json").assert_outcomes(passed=2)
    path = pytester.path / "test_user.py"
    without_model = path.read_text().replace('return "sumTotal"', "raise ValueError(code) #")
    path.write_text(without_model)
    run(pytester, "--metamorph-replay=kept.json").assert_outcomes(passed=2)
    path.write_text(without_model.replace("LIMIT = 0.2", "LIMIT = 0.05"))
    result = run(pytester, "--metamorph-replay=kept.json")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*change rate 0.125 is above 0.05", "*+        int var0 = first;"])
    result = run(pytester, "--metamorph-replay=kept.json", "--metamorph-repeat=3")
    assert "test_user.py::test_it was recorded with repeat 2, not 3" in result.stdout.str()
    result = run(pytester, "--metamorph-replay=none.json")
    assert "none.json: cannot be read as a record" in result.stdout.str()


def test_a_file_that_cannot_be_written_fails_the_session(suite: pytest.Pytester) -> None:
    result = run(suite, "--metamorph-record=missing/folder/kept.json")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["error: *kept.json*: No such file or directory*"])


def test_a_disk_that_fills_up_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    path = tmp_path / BASELINE
    path.write_text("old")
    script = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from metamorph.durable import write_text\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "write_text(Path(sys.argv[1]), 'new' * 100)\n"
    )
    command = [sys.executable, "-B", "-c", script, str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "OSError: [Errno 27]" in done.stderr
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == [BASELINE]


def test_workers_tell_one_summary_with_the_same_counts(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    tests = """
def test_it(metamorph):
    metamorph.assert_invariant(reader, "java", transforms="VN")

def test_baseline(metamorph):
    metamorph.assert_no_worse(reader, "java", transforms="VN")

@metamorph_cases("java", transforms="VN")
def test_case(metamorph, case):
    metamorph.assert_invariant(reader, case)
"""
    write_suite(pytester, tests)
    options = ("--metamorph-update", "--metamorph-record=kept.json")
    alone = run(pytester, *options)
    alone.assert_outcomes(passed=8, failed=2)
    files = [(pytester.path / name).read_text() for name in (BASELINE, "kept.json")]
    for name in (BASELINE, "kept.json"):
        (pytester.path / name).unlink()
    spread = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-n2", *options)
    spread.assert_outcomes(passed=8, failed=2)
    assert summary(spread) == summary(alone)
    assert [(pytester.path / name).read_text() for name in (BASELINE, "kept.json")] == files


def summary(result: pytest.RunResult) -> list[str]:
    """The lines below the title `metamorph`, up to the next one; there is one such title."""
    titles = [n for n, line in enumerate(result.outlines) if line.strip("= ") == "metamorph"]
    assert len(titles) == 1
    lines = result.outlines[titles[0] + 1 :]
    return lines[: next(n for n, line in enumerate(lines) if line.startswith("==="))]
