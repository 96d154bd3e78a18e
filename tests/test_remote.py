"""Corpora behind addresses: the same sources as from the disk, and no secret is ever told."""

import gzip
import io
import json
import os
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from metamorph.corpus import read_sources, survey
from metamorph.corpus import remote as places
from metamorph.corpus.addresses import is_address, shown
from metamorph.errors import UserError
from metamorph.java.source import SourceFile

fsspec = pytest.importorskip("fsspec")

CLASS = b"class A { int f(int n) { return n; } }"
NAMES = ("Top.java", "a/Z.java", "a/A.java", "a/b/Deep.java", "c d/Sp ace.java", "notes.txt")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A small tree, and the same as an archive of each kind beside it."""
    top = tmp_path / "src"
    for number, name in enumerate(NAMES):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(CLASS + b" " * number)
    (top / "a" / "Empty.java").write_bytes(b"")
    with tarfile.open(tmp_path / "src.tar.gz", "w:gz") as archive:
        archive.add(top, "src")
    with zipfile.ZipFile(tmp_path / "src.zip", "w") as packed:
        for path in sorted(top.rglob("*.java"), reverse=True):
            packed.write(path, path.relative_to(top))
    lines = [json.dumps({"code": CLASS.decode(), "label": "x"}), "{", json.dumps({"other": 1})]
    (tmp_path / "src.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    return tmp_path


@pytest.fixture
def in_memory(corpus: Path) -> Iterator[str]:
    """The address of a copy of the tree in fsspec's memory."""
    files = fsspec.filesystem("memory")
    files.put(str(corpus), "/copy", recursive=True)
    yield "memory://copy"
    files.rm("/copy", recursive=True)


