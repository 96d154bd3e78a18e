"""Text files that come out the same whenever and wherever they are written."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast


class Lines:
    """A file of UTF-8 lines, gzipped where its name says so; its folder is made."""

    def __init__(self, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        self._raw = open(place, "xb")  # noqa: SIM115
        self._stream: BinaryIO = self._raw
        if place.suffix == ".gz":
            # Without a name and a time, which would differ from one writing to the next.
            packed = gzip.GzipFile(filename="", mode="wb", fileobj=self._raw, mtime=0)
            self._stream = cast(BinaryIO, io.BufferedWriter(cast(io.RawIOBase, packed)))

    def write(self, line: str) -> None:
        """Write the line and a line feed."""
        self._stream.write(line.encode("utf-8", "surrogatepass") + b"\n")

    def close(self) -> None:
        """Write all that is left; the file is closed even where that fails."""
        with self._raw:
            self._stream.close()


class Series:
    """Files that are opened when something is first written to them, known by their names."""

    def __init__(self, place: Callable[[str], Path]) -> None:
        self._place = place
        self._files: dict[str, Lines] = {}

    def write(self, name: str, line: str) -> None:
        """Write a line to the file of that name."""
        if name not in self._files:
            self._files[name] = Lines(self._place(name))
        self._files[name].write(line)

    def names(self) -> list[str]:
        """The files that there are, in the order of their first lines."""
        return list(self._files)

    def close(self) -> None:
        """Close all of them."""
        for file in self._files.values():
            file.close()
