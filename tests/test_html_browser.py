"""The HTML report in a real browser: filters, sorting, keys, the code side by side, sizes."""

import base64
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from pages import Parts, hostile_page_of, page_of, parts, run, write_hostile
from studies import write_corpus

PROGRAM = chromium.find()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")

ROWS = "#rows .row"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    """One browser for all tests."""
    assert PROGRAM is not None
    started = chromium.Browser(PROGRAM, tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Parts]:
    """The page of a run over an ordinary corpus, and what is in it."""
    folder = tmp_path_factory.mktemp("ordinary")
    sources = [str(write_corpus(folder / name, 4)) for name in ("one", "two")]
    options = ("--transform", "VN,LX,UN", "--place", "both", "--repeat", "2")
    return written(folder, page_of(run(folder, sources, *options, model="shy")))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Parts]:
    """The page of a run over code and names that try to break out of it."""
    folder = tmp_path_factory.mktemp("hostile")
    source = write_hostile(folder / "src")
    return written(folder, hostile_page_of(run(folder, [str(source)], "--transform", "VN,LX,UN")))


def written(folder: Path, text: str) -> tuple[Path, Parts]:
    """The page as a file, and taken apart."""
    (folder / "report.html").write_text(text, encoding="utf-8")
    return folder / "report.html", parts(text)


def values(made: Parts, name: str) -> list[str]:
    """The texts of a column of items."""
    return [made.index["strings"][n] for n in made.index["items"][name]]


def found(browser: chromium.Browser) -> int:
    """How many outcomes the list says that it has found."""
    (said,) = browser.texts("#found")
    return int(said.split()[0].replace(",", ""))


def test_the_page_works_without_a_complaint_or_a_request(
    browser: chromium.Browser, report: tuple[Path, Parts]
) -> None:
    page, made = report
    browser.open(page)
    assert found(browser) == len(made.results())
    assert browser.asked == [page.resolve().as_uri()]
    assert browser.said == []


@pytest.mark.parametrize("column", ["transform", "place", "result"])
def test_a_filter_lets_its_own_through(
    browser: chromium.Browser, report: tuple[Path, Parts], column: str
) -> None:
    page, made = report
    browser.open(page)
    column_values = values(made, column)
    for value in set(column_values) - {""}:
        browser.choose(column, value)
        assert found(browser) == column_values.count(value)


def test_filters_join_and_the_reset_undoes_them(
    browser: chromium.Browser, report: tuple[Path, Parts]
) -> None:
    page, made = report
    browser.open(page)
    browser.choose("transform", "VN")
    browser.choose("result", "any change")
    both = list(zip(values(made, "transform"), made.results(), strict=True))
    wanted = [pair for pair in both if pair[0] == "VN" and pair[1] in made.index["changing"]]
    assert 0 < found(browser) == len(wanted) < len(both)
    browser.click("#filters button[type=reset]")
    browser.wait_for(f"document.getElementById('found').textContent.startsWith('{len(both)} ')")


def test_projects_filter(browser: chromium.Browser, report: tuple[Path, Parts]) -> None:
    page, made = report
    browser.open(page)
    strings, every = made.index["strings"], range(len(made.results()))
    projects = [strings[made.program(item)["project"]] for item in every]
    assert len(set(projects)) == 2
    for project in set(projects):
        browser.choose("project", project)
        assert found(browser) == projects.count(project)


def test_reasons_length_and_text_filter(
    browser: chromium.Browser, report: tuple[Path, Parts]
) -> None:
    page, made = report
    browser.open(page)
    reasons = values(made, "reason")
    reason = next(reason for reason in reasons if reason)
    browser.choose("reason", reason)
    assert found(browser) == reasons.count(reason)
    browser.choose("reason", "")
    browser.choose("text", "SUM1OF3")
    titles = [made.index["strings"][made.program(n)["title"]] for n in range(len(reasons))]
    assert 0 < found(browser) == sum("sum1Of3" in title for title in titles)
    browser.choose("text", "nothing is called so")
    assert browser.texts("#rows")[0] == "No outcome passes these filters."