@pytest.fixture
def on_the_web(corpus: Path) -> Iterator[str]:
    """The address of a web server that shows the tree."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=corpus)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def found(*paths: str) -> dict[str, bytes | str]:
    """Path -> bytes, or the reason for which it was skipped."""
    return {
        source.path: source.data if isinstance(source, SourceFile) else source.reason
        for source in read_sources(paths)
    }


def below(top: str, *paths: str) -> dict[str, bytes | str]:
    """The same with names that begin below the top."""
    return {path.removeprefix(top): what for path, what in found(*paths).items()}


def test_what_a_killed_command_left_there_is_no_source(in_memory: str) -> None:
    before = [source.path for source in read_sources([in_memory])]
    files = fsspec.filesystem("memory")
    files.pipe("/copy/.out.unfinished-abc_d123/Left.java", CLASS)
    assert [source.path for source in read_sources([in_memory])] == before


@pytest.mark.parametrize("name", ["src", "src.tar.gz", "src.zip", "src.jsonl.gz", "src/Top.java"])
@pytest.mark.parametrize("where", ["in_memory", "on_the_web", "file"])
def test_an_address_gives_the_sources_of_the_disk_in_their_order(
    corpus: Path, where: str, name: str, request: pytest.FixtureRequest
) -> None:
    address = f"file://{corpus}" if where == "file" else request.getfixturevalue(where)
    if where == "on_the_web" and name == "src.zip":
        # Python's server serves no parts of files.
        address = f"simplecache::{address}"
    there = below(shown(address), f"{address}/{name}")
    here = below(str(corpus), str(corpus / name))
    assert list(there.items()) == list(here.items()) and here


def test_a_chain_of_addresses_reads_folders_within_archives(corpus: Path, in_memory: str) -> None:
    address = f"zip://a::{in_memory}/src.zip"
    files = {f"{address}!/{name}": found(str(corpus / "src" / "a" / name)) for name in ("A.java",)}
    assert list(found(address)) == [
        f"{address}!/{name}" for name in ("A.java", "Empty.java", "Z.java", "b/Deep.java")
    ]
    assert found(address)[f"{address}!/A.java"] in files[f"{address}!/A.java"].values()
    whole = found(f"zip::{in_memory}/src.zip")
    assert len(whole) == 6 and all("!/" in path for path in whole)


def test_a_suite_is_read_from_afar_as_it_is_from_here(corpus: Path, in_memory: str) -> None:
    import hashlib

    files = fsspec.filesystem("memory")
    files.pipe("/copy/suite/manifest.json", b'{"kind": "metamorph-suite", "complete": true}')
    row = {"path": "p/A.java", "file": "sources/A.java", "gold": "f"}
    row["sha256"] = hashlib.sha256(CLASS).hexdigest()
    files.pipe("/copy/suite/sources.jsonl", json.dumps(row).encode())
    files.pipe("/copy/suite/sources/A.java", CLASS)
    assert list(read_sources([f"{in_memory}/suite"])) == [SourceFile("p/A.java", CLASS, "f")]
    files.pipe("/copy/suite/sources/A.java", CLASS + b" ")
    with pytest.raises(UserError, match="changed since"):
        found(f"{in_memory}/suite")


def test_overlapping_addresses_give_each_file_once(in_memory: str) -> None:
    once = found(f"{in_memory}/src")
    assert found(f"{in_memory}/src/a/Z.java", f"{in_memory}/src", f"{in_memory}/src/a") == once


def test_moved_to_a_server_a_corpus_keeps_its_fingerprint(
    corpus: Path, in_memory: str, on_the_web: str
) -> None:
    tops = (str(corpus), in_memory, on_the_web)
    assert len({survey(read_sources([f"{top}/src"])).fingerprint for top in tops}) == 1


def test_what_is_too_large_is_skipped_whatever_the_server_tells(
    in_memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from metamorph.corpus import remote_folders, skips

    for module in (remote_folders, skips):
        monkeypatch.setattr(module, "MAX_BYTES", len(CLASS) + 1)
    skipped = [what for what in found(f"{in_memory}/src").values() if isinstance(what, str)]
    assert skipped == ["too-large"] * 3


def test_a_tar_that_ends_early_on_a_server_is_damaged(in_memory: str) -> None:
    files = fsspec.filesystem("memory")
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in ("A.java", "B.java"):
            member = tarfile.TarInfo(name)
            member.size = 4000
            archive.addfile(member, io.BytesIO(b" " * 4000))
    files.pipe("/copy/cut.tar", out.getvalue()[:7000])
    assert list(found(f"{in_memory}/cut.tar").values()) == [b" " * 4000, "damaged-archive"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nowhere", "no such file"),
        ("src/notes.txt", "not Java"),
        ("none.zip", "no such file"),
    ],
)
def test_what_is_not_there_is_the_users_fault(in_memory: str, name: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        found(f"{in_memory}/{name}")


def test_a_zip_on_a_server_without_parts_names_the_way_out(on_the_web: str, corpus: Path) -> None:
    with zipfile.ZipFile(corpus / "big.zip", "w") as archive:
        archive.writestr("A.java", os.urandom(12_000_000))
    with pytest.raises(UserError, match="simplecache::"):
        found(f"{on_the_web}/big.zip")


def test_a_server_that_is_gone_is_told_and_never_taken_for_an_empty_corpus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(places, "_PAUSES", (0.0,))
    for name in ("src.tar.gz", "A.java", "folder/"):
        with pytest.raises(places.UnreachableError, match="cannot be reached"):
            found(f"http://127.0.0.1:9/{name}")


def test_what_fails_now_and_then_is_tried_again(
    in_memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_PAUSES", (0.0,))
    files = type(fsspec.filesystem("memory"))
    with monkeypatch.context() as patched:
        for name in ("ls", "cat_file", "_open"):
            patched.setattr(files, name, _every_second(getattr(files, name)))
        assert len(found(f"{in_memory}/src")) == 6
        assert len(found(f"{in_memory}/src.tar.gz")) == 6


def _every_second(call: Callable[..., object]) -> Callable[..., object]:
    """The call, failing the first, third ... time."""
    calls = iter(range(1_000_000))

    def flaky(*args: object, **options: object) -> object:
        if next(calls) % 2 == 0:
            raise ConnectionResetError("reset")
        return call(*args, **options)

    return flaky


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("sftp://u:p@ss@host/x", "sftp://u:...@host/x"),
        ("https://host/x.tar.gz?sv=1&sig=abc", "https://host/x.tar.gz?..."),
        ("zip://d::https://host/x.zip?sig=abc", "zip://d::https://host/x.zip?..."),
        ("simplecache::https://u:p@host/x?t=1", "simplecache::https://u:...@host/x?..."),
        ("github://org:repo@main/src", "github://org:repo@main/src"),
        ("file:///a/b", "/a/b"),
        ("a/b://c", "a/b://c"),
    ],
)
def test_addresses_are_told_without_their_secrets(address: str, told: str) -> None:
    assert shown(address) == told


@pytest.mark.parametrize("path", ["a::b", "C:\\x", "/a/b", "x.jsonl:3", "A.java", "file:///x"])
def test_paths_of_this_machine_are_no_addresses(path: str) -> None:
    assert not is_address(path)


def test_a_protocol_that_is_not_there_names_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Protocol not known: nosuch"):
        found("nosuch://host/a")


def test_no_secret_of_an_address_is_kept_or_told(
    on_the_web: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from metamorph.cli import main

    secret, run = "s3cret", tmp_path / "run"
    address = f"{on_the_web}/src.tar.gz?sig={secret}"
    model = ["--model", "python:builtins:len", "--transform", "VN", "--out", str(run)]
    assert main(["run", address, *model]) == 0
    assert main(["run", f"{on_the_web}/nothing.zip?sig={secret}", *model[:-1], f"{run}2"]) == 2
    assert main(["report", str(run), "--format", "html", "--out", str(tmp_path / "r.html")]) == 0
    told = capsys.readouterr()
    assert "src.tar.gz?..." in (run / "manifest.json").read_text()
    kept = [path.read_bytes() for path in (*run.iterdir(), tmp_path / "r.html")]
    assert secret not in told.out + told.err
    assert not any(secret.encode() in data for data in kept)
    signed_anew = f"{on_the_web}/src.tar.gz?sig=another"
    assert main(["run", signed_anew, *model, "--resume"]) == 0
