"""Bytes that are not what their names promise: broken Java, and archives that lie."""

import io
import json
import random
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from studies import column, metamorph, study

JAVA = b"""\
package a.b;

/** A counter: <p>x &lt; y</p>. */
final class Counter<T extends Comparable<T>> {
    private int[] seen = {1, 2, 3};

    @Override
    public int count(String s, boolean strict) throws Exception {
        int total = 0, other = 'x';
        for (int i = 0; i < s.length(); i++) {
            boolean same = s.charAt(i) == '\\u0041' && !strict;
            switch (total) { case 1: total += i; break; default: total--; }
            if (same) { total++; } else if (i > 3) continue;
        }
        Runnable r = () -> { String t = "a\\"b" + other; }; // done
        return total > 0 ? total : -1; /* end */
    }
}
"""


def zipped(path: Path, texts: Iterable[bytes]) -> Path:
    """An archive of Java files with these texts."""
    with zipfile.ZipFile(path, "w") as archive:
        for number, text in enumerate(texts):
            archive.writestr(f"A{number:05}.java", text)
    return path


def accounts(run: Path) -> dict[str, int]:
    """How many files, and how many of them are unparsable; all variants are answered."""
    assert metamorph("report", run, "--format", "json", "--out", f"{run}.json") == 0
    told = json.loads(Path(f"{run}.json").read_text())["accounting"]
    assert told["variants"] == told["answered"] + told["no_answer"]
    assert not told.get("broken")
    return {"files": told["files"], "unparsable": told["files_unparsable"]}


def through_all(corpus: Path, files: int, least: int) -> None:
    """Put a corpus through the commands; at least so many of its files parse."""
    found = accounts(study("run", corpus, "--place", "both", transform="all"))
    assert found["files"] == files
    assert least <= files - found["unparsable"]
    made = ("--transform", "all", "--place", "single", "--format", "files", "--out", "files")
    assert metamorph("transform", corpus, *made) == 0
    for style in ("code2vec", "code2seq"):
        assert metamorph("contexts", corpus, "--style", style, "--comments", "official") == 0
    assert metamorph("duplicates", "find", corpus) == 0


def test_every_prefix_of_a_file_is_taken(folder: Path) -> None:
    prefixes = [JAVA[:end] for end in range(0, len(JAVA) + 1, 5)]
    through_all(zipped(folder / "a.zip", prefixes), len(prefixes), 1)


