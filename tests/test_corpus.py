"""Corpora: what is read, in which order, and what is skipped with which reason."""

import gzip
import io
import json
import os
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from metamorph.corpus import Skipped, read_sources, sample_path, survey
from metamorph.corpus import skips as limits
from metamorph.durable import is_draft, whole_folder
from metamorph.errors import UserError
from metamorph.java.source import SourceFile
from metamorph.runs.whole_trees import copy_tree
from metamorph.training.corpus import java_files

CLASS = b"class A { int f(int n) { return n; } }"


def read(*paths: Path) -> dict[str, bytes | str]:
    """Path -> bytes, or the reason for which it was skipped."""
    found = read_sources([str(path) for path in paths])
    return {s.path: s.data if isinstance(s, SourceFile) else s.reason for s in found}


def write(path: Path, data: bytes = CLASS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_a_folder_is_walked_in_sorted_order_whatever_its_depth(tmp_path: Path) -> None:
    for name in ("b/Z.java", "b/A.java", "a/M.java", "C.java", "notes.txt"):
        write(tmp_path / name)
    names = [os.path.relpath(path, tmp_path) for path in read(tmp_path)]
    assert names == ["C.java", "a/M.java", "b/A.java", "b/Z.java"]


def test_bytes_are_kept_whatever_the_encoding(tmp_path: Path) -> None:
    for name, data in (
        ("Bom.java", b"\xef\xbb\xbf" + CLASS),
        ("Crlf.java", b"class A {\r\n}\r\n"),
        ("Latin1.java", b'class A { String s = "\xe9"; }'),
        ("Empty.java", b""),
        ("Nul.java", b'class A { String s = "\0"; }'),
        ("Utf16.java", "class A { }".encode("utf-16")),
    ):
        assert read(write(tmp_path / name, data)) == {str(tmp_path / name): data}


def test_what_a_killed_command_left_is_no_source(tmp_path: Path) -> None:
    left = ".out.unfinished-a_3bcdef"
    for name in (
        f"src/{left}/A.java",
        f"src/a/{left}/b/A.java",
        f"src/{left}x/A.java",
        "src/B.java",
    ):
        write(tmp_path / name)
    read_ones = {f"{tmp_path}/src/{left}x/A.java", f"{tmp_path}/src/B.java"}
    assert set(read(tmp_path / "src")) == read_ones
    assert {str(path) for path in java_files(tmp_path / "src")} == read_ones
    assert list(read(tmp_path / "src" / left)) == [f"{tmp_path}/src/{left}/A.java"]
    assert not copy_tree(tmp_path / "src", tmp_path / "copy", lambda path: None)
    copied = {
        path.relative_to(tmp_path / "copy").as_posix() for path in java_files(tmp_path / "copy")
    }
    assert copied == {f"{left}x/A.java", "B.java"}


def test_drafts_are_named_as_the_readers_know_them(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "two\nlines") as draft:
        assert is_draft(draft.name)
    assert not is_draft("two\nlines")


def test_a_loop_of_links_is_walked_once(tmp_path: Path) -> None:
    write(tmp_path / "src" / "A.java")
    (tmp_path / "src" / "loop").symlink_to(tmp_path / "src")
    (tmp_path / "src" / "up").symlink_to(tmp_path)
    assert list(read(tmp_path / "src").values()) == [CLASS]


def test_links_that_lead_to_each_other_are_no_folders_and_no_files(tmp_path: Path) -> None:
    write(tmp_path / "A.java")
    for name in ("left", "Left.java"):
        (tmp_path / name).symlink_to(tmp_path / f"other-{name}")
        (tmp_path / f"other-{name}").symlink_to(tmp_path / name)
    found = {os.path.basename(path): what for path, what in read(tmp_path).items()}
    assert found == {"A.java": CLASS, "Left.java": "unreadable", "other-Left.java": "unreadable"}


def test_a_file_behind_several_links_or_paths_is_read_once(tmp_path: Path) -> None:
    target = write(tmp_path / "A.java")
    (tmp_path / "B.java").symlink_to(target)
    assert list(read(tmp_path)) == [str(target)]
    assert list(read(target, tmp_path, target)) == [str(target)]


def test_a_file_behind_a_link_alone_is_read(tmp_path: Path) -> None:
    target = write(tmp_path / "elsewhere" / "A.txt")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "A.java").symlink_to(target)
    assert read(tmp_path / "src") == {str(tmp_path / "src" / "A.java"): CLASS}


