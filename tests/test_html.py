"""The HTML report: what is in the page, and what must never be; no browser is needed."""

import base64
import hashlib
import json
import re
import shlex
import sqlite3
import unicodedata
import zipfile
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pages import HOSTILE, NAMES, Parts, hostile_page_of, page_of, parts, run, write_hostile
from studies import metamorph, study, write_corpus

from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.reports.html import page
from metamorph.reports.html.embedded import embed
from metamorph.reports.html.page import visible
from metamorph.reports.html.wording import share
from metamorph.runs.outcomes import listing
from metamorph.runs.summary import summarise


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Parts]:
    """The folder and the page of a run over hostile code with hostile names."""
    folder = tmp_path_factory.mktemp("hostile")
    write_hostile(folder / "src")
    made = run(folder, [str(folder / "src")], "--transform", "VN,LX,UN,PS", "--place", "both")
    return folder, parts(hostile_page_of(made))


def store_counts(run: Path) -> Counter[str]:
    """How many rows of each result the run's store has, by SQL alone."""
    connection = sqlite3.connect(run / "results.sqlite")
    query = "SELECT COALESCE(category, status), COUNT(*) FROM variants GROUP BY 1"
    found = Counter(dict(connection.execute(query)))
    (found["refused"],) = connection.execute("SELECT COUNT(*) FROM refusals").fetchone()
    connection.close()
    return +found


def test_the_page_lists_what_the_store_holds(folder: Path) -> None:
    made = study("out", write_corpus(folder / "src"), "--place", "both", transform="VN,PS,LX")
    assert Counter(parts(page_of(made)).results()) == store_counts(made)


def test_the_tables_show_the_counts_of_the_summary(folder: Path) -> None:
    made = study("out", write_corpus(folder / "src"), "--place", "both", transform="VN,PS")
    text = page_of(made)
    for row in summarise(made).tally:
        cells = (row.originals, row.variants, row.judged, row.changed)
        assert row.judged
        numbers = "".join(f"<td>{cell:,}</td>" for cell in cells)
        assert f'<td class="text">{row.place}</td>{numbers}' in text
        assert f"<b>{100 * row.changed / row.judged:.1f}\xa0%</b>" in text


