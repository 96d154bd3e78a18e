"""The plugin among others: light, silent where it is not used, and in nobody's way."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from suites_of_users import run, write_suite

pytest_plugins = ("pytester",)

EXAMPLE = Path(__file__).resolve().parent.parent / "fixtures" / "example-project"

PLAIN = """
import sys
def test_it():
    loaded = {name.partition(".")[0] for name in sys.modules}
    assert loaded.isdisjoint({"numpy", "scipy", "tree_sitter", "metamorph"})
"""


def test_a_suite_that_does_not_use_it_loads_and_says_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PLAIN)
    options = ("-p", "no:cacheprovider", "--strict-markers", "-W", "error")
    result = pytester.runpytest_subprocess(*options)
    result.assert_outcomes(passed=1)
    # pytest itself lists the plugins that are installed.
    lines = [line for line in result.outlines if not line.startswith("plugins:")]
    assert "metamorph" not in "\n".join(lines)
    assert result.errlines == []


def test_the_plugin_and_its_public_module_load_neither_numpy_nor_the_grammar() -> None:
    script = (
        "import sys, metamorph_pytest, metamorph.testing\n"
        "metamorph.testing.metamorph_cases('java', transforms='VN')\n"
        "heavy = {'numpy', 'scipy', 'tree_sitter', 'hypothesis'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_option_has_the_prefix(pytester: pytest.Pytester) -> None:
    text = run(pytester, "--help").stdout.str()
    start = text.index("metamorphic testing of models of Java code:")
    group = text[start : text.index("\n\n", start)]
    options = [word for line in group.splitlines() for word in line.split()[:1] if "-" in word]
    assert len(options) >= 8
    assert all(option.startswith("--metamorph-") for option in options)


def test_the_marker_is_known(pytester: pytest.Pytester) -> None:
    run(pytester, "--markers").stdout.fnmatch_lines(["@pytest.mark.metamorph(*sources, *"])


USING = """
def test_it(metamorph):
    import transforms, oracles
    assert (transforms.MINE, oracles.MINE) == (1, 2)
    assert len(metamorph.run(reader, "java", transforms="VN").outcomes) == 8
"""


@pytest.mark.parametrize("mode", ["prepend", "importlib"])
def test_modules_and_folders_of_the_same_names_stand_beside_it(
    pytester: pytest.Pytester, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_suite(pytester, USING)
    pytester.makepyfile(transforms="MINE = 1", oracles="MINE = 2")
    (pytester.mkdir("metamorph") / "notes.txt").write_text("data of the user's own")
    monkeypatch.syspath_prepend(pytester.path)
    run(pytester, f"--import-mode={mode}").assert_outcomes(passed=1)


def test_a_package_of_the_same_name_is_free_to_be_where_the_plugin_is_not_used(
    pytester: pytest.Pytester,
) -> None:
    package = pytester.mkpydir("metamorph")
    (package / "own.py").write_text("MINE = 3\n")
    (package / "test_own.py").write_text(
        "from metamorph.own import MINE\ndef test_it():\n    assert MINE == 3\n"
    )
    result = pytester.run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)


def test_a_package_of_the_same_name_is_told_where_the_plugin_is_used(tmp_path: Path) -> None:
    (tmp_path / "metamorph").mkdir()
    (tmp_path / "metamorph" / "__init__.py").touch()
    # Finders of editable installations would find our modules within the other package.
    script = (
        "import sys\n"
        f"sys.path[:0] = [{str(tmp_path)!r}, {str(EXAMPLE.parent.parent)!r}]\n"
        "sys.meta_path[:] = [f for f in sys.meta_path if 'ditable' not in repr(f)]\n"
        "import metamorph_pytest\n"
        "metamorph_pytest._own_package()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "UsageError: the plugin needs the package metamorph of metamorph-java, but" in (
        done.stderr
    )
    assert str(tmp_path) in done.stderr.splitlines()[-1]


def test_the_example_of_the_manual_passes(pytester: pytest.Pytester) -> None:
    shutil.copytree(EXAMPLE, pytester.path, dirs_exist_ok=True)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=12)
    result.stdout.fnmatch_lines(["*7 of 20 variants of 7 methods changed, 7 in the baseline*"])
