"""The pytest plugin as a suite sees it: fixture, marker, cases, failures, faults of the user."""

import pytest
from suites_of_users import run, write_suite

from metamorph.cli import main

pytest_plugins = ("pytester",)


def outcomes(pytester: pytest.Pytester, tests: str, *options: str, **wanted: int) -> str:
    """Run these tests, of which so many must pass, fail and be skipped; what was printed."""
    write_suite(pytester, tests)
    result = run(pytester, *options)
    result.assert_outcomes(**wanted)
    return result.stdout.str()


def test_a_result_has_rate_interval_and_outcomes(pytester: pytest.Pytester) -> None:
    outcomes(
        pytester,
        """
def test_it(metamorph):
    result = metamorph.run(reader, "java", transforms="VN,LX", place="single")
    assert result.change_rate == 1 / 9
    low, high = result.interval
    assert 0 <= low <= 1 / 9 <= high <= 1
    assert len(result.outcomes) == 9 and result.originals == 2
    (changed,) = result.changed
    assert changed.id == "Sums.sum-int-int[VN-2]"
    assert (changed.before, changed.after, changed.result) == ("sum|total", "other", "WWDP")
    assert (changed.path, changed.line) == ("java/Sums.java", 3)
    assert result.noise_floor == 0
""",
        passed=1,
    )


@pytest.mark.parametrize("model", ["reader", "Classifier()", "'python:test_user:reader'"])
def test_a_model_is_a_function_an_object_or_a_name(pytester: pytest.Pytester, model: str) -> None:
    outcomes(
        pytester,
        f"""
def test_it(metamorph):
    assert len(metamorph.run({model}, "java", transforms="VN").changed) == 1
""",
        passed=1,
    )


def test_a_source_is_text_a_file_a_folder_or_several(pytester: pytest.Pytester) -> None:
    outcomes(
        pytester,
        """
import pathlib, pytest
TEXT = "int f(int total) { return total; }"

@pytest.mark.parametrize("source, count", [
    (TEXT, 1), ("java/Sums.java", 8), (pathlib.Path("java"), 8), (["java", TEXT], 9),
])
def test_it(metamorph, source, count):
    assert len(metamorph.run(steady, source, transforms="VN").outcomes) == count
""",
        passed=4,
    )


def test_paths_are_found_from_the_test_and_from_the_root(pytester: pytest.Pytester) -> None:
    write_suite(pytester, "")
    below = pytester.mkdir("deep")
    (below / "test_deep.py").write_text(
        "def test_it(metamorph):\n"
        "    for source in ('java', '../java'):\n"
        "        result = metamorph.run(len, source, transforms='LX', task='label')\n"
        "        assert result.outcomes[0].path == 'java/Sums.java'\n"
    )
    run(pytester, "deep").assert_outcomes(passed=1)


def test_the_call_goes_before_the_marker_and_that_before_the_options(
    pytester: pytest.Pytester,
) -> None:
    outcomes(
        pytester,
        """
import pytest

def transforms(result):
    return {outcome.transform for outcome in result.outcomes}

@pytest.mark.metamorph(transforms="LX")
def test_marker(metamorph):
    assert transforms(metamorph.run(steady, "java")) == {"LX"}
    assert transforms(metamorph.run(steady, "java", transforms="VN")) == {"VN"}

def test_option(metamorph):
    assert transforms(metamorph.run(steady, "java")) == {"UN"}
""",
        "--metamorph-transforms=UN",
        "--strict-markers",
        passed=2,
    )


def test_invariance_is_asserted_up_to_max_change(pytester: pytest.Pytester) -> None:
    outcomes(
        pytester,
        """
def test_above(metamorph):
    metamorph.assert_invariant(reader, "java", transforms="VN", max_change=0.12)

def test_below(metamorph):
    metamorph.assert_invariant(reader, "java", transforms="VN", max_change=0.13)
""",
        passed=1,
        failed=1,
    )


def test_each_variant_is_an_item_with_a_readable_id(pytester: pytest.Pytester) -> None:
    tests = """
@metamorph_cases("java", transforms="VN,LX")
def test_case(metamorph, case):
    assert case.before != case.after
    metamorph.assert_invariant(reader, case)
"""
    text = outcomes(pytester, tests, "-v", passed=8, failed=1)
    assert "test_user.py::test_case[Sums.sum-int-int[VN-2]] FAILED" in text
    assert "test_user.py::test_case[Sums.sum-int[][VN-0]] PASSED" in text
    run(pytester, "-k", "sum-int-int[VN-2]").assert_outcomes(failed=1, deselected=8)
    run(pytester, "test_user.py::test_case[Sums.sum-int-int[LX-0]]").assert_outcomes(passed=1)


def test_a_failure_tells_what_changed_and_how_to_repeat_it(pytester: pytest.Pytester) -> None:
    tests = """
def test_it(metamorph):
    metamorph.assert_invariant("python:test_user:reader", "java", transforms="VN", seed=3)
"""
    text = outcomes(pytester, tests, failed=1)
    for line in (
        "VariantError: change rate 0.125 is above 0",
        "Sums.sum-int-int[VN-2] WWDP: sum|total -> other (right: sum)",
        "seed 3; again: pytest test_user.py::test_it",
        "or: metamorph run java --model python:test_user:reader --transform VN --place single "
        "--seed 3 --repeat 2",
        "-        int total = first;",
        "+        int var0 = first;",
    ):
        assert line in text
    assert "metamorph/testing" not in text


