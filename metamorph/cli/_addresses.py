"""Results behind addresses: the work is done on this machine, and sent there when it is whole."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from metamorph.cli._telling import say
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.corpus.remote import Place

_RUN = ("results.sqlite", "manifest.json")
"""What a run is; the manifest last, which tells whether it is complete."""

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Address:
    """An address in the place of a file or folder; what: `file`, `folder`, or a `run` to read."""

    url: str
    what: str

    def __str__(self) -> str:
        from metamorph.corpus.addresses import shown

        return shown(self.url)


def out_file(text: str) -> Path | Address:
    """The type of an option: a file that is written."""
    return _located(text, "file")


def out_folder(text: str) -> Path | Address:
    """The type of an option: a new folder that is written."""
    return _located(text, "folder")


def run_folder(text: str) -> Path | Address:
    """The type of an argument: the folder of a run that is read."""
    return _located(text, "run")


def no_address(text: str) -> Path:
    """The type of an option: a folder that must be one of this machine."""
    located = _located(text, "run")
    if isinstance(located, Address):
        raise argparse.ArgumentTypeError(
            f"{located} is no folder of this machine, which the results need; give one, and "
            "--publish to send them there"
        )
    return located


def publishable(text: str) -> Address:
    """The type of an option: an address to which a run is sent."""
    located = _located(text, "run")
    if not isinstance(located, Address):
        raise argparse.ArgumentTypeError(f"{text!r} is no address such as s3://BUCKET/RUN")
    return located


def _located(text: str, what: str) -> Path | Address:
    if "://" not in text:
        return Path(text)
    from metamorph.corpus.addresses import is_address, on_this_machine

    return Address(text, what) if is_address(text) else Path(on_this_machine(text))


@contextmanager
def at_hand(args: argparse.Namespace) -> Iterator[None]:
    """Files and folders of this machine in the place of addresses; sent off where all went well."""
    given = {name: value for name, value in vars(args).items() if name != "publish"}
    found = {name: value for name, value in given.items() if _has_address(value)}
    if not found:
        yield
        return
    from tempfile import TemporaryDirectory

    sent: list[tuple[Path, Address]] = []
    with TemporaryDirectory(prefix="metamorph-") as scratch:
        for name, value in found.items():
            places: list[object] = []
            for number, each in enumerate(_several(value)):
                if isinstance(each, Address):
                    place = _place(each, Path(scratch) / name / str(number))
                    sent += [(place, each)] if each.what != "run" else []
                    places.append(place)
                else:
                    places.append(each)
            setattr(args, name, places if isinstance(value, list) else places[0])
        yield
        for place, address in sent:
            _send(place, address)


def _several(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _has_address(value: object) -> bool:
    return any(isinstance(each, Address) for each in _several(value))


def _place(given: Address, scratch: Path) -> Path:
    """Where on this machine an address is worked with."""
    place = scratch / (given.url.rstrip("/").rpartition("/")[2].partition("?")[0] or "results")
    scratch.mkdir(parents=True)
    if given.what == "run":
        place.mkdir()
        if not fetch_run(given, place):
            raise UserError(f"{given}: no run is there; give the folder of a metamorph run")
    elif given.what == "folder":
        _refuse_full(given)
    return place


def _refuse_full(address: Address) -> None:
    """Raise UserError where something lies there: results never mix with what they are not."""
    there = _there(address)
    try:
        full = bool(there.entries(there.path))
    except OSError:
        return
    if full:
        raise UserError(f"{address}: not empty; give another place")


def _there(address: Address) -> "Place":
    from metamorph.corpus.remote import place

    return place(address.url)


def _send(place: Path, address: Address) -> None:
    """Send a file, or all of a folder, what tells that it is whole as the last; then say so."""
    if not place.exists():
        return
    there = _there(address)
    if place.is_file():
        _put(there, [(place, there.path)])
    else:
        files = sorted(path for path in place.rglob("*") if path.is_file())
        pairs = [
            (path, f"{there.path.rstrip('/')}/{path.relative_to(place).as_posix()}")
            for path in sorted(files, key=lambda path: path.name == _RUN[-1])
        ]
        for start in range(0, len(pairs) - 1, _AT_ONCE):
            _put(there, pairs[start : min(start + _AT_ONCE, len(pairs) - 1)])
        _put(there, pairs[-1:])
    say(f"sent to {address}")


def _put(there: "Place", pairs: Sequence[tuple[Path, str]]) -> None:
    from metamorph.corpus.remote import tried

    local, remote = ([str(pair[side]) for pair in pairs] for side in (0, 1))
    try:
        tried(there.address, lambda: there.files.put(local, remote))
    except OSError as error:
        raise UserError(f"{there.address}: cannot be written ({error})") from error


def fetch_run(address: Address, folder: Path) -> bool:
    """Bring a run that was published into an empty folder; whether there is one."""
    import shutil

    from metamorph.durable import whole_bytes

    there = _there(address)
    for name in _RUN:
        try:
            with (
                there.stream(f"{there.path.rstrip('/')}/{name}") as stream,
                whole_bytes(folder / name) as file,
            ):
                shutil.copyfileobj(stream, file)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise UserError(f"{address}: cannot be read ({error})") from error
    return True


def publish_run(folder: Path, address: Address) -> None:
    """Send a run, finished or not, as it is stored at this moment."""
    import sqlite3

    with closing(sqlite3.connect(folder / _RUN[0])) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    there = _there(address)
    for name in _RUN:
        _put(there, [(folder / name, f"{there.path.rstrip('/')}/{name}")])
    say(f"sent to {address}")