class Structure(HTMLParser):
    """Tags, attributes that name something elsewhere, and the texts of scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.code: dict[str, list[str]] = {"script": [], "style": []}
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action")]
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]
        self._in = tag if tag in self.code and "type" not in dict(attrs) else ""

    def handle_data(self, data: str) -> None:
        if self._in:
            self.code[self._in].append(data)

    def handle_endtag(self, tag: str) -> None:
        self._in = ""


def structure(text: str) -> Structure:
    """The page as a browser takes it apart."""
    found = Structure()
    found.feed(text)
    return found


def test_hostile_texts_add_no_element(hostile: tuple[Path, Parts]) -> None:
    _, made = hostile
    found = structure(made.text)
    assert found.tags["img"] == 0 and found.handlers == []
    assert (found.tags["style"], found.tags["script"]) == (1, 2 + len(made.blocks))
    assert made.text.count("</script") == found.tags["script"]
    assert "<!--" not in made.text


def test_the_page_hides_no_character(hostile: tuple[Path, Parts]) -> None:
    _, made = hostile
    hidden = {c for c in made.text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert hidden <= {"\n"}


def test_the_page_asks_nothing_of_any_network(hostile: tuple[Path, Parts]) -> None:
    found = structure(hostile[1].text)
    assert found.links and all(re.fullmatch(r"#[a-z]+", link) for link in found.links)
    assert "url(" not in "".join(found.code["style"])
    assert not re.search(r"fetch\(|XMLHttpRequest|import\(|eval\(|innerHTML", hostile[1].text)


def test_the_policy_admits_this_script_and_this_style_alone(hostile: tuple[Path, Parts]) -> None:
    text = hostile[1].text
    found = structure(text)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src &#39;none&#39;;")
    for kind in ("script", "style"):
        digest = hashlib.sha256("".join(found.code[kind]).encode()).digest()
        assert f"{kind}-src &#39;sha256-{base64.b64encode(digest).decode()}&#39;" in text


def test_the_edits_of_an_outcome_make_its_variant(hostile: tuple[Path, Parts]) -> None:
    folder, made = hostile
    connection = sqlite3.connect(folder / "run" / "results.sqlite")
    query = "SELECT file, method, variant, edits FROM variants"
    stored = {row[:3]: row[3] for row in connection.execute(query)}
    connection.close()
    (method,) = methods(SourceFile("H.java", HOSTILE), parse(HOSTILE))
    checked = 0
    for block in made.blocks:
        for item, detail in block["items"].items():
            about = made.program(int(item))
            key = (about["file"], about["method"], made.of_item("number", int(item)))
            if made.results()[int(item)] == "refused":
                continue
            shown = block["programs"][f"{key[0]}:{key[1]}"]["text"]
            expected = HOSTILE.decode("utf-8", "surrogateescape")
            start = expected.index(shown)
            assert edited(shown, detail["edits"]) == in_bytes(stored[key], start, len(shown))
            checked += 1
    assert checked == len(stored) > 20
    assert method.name == "tell"


def edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    """The text after edits that count UTF-16 units, as JavaScript does."""
    units = text.encode("utf-16-le", "surrogatepass")
    for start, end, fresh in reversed(edits):
        inserted = fresh.encode("utf-16-le", "surrogatepass")
        units = units[: 2 * start] + inserted + units[2 * end :]
    return units.decode("utf-16-le", "surrogatepass")


def in_bytes(stored: str, start: int, length: int) -> str:
    """The hostile file after the stored edits, without what stands before and after the text."""
    data = HOSTILE
    for first, last, fresh in reversed(json.loads(stored)):
        data = data[:first] + fresh.encode("utf-8", "surrogateescape") + data[last:]
    whole = HOSTILE.decode("utf-8", "surrogateescape")
    after = data.decode("utf-8", "surrogateescape")
    return after[start : len(after) - (len(whole) - start - length)]


def test_the_command_of_an_outcome_makes_it_again(folder: Path) -> None:
    made = study(
        "out", write_corpus(folder / "src", 3, 2), "--place", "both", "--seed", "7",
        transform="VN,PS",
    )  # fmt: skip
    found = listing(made)
    item = next(item for item in found.items if item.changed and item.program.method == 1)
    own = {
        "{path}": item.program.source,
        "{transform}": item.transform,
        "{place}": item.place,
    }
    words = [own.get(word, word) for word in found.command]
    assert metamorph(*words[1:], "--out", "again") == 0
    again = listing(Path("again"))
    assert [
        other.answer
        for other in again.items
        if item.detail and other.detail and other.program.method == item.program.method
        and other.detail.edits == item.detail.edits
    ] == [item.answer]  # fmt: skip


def test_the_command_carries_what_the_answers_depend_on(folder: Path) -> None:
    made = study(
        "out", write_corpus(folder / "src", 1, 1), "--seed", "5", "--repeat", "2",
        "--task", "text", "--equality", "f1:0.5",
    )  # fmt: skip
    words = shlex.join(listing(made).command)
    for option in ("--seed 5", "--repeat 2", "--task text", "--equality f1:0.5"):
        assert option in words


def test_of_too_many_outcomes_a_spread_sample_is_listed(folder: Path) -> None:
    made = study("out", write_corpus(folder / "src", 30), "--place", "both", transform="VN,PS,LX")
    every, some = listing(made), listing(made, listed=60, detailed=20)
    assert len(some.items) == 60 < some.total == len(every.items)
    kinds = {(item.transform, item.place) for item in every.items}
    assert {(item.transform, item.place) for item in some.items} == kinds
    rate = sum(item.changed for item in every.items) / every.total
    assert sum(item.changed for item in some.items) / 60 >= rate
    opened = [item for item in some.items if item.detail]
    assert opened == some.items[:20] and all(item.changed for item in opened)
    assert f"the other {some.total - 60:,} are in the numbers above alone" in page_of(made, some)


def test_the_code_that_is_kept_is_bounded(folder: Path) -> None:
    made = study("out", write_corpus(folder / "src", 30), transform="VN")
    found = listing(made)
    whole, part = embed(found), embed(found, 4_000)
    assert sum(map(len, whole.blocks)) > 4_000 >= sum(map(len, part.blocks)) > 300
    assert whole.shown == len(found.items) > part.shown > 0


def test_code_is_looked_up_until_the_methods_have_so_many_statements(folder: Path) -> None:
    made = study("out", write_corpus(folder / "src", 30), transform="VN,PS")
    every = listing(made)
    few = listing(made, statements=9)
    opened = [item for item in few.items if item.detail]
    assert opened == every.items[: len(opened)] and len(few.items) == len(every.items)
    sizes = {(i.program.file, i.program.method): i.program.statements for i in opened}
    assert sizes.keys() == few.excerpts.keys()
    *others, last = sizes.values()
    assert sum(others) < 9 <= sum(others) + last


def test_a_listing_has_the_first_five_of_a_ranking(folder: Path) -> None:
    source = str(write_corpus(folder / "src", 3))
    assert metamorph("run", source, "--model", "code2vec", "--transform", "VN", "--out", "out") == 0
    found = listing(Path("out"))
    rankings = [item.detail.candidates for item in found.items if item.detail]
    assert rankings and {len(ranking) for ranking in rankings} == {5}
    assert {len(excerpt.candidates) for excerpt in found.excerpts.values()} == {5}


def test_a_source_that_changed_or_went_is_not_at_hand(folder: Path) -> None:
    source = write_corpus(folder / "src", 3, 1)
    made = study("out", source)
    (source / "C000.java").write_text("class C0 { }")
    (source / "C001.java").unlink()
    faults = {key[0]: text.fault for key, text in listing(made).excerpts.items()}
    assert faults == {0: "source not at hand", 1: "source not at hand", 2: ""}
    text = page_of(made)
    assert re.search(r"Of \d+ the source is not at hand", text)


def test_sources_in_archives_are_shown_and_named(folder: Path) -> None:
    source = write_corpus(folder / "src", 2, 1)
    with zipfile.ZipFile("corpus.zip", "w") as archive:
        for path in sorted(source.iterdir()):
            archive.write(path, f"project/{path.name}")
    found = listing(study("out", "corpus.zip"))
    assert {item.program.source for item in found.items} == {"corpus.zip"}
    assert all(text.text for text in found.excerpts.values())


def test_half_a_run_says_so(folder: Path) -> None:
    made = study("out", write_corpus(folder / "src", 3, 1))
    half = replace(summarise(made), complete=False, files_planned=9)
    assert "Half a run." in "".join(page(half, listing(made)))
    assert "Half a run." not in page_of(made)


def test_a_run_without_outcomes_makes_a_page(folder: Path) -> None:
    (folder / "Empty.java").write_text("class Empty { void f() { } }")
    text = page_of(study("out", "Empty.java", transform="PS"))
    assert "Nothing was tested" in text and "The run has no outcomes." in text


def test_a_run_without_answers_makes_a_page(folder: Path) -> None:
    source = write_corpus(folder / "src", 2, 1)
    text = page_of(run(folder, [str(source)], "--transform", "VN", model="silent"))
    assert "No outcome could be judged." in text
    assert "answered none of the" in text


def test_one_method_makes_a_page(folder: Path) -> None:
    text = page_of(study("out", write_corpus(folder / "src", 1, 1)))
    assert "asked about 1 method as it is, and about 5 variants that mean the same" in text
    assert "methods in 1 file<" in text and "too few methods for an interval" in text


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (0, 10, "never"),
        (10, 10, "every time"),
        (405, 1000, "4 times in 10"),
        (98, 100, "almost every time"),
        (1, 7, "1 time in 7"),
        (1, 21, "1 time in 20"),
        (3, 10_000, "1 time in 3,000"),
    ],
)
def test_shares_are_said_as_people_say_them(part: int, whole: int, said: str) -> None:
    assert share(part, whole) == said


def test_hidden_characters_are_spelt_out() -> None:
    assert visible("a\u202eb\x00\udcff\ud800\U000e0001") == "a\\u202eb\\u0000\\xff\\ud800\\u{e0001}"
    assert visible("plain é 日本 \t\n") == "plain é 日本 \t\n"


def test_hostile_paths_are_kept_whole(hostile: tuple[Path, Parts]) -> None:
    _, made = hostile
    paths = {made.index["strings"][n] for n in made.index["programs"]["path"]}
    assert {Path(path).name for path in paths} == set(NAMES)


def test_the_readme_shows_both_faces_in_small_pictures() -> None:
    root = Path(__file__).resolve().parent.parent
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (root / "README.md").read_text("utf-8"))
    assert {Path(path).suffix for path in pictures} == {".svg", ".png"}
    assert all(1_000 < (root / path).stat().st_size < 300_000 for path in pictures)