def test_a_file_that_lacks_any_one_byte_is_taken(folder: Path) -> None:
    texts = [JAVA[:at] + JAVA[at + 1 :] for at in range(0, len(JAVA), 11)]
    through_all(zipped(folder / "a.zip", texts), len(texts), len(texts) // 3)


def test_bytes_of_any_kind_are_taken(folder: Path) -> None:
    rng = random.Random(7)
    strange = [
        b"",
        b"\0",
        b"\xef\xbb\xbf" + JAVA,
        JAVA.decode().encode("utf-16"),
        JAVA.decode().encode("utf-16-be"),
        JAVA.replace(b"\n", b"\r"),
        JAVA.replace(b"\n", b"\r\n"),
        JAVA.replace(b"total", b"t\xff\xfetal"),
        JAVA.replace(b"total", b"t\xed\xa0\x80tal"),
        JAVA.replace(b"total", b"t\\u0061tal"),
        JAVA.replace(b"{", b"\\u007b").replace(b"}", b"\\uuu007d"),
        JAVA.replace(b" ", b"\0"),
        JAVA.replace(b"x &lt", b"\x1b[31m\x07"),
        b"".join(b"\\u%04x" % each for each in JAVA),
        *(rng.randbytes(rng.randrange(2000)) for _ in range(40)),
    ]
    for _ in range(60):
        text = bytearray(JAVA)
        for _ in range(rng.randrange(1, 9)):
            text[rng.randrange(len(text))] = rng.randrange(256)
        strange.append(bytes(text))
    through_all(zipped(folder / "a.zip", strange), len(strange), 4)


EVIL = (
    "../evil.java",
    "/evil.java",
    "a/../../evil.java",
    "..\\evil.java",
    "C:\\evil.java",
    "a/./b.java",
    "a/b.java/c.java",
    "y" * 300 + ".java",
    "x/" * 1500 + "deep.java",
)


def evil_archives(folder: Path) -> list[Path]:
    """A zip and a tar whose members lie elsewhere by their names, or are links."""
    with zipfile.ZipFile(folder / "evil.zip", "w") as archive:
        for name in EVIL:
            archive.writestr(name, JAVA)
        link = zipfile.ZipInfo("link.java")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    with tarfile.open(folder / "evil.tar", "w") as tar:
        for name in EVIL:
            member = tarfile.TarInfo(name)
            member.size = len(JAVA)
            tar.addfile(member, io.BytesIO(JAVA))
        zero = tarfile.TarInfo()
        zero.size, zero.pax_headers = len(JAVA), {"path": "zero.java\0.java"}
        tar.addfile(zero, io.BytesIO(JAVA))
        for kind, target in ((tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "../../x.java")):
            member = tarfile.TarInfo("link.java")
            member.type, member.linkname = kind, target
            tar.addfile(member)
    return [folder / "evil.zip", folder / "evil.tar"]


def everything(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}


def test_no_member_is_ever_written_outside_of_the_folder_asked_for(folder: Path) -> None:
    inner = folder / "x" / "y" / "out"
    for archive in evil_archives(folder):
        before = everything(folder)
        for format in ("files", "jsonl"):
            options = ("--transform", "VN,UN", "--place", "single", "--format", format)
            assert metamorph("transform", archive, *options, "--out", inner / format) == 0
        options = ("--transform", "VN", "--format", "java,jsonl")
        assert metamorph("suite", "build", archive, *options, "--out", inner / "suite") == 0
        options = ("--write", "tree", "--min-tokens", "1000", "--out", inner / "dedup")
        assert metamorph("duplicates", "dedup", archive, *options) == 0
        kept = [path for path in (inner / "dedup").rglob("*") if path.is_file()]
        assert len(kept) == len(EVIL) + (archive.suffix == ".tar")
        own = {path for path in everything(folder) if path.is_relative_to(folder / "x")}
        assert everything(folder) == before | own
        assert not any(path.is_symlink() for path in own)
        assert any(path.suffix == ".java" for path in own)
        for path in sorted(own, reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
    assert not Path("/evil.java").exists()


def test_links_out_of_a_tree_are_not_followed_by_the_copy(folder: Path) -> None:
    outside = folder / "outside"
    outside.mkdir()
    (outside / "B.java").write_bytes(JAVA)
    source = folder / "src"
    source.mkdir()
    (source / "A.java").write_bytes(JAVA)
    (source / "link.java").symlink_to(outside / "B.java")
    (source / "folder").symlink_to(outside)
    assert metamorph("transform", source, "--transform", "VN", "--out", "out") == 0
    assert (outside / "B.java").read_bytes() == JAVA
    assert (folder / "out" / "link.java").is_symlink()


def test_bombs_are_skipped_by_name(folder: Path) -> None:
    zeros = b"\0" * 1_000_000
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("Bomb.java", "w") as member:
            for _ in range(70):
                member.write(zeros)
        archive.writestr("Plain.java", JAVA)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("Plain.java", JAVA + b"\n")
        nested = io.BytesIO()
        with zipfile.ZipFile(nested, "w") as inner:
            inner.writestr("Inner.java", JAVA)
        archive.writestr("inner.zip", nested.getvalue())
    run = study("run", folder / "bomb.zip")
    assert Counter(column(run, "files", "status")) == {"too-large": 1, "parsed": 1}


def test_a_tar_that_promises_more_than_it_holds_is_damaged(folder: Path) -> None:
    member = tarfile.TarInfo("Huge.java")
    member.size = 1 << 40
    plain = tarfile.TarInfo("Plain.java")
    plain.size = len(JAVA)
    text = plain.tobuf() + JAVA + b"\0" * (-len(JAVA) % 512) + member.tobuf() + JAVA
    (folder / "huge.tar").write_bytes(text)
    run = study("run", folder / "huge.tar")
    statuses = Counter(column(run, "files", "status"))
    assert statuses == {"parsed": 1, "too-large": 1, "damaged-archive": 1}


@pytest.mark.parametrize(
    "record",
    [
        '{"code": "int f() { return 1; }", "label": NaN}',
        '{"code": "int f() { return 1; }", "label": 1' + "0" * 5000 + "}",
        '{"code": "int f() { return 1; }", "x": ' + "[" * 50_000 + "]" * 50_000 + "}",
        '{"code": "int f() { int \\ud800 = 1; return 1; }"}',
        '{"code": "int f() { return 1; }", "project": "\\u0000\\u001b[31m"}',
        "[" * 100_000,
        "1" * 100_000,
        "\ufeff{}",
    ],
    ids=["nan", "huge-integer", "deep-field", "surrogate", "control", "deep", "number", "bom"],
)
def test_hostile_records_are_taken_or_skipped_by_name(folder: Path, record: str) -> None:
    path = folder / "a.jsonl"
    plain = json.dumps({"code": JAVA.decode()})
    path.write_text(record + "\n" + plain + "\n", encoding="utf-8")
    found = accounts(study("run", path))
    assert found["files"] == 2
    made = ("--transform", "VN", "--format", "files", "--out", "files")
    assert metamorph("transform", path, *made) == 0
    assert metamorph("contexts", path, "--style", "code2vec") == 0
    assert metamorph("suite", "build", path, "--transform", "VN", "--out", "suite") == 0
    assert metamorph("suite", "verify", "suite") == 0


def test_a_line_beyond_the_limit_is_no_record_in_any_of_its_parts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("metamorph.corpus.jsonl.MAX_BYTES", 100)
    record = '{"tokens": ["a", "b"], "filename": "x"}'
    plain = json.dumps({"code": "int f(int a) { int b = a; return b; }"})
    (folder / "a.jsonl").write_text("y" * 100 + record + "\n" + plain + "\n")
    find = ("duplicates", "find", "a.jsonl", "--format", "json", "--min-tokens", "1")
    assert metamorph(*find) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["skipped"] == [{"path": "a.jsonl:1", "reason": "too-large"}]
    assert found["statistics"]["units"] == 1
