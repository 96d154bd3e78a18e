"""Which folders lie on the file system of a network, where a write-ahead log does not work."""

from pathlib import Path

_SHARED = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "drvfs", "gpfs", "lustre", "nfs", "nfs4", "ocfs2"}
    | {"orangefs", "smb3", "smbfs"}
)
_FUSE = ("fuse.ceph", "fuse.gcsfuse", "fuse.glusterfs", "fuse.goofys", "fuse.s3fs", "fuse.sshfs")
MOUNTS = Path("/proc/self/mounts")


def is_shared(folder: Path) -> bool:
    """Whether the system says that other machines may have the folder too.

    SQLite's write-ahead log needs memory that all who have the file open share. Where the system
    has no list of what it mounted, the folder is taken for a local one.
    """
    place = folder.resolve()
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    found, kind = "", ""
    for line in lines:
        _, point, this, *_ = [*line.split(" "), "", ""]
        point = _plain(point)
        if len(point) >= len(found) and place.is_relative_to(point):
            found, kind = point, this
    return kind in _SHARED or kind.startswith(_FUSE)


def _plain(point: str) -> str:
    """A mount point as it is: the list spells blanks and backslashes as octal numbers."""
    for spelt, plain in ((r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\")):
        point = point.replace(spelt, plain)
    return point
