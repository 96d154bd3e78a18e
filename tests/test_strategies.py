"""Strategies: methods that are Java, pairs that are variants, and small examples of faults."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from suites_of_users import JAVA

from metamorph.errors import UserError
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.testing.strategies import Pair, java_methods, transformed
from metamorph.transforms import codes

FAST = settings(max_examples=40, suppress_health_check=list(HealthCheck))


@FAST
@given(java_methods())
def test_a_method_is_one_method_that_parses(text: str) -> None:
    tree = parse(text.encode())
    assert not tree.has_error
    assert len(list(methods(SourceFile("A.java", text.encode()), tree))) == 1


def test_methods_compile(tmp_path: Path) -> None:
    if shutil.which("javac") is None:
        pytest.skip("no javac")
    texts: list[str] = []

    @settings(FAST, phases=[Phase.generate])
    @given(java_methods(max_statements=8))
    def gather(text: str) -> None:
        texts.append(text)

    gather()
    classes = [f"class C{n} {{\n{text}\n}}" for n, text in enumerate(texts)]
    (tmp_path / "All.java").write_text("\n".join(classes))
    command = ["javac", "-d", str(tmp_path), str(tmp_path / "All.java")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr == ""
    assert len(texts) >= 40


def test_every_transformation_finds_something_in_some_method() -> None:
    for code in codes():
        pair = find(
            transformed(java_methods(), code),
            lambda pair, code=code: pair.transform == code,  # type: ignore[misc]
            settings=settings(FAST, phases=[Phase.generate], max_examples=500),
        )
        assert pair.before != pair.after


@FAST
@given(transformed(JAVA, "VN,LX"))
def test_a_pair_is_a_method_and_its_variant_with_the_name_masked(pair: Pair) -> None:
    assert pair.before.startswith("int METHOD_NAME(")
    assert pair.after.startswith("int METHOD_NAME(")
    assert pair.before != pair.after
    assert pair.transform in ("VN", "LX")
    assert pair.diff.startswith("@@ ")


def smallest(source: str, culprits: tuple[str, ...]) -> Pair:
    """The pair that is left where a model stumbles once none of these names is there."""
    return find(
        transformed(source, "VN", task="label"),
        lambda pair: (
            not any(name in pair.after for name in culprits)
            and all(name in pair.before for name in culprits)
        ),
        settings=settings(FAST, max_examples=400),
    )


def test_a_fault_shrinks_to_the_one_edit_that_matters() -> None:
    pair = smallest(JAVA, ("rest",))
    assert len(pair.sites) == 1
    assert "var0" in pair.after and "total" in pair.after


def test_a_fault_shrinks_to_the_edits_that_matter_together() -> None:
    pair = smallest(JAVA, ("rest", "first"))
    assert len(pair.sites) == 2
    assert "total" in pair.after and "second" in pair.after


def test_a_strategy_of_sources_is_drawn_from() -> None:
    pair = find(transformed(st.just("int f(int count) { return count; }"), "VN"), lambda _: True)
    assert (pair.transform, pair.sites) == ("VN", (0,))


def test_a_source_without_a_site_is_told() -> None:
    with pytest.raises(UserError, match="VN: no place to transform in int f"):
        find(transformed("int f() { return 1; }", "VN"), lambda _: True)
