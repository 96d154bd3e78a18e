"""Gates: limits of change rates, and what a CI server is told of them."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from reported import example, summary
from studies import MODEL, metamorph, study, write_corpus

from metamorph.oracles.summaries import Summary
from metamorph.oracles.tallies import Counted, Tally, tally
from metamorph.reports.annotations import annotations
from metamorph.reports.gates import Gates, gates, judge
from metamorph.reports.junit import render


def rows(**changed: int) -> Summary:
    """A run of 20 originals, of which so many changed, by transformation."""
    counted = [
        Counted(code, "single", (file, 0), 3, "WWDP" if file < count else "WWSP", 1)
        for code, count in changed.items()
        for file in range(20)
    ]
    plan = [(code, "single") for code in changed]
    return replace(summary(), tally=tally(counted, plan), by_length=[], examples=[])


def results(of: Summary, gate: Gates) -> dict[str, str]:
    return {verdict.row.transform: verdict.result for verdict in judge(of, gate)}


def test_a_transformation_has_its_own_limit_and_others_the_general_one() -> None:
    run = rows(VN=8, PS=4, LX=4)
    assert results(run, gates("VN=0.5,0.1")) == {"VN": "passed", "PS": "failed", "LX": "failed"}
    assert results(run, gates("PS=0.1")) == {"PS": "failed"}
    assert results(run, Gates()) == {}


def test_a_place_has_a_limit_before_its_transformation() -> None:
    limits = gates("VN=0.1,VN:all=0.9")
    found = {v.row.place: v.limit for v in judge(summary(), limits)}
    assert found == {"single": 0.1, "all": 0.9}


def test_a_rate_at_its_limit_passes() -> None:
    assert results(rows(VN=8), gates("0.4")) == {"VN": "passed"}
    assert results(rows(VN=8), gates("0.399")) == {"VN": "failed"}
    assert results(rows(VN=0), gates("0")) == {"VN": "passed"}


def test_bounds_fail_the_surely_above_alone_or_pass_the_surely_below_alone() -> None:
    run = rows(VN=8)
    low, high = run.tally[0].interval or (0.0, 0.0)
    assert low < 0.3 < 0.4 < 0.5 < high
    assert results(run, replace(gates("0.3"), basis="lower")) == {"VN": "passed"}
    assert results(run, replace(gates("0.3"), basis="point")) == {"VN": "failed"}
    assert results(run, replace(gates("0.5"), basis="point")) == {"VN": "passed"}
    assert results(run, replace(gates("0.5"), basis="upper")) == {"VN": "failed"}


def test_without_an_interval_nothing_is_sure() -> None:
    one = replace(
        summary(), tally=tally([Counted("VN", "all", (0, 0), 3, "CIP", 1)], [("VN", "all")])
    )
    assert one.tally[0].interval is None
    assert results(one, replace(gates("0.9"), basis="lower")) == {"VN": "passed"}
    assert results(one, replace(gates("0.9"), basis="upper")) == {"VN": "failed"}


def test_too_few_originals_are_not_judged() -> None:
    assert results(rows(VN=20), replace(gates("0.1"), least=21)) == {"VN": "not judged"}
    assert results(rows(VN=20), replace(gates("0.1"), least=20)) == {"VN": "failed"}


def test_a_control_is_judged_only_by_a_limit_of_its_own() -> None:
    run = rows(VN=8, identity=8)
    controls: list[Tally] = [replace(t, control=t.transform == "identity") for t in run.tally]
    run = replace(run, tally=controls)
    assert results(run, gates("0.1")) == {"VN": "failed"}
    assert results(run, gates("identity=0")) == {"identity": "failed"}


@pytest.mark.parametrize(
    "text", ["", "x", "1.1", "-0.1", "nan", "=0.1", "VN=", "VN=2", "VN=0.1,VN=0.2", "0.1,0.2"]
)
def test_limits_that_mean_nothing_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        gates(text)


def test_gates_judge_a_run_that_is_recorded(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = study("run", write_corpus(folder / "corpus", files=4))
    assert metamorph("report", run) == 0
    capsys.readouterr()
    assert metamorph("report", run, "--fail-on-change", "0") == 1
    assert "VN single: change rate 0." in capsys.readouterr().err
    assert metamorph("report", run, "--fail-on-change", "VN=1") == 0
    assert metamorph("report", run, "--fail-on-change", "0", "--min-originals", 99) == 3
    assert "there was nothing to judge" in capsys.readouterr().err
    assert metamorph("report", run, "--fail-on-change", "PS=0.1,VN=1") == 2
    assert "--fail-on-change PS: not part of this run, which has VN" in capsys.readouterr().err
    assert metamorph("report", run, "--fail-on-change", "VN=7") == 2
    assert metamorph("report", run, "--min-originals", 9) == 2
    assert metamorph("report", run, "--gate-on", "upper") == 2


def test_a_gate_on_what_is_not_run_is_refused_before_the_model_is_asked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(folder / "corpus", files=1)
    options = ("--model", f"{MODEL}word", "--transform", "VN", "--out", "run")
    assert metamorph("run", corpus, *options, "--fail-on-change", "SF=0.1") == 2
    assert not Path("run").exists()
    assert metamorph("run", corpus, *options, "--fail-on-change", "VN:single=0") == 1


def half(run: Path) -> None:
    """Make of a run one that was interrupted."""
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps(manifest | {"complete": False}))


def test_half_a_run_can_fail_a_gate_but_not_pass_it(folder: Path) -> None:
    run = study("run", write_corpus(folder / "corpus", files=4))
    half(run)
    assert metamorph("report", run) == 0
    assert metamorph("report", run, "--fail-on-change", "0") == 1
    assert metamorph("report", run, "--fail-on-change", "1") == 3


@pytest.mark.parametrize(
    ("format", "said"),
    [
        ("table", "INCOMPLETE: 4 of 4 files"),
        ("json", '"complete": false'),
        ("csv", ",no\n"),
        ("md", "INCOMPLETE: 4 of 4 files"),
        ("latex", "Incomplete run: 4 of 4 files"),
        ("junit", '<error message="4 of 4 files are done" type="incomplete" />'),
        ("github", "::warning title=metamorph::incomplete run: 4 of 4 files"),
    ],
)
def test_half_a_run_says_so_in_every_format(
    folder: Path, capsys: pytest.CaptureFixture[str], format: str, said: str
) -> None:
    run = study("run", write_corpus(folder / "corpus", files=4))
    half(run)
    capsys.readouterr()
    assert metamorph("report", run, "--format", format) == 0
    assert said in capsys.readouterr().out


def suite_of(of: Summary, gate: Gates | None = None) -> ElementTree.Element:
    """The one suite of the XML."""
    whole = ElementTree.fromstring(
        render(of, judge(of, gate or Gates()), "2026-01-02T03:04:05+00:00", 2)
    )
    (suite,) = whole
    return suite


def test_junit_has_a_case_a_row_and_a_failure_a_failed_gate() -> None:
    suite = suite_of(summary(), gates("VN:all=0.1,0.9"))
    cases = {case.get("name"): [child.tag for child in case] for case in suite.iter("testcase")}
    assert cases == {"VN single": [], "VN all": ["failure"], "PS random": []}
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "3", "failures": "1", "errors": "0", "skipped": "0"}
    failure = suite.find("testcase/failure")
    assert failure is not None and "sum became get" in (failure.text or "")
    assert "change rate 0.2500 is above 0.1" in (failure.get("message") or "")


def test_junit_keeps_to_the_strictest_schema_in_use() -> None:
    broken = replace(summary().accounting, broken={"OverlapError": 1})
    suite = suite_of(replace(summary(), accounting=broken, complete=False), gates("0"))
    assert [child.tag for child in suite] == [
        "properties",
        *["testcase"] * 5,
        "system-out",
        "system-err",
    ]
    wanted = {"id", "name", "package", "hostname", "timestamp", "time", "tests", "failures"}
    assert set(suite.keys()) == wanted | {"errors", "skipped"}
    assert suite.get("timestamp") == "2026-01-02T03:04:05" and suite.get("time") == "2.000"
    for case in suite.iter("testcase"):
        assert {"name", "classname", "time"} == set(case.keys())
        assert len(case) <= 1
        for child in case:
            assert child.tag in ("failure", "error", "skipped") and child.get("message")


def test_junit_holds_what_xml_cannot() -> None:
    hostile = replace(example("VN", "all"), before="a\0\x1b<]]>&", after="\ud800\ufffe")
    text = render(replace(summary(), examples=[hostile]))
    out = ElementTree.fromstring(text).findtext("testsuite/system-out") or ""
    assert out.endswith("a\\u0000\\u001b<]]>& became \\ud800\\ufffe")


def test_annotations_are_escaped_lines() -> None:
    path = "a,b:c%.java"
    hostile = replace(example("VN", "all"), path=path, before="x\r\n::error::y", after="100%")
    lines = annotations(replace(summary(), examples=[hostile])).splitlines()
    (line,) = (line for line in lines if line.startswith("::notice"))
    assert line.startswith("::notice file=a%2Cb%3Ac%25.java,line=7,title=")
    assert line.endswith("x%0D%0A::error::y became 100%25 (CIP)")


def test_annotations_are_at_most_ten_of_a_kind() -> None:
    many = {f"T{n:02}": 8 for n in range(14)}
    run = rows(**many)
    run = replace(run, examples=[example(row.transform, row.place) for row in run.tally])
    lines = annotations(run, judge(run, gates("0.1"))).splitlines()
    errors = [line for line in lines if line.startswith("::error")]
    assert len(errors) == 10 and errors[-1] == "::error::and 5 more; see the report"
    assert len([line for line in annotations(run).splitlines() if "::notice" in line]) == 10


def test_paths_are_told_from_the_top_of_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    inside = replace(example("VN", "all"), path=str(tmp_path / "src" / "A.java"))
    assert "file=src/A.java," in annotations(replace(summary(), examples=[inside]))


def test_github_gets_annotations_on_stderr_and_a_summary_of_the_step(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    step = folder / "step.md"
    step.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(step))
    corpus = write_corpus(folder / "corpus", files=2)
    options = ("--model", f"{MODEL}word", "--transform", "VN", "--out", "run")
    assert metamorph("run", corpus, *options, "--fail-on-change", "0", "--github") == 1
    shown = capsys.readouterr()
    assert "::error file=corpus/" in shown.err and "::error" not in shown.out
    text = step.read_text()
    assert text.startswith("before\n# Metamorphic test") and "**1 of 1 gates failed.**" in text
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert metamorph("report", "run", "--format", "json", "--github") == 0
    shown = capsys.readouterr()
    assert "GITHUB_STEP_SUMMARY is not set" in shown.err and json.loads(shown.out)["tally"]
