"""Controls: what should move no prediction, told apart, and the noise that it measures."""

import random
from pathlib import Path

import pytest
from studies import metamorph, study, write_corpus, write_models
from tellers import Teller

from metamorph.corpus import read_sources, sample_path
from metamorph.java.methods import Method, methods
from metamorph.java.sites import Site
from metamorph.java.source import SourceFile
from metamorph.java.tree import Tree, parse
from metamorph.java.variants import make_variant
from metamorph.models import Options
from metamorph.runs.cache import remembering
from metamorph.runs.pipeline import study_each
from metamorph.runs.plans import plan
from metamorph.runs.settings import Settings
from metamorph.runs.summary import summarise
from metamorph.transforms import reformat
from metamorph.transforms._protocol import Choices

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "transforms"
LITERALS = ("string_literal", "character_literal")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the models of the tests and a corpus in `src`."""
    write_models(tmp_path)
    write_corpus(tmp_path / "src", 4)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def tokens(tree: Tree) -> list[bytes]:
    """Comments, whole literals, and everything else that has no parts."""
    inside = {
        n for literal in tree.of_kinds(LITERALS) for n in range(literal + 1, tree.after[literal])
    }
    ends = [n for n in range(len(tree)) if tree.after[n] == n + 1 or tree.kind[n] in LITERALS]
    return [tree.bytes_of(node) for node in ends if node not in inside]


def reformatted(method: Method, seed: int) -> bytes:
    """The file with that method's white space changed."""
    choices = Choices.for_file(method.file.data, random.Random(seed))
    (site,) = reformat.sites(method, choices)
    assert isinstance(site, Site)
    return make_variant(method, [site], "single").data


def programs() -> list[SourceFile]:
    """Java of every kind: the sample corpus, and all that transformations are tried on."""
    paths = [str(sample_path()), *map(str, sorted(FIXTURES.glob("*/*/before.java")))]
    found = [source for source in read_sources(paths) if isinstance(source, SourceFile)]
    return [source for source in found if not parse(source.data).has_error]


def test_reformatting_keeps_every_token_and_changes_every_method() -> None:
    seen = 0
    for number, source in enumerate(programs()):
        tree = parse(source.data)
        before = tokens(tree)
        for method in methods(source, tree):
            after = reformatted(method, number)
            assert after != source.data
            assert b"".join(after.split()) == b"".join(source.data.split())
            made = parse(after)
            assert not made.has_error
            assert tokens(made) == before
            seen += 1
    assert seen > 300


def test_styles_differ_by_chance() -> None:
    source = next(s for s in programs() if "every-gap" in s.path)
    method = next(methods(source, parse(source.data)))
    assert len({reformatted(method, seed) for seed in range(20)}) > 8


def test_a_control_is_applied_once_whatever_the_place() -> None:
    pairs, _ = plan(["VN", "identity"], "both")
    assert pairs == (("VN", "single"), ("VN", "all"), ("identity", "single"))


def test_a_steady_model_has_no_noise_floor_to_speak_of(folder: Path) -> None:
    summary = summarise(study("run", "src", "--controls"))
    rows = {row.transform: row for row in summary.tally}
    assert list(rows) == ["VN", "identity", "reformat"]
    assert [row.control for row in summary.tally] == [False, True, True]
    assert rows["identity"].variants == rows["reformat"].variants == 16
    assert rows["identity"].changed == rows["reformat"].changed == 0
    assert rows["VN"].noise_floor == rows["VN"].layout_floor == 0
    assert rows["VN"].changed > 0


def test_an_unsteady_model_is_found_out_by_the_identity(folder: Path) -> None:
    summary = summarise(study("run", "src", model="unsteady", transform="VN,identity"))
    vn, identity = summary.tally
    assert identity.change_rate and vn.noise_floor == identity.change_rate
    assert vn.layout_floor is None


def test_the_identity_is_asked_anew_and_not_answered_from_the_cache(folder: Path) -> None:
    source = SourceFile("A.java", b"class A { int f(int a) { return a; } }")
    settings = Settings(("A.java",), "teller", (("identity", "single"),), repeat=2)
    asked = []
    for _ in range(2):
        teller = Teller()
        (row,) = study_each([(0, source)], remembering(teller, Options()), settings)
        asked.append(len(teller.asked))
        assert row.methods[0].variants[0].prediction is not None
    assert asked == [3, 0], "the original twice and the identity, and all three are kept"


def test_without_controls_or_repeats_no_floor_is_told(folder: Path) -> None:
    (row,) = summarise(study("run", "src")).tally
    assert row.noise_floor is None and row.layout_floor is None and not row.control


def test_all_is_all_without_the_controls(folder: Path) -> None:
    assert (
        metamorph("run", "src", "--model", "python:models_for_tests:word", "--transform", "all")
        == 0
    )
    names = {row.transform for row in summarise(folder / "metamorph-run").tally}
    assert names == {"BX", "LX", "PS", "SF", "TC", "UN", "VN"}
