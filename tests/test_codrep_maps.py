"""CodRep: where the lines of a changed program are."""

import os
from pathlib import Path

import pytest
from codrep_maps import broken_maps, everything

from metamorph.codrep.changes import parsed
from metamorph.codrep.images import images
from metamorph.codrep.movers import MOVERS
from metamorph.codrep.reading import ARTEFACT, Question, find_tasks
from metamorph.java.edits import Edit, apply
from metamorph.java.tree import parse

CORPUS = sorted((Path(__file__).resolve().parent.parent / "fixtures" / "corpus").rglob("*.java"))
TASKS = os.environ.get("METAMORPH_PROOF_CODREP", "")


def image(data: bytes, edits: list[Edit], line: int) -> set[int]:
    return set(images(data, edits, apply(data, edits)).of.get(line, ()))


def replacing(data: bytes, old: bytes, new: bytes) -> Edit:
    at = data.index(old)
    return Edit(at, at + len(old), new)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_every_unedited_line_is_where_the_map_says(path: Path, ending: bytes) -> None:
    program = path.read_bytes().replace(b"\n", ending)
    asked = Question(b"int x;", program + ARTEFACT)
    tree = parsed(asked)
    assert tree is not None
    count, faults = broken_maps(asked, tree, everything(per_task=2))
    assert count >= 10
    assert faults == []


@pytest.mark.proof
@pytest.mark.skipif(not TASKS, reason="METAMORPH_PROOF_CODREP names no datasets")
def test_every_unedited_line_of_real_tasks_is_where_the_map_says() -> None:
    faults: list[str] = []
    looked = 0
    for task in find_tasks([TASKS])[0]:
        asked = task.question()
        tree = parsed(asked)
        if tree is not None:
            count, wrong = broken_maps(asked, tree, everything(per_task=0, place="single"))
            looked += count
            faults += [f"{task.path}: {fault}" for fault in wrong]
    assert looked
    assert faults == []


def test_a_line_edited_within_itself_stays_the_same_line() -> None:
    data = b"a\nint x = 1;\nb\n"
    assert image(data, [Edit(0, 0, b"new\n"), replacing(data, b"x = 1", b"y = 2")], 2) == {3}
    whole = replacing(data, b"int x = 1;", b"f();")
    assert image(data, [Edit(0, 0, b"new\n"), whole], 2) == {3}


def test_statements_that_change_places_take_their_lines_along() -> None:
    data = b"{\n  a();\n  b(1,\n    2);\n}\n"
    edits = [replacing(data, b"a();", b"b(1,\n    2);"), replacing(data, b"b(1,\n    2);", b"a();")]
    assert [image(data, edits, line) for line in (1, 2, 3, 4, 5)] == [{1}, {4}, {2}, {3}, {5}]


def test_a_line_that_is_split_has_both_parts_as_images() -> None:
    data = b"for (int i = 0; go; i++) {\n}\n"
    at = data.index(b"go")
    edits = [Edit(at, at, b"\n"), Edit(0, 0, b"// x\n")]
    assert image(data, edits, 1) == {2, 3}


def test_a_line_that_vanishes_has_no_image() -> None:
    data = b"a\nb\nc\n"
    where = images(data, [Edit(2, 4, b"")], b"a\nc\n")
    assert 2 not in where.of
    assert where.known == {1, 2, 3}


def test_inserted_lines_are_no_images() -> None:
    data = b"a\nb\n"
    where = images(data, [Edit(2, 2, b"x\ny\n")], b"a\nx\ny\nb\n")
    assert (where.of[2], where.known & {2, 3}) == ({4}, set())


def _every_comment(data: bytes) -> list[bytes]:
    """The file with a comment at each of the places where one may be put."""

    class Nth:
        def __init__(self, n: int) -> None:
            self.n = n

        def choice(self, places: list[int]) -> int:
            return places[min(self.n, len(places) - 1)]

    tree = parse(data)
    return [apply(data, MOVERS["comment"](tree, Nth(n))) for n in range(data.count(b"\n") + 1)]  # type: ignore[arg-type]


def test_comments_never_stand_within_a_comment_or_a_text_block() -> None:
    data = b'\xef\xbb\xbf/* a\n b */\nclass A {\n  String s = """\n    x\n    """;\n}\n'
    found = set(_every_comment(data))
    assert len(found) == 5
    for text in found:
        assert text.startswith(b"\xef\xbb\xbf")
        assert not parse(text).has_error
        assert b"/* a\n b */" in text
        assert b'"""\n    x\n    """' in text
    assert b"  // metamorph\n  String s" in b"".join(found)


def test_imports_change_places_and_nothing_else_does() -> None:
    import random

    data = b"package p;\nimport a.B;\n\nimport static c.D.e;\nimport f.*; // why\nclass A {}\n"
    tree = parse(data)
    after = apply(data, MOVERS["imports"](tree, random.Random(0)))
    assert after == (
        b"package p;\nimport static c.D.e;\n\nimport a.B;\nimport f.*; // why\nclass A {}\n"
    )
    assert MOVERS["imports"](parse(b"import a.B;\nclass A {}\n"), random.Random(0)) == ()
