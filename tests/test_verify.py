"""metamorph verify: the user's own build and tests decide."""

import shutil
from pathlib import Path

import pytest
from studies import metamorph as cli

from metamorph.verify import junit
from metamorph.verify.sources import chosen

SUM = """\
class Sum {
    static int of(int[] numbers) {
        int total = 0;
        for (int i = 0; i < numbers.length; i++) {
            total += numbers[i];
        }
        return total;
    }
}
"""
CHECKS = """\
import java.nio.file.*;

class Checks {
    public static void main(String[] args) throws Exception {
        String name = Sum.class.getDeclaredMethod("of", int[].class).getParameters()[0].getName();
        String report = "<testsuite>" + test("adds", Sum.of(new int[] {1, 2}) == 3)
                + test("names", name.equals("numbers")) + test("wrong", Sum.of(new int[] {1}) == 2)
                + test("flickers", Files.exists(Path.of("ran"))) + "</testsuite>";
        Files.createDirectories(Path.of("target/surefire-reports"));
        Files.writeString(Path.of("target/surefire-reports/TEST-Checks.xml"), report);
        Files.writeString(Path.of("ran"), "");
        System.exit(1);
    }

    static String test(String name, boolean passes) {
        String inside = passes ? "" : "<failure/>";
        return "<testcase classname='Checks' name='" + name + "'>" + inside + "</testcase>";
    }
}
"""
BUILD = "javac -parameters -d out src/main/java/*.java src/test/java/*.java"
TEST = "java -cp out Checks"

