"""The check by javac: a variant is faulty where it has an error that its file did not have."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from studies import metamorph as cli
from studies import write_models
from ticks import ticked

from metamorph.errors import UserError
from metamorph.java.edits import Edit
from metamorph.java.javac import Javac, java
from metamorph.java.methods import methods
from metamorph.java.sites import Site
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.java.variants import make_variant
from metamorph.runs.checks import checked
from metamorph.runs.rows import BROKEN, VariantRow
from metamorph.runs.settings import Settings
from metamorph.runs.variations import Variation

WHOLE = b"package a.b; public class Whole { int f(Other o) { int x = o.g(); return x + 1; } }"
OTHER = "package a.b; class Other { int g() { return 1; } }"
DOUBTFUL = b"class Doubtful { int f() { return missing; } Unknown g() { return null; } }"

needs_jdk = pytest.mark.skipif(shutil.which("javac") is None, reason="no JDK on the PATH")


@pytest.fixture(scope="module")
def javac() -> Iterator[Javac]:
    """One JVM for all tests."""
    if shutil.which("javac") is None:
        pytest.skip("no JDK on the PATH")
    started = Javac()
    yield started
    started.close()


@pytest.fixture
def whole(tmp_path: Path) -> SourceFile:
    """A file that needs another one of its package."""
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (folder / "Other.java").write_text(OTHER)
    (folder / "Whole.java").write_bytes(WHOLE)
    return SourceFile(str(folder / "Whole.java"), WHOLE)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (b"int x = o.g(); return x", b"int y = o.g(); return y", ""),
        (b"int x", b"String x", "compiler.err.prob.found.req"),
        (b"return x", b"return x; return x", "compiler.err.unreachable.stmt"),
        (b"int x = o.g();", b"int x;", "compiler.err.var.might.not.have.been.initialized"),
        (b"return x + 1;", b"", "compiler.err.missing.ret.stmt"),
        (b"x + 1; }", b"x + 1;", "compiler.err.premature.eof"),
    ],
)
def test_new_errors_are_found(
    javac: Javac, whole: SourceFile, old: bytes, new: bytes, code: str
) -> None:
    found = javac.new_error(whole, WHOLE.replace(old, new))
    assert (found.code if found else "") == code
    assert found is None or (found.line == 1 and found.message)


def test_no_limit_parts_a_question_from_its_answer(
    javac: Javac, whole: SourceFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ticked(monkeypatch, "Javac._ask", "Javac._read") as lines:
        error = javac.new_error(whole, WHOLE.replace(b"int x", b"String x"))
    assert error is not None and len(lines) > 20
    assert javac.new_error(whole, WHOLE) is None


def test_errors_that_were_there_before_are_not_new(javac: Javac) -> None:
    file = SourceFile("Doubtful.java", DOUBTFUL)
    assert javac.new_error(file, DOUBTFUL.replace(b"{ int", b"{\n\n int")) is None
    more = javac.new_error(file, DOUBTFUL.replace(b"return null", b"return vanished"))
    assert more is not None and more.code.startswith("compiler.err.cant.resolve")
    assert "vanished" in more.message


def test_a_bare_method_is_compiled_within_a_class(javac: Javac) -> None:
    bare = b"int f(int n) { return n; }"
    file = SourceFile("Bare.java", bare)
    assert javac.new_error(file, bare.replace(b"n", b"m")) is not None
    assert javac.new_error(file, b"int f(int m) { return m; }") is None


def test_bytes_that_are_no_utf8_and_a_bom_are_read(javac: Javac) -> None:
    for data in (b'class A { String s = "\xe9"; }', b'\xef\xbb\xbfclass A { String s = ""; }'):
        file = SourceFile("A.java", data)
        assert javac.new_error(file, data) is None
        assert javac.new_error(file, data.replace(b"String", b"int")) is not None


@pytest.mark.parametrize("path", ["no/such/folder/Lone.java", "some.zip!/a/b/Lone.java", "Lone"])
def test_a_file_that_is_none_of_the_file_system_is_compiled_alone(javac: Javac, path: str) -> None:
    lone = SourceFile(path, b"package a.b; class Lone { int f() { return 1; } }")
    assert javac.new_error(lone, lone.data.replace(b"1", b"2")) is None
    fault = javac.new_error(lone, lone.data.replace(b"1", b'""'))
    assert fault is not None and fault.code == "compiler.err.prob.found.req"


def test_a_class_of_the_jdk_itself_is_compiled_in_its_module(javac: Javac, tmp_path: Path) -> None:
    data = b"package java.util; class Extra { Object f(HashMap<?, ?> m) { return m.table; } }"
    path = tmp_path / "java" / "util" / "Extra.java"
    path.parent.mkdir(parents=True)
    file = SourceFile(str(path), data)
    assert javac.new_error(file, data) is None
    assert javac.new_error(file, data.replace(b"m.table", b"m.stool")) is not None
    missing = SourceFile(file.path, data.replace(b"m.table", b"m.stool"))
    assert javac.new_error(missing, data) is None


@needs_jdk
def test_class_files_are_compared_where_asked() -> None:
    data = b"class A { int f(int n) { Runnable r = () -> g(n); return n + 1; } void g(int n) {} }"
    javac = Javac(["-g:none"], classes=True)
    try:
        file = SourceFile("A.java", data)
        assert javac.answer(file, data.replace(b"n)", b"m)"))[0] == "error"
        assert javac.answer(file, data.replace(b"int r", b"int  r"))[0] == "same"
        assert javac.answer(file, data.replace(b"n + 1", b"n + 2")) == ["different", "A"]
        assert javac.answer(SourceFile("B.java", b"class B { int x = y; }"), b"")[0] == "broken"
    finally:
        javac.close()


NO_COMPILER = """#!/bin/sh
echo 'java.lang.InternalError: Module jdk.compiler not in boot Layer' >&2
exit 1
"""


@pytest.fixture(params=["no-java", "no-compiler"])
def no_jdk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH without Java, or with one that only runs programs; a Java file lies there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    if request.param == "no-compiler":
        (folder / "java").write_text(NO_COMPILER)
        (folder / "java").chmod(0o755)
    (tmp_path / "A.java").write_text("class A { int f(int n) { return n; } }")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(folder))
    return tmp_path


def test_without_a_jdk_the_syntax_alone_is_checked(
    no_jdk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--transform", "VN", "--out", no_jdk / "out", "--classpath", no_jdk)
    assert cli("transform", no_jdk / "A.java", *options, "--check", "javac") == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "JDK" in line]
    assert len(told) == 1
    assert told[0].startswith("metamorph: --check javac: no JDK found, only the syntax")
    assert "int var0" in (no_jdk / "out" / "A.java").read_text()


def test_a_run_without_a_jdk_says_so_in_its_report(
    no_jdk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_models(no_jdk)
    monkeypatch.chdir(no_jdk)
    monkeypatch.syspath_prepend(str(no_jdk))
    run = ("run", "--model", "python:models_for_tests:word", "--transform", "VN", "A.java")
    assert cli(*run, "--check", "javac", "--classpath", no_jdk, "--out", "out") == 0
    assert capsys.readouterr().err.count("no JDK found") == 1
    assert cli("report", "out", "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert [note for note in report["notes"] if "no JDK found" in note]
    assert report["accounting"]["answered"] == 1


def test_a_java_home_without_java_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UserError, match="no bin/java there"):
        java()


@needs_jdk
def test_a_variant_with_a_new_error_is_broken_for_that_reason(whole: SourceFile) -> None:
    method = next(methods(whole, parse(whole.data)))
    at = whole.data.index(b"x + 1")
    variant = make_variant(method, [Site("VN", 0, at, (Edit(at, at + 1, b"y"),))], "single")
    for check, status in (("javac", BROKEN), ("syntax", "")):
        row = VariantRow("VN", "single", (0,), 1, {}, [])
        settings = Settings((), "", (("VN", "single"),), check=check)
        tree = checked(Variation(row, variant), settings)
        assert (row.status, tree is None) == (status, status == BROKEN)
        assert not status or row.reason.startswith("javac compiler.err.cant.resolve")


@needs_jdk
def test_a_run_may_check_by_javac(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_models(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "A.java").write_bytes(WHOLE.replace(b"Whole", b"A").replace(b"package a.b;", b""))
    run = ("run", "--model", "python:models_for_tests:word", "--transform", "VN", "A.java")
    assert cli(*run, "--check", "javac", "--out", "out") == 0
    capsys.readouterr()
    assert cli("report", "out", "--format", "json") == 0
    accounting = json.loads(capsys.readouterr().out)["accounting"]
    assert accounting["variants"] == accounting["answered"] == 2
    assert os.path.exists("out/manifest.json")