def test_a_click_on_a_head_sorts_and_another_turns_the_order(
    browser: chromium.Browser, report: tuple[Path, Parts]
) -> None:
    browser.open(report[0], height=1000)
    browser.choose("result", "WWSP")
    for name, text in (("method", "method b"), ("after", "after")):
        browser.click(f"#head .{name} button")
        up = browser.texts(f"{ROWS} .{text}")
        assert up == sorted(up, key=str.casefold)
        browser.click(f"#head .{name} button")
        down = browser.texts(f"{ROWS} .{text}")
        assert down == sorted(down, key=str.casefold, reverse=True) and down != up
        order = "document.querySelector('#head .%s').getAttribute('aria-sort')"
        assert browser.evaluate(order % name) == "descending"


def test_the_last_outcome_is_reached_by_scrolling(
    browser: chromium.Browser, report: tuple[Path, Parts]
) -> None:
    page, made = report
    browser.open(page)
    assert len(browser.texts(ROWS)) < 60 < len(made.results())
    browser.evaluate("document.getElementById('list').scrollTop = 1e9")
    browser.wait_for(f"!!document.getElementById('row-{len(made.results()) - 1}')")


def test_keys_move_open_step_and_close(
    browser: chromium.Browser, report: tuple[Path, Parts]
) -> None:
    browser.open(report[0])
    for key in "jjk":
        browser.press(key)
    assert browser.evaluate("document.querySelector('.row.selected').id") == "row-1"
    browser.press("Enter")
    browser.wait_for("document.getElementById('opened').open")
    first = browser.evaluate("location.hash")
    browser.press("j")
    assert browser.evaluate("location.hash") != first
    browser.press("Escape")
    browser.wait_for("!document.getElementById('opened').open")
    assert browser.evaluate("document.querySelector('.row.selected').id") == "row-2"
    browser.press("/")
    assert browser.evaluate("document.activeElement.id") == "text"
    browser.press("j")
    assert browser.evaluate("document.getElementById('text').value") == "j"


def test_an_address_opens_its_outcome(
    browser: chromium.Browser, report: tuple[Path, Parts]
) -> None:
    browser.open(report[0], fragment="#o=2:1:3")
    browser.wait_for("!!document.querySelector('.diff')")
    assert "id 2:1:3" in browser.texts("#opened header")[0]
    assert browser.texts("#opened h2") == ["C2.sum1Of2"]
    assert "metamorph run " in browser.texts("#opened .command")[0]


def test_a_part_of_a_bar_lists_its_outcomes(
    browser: chromium.Browser, report: tuple[Path, Parts]
) -> None:
    page, made = report
    browser.open(page)
    part = '.bar a[data-transform="UN"][data-result="WWSP"]'
    browser.evaluate(f"document.querySelector('{part}').scrollIntoView({{block: 'center'}})")
    browser.click(f"{part} rect")
    both = zip(values(made, "transform"), made.results(), strict=True)
    wanted = list(both).count(("UN", "WWSP"))
    browser.wait_for(f"document.getElementById('found').textContent.startsWith('{wanted} of ')")


def test_the_code_before_and_after_has_the_edits_marked(
    browser: chromium.Browser, report: tuple[Path, Parts]
) -> None:
    browser.open(report[0])
    browser.choose("transform", "VN")
    browser.choose("place", "single")
    browser.press("Escape")
    browser.click(ROWS)
    browser.wait_for("!!document.querySelector('.diff')")
    (renamed,) = browser.texts(".right-answer:last-child")
    old, new = renamed.removeprefix("Renamed: ").split(" → ")
    assert set(browser.texts(".diff del")) == {old} and set(browser.texts(".diff ins")) == {new}
    left, right = (
        browser.texts(f".diff tr > :nth-child({n}).code") for n in (2, 4)
    )  # fmt: skip
    assert left != right
    assert [line.replace(old, new) for line in left] == [line.replace(old, new) for line in right]


