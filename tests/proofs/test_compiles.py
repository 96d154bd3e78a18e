"""Variants of a real source tree, compiled by javac in place of their originals.

METAMORPH_PROOF_SOURCES: the source root. METAMORPH_PROOF_SAMPLE: how many single-place variants
of each transformation, or `all` (default 500). METAMORPH_PROOF_JAVAC: options that let javac
compile one file of the root alone; without them the whole root is compiled first, and its
classes are the class path.
"""

import os
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest

from metamorph.java.edits import Edit, apply
from metamorph.java.javac import Javac
from metamorph.java.methods import methods
from metamorph.java.sites import Site
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.transforms import codes, load
from metamorph.transforms._protocol import Choices

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CASES = FIXTURES / "transforms"
SAME_CLASSES = ("VN",)
"""Transformations whose variants have the class files of their originals."""
OPTIONS = ("-nowarn", "-proc:none", "-g:none")

pytestmark = pytest.mark.proof


@dataclass(frozen=True, slots=True)
class Job:
    """A file below the root, and the edits of one variant."""

    path: str
    edits: tuple[Edit, ...]
    what: str

    def texts(self, root: Path) -> tuple[SourceFile, bytes]:
        """The original, and the variant."""
        file = original(root / self.path)
        return file, apply(file.data, self.edits)


@pytest.fixture(scope="module")
def root() -> Path:
    """The source root under test."""
    given = os.environ.get("METAMORPH_PROOF_SOURCES")
    if not given:
        pytest.skip("METAMORPH_PROOF_SOURCES names no source root")
    if shutil.which("javac") is None:
        pytest.skip("no javac on the PATH")
    return Path(given)


@pytest.fixture(scope="module")
def javac_options(root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Options with which one file of the root compiles."""
    given = os.environ.get("METAMORPH_PROOF_JAVAC")
    if given:
        return [*OPTIONS, *given.split()]
    classes = tmp_path_factory.mktemp("classes")
    sources = sorted(str(path) for path in root.rglob("*.java"))
    listing = classes.with_suffix(".txt")
    listing.write_text("\n".join(f'"{path}"' for path in sources))
    command = ["javac", *OPTIONS, "-encoding", "UTF-8", "-d", str(classes), f"@{listing}"]
    subprocess.run(command, check=True)
    return [*OPTIONS, "-cp", str(classes)]


@pytest.mark.parametrize("place", ["single", "all"])
@pytest.mark.parametrize("code", codes())
def test_variants_compile_in_place_of_their_originals(
    code: str,
    place: str,
    root: Path,
    javac_options: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    if place not in load(code).PLACES:
        pytest.skip(f"{code} has no {place} place")
    jobs = sampled(list(jobs_of(root, code, place)))
    assert jobs
    answers = compiled(root, javac_options, jobs)
    verdicts = Counter(answer.split(" ")[0] for answer in answers)
    with capsys.disabled():
        print(f"\n{code} {place}: {len(jobs)} variants, {dict(verdicts)}")
    failures = [
        f"{job.path} {job.what}: {answer}"
        for job, answer in zip(jobs, answers, strict=True)
        if not right(code, answer)
    ]
    assert not failures, "\n".join(failures[:50])


@pytest.mark.parametrize("code", codes())
def test_cases_compile_as_their_originals_do(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = CASES / load(code).__name__.rpartition(".")[2]  # type: ignore[attr-defined]
    jobs = list(jobs_of_cases(folder))
    if shutil.which("javac") is None:
        pytest.skip("no javac on the PATH")
    answers = dict(zip(jobs, compiled(folder, OPTIONS, jobs), strict=True))
    broken = {job.path for job in jobs if job.what == "before" and answers[job] != "same"}
    kept = [job for job in jobs if job.path not in broken and job.what != "before"]
    with capsys.disabled():
        print(f"\n{code}: {len(kept)} variants of cases; do not compile as they are:")
        print(" ".join(sorted(Path(path).parent.name for path in broken)))
    failures = [
        f"{job.path} {job.what}: {answers[job]}" for job in kept if not right(code, answers[job])
    ]
    assert kept
    assert not failures, "\n".join(failures)


def jobs_of_cases(folder: Path) -> Iterator[Job]:
    """Each case's original, then each of its variants in its place."""
    for before in sorted(folder.glob("*/before.java")):
        name, size = str(before.relative_to(folder)), before.stat().st_size
        yield Job(name, (), "before")
        for after in sorted(before.parent.glob("a*.java")):
            yield Job(name, (Edit(0, size, after.read_bytes()),), after.name)


def right(code: str, answer: str) -> bool:
    """Whether the driver's answer is what the transformation promises."""
    same = ("same", "captured")
    return answer.startswith(same if code in SAME_CLASSES else (*same, "different"))


def jobs_of(root: Path, code: str, place: str) -> Iterator[Job]:
    """A job for each site, or one for each file with all its sites."""
    for path in sorted(root.rglob("*.java")):
        data = path.read_bytes()
        sites = list(sites_of(SourceFile(str(path), data), code, place))
        name = str(path.relative_to(root))
        if place == "single":
            for line, site in sites:
                yield Job(name, site.edits, f"line {line} {site.names}")
        elif sites:
            yield Job(name, tuple(e for _, site in sites for e in site.edits), "all sites")


def sites_of(file: SourceFile, code: str, place: str) -> Iterator[tuple[int, Site]]:
    """The sites of the file's outermost methods, each with its method's line."""
    tree = parse(file.data)
    if tree.has_error:
        return
    choices = Choices.for_file(file.data, random.Random(0), distinct=place == "all")
    end = 0
    for method in methods(file, tree):
        if method.start >= end:
            end = method.end
            for found in load(code).sites(method, choices):
                if isinstance(found, Site):
                    yield method.line, found


def sampled(jobs: list[Job]) -> list[Job]:
    """As many jobs as asked for, those of a file still next to each other."""
    size = os.environ.get("METAMORPH_PROOF_SAMPLE", "500")
    if size == "all" or len(jobs) <= int(size):
        return jobs
    return [jobs[i] for i in sorted(random.Random(0).sample(range(len(jobs)), int(size)))]


def compiled(root: Path, options: Sequence[str], jobs: Sequence[Job]) -> list[str]:
    """The checker's answer to each job: `same`, `captured`, `different CLASS` or `error ...`."""
    javac = Javac(options, classes=True)
    try:
        return [" ".join(javac.answer(*job.texts(root))) for job in jobs]
    finally:
        javac.close()


@lru_cache(maxsize=1)
def original(path: Path) -> SourceFile:
    """A file of the root, one value for all jobs that follow each other."""
    return SourceFile(str(path), path.read_bytes())