needs_jdk = pytest.mark.skipif(shutil.which("javac") is None, reason="no JDK on the PATH")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one class and its tests, with a report of an older run."""
    folder = tmp_path / "project"
    for name, text in (("main/java/Sum.java", SUM), ("test/java/Checks.java", CHECKS)):
        path = folder / "src" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    old = folder / "target" / "surefire-reports" / "TEST-Old.xml"
    old.parent.mkdir(parents=True)
    old.write_text("<testsuite><testcase classname='Old' name='stale'/></testsuite>")
    return folder


def verify(project: Path, code: str, *options: object, build: str = BUILD, test: str = TEST) -> int:
    return cli("verify", project, "--transform", code, "--build", build, "--test", test, *options)


@needs_jdk
def test_a_transformation_that_keeps_all_tests_ends_well(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    assert verify(project, "LX") == 0
    out = capsys.readouterr().out.splitlines()
    assert out == [
        "as it is: 2 tests pass, 2 do not",
        "LX all: 1 sites in 1 files: all 2 tests still pass",
    ]
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


@needs_jdk
def test_a_test_that_fails_after_is_named(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(project, "VN,LX", "--keep", tmp_path / "kept") == 1
    out = capsys.readouterr().out
    assert (
        "VN all: 3 sites in 1 files: 1 of 2 tests no longer pass\n    failed  Checks.names" in out
    )
    assert "LX all: 1 sites in 1 files: all 2 tests still pass" in out
    assert "var0" in (tmp_path / "kept" / "VN" / "src/main/java/Sum.java").read_text()
    assert (tmp_path / "kept" / "VN" / "src/test/java/Checks.java").read_text() == CHECKS
    assert (tmp_path / "kept" / "original" / "src/main/java/Sum.java").read_text() == SUM


@needs_jdk
def test_a_test_that_flickers_is_left_out_and_named(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(project, "LX", "--repeat", 2) == 0
    out = capsys.readouterr().out
    assert "as it is: 2 tests pass, 1 do not" in out
    assert "flickers  Checks.flickers" in out


def report(*names: str) -> str:
    """A shell command that writes a report in which these tests pass."""
    cases = "".join(f'<testcase name=\\"{name}\\"/>' for name in names)
    return f'echo "<testsuite>{cases}</testsuite>" > TEST-all.xml'


def test_a_test_that_vanishes_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = f"if grep -q var0 src/main/java/*; then {report('one')}; else {report('one', 'two')}; fi"
    assert verify(project, "VN", build="true", test=test) == 1
    assert "    vanished  two\n" in capsys.readouterr().out


def test_a_project_that_does_not_build_is_not_blamed_on_the_transformation(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(project, "VN", build="echo 'Sum.java:1: error: no such thing'; exit 2") == 3
    out, err = capsys.readouterr()
    assert not out
    assert "the untouched project does not build: exit code 2" in err
    assert "    Sum.java:1: error: no such thing" in err


def test_a_copy_that_does_not_build_is_a_fault(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = "! grep -q var0 src/main/java/* || { echo 'error: var0'; exit 1; }"
    assert verify(project, "VN", build=build, test=report("one")) == 1
    assert "does not build: exit code 1\n    error: var0\n" in capsys.readouterr().out


def test_a_project_without_reports_is_incomplete(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(project, "VN", build="true", test="true") == 3
    assert "the untouched project has no JUnit XML report" in capsys.readouterr().err


def test_tests_that_hang_after_are_a_fault_and_are_ended(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    test = f"{report('one')}; if grep -q var0 src/main/java/*; then sleep 600; fi"
    assert verify(project, "VN", "--time-limit", 3, build="true", test=test) == 1
    assert "the tests ran longer than 3 seconds" in capsys.readouterr().out


def test_nothing_to_transform_verifies_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(project, "SF", build="true", test=report("one")) == 3
    assert "nothing to transform, nothing verified" in capsys.readouterr().out


def test_a_failure_is_told_with_its_reason(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failure = '<failure type=\\"java.lang.AssertionError\\" message=\\"expected 1&#10;got 2\\"/>'
    wrong = report("one").replace('name=\\"one\\"/>', f'name=\\"one\\">{failure}</testcase>')
    test = f"if grep -q var0 src/main/java/*; then {wrong}; else {report('one')}; fi"
    assert verify(project, "VN", build="true", test=test) == 1
    assert "    failed  one: AssertionError: expected 1\n" in capsys.readouterr().out


def test_tests_that_write_no_report_are_a_fault(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    test = (
        f"if grep -q var0 src/main/java/*; then echo 'error: gone'; false; else {report('one')}; fi"
    )
    assert verify(project, "VN", build="true", test=test) == 1
    told = "the tests wrote no report: exit code 1\n    error: gone\n"
    assert told in capsys.readouterr().out


def test_each_transformation_has_the_place_with_the_most_sites(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(project, "LX,SF,UN", build="true", test=report("one")) == 0
    out = capsys.readouterr().out
    assert "LX all: 1 sites in 1 files: all 1 tests still pass" in out
    assert "SF all: 0 sites in 0 files: nothing to transform" in out
    assert "UN random: 1 sites in 1 files" in out


SOURCES = {
    "a/src/main/java/p/q/Main.java": "package p.q; class Main {}",
    "a/src/main/java/p/test/Aid.java": "/* package x; */\npackage p.test;\nclass Aid {}",
    "spring-test/src/main/java/p/Runner.java": "package p; class Runner {}",
    "plain/Alone.java": "class Alone {}",
    "ant/src/p/build/Step.java": "package p.build; class Step {}",
    "a/src/test/java/p/MainTest.java": "package p; class MainTest {}",
    "a/src/integrationTest/java/p/Whole.java": "package p; class Whole {}",
    "a/src/it/demo/src/main/java/p/Demo.java": "package p; class Demo {}",
    "a/target/generated-sources/p/Made.java": "package p; class Made {}",
    "b/build/generated/sources/p/Made.java": "package p; class Made {}",
    "a/src/main/resources/p/Data.java": "package p; class Data {}",
    "ant/test/p/AidTest.java": "package p; class AidTest {}",
    ".hidden/p/Copy.java": "package p; class Copy {}",
}


def test_the_projects_own_code_is_what_is_transformed(tmp_path: Path) -> None:
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = chosen(tmp_path, ())
    roots = {str(root.relative_to(tmp_path)): len(files) for root, files in found.items()}
    assert roots == {"a/src/main/java": 2, "ant/src": 1, "plain": 1, "spring-test/src/main/java": 1}
    (named,) = chosen(tmp_path, ("a/src/test",)).values()
    assert [path.name for path in named] == ["MainTest.java"]


def test_named_sources_are_what_is_transformed(project: Path, tmp_path: Path) -> None:
    keep = ("--keep", tmp_path / "kept")
    command = {"build": "true", "test": report("one")}
    assert verify(project, "VN", "--sources", "src/test", *keep, **command) == 0
    assert (tmp_path / "kept/VN/src/main/java/Sum.java").read_text() == SUM
    assert "var0" in (tmp_path / "kept/VN/src/test/java/Checks.java").read_text()


@pytest.mark.parametrize("sources", ["nowhere", "../elsewhere"])
def test_sources_that_are_not_there_are_a_fault(
    project: Path, sources: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(project, "VN", "--sources", sources) == 2
    assert "no such folder below" in capsys.readouterr().err


def test_reports_are_read_as_build_tools_write_them(tmp_path: Path) -> None:
    (tmp_path / "TEST-a.xml").write_text(
        "<testsuites><testsuite><testcase classname='A' name='x'/>"
        "<testcase classname='A' name='x'><error/></testcase>"
        "<testcase classname='A' name='y'><skipped/></testcase>"
        "<testcase classname='A' name='z'><flakyFailure/><system-out/></testcase>"
        "</testsuite></testsuites>"
    )
    (tmp_path / "TEST-b.xml").write_text("<testsuite><testcase")
    reports = junit.read(tmp_path, junit.DEFAULT)
    assert reports.tests == {"A.x": "passed", "A.x #2": "failed", "A.y": "skipped", "A.z": "passed"}
    assert reports.damaged == ["TEST-b.xml"]
