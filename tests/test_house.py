"""The walls of the house: what may import what, what is packaged, what every file must have."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 350
LAYERS = (
    {"java"},
    {"oracles"},
    {"tasks"},
    {"transforms", "corpus"},
    {"duplicates"},
    {"models"},
    {"runs", "reports", "training"},
    {"verify", "suites", "codrep", "evaluation"},
    {"cli", "testing"},
    {"__main__"},
)
FREE = {
    "",
    "__version__",
    "characters",
    "durable",
    "errors",
    "garbage",
    "limits",
    "plugins",
    "version",
}
ROOM_FOLDERS = {
    "metamorph": ROOT / "metamorph",
    "metamorph.transforms": ROOT / "transforms",
    "metamorph.oracles": ROOT / "oracles",
}


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the package by its import name, from the folder where it really lies."""
    for package, folder in ROOM_FOLDERS.items():
        for path in python_files(folder):
            parts = path.relative_to(folder).with_suffix("").parts
            yield ".".join((package, *(part for part in parts if part != "__init__"))), path


def python_files(folder: Path) -> Iterator[Path]:
    """The Python files below a folder, those behind a linked folder left out."""
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            yield from python_files(entry)
        elif entry.suffix == ".py":
            yield entry


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, imported name) of every import of a file, those inside functions too."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def room(module: str) -> str:
    """`metamorph.java.tree` -> `java`; "" for the package itself and for other packages."""
    package, _, rest = module.partition(".")
    return rest.split(".")[0] if package == "metamorph" else ""


def layer(name: str) -> int:
    """The layer of a room, the lowest being 0; a room without one fails the test."""
    found = [number for number, names in enumerate(LAYERS) if name in names]
    assert found, f"metamorph.{name} belongs to no layer: give it one in tests/test_house.py"
    return found[0]


def tracked_files() -> list[Path]:
    """The files under version control; skips where there is no checkout or no git."""
    command = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "ls-files", "-z"]
    try:
        listing = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    paths = [ROOT / name.decode() for name in listing.split(b"\0") if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


MODULES = dict(modules())
TRANSFORMS = sorted(
    path.stem for path in (ROOT / "transforms").glob("*.py") if not path.stem.startswith("_")
)


def test_imports_point_down_only() -> None:
    wrong = []
    for module, path in MODULES.items():
        here = room(module)
        if here in FREE:
            continue
        for line, name in imports(path):
            there = room(name)
            if there not in FREE | {here} and layer(there) >= layer(here):
                wrong.append(f"{module}:{line} imports {name}")
    assert not wrong


def test_the_free_modules_import_nothing_of_the_rooms() -> None:
    free = [(m, p) for m, p in MODULES.items() if m.count(".") < 2 and room(m) in FREE]
    assert len(free) >= 2
    wrong = [m for m, path in free for _, name in imports(path) if room(name) not in FREE]
    assert not wrong


def test_a_transformation_imports_only_the_ast_layer_and_the_protocol() -> None:
    allowed = ("metamorph.java.", "metamorph.transforms._protocol.")
    wrong = []
    for name in TRANSFORMS:
        for line, imported in imports(ROOT / "transforms" / f"{name}.py"):
            standard = imported.split(".")[0] in sys.stdlib_module_names
            if not standard and not imported.startswith(allowed):
                wrong.append(f"{name}:{line} imports {imported}")
    assert not wrong


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transformation_has_fixtures(name: str) -> None:
    cases = list((ROOT / "fixtures" / "transforms" / name).glob("*/before.java"))
    assert cases


def test_pyproject_lists_exactly_the_packages_that_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found = {module for module, path in MODULES.items() if path.name == "__init__.py"}
    assert set(project["tool"]["setuptools"]["packages"]) == found | {"metamorph.corpus.sample"}


def test_linked_rooms_are_mapped_to_the_folders_that_the_links_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    mapped = project["tool"]["setuptools"]["package-dir"]
    for package, folder in mapped.items():
        place = ROOT.joinpath(*package.split("."))
        # A clone without symlinks holds the link's text in a file instead.
        target = place.readlink() if place.is_symlink() else Path(place.read_text())
        assert (place.parent / target).resolve() == (ROOT / folder).resolve()


def test_every_direct_dependency_is_pinned_by_a_bare_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    wanted = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    wanted += [requirement for extra in extras for requirement in extra]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []
    names = {re.split(r"[^\w.-]", requirement)[0] for requirement in wanted}
    assert names - {pin.partition("==")[0] for pin in pins} == set()


def test_every_module_says_what_it_is() -> None:
    public = {m: p for m, p in MODULES.items() if not m.rsplit(".", 1)[-1].startswith("_")}
    silent = [
        m for m, path in public.items() if not ast.get_docstring(ast.parse(path.read_bytes()))
    ]
    assert not silent


def test_no_source_file_is_too_long_to_read() -> None:
    lengths = {m: path.read_bytes().count(b"\n") for m, path in MODULES.items()}
    assert {m: n for m, n in lengths.items() if n > LONGEST_FILE} == {}


def test_no_tracked_file_names_a_machine_path_or_a_package_index() -> None:
    tops = "|".join(("home", "root", "work", "data", "Users", "opt", "mnt"))
    hosts = "|".join(
        ("pypi" + r"\.org/simple", "files" + r"\.pythonhosted", "extra-index-" + "url")
    )
    banned = re.compile(rf"(?<![\w.\-*}}/])/(?:{tops})/\w|{hosts}".encode())
    found = []
    for path in tracked_files():
        text = path.read_bytes()
        if b"\0" in text:
            continue
        found += [f"{path.relative_to(ROOT)}: {hit.group()!r}" for hit in banned.finditer(text)]
    assert not found


def test_help_loads_nothing_that_had_to_be_installed() -> None:
    script = (
        "import sys\n"
        "from metamorph.cli import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "except SystemExit:\n"
        "    pass\n"
        "files = {name: getattr(m, '__file__', None) for name, m in sys.modules.items()}\n"
        "found = [name for name, file in files.items() if file and 'site-packages' in file]\n"
        "own = ('_distutils_hack', '__editable__', 'metamorph')\n"
        "print([name for name in found if not name.startswith(own)], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert done.stderr == "[]\n"
    assert "usage: metamorph" in done.stdout
