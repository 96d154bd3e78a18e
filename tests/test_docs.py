"""The manuals: links lead somewhere, every page is listed, commands and options exist."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import metamorph_pytest
from metamorph.cli import _parser

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.M)
COMMAND = re.compile(r"(?<![\w./-])metamorph ((?:(?![`\n]|(?<= )[|#&>] ).)+)")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
PYTEST = {"--import-mode", "--lf"}


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    """The page, its continued lines in one."""
    return re.sub(r"\\\n\s*", "", page.read_text(encoding="utf-8"))


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= action.choices
    return found


def chain(words: list[str]) -> Iterator[list[argparse.ArgumentParser]]:
    """The parsers that read the words, outermost first; `build|verify` stands for two commands."""
    heads = [[_parser()]]
    for word in words:
        longer = []
        for parsers in heads:
            known = subcommands(parsers[-1])
            if known:
                alternatives = [part.strip("`.,;:()") for part in word.split("|")]
                longer += [[*parsers, known[part]] for part in alternatives if part in known]
                assert set(alternatives) <= known.keys(), f"no command {word}"
        if not longer:
            break
        heads = longer
    yield from heads


def faults(page: Path) -> Iterator[str]:
    """What the page says of commands and options that is not so."""
    for match in COMMAND.finditer(text_of(page).replace("\\|", "|")):
        words = match[1].split()
        if not re.fullmatch(r"[a-z|-]+[.,;:]?", words[0]):
            continue
        if words[0].strip(".,;:") not in subcommands(_parser()) and "--" not in match[1]:
            continue
        for parsers in chain(words):
            known = {option for parser in parsers for option in parser._option_string_actions}
            for option in OPTION.findall(QUOTED.sub("", match[1])):
                if option not in known:
                    yield f"{match[0]}: no {option}"


def every_option(parser: argparse.ArgumentParser) -> set[str]:
    found = set(parser._option_string_actions)
    for command in subcommands(parser).values():
        found |= every_option(command)
    return found


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        path, _, heading = link.partition("#")
        if re.match(r"\w+:", path):
            continue
        target = page.parent / path if path else page
        assert target.exists(), f"{named(page)} links to {link}"
        if heading:
            titles = HEADING.findall(target.read_text(encoding="utf-8"))
            slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
            assert heading in slugs, f"{named(page)} links to {link}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_are_spelt_as_the_parser_knows_them(page: Path) -> None:
    assert list(faults(page)) == []


def test_every_option_that_a_manual_names_alone_is_one_of_some_command() -> None:
    plugin = set(OPTION.findall((ROOT / "metamorph_pytest.py").read_text(encoding="utf-8")))
    plugin |= {f"--metamorph-{name}" for name in metamorph_pytest._DEFAULTS}
    known = every_option(_parser()) | PYTEST | plugin
    unknown = {
        f"{named(page)}: {option}"
        for page in PAGES
        for option in re.findall(r"`(--[a-z][\w-]*)", text_of(page))
        if option not in known
    }
    assert unknown == set()


def test_every_manual_is_listed_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert pages - set(LINK.findall(index)) == set()
    assert "docs/README.md" in LINK.findall((ROOT / "README.md").read_text(encoding="utf-8"))


def test_every_room_is_on_the_map() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {path.parent for path in (ROOT / "metamorph").glob("*/__init__.py")}
    names = {f"{named(room)}/" for room in rooms if not room.is_symlink()}
    assert len(names) > 10
    missing = {name for name in names | {"transforms/", "oracles/"} if f"`{name}`" not in text}
    assert missing == set()


def test_every_command_is_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("\\|", "|")
    assert {name for name in subcommands(_parser()) if f"`metamorph {name}" not in text} == set()
