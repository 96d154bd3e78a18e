"""Copies of sources under the names that they have, where these work as names of files."""

import errno
import os
from pathlib import Path

NUMBERED = "sources-numbered"
"""Where files lie whose name is taken, too long, or none for a file."""

_LONGEST = 800
_FAULTS = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EINVAL)


def write_copy(data: bytes, folder: Path, name: str, instead: str) -> str:
    """Write a new file below the folder and tell where: `instead` where the name does not work.

    Names of members of archives are anything: taken, of folders without end, those of other places.
    """
    told = Path(name)
    try:
        if not told.anchor and ".." not in told.parts and len(os.fsencode(name)) <= _LONGEST:
            return _written(data, folder, name)
    except ValueError:
        pass
    except OSError as error:
        if error.errno not in _FAULTS:
            raise
    return _written(data, folder, instead)


def _written(data: bytes, folder: Path, name: str) -> str:
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(place, "xb") as stream:
        stream.write(data)
    return name
