"""What of a corpus was met already: a file behind several links or paths is read once."""

import os
from dataclasses import dataclass, field
from hashlib import blake2b


@dataclass(slots=True)
class Seen:
    """The folders walked so far, and the files that were met in another way, by their digests.

    The files of a walked folder are known by it, so that millions of them take no memory. All
    paths are real ones, without links.
    """

    _folders: set[bytes] = field(default_factory=set)
    _files: set[bytes] = field(default_factory=set)

    def is_new_folder(self, real: str) -> bool:
        """Whether this folder is walked for the first time."""
        return _is_new(self._folders, _digest(real))

    def is_new_file(self, real: str) -> bool:
        """Whether a file that is met in the walk of its own folder was not read before."""
        return not self._files or _digest(real) not in self._files

    def is_new_path(self, real: str) -> bool:
        """Whether what the user named was not read before."""
        folder, _, name = real.rpartition("/")
        return not self._was_walked(folder, name) and _is_new(self._files, _digest(real))

    def is_new_link(self, target: str, folder: str, name: str) -> bool:
        """Whether a link of that name, in a folder at its walk, leads to what was not read before.

        Of the folder's own files those have been read that come before the link. Links to nothing
        are read by nobody else.
        """
        below, _, target_name = target.rpartition("/")
        later = below == folder and os.fsencode(target_name) > os.fsencode(name)
        read = not later and os.path.exists(target) and self._was_walked(below, target_name)
        return not read and _is_new(self._files, _digest(target))

    def _was_walked(self, folder: str, name: str) -> bool:
        return name.endswith(".java") and _digest(folder) in self._folders


def _is_new(known: set[bytes], one: bytes) -> bool:
    if one in known:
        return False
    known.add(one)
    return True


def _digest(real: str) -> bytes:
    return blake2b(os.fsencode(real), digest_size=12).digest()
