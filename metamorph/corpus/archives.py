"""Java sources inside zip, jar and tar archives, streamed: nothing is ever unpacked to disk."""

import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, BinaryIO, cast

from metamorph.corpus.addresses import shown
from metamorph.corpus.remote import opened
from metamorph.corpus.skips import (
    DAMAGED,
    MAX_BYTES,
    TOO_LARGE,
    UNREADABLE,
    Skipped,
    within_limit,
)
from metamorph.errors import UserError
from metamorph.java.source import SourceFile

_PATIENCE = 16
_ZIPS = (".zip", ".jar", ".war", ".ear")
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_FAULTS = (OSError, EOFError, RuntimeError, ValueError, zlib.error, lzma.LZMAError)


def is_zip(path: str) -> bool:
    """Whether the name is a zip archive's."""
    return path.lower().endswith(_ZIPS)


def is_tar(path: str) -> bool:
    """Whether the name is a tar archive's, compressed or not."""
    return path.lower().endswith(_TARS)


def read_zip(path: str) -> Iterator[SourceFile | Skipped]:
    """The Java members, sorted by name; a name that occurs twice gives its last member."""
    told = shown(path)
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(opened(path, seekable=True))
            archive = stack.enter_context(zipfile.ZipFile(stream))
        except (*_FAULTS, zipfile.BadZipFile) as error:
            raise UserError(f"{told}: not a readable zip archive ({error})") from error
        members = {info.filename: info for info in archive.infolist() if _is_java(info)}
        for name in sorted(members):
            yield _read_member(archive, members[name], f"{told}!/{name}")


def _is_java(info: zipfile.ZipInfo) -> bool:
    mode = info.external_attr >> 16
    return info.filename.endswith(".java") and not stat.S_ISLNK(mode)


def _read_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str
) -> SourceFile | Skipped:
    """One member; its declared size is not believed, at most the limit is inflated."""
    if info.file_size > MAX_BYTES:
        return Skipped(name, TOO_LARGE)
    try:
        with archive.open(info) as stream:
            return within_limit(name, stream.read(MAX_BYTES + 1))
    except (*_FAULTS, zipfile.BadZipFile):
        return Skipped(name, UNREADABLE)


def read_tar(path: str) -> Iterator[SourceFile | Skipped]:
    """The Java members in the archive's order; where it is cut short, the rest is `Skipped`."""
    told = shown(path)
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(opened(path))
            ending = cast(BinaryIO, _Ending(stream))
            archive = stack.enter_context(tarfile.open(fileobj=ending, mode="r|*"))
        except (*_FAULTS, tarfile.TarError) as error:
            fault = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise UserError(f"{told}: not a readable tar archive ({fault})") from error
        try:
            for member in archive:
                # As whatever else reads archives: a name ends before a zero byte.
                name = member.name.partition("\0")[0]
                if member.isreg() and name.endswith(".java"):
                    yield _read_tar_member(archive, member, f"{told}!/{name}")
                # The archive would keep all of them.
                cast(Any, archive).members.clear()
        except (*_FAULTS, tarfile.TarError):
            yield Skipped(told, DAMAGED)


class _Ending:
    """A stream that tells its end by an error once that is asked for again and again.

    A member that promises a terabyte is passed over by reading, whether it is there or not.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._asked = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes; EOFError where there have long been none."""
        data = self._stream.read(size)
        self._asked = 0 if data else self._asked + 1
        if self._asked > _PATIENCE:
            raise EOFError
        return data


def _read_tar_member(
    archive: tarfile.TarFile, member: tarfile.TarInfo, name: str
) -> SourceFile | Skipped:
    if member.size > MAX_BYTES:
        return Skipped(name, TOO_LARGE)
    stream = archive.extractfile(member)
    assert stream is not None
    return within_limit(name, stream.read())