def test_what_cannot_be_read_is_skipped_with_its_reason(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "Pipe.java")
    (tmp_path / "Gone.java").symlink_to(tmp_path / "nowhere")
    write(tmp_path / "Folder.java" / "Inner.java")
    found = {os.path.relpath(path, tmp_path): what for path, what in read(tmp_path).items()}
    assert found == {
        "Folder.java/Inner.java": CLASS,
        "Gone.java": "dangling-link",
        "Pipe.java": "not-a-regular-file",
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_files_and_folders_without_permission_are_skipped(tmp_path: Path) -> None:
    write(tmp_path / "A.java").chmod(0)
    write(tmp_path / "locked" / "B.java").parent.chmod(0)
    assert set(read(tmp_path).values()) == {"unreadable"}
    (tmp_path / "locked").chmod(0o700)


def test_a_file_above_the_limit_is_skipped_unread(tmp_path: Path) -> None:
    path = tmp_path / "Huge.java"
    with open(path, "wb") as out:
        out.truncate(limits.MAX_BYTES + 1)
    assert read(path) == {str(path): "too-large"}


def test_zip_members_come_sorted_and_are_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "sources.jar"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("b/B.java", "a/A.java", "../../Escape.java", "a/A.class"):
            archive.writestr(name, CLASS)
    assert list(read(path)) == [
        f"{path}!/{n}" for n in ("../../Escape.java", "a/A.java", "b/B.java")
    ]
    assert os.listdir(tmp_path) == ["sources.jar"]


def test_a_zip_bomb_is_skipped_even_if_its_header_lies(tmp_path: Path) -> None:
    size = limits.MAX_BYTES + 1
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Bomb.java", b" " * size)
        archive.writestr("Small.java", CLASS)
    assert list(read(path).values()) == ["too-large", CLASS]
    lying = path.read_bytes().replace(struct.pack("<I", size), struct.pack("<I", 100))
    assert list(read(write(path, lying)).values()) == ["unreadable", CLASS]


@pytest.mark.parametrize("suffix", ["tar", "tar.gz", "tgz", "tar.bz2", "tar.xz"])
def test_tar_members_come_in_order_without_links(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"sources.{suffix}"
    with tarfile.open(path, f"w:{ {'tgz': 'gz', 'tar': ''}.get(suffix, suffix[4:]) }") as archive:
        for name in ("b/B.java", "a/A.java"):
            member = tarfile.TarInfo(name)
            member.size = len(CLASS)
            archive.addfile(member, io.BytesIO(CLASS))
        link = tarfile.TarInfo("c/Link.java")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert read(path) == {f"{path}!/b/B.java": CLASS, f"{path}!/a/A.java": CLASS}


def test_a_tar_cut_short_gives_what_it_has_and_says_so(tmp_path: Path) -> None:
    whole = tmp_path / "whole.tar"
    with tarfile.open(whole, "w") as archive:
        for name in ("A.java", "B.java"):
            member = tarfile.TarInfo(name)
            member.size = 4000
            archive.addfile(member, io.BytesIO(b"//" + b" " * 3998))
    cut = write(tmp_path / "cut.tar", whole.read_bytes()[:7000])
    found = read(cut)
    assert found.pop(f"{cut}!/A.java") == b"//" + b" " * 3998
    assert set(found.values()) == {"damaged-archive"}


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.txt"])
def test_a_file_that_is_no_corpus_is_the_users_fault(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=name):
        read(write(tmp_path / name, b"rubbish"))


def test_a_path_that_does_not_exist_is_the_users_fault(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read(tmp_path / "nowhere")


@pytest.mark.parametrize("zipped", [False, True])
def test_jsonl_lines_are_sources_named_by_their_number(tmp_path: Path, zipped: bool) -> None:
    code = CLASS.decode()
    rows = [{"code": code}, {"func": code}, {"other": 1}, {"code": 5, "source": code}, [1]]
    text = "\n".join([*(json.dumps(row) for row in rows), "", "{", json.dumps({"code": "é"})])
    data = gzip.compress(text.encode()) if zipped else text.encode()
    path = write(tmp_path / ("m.jsonl.gz" if zipped else "m.jsonl"), data)
    assert list(read(path).items()) == [
        (f"{path}:1", CLASS),
        (f"{path}:2", CLASS),
        (f"{path}:3", "no-code-field"),
        (f"{path}:4", CLASS),
        (f"{path}:5", "bad-json"),
        (f"{path}:7", "bad-json"),
        (f"{path}:8", "é".encode()),
    ]


def test_a_records_label_comes_with_its_code(tmp_path: Path) -> None:
    labels = [{"label": "x"}, {"target": 1}, {"label": None, "target": True}, {"label": [1]}, {}]
    rows = [{"code": CLASS.decode()} | label for label in labels]
    path = write(tmp_path / "m.jsonl", "\n".join(map(json.dumps, rows)).encode())
    found = list(read_sources([str(path)]))
    assert [s.gold for s in found if isinstance(s, SourceFile)] == ["x", "1", "true", None, None]
    assert survey(found).labelled == 3


def test_another_label_makes_another_fingerprint(tmp_path: Path) -> None:
    prints = {
        survey([SourceFile("m.jsonl:1", CLASS, gold)]).fingerprint for gold in (None, "a", "b")
    }
    assert len(prints) == 3


def test_a_fingerprint_knows_names_and_bytes_but_not_the_place(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write(tmp_path / folder / "a" / "A.java")
        write(tmp_path / folder / "B.java", b"class B {}")
    one, two = (survey(read_sources([str(tmp_path / f)])) for f in ("one", "two"))
    assert one == two
    assert (one.files, one.bytes) == (2, len(CLASS) + 10)
    write(tmp_path / "two" / "B.java", b"class C {}")
    assert survey(read_sources([str(tmp_path / "two")])).fingerprint != one.fingerprint
    (tmp_path / "one" / "B.java").rename(tmp_path / "one" / "C.java")
    assert survey(read_sources([str(tmp_path / "one")])).fingerprint != one.fingerprint


def test_a_fingerprint_counts_what_was_skipped() -> None:
    read_one = survey([SourceFile("A.java", CLASS)])
    skipped = survey([Skipped("A.java", "unreadable")])
    assert skipped.files == 1 and skipped.fingerprint != read_one.fingerprint


def test_the_sample_corpus_is_there() -> None:
    sources = list(read_sources([str(sample_path())]))
    assert len(sources) >= 10
    assert all(isinstance(source, SourceFile) for source in sources)
