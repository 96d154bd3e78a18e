"""Places behind addresses, read through fsspec: object stores, web servers, other machines."""

import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeVar, cast
from urllib.parse import unquote

from metamorph.corpus.addresses import is_address, on_this_machine, shown, without_secrets
from metamorph.errors import UserError

MISSING = "needs fsspec, which is not installed; pip install 'metamorph-java[remote]'"

_PAUSES = (0.5, 2.0, 8.0)
"""Seconds before what failed is tried again."""

_BLOCKS = 16
"""Blocks of a zip that are kept, of 5 MiB mostly: its members are read here and there."""

_DENIED = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)
_AGAIN = (408, 425, 429)

_Result = TypeVar("_Result")


class UnreachableError(UserError):
    """A server or network failed while something was read from it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a folder holds: its name there, its path, its kind as fsspec has it, its size."""

    name: str
    path: str
    kind: str
    size: int | None


@dataclass(frozen=True, slots=True)
class Place:
    """Something behind an address, as it is told; path: its name in its file system."""

    files: Any
    path: str
    address: str

    @property
    def is_web(self) -> bool:
        """Whether it lies on a web server, which knows no folders but by pages of links."""
        return "http" in self.files.protocol

    @property
    def name(self) -> str:
        """Its path, by the ending of which one knows what it is."""
        return self.path.partition("?")[0] if self.is_web else self.path

    @property
    def key(self) -> str:
        """Tells it from every other place, as real paths do on this machine."""
        return f"{id(self.files)}:/{self.path.strip('/')}"

    def is_folder(self) -> bool:
        """Whether it has things below it; raises UserError where it is not there."""
        try:
            if self.is_web:
                return bool(self.entries(self.path))
            return str(tried(self.address, lambda: self.files.info(self.path)["type"])) in _FOLDER
        except OSError as error:
            raise UserError(
                f"{self.address}: {_fault(error)}; name a .java file, a folder or an archive"
            ) from error

    def entries(self, folder: str) -> list[Entry]:
        """What lies in a folder, sorted by name; raises OSError or UnreachableError."""
        listed = tried(self.address, lambda: self.files.ls(folder, detail=True))
        # fsspec would keep the listings of all folders.
        self.files.invalidate_cache()
        start = folder.strip("/") + "/" if folder.strip("/") else ""
        found = (_entry(each, unquote if self.is_web else str) for each in listed)
        inside = (each for each in found if each.name and each.path.strip("/").startswith(start))
        return sorted(inside, key=lambda entry: entry.name.encode("utf-8", "surrogateescape"))

    def read(self, path: str, size: int | None, most: int) -> bytes:
        """The first bytes of a file, at most so many; raises OSError or UnreachableError.

        size: as the folder tells it: what is known to be small is asked for at once.
        """
        if size is not None and size <= most:
            return cast(bytes, tried(self.address, lambda: self.files.cat_file(path)))[:most]
        with self.stream(path) as stream:
            return stream.read(most)

    def stream(self, path: str) -> BinaryIO:
        """The bytes of a file from its beginning on; raises OSError or UnreachableError."""
        # Of a web server one long answer, for which it must neither tell sizes nor serve parts.
        options = {"block_size": 0, "size": 1} if self.is_web else {}
        opened = tried(self.address, lambda: self.files.open(path, "rb", **options))
        return cast(BinaryIO, io.BufferedReader(_Stream(opened, self.address)))

    def seekable(self) -> BinaryIO:
        """The bytes of the place, to be read here and there; raises OSError or UserError."""
        from fsspec.caching import BlockCache
        from fsspec.spec import AbstractBufferedFile

        opened = tried(self.address, lambda: self.files.open(self.path, "rb"))
        if isinstance(opened, AbstractBufferedFile) and opened.size:
            size, block = opened.size, opened.blocksize
            opened.cache = BlockCache(block, opened._fetch_range, size, _BLOCKS)
        return cast(BinaryIO, io.BufferedReader(_Stream(opened, self.address)))


_FOLDER = ("directory",)


def place(address: str) -> Place:
    """The place; raises UserError where no file system is installed that can read it."""
    told = shown(address)
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise UserError(f"{told}: {MISSING}") from error
    try:
        files, path = url_to_fs(address)
    except ImportError as error:
        raise UserError(f"{told}: {without_secrets(str(error))}") from error
    except Exception as error:
        raise UserError(f"{told}: {_fault(error)}; look at the address") from error
    return Place(files, path, told)


def opened(path: str, *, seekable: bool = False) -> BinaryIO:
    """A file of this machine or behind an address; raises OSError or UserError."""
    if not is_address(path):
        return open(on_this_machine(path), "rb")
    there = place(path)
    return there.seekable() if seekable else there.stream(there.path)


def _entry(listed: dict[str, Any], spelt: Callable[[str], str]) -> Entry:
    path = str(listed["name"])
    name = path.rstrip("/").rpartition("/")[2]
    if "/" not in spelt(name):
        name = spelt(name)
    return Entry(name, path, str(listed["type"]), listed.get("size"))


def tried(address: str, ask: Callable[[], _Result]) -> _Result:
    """What is asked for; what the server denies is an OSError, faults are tried again."""
    for pause in (*_PAUSES, None):
        try:
            return ask()
        except ImportError as error:
            raise UserError(f"{address}: {without_secrets(str(error))}") from error
        except NotImplementedError as error:
            raise UserError(f"{address}: cannot be written there; give another place") from error
        except Exception as error:
            if _is_denied(error):
                raise error if isinstance(error, OSError) else OSError(_fault(error)) from error
            if pause is None:
                raise _unreachable(address, error) from error
            time.sleep(pause)
    raise AssertionError


def _is_denied(error: BaseException) -> bool:
    """Whether the server answered, and will answer the same again."""
    status = getattr(error, "status", None)
    if isinstance(status, int):
        return 400 <= status < 500 and status not in _AGAIN
    cause = error.__cause__
    # fsspec says so of web servers that cannot be asked, for whatever reason.
    if cause is not None and (isinstance(cause, TimeoutError) or _is_of_the_web(cause)):
        return _is_denied(cause)
    return isinstance(error, _DENIED)


def _is_of_the_web(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] == "aiohttp"


def _unreachable(address: str, error: BaseException) -> UnreachableError:
    return UnreachableError(f"{address}: cannot be reached ({_fault(error)}); try again later")


def _fault(error: BaseException) -> str:
    """The fault in a line, with no secret of an address."""
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    said = without_secrets(" ".join(str(error).split()))
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


class _Stream(io.RawIOBase):
    """A file of fsspec, the faults of which are those of files or UnreachableError."""

    def __init__(self, file: Any, address: str) -> None:
        self._file = file
        self._address = address

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def seekable(self) -> bool:
        """Zips find out for themselves."""
        return bool(self._file.seekable())

    def readinto(self, into: Any) -> int:
        """Fill in what there is."""
        try:
            data = self._file.read(len(into))
        except ValueError as error:
            raise UserError(
                f"{self._address}: the server serves no parts of files, which zips need; "
                "put simplecache:: before the address"
            ) from error
        except Exception as error:
            if _is_denied(error):
                raise OSError(_fault(error)) from error
            raise _unreachable(self._address, error) from error
        into[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go elsewhere."""
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        """Where it is."""
        return int(self._file.tell())

    def close(self) -> None:
        """Let the file go."""
        if not self.closed:
            self._file.close()
        super().close()