def test_a_failed_comparison_of_a_rate_is_explained(pytester: pytest.Pytester) -> None:
    tests = """
def test_it(metamorph):
    assert metamorph.run(reader, "java", transforms="VN").change_rate <= 0.05
"""
    tests += """
def test_turned_round(metamorph):
    assert 0.06 >= metamorph.run(reader, "java", transforms="VN").change_rate
"""
    text = outcomes(pytester, tests, "-vv", failed=2)
    assert "change rate 0.125 <= 0.05" in text
    assert "change rate 0.06 >= 0.125" in text
    assert "+        int var0 = first;" in text


def test_long_failures_are_cut_unless_very_verbose(pytester: pytest.Pytester) -> None:
    tests = """
import zlib
def test_it(metamorph):
    metamorph.assert_invariant(lambda code: f"n{chr(97 + zlib.crc32(code.encode()) % 26)}",
                               "java", transforms="VN,UN,TC")
"""
    cut = outcomes(pytester, tests, failed=1)
    whole = run(pytester, "-vv").stdout.str()
    assert "more changed (-vv shows all)" in cut
    assert "-vv shows all" not in whole
    assert whole.count("@@") > cut.count("@@") > 0


def test_answers_that_vary_by_themselves_are_inconclusive(pytester: pytest.Pytester) -> None:
    tests = """
def test_it(metamorph):
    metamorph.assert_invariant(unsteady, "java", transforms="VN")

@metamorph_cases("java", transforms="LX")
def test_case(metamorph, case):
    metamorph.assert_invariant(unsteady, case)
"""
    text = outcomes(pytester, tests, "-rs", skipped=2)
    assert "inconclusive: the model contradicts itself" in text
    assert "test_user.py::test_it: 0 of 0 variants changed; 8 inconclusive" in text


def test_what_has_no_answer_does_not_pass(pytester: pytest.Pytester) -> None:
    tests = """
def test_it(metamorph):
    metamorph.assert_invariant(silent, "java", transforms="VN")
"""
    text = outcomes(pytester, tests, failed=1)
    assert "VariantError: nothing to judge" in text
    assert "8 no answer (original: no-answer)" in text


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        ("metamorph.run(source='java')", "no model: give one to the call, override the fixture"),
        ("metamorph.run(3, 'java')", "model 3: neither a name, nor a function, nor an object"),
        ("metamorph.run('code3vec', 'java')", "unknown model 'code3vec': did you mean code2vec?"),
        ("metamorph.run(broken, 'java')", "the model test_user.broken raised ValueError: out of"),
        ("metamorph.run(steady)", "no source: give text, a path, a folder, a suite or a case"),
        ("metamorph.run(steady, 'nowhere')", "nowhere: neither Java nor a path that exists in"),
        ("metamorph.run(steady, 'int f( {\\n}')", "<text>: syntax error in line 1"),
        ("metamorph.run(steady, 'class A {}')", "there is no method with a body in the source"),
        (
            "metamorph.assert_invariant(steady, 'int f() { return 1; }', transforms='VN')",
            "VN: no place to transform in 1 methods",
        ),
        ("metamorph.run(steady, 'java', transforms='XY')", "unknown transformation 'XY'"),
        ("metamorph.run(steady, 'java', transforms='VN,identity')", "study identity apart"),
        ("metamorph.run(steady, 'java', place='some')", "place is 'some'; give single or all or"),
        ("metamorph.run(steady, 'java', maximum=3)", "the call: no parameter 'maximum'"),
        ("metamorph.assert_invariant(steady, 'java', max_change=5)", "give a share between 0"),
        (
            "metamorph.assert_invariant(steady, 'java', transforms='VN', min_originals=3)",
            "2 methods judged, min_originals is 3",
        ),
    ],
)
def test_faults_are_told_in_a_line(pytester: pytest.Pytester, call: str, fault: str) -> None:
    text = outcomes(pytester, f"def test_it(metamorph):\n    {call}\n", failed=1)
    assert fault in text


@pytest.mark.parametrize(
    ("marker", "arguments", "fault"),
    [
        ("'nowhere'", "case", "test_user.py::test_case: nowhere: neither Java nor a path"),
        ("'java'", "metamorph", "the test takes no argument `case`"),
        ("'java', transforms='XY'", "case", "unknown transformation 'XY'"),
        ("'java', sites=2", "case", "no parameter 'sites'; known are transforms, place"),
    ],
)
def test_faults_of_cases_end_the_collection_with_a_line(
    pytester: pytest.Pytester, marker: str, arguments: str, fault: str
) -> None:
    write_suite(pytester, f"@metamorph_cases({marker})\ndef test_case({arguments}): pass\n")
    result = run(pytester)
    assert result.ret != 0
    assert fault in result.stdout.str() + result.stderr.str()
    assert "Traceback" not in result.stdout.str()


def test_files_that_do_not_parse_are_told_and_the_others_studied(
    pytester: pytest.Pytester,
) -> None:
    tests = """
def test_it(metamorph):
    result = metamorph.run(steady, "java", transforms="VN")
    assert len(result.outcomes) == 8
    assert result.skipped == {"java/Broken.java": "syntax error in line 2"}
"""
    write_suite(pytester, tests, Broken="class Broken {\n    int f( { }\n}\n")
    run(pytester).assert_outcomes(passed=1)


SUITE = """
def test_it(metamorph):
    assert len(metamorph.run(steady, "suite", transforms="LX").outcomes) == 1
"""


def test_a_suite_is_a_source_unless_a_file_of_it_was_changed(pytester: pytest.Pytester) -> None:
    write_suite(pytester, SUITE)
    assert main(["suite", "export", "java", "--transform", "VN", "--out", "suite"]) == 0
    run(pytester).assert_outcomes(passed=1)
    for path in (pytester.path / "suite").rglob("*.java"):
        path.write_text(path.read_text() + "// other\n")
    result = run(pytester)
    result.assert_outcomes(failed=1)
    assert "changed since the suite was written; get the suite anew" in result.stdout.str()