def test_hostile_code_is_shown_and_not_run(
    browser: chromium.Browser, hostile: tuple[Path, Parts]
) -> None:
    page, _ = hostile
    browser.open(page)
    browser.evaluate("document.getElementById('list').focus()")
    for key in ("Enter", *"jjjjjjjj"):
        browser.press(key)
        browser.wait_for("!!document.querySelector('.diff')")
    assert browser.evaluate("document.images.length") == 0
    assert browser.said == [] and browser.asked == [page.resolve().as_uri()]
    code = "\n".join(browser.texts(".diff .code"))
    for shown in (
        "</style><img src=x onerror=alert(2)> \\u202e\\u2066 <!--",
        "\\xff\\xfe",
        "\\u001b",
    ):
        assert shown in code
    hidden = r"/[\p{Cf}\p{Cs}\u2028]/u.test(document.body.innerText)"
    assert browser.evaluate(hidden) is False


def test_commands_quote_hostile_paths_for_a_shell(
    browser: chromium.Browser, hostile: tuple[Path, Parts], tmp_path: Path
) -> None:
    page, made = hostile
    browser.open(page)
    paths = {made.index["strings"][n] for n in made.index["programs"]["path"]}
    seen = set()
    for path in paths:
        browser.choose("text", path[-12:].replace(".java", ""))
        browser.evaluate("document.getElementById('list').focus()")
        browser.press("Enter")
        browser.wait_for("!!document.querySelector('.command')")
        (command, *_) = browser.texts(".command code")
        told = os.popen(f"bash -c {shell(command.replace('metamorph run', 'echo -E', 1))}").read()
        seen.add(told.partition(" --model")[0])
        browser.press("Escape")
        browser.wait_for("!document.getElementById('opened').open")
    assert seen == paths


def shell(text: str) -> str:
    """A text in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


@pytest.mark.parametrize("width", [360, 768, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_every_width_and_is_legible_in_both_schemes(
    browser: chromium.Browser, report: tuple[Path, Parts], width: int, scheme: str
) -> None:
    browser.media(prefers_color_scheme=scheme)
    browser.open(report[0], width=width)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    browser.evaluate("document.getElementById('list').focus()")
    browser.press("Enter")
    browser.wait_for("!!document.querySelector('.diff')")
    assert browser.evaluate("document.querySelector('.sheet').scrollWidth") <= width
    assert browser.evaluate(chromium.FAINT) == []
    browser.media(prefers_color_scheme="light")


def test_the_button_turns_the_colours(
    browser: chromium.Browser, report: tuple[Path, Parts]
) -> None:
    browser.open(report[0])
    ground = "getComputedStyle(document.body).backgroundColor"
    before = browser.evaluate(ground)
    browser.click("#theme")
    dark = browser.evaluate(ground)
    browser.click("#theme")
    assert before == browser.evaluate(ground) != dark


def test_every_control_has_a_name(browser: chromium.Browser, report: tuple[Path, Parts]) -> None:
    browser.open(report[0], fragment="#o=0:0:0")
    browser.wait_for("!!document.querySelector('.diff')")
    nodes = browser.send("Accessibility.getFullAXTree")["nodes"]
    wanted = {"button", "link", "combobox", "searchbox", "dialog", "grid", "img", "region"}
    nameless = [
        node["role"]["value"]
        for node in nodes
        if not node.get("ignored")
        and node["role"]["value"] in wanted
        and not node.get("name", {}).get("value")
    ]
    assert nameless == []


def test_a_list_of_100_000_outcomes_answers_at_once(
    browser: chromium.Browser, report: tuple[Path, Parts], tmp_path: Path
) -> None:
    _, made = report
    text, index = made.text, made.index
    times = 100_000 // len(made.results()) + 1
    items = {name: column * times for name, column in index["items"].items()}
    (tmp_path / "large.html").write_text(
        text.replace(packed_index(text), repacked({**index, "items": items})), encoding="utf-8"
    )
    browser.open(tmp_path / "large.html")
    assert found(browser) == times * len(made.results()) >= 100_000
    spent = browser.evaluate(
        "(() => { const e = document.getElementById('text'); e.value = 'sum1';"
        "const t = performance.now(); e.dispatchEvent(new Event('input', {bubbles: true}));"
        "document.getElementById('list').offsetHeight; return performance.now() - t; })()"
    )
    assert spent < 3_000


def packed_index(text: str) -> str:
    """The packed index of a page."""
    return text.partition('id="index">')[2].partition("<")[0]


def repacked(index: object) -> str:
    """Another index, packed as the page's is."""
    return base64.b64encode(gzip.compress(json.dumps(index).encode())).decode()
