"""Lists of paths: `@FILE` stands for the paths that FILE holds, a line each, as javac has it."""

import os
from dataclasses import dataclass
from functools import lru_cache

from metamorph.errors import UserError

_BETWEEN = ("!/", ":")


@dataclass(frozen=True, slots=True)
class Listed:
    """The paths of a list, in its order; folder: that all of them lie in."""

    paths: dict[str, None]
    folder: str

    def below(self, path: str) -> str | None:
        """The path below the folder, None where the list does not have it."""
        if not self._holds(path):
            return None
        return path[len(self.folder) :].lstrip("/") if path.startswith(self.folder) else path

    def _holds(self, path: str) -> bool:
        """Whether a source is a path of the list, or lies in one."""
        starts = [path, *(path.partition(sign)[0] for sign in _BETWEEN), path.rpartition(":")[0]]
        for start in starts:
            while start:
                if start in self.paths or f"{start}/" in self.paths:
                    return True
                start = start.rpartition("/")[0]
        return False


def is_list(path: str) -> bool:
    """Whether a path stands for a list: no file or folder has that name."""
    return len(path) > 1 and path.startswith("@") and not os.path.exists(path)


def read_list(path: str) -> Listed:
    """The list that `@FILE` stands for; raises UserError where there is none."""
    try:
        return _read(path[1:], os.stat(path[1:]).st_mtime_ns)
    except OSError as error:
        raise UserError(
            f"{path[1:]}: cannot be read ({error.strerror}); give a list as @FILE, a path a line"
        ) from error


@lru_cache(maxsize=8)
def _read(file: str, changed: int) -> Listed:
    with open(file, encoding="utf-8", errors="surrogateescape") as stream:
        paths = dict.fromkeys(filter(None, (line.rstrip("\r\n") for line in stream)))
    if nested := next((path for path in paths if is_list(path)), None):
        raise UserError(f"{file}: {nested} is a list in a list; give paths of sources")
    folders = {os.path.dirname(path.rstrip("/")) for path in paths}
    try:
        return Listed(paths, os.path.commonpath(folders) if folders else "")
    except ValueError:
        return Listed(paths, "")
