"""Verifying a suite: all that it holds made anew from its sources, and compared byte by byte."""

import gzip
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO, cast

from metamorph.corpus.copied import NUMBERED
from metamorph.corpus.suites import MANIFEST, SOURCES, listing
from metamorph.errors import UserError
from metamorph.suites import manifest as manifests
from metamorph.suites.build import Advance, arrow_version, digests, is_made, write_records
from metamorph.suites.copies import FOLDER
from metamorph.suites.formats.json_lines import FOLDER as DATA
from metamorph.suites.recipes import Recipe, recipe_of

_MOST = 20


def verify(
    folder: Path, manifest: manifests.Manifest, advance: Advance, workers: int = 1
) -> list[str]:
    """What is not as it was written, or is not made again; nothing where the suite is sound.

    workers: processes that share the work. Raises UserError where its recipe cannot be followed
    here.
    """
    recipe = recipe_told(folder, manifest)
    changed = [*_source_faults(folder), *_changed_files(folder, manifest), *_repeated_ids(folder)]
    if any(name.partition(":")[0] == SOURCES or is_source(name) for name in changed):
        return [*changed, "its records were not made anew, for its sources are not what they were"]
    with tempfile.TemporaryDirectory(prefix="metamorph-verify-") as place:
        facts = write_records(folder, Path(place), recipe, advance, workers)
        changed += _differences(folder, Path(place), manifest, set(changed))
    if facts["counts"] != manifest["counts"]:
        changed.append(f"{MANIFEST}: other counts than those of the records made anew")
    return changed


def recipe_told(folder: Path, manifest: manifests.Manifest) -> Recipe:
    """The recipe of a suite; raises UserError where the manifest does not tell it."""
    try:
        manifest["files"].items(), manifest["counts"]["records"], manifest["versions"].items()
        return recipe_of(manifests.settings_of(manifest, folder, "", ""), manifest["recipe"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(
            f"{folder / MANIFEST}: does not tell how the suite was made; get the suite anew"
        ) from error


def is_source(name: str) -> bool:
    """Whether a line of differences is about a source."""
    return name.startswith((f"{FOLDER}/", f"{NUMBERED}/"))


def other_versions(manifest: manifests.Manifest, folder: Path) -> str:
    """In words, what is of another version than when the suite was written, or ""."""
    recipe = recipe_told(folder, manifest)
    found = [manifests.other_versions(manifest, recipe.settings)]
    for name, now in arrow_version(recipe).items():
        was = manifest["versions"].get(name)
        found += [f"{name} was {was}, is {now}"] if was != now else []
    return ", ".join(filter(None, found))


def _source_faults(folder: Path) -> Iterator[str]:
    """The first source that is missing, changed or not listed as it should be."""
    listed: set[str] = set()
    try:
        listed.update(name for name, _ in listing(str(folder)) if name)
    except UserError as error:
        yield str(error).removeprefix(f"{folder}/").removeprefix(f"{folder}: ")
        return
    for top in (FOLDER, NUMBERED):
        for path in sorted((folder / top).rglob("*")):
            name = path.relative_to(folder).as_posix()
            if path.is_file() and name not in listed:
                yield f"{name}: not a source of this suite"


def _changed_files(folder: Path, manifest: manifests.Manifest) -> Iterator[str]:
    """The files that are not those of the manifest."""
    was, now = manifest["files"], digests(folder)
    for name in sorted(was.keys() | now.keys()):
        if name not in now:
            yield f"{name}: missing"
        elif name not in was:
            yield f"{name}: not a file of this suite"
        elif was[name] != now[name]:
            yield f"{name}: changed since the suite was written"


def _repeated_ids(folder: Path) -> Iterator[str]:
    """The ids that two records have."""
    seen: Counter[bytes] = Counter()
    for path in sorted((folder / DATA).glob("*.jsonl*")):
        name = path.relative_to(folder).as_posix()
        for number, line in enumerate(_lines(path), 1):
            try:
                id = str(json.loads(line)["id"])
            except (ValueError, TypeError, KeyError):
                yield f"{name}:{number}: not a record"
                continue
            key = hashlib.sha256(id.encode("utf-8", "surrogatepass")).digest()
            seen[key] += 1
            if seen[key] == 2:
                yield f"{name}:{number}: a second record with the id {id}"


def _differences(
    folder: Path, made: Path, manifest: manifests.Manifest, told: set[str]
) -> Iterator[str]:
    """How the files differ from those made anew."""
    anew = digests(made)
    for name in sorted(anew.keys() | {name for name in manifest["files"] if is_made(name)}):
        if name not in anew:
            yield f"{name}: is not made anew"
        elif not (folder / name).is_file():
            if f"{name}: missing" not in told:
                yield f"{name}: is made anew, and is no file of the suite"
        elif digests_differ(folder / name, made / name):
            yield f"{name}: {_difference(folder / name, made / name)}"


def digests_differ(one: Path, other: Path) -> bool:
    """Whether two files differ in any byte."""
    if one.stat().st_size != other.stat().st_size:
        return True
    with open(one, "rb") as mine, open(other, "rb") as theirs:
        while block := mine.read(1 << 20):
            if block != theirs.read(1 << 20):
                return True
    return False


def _difference(there: Path, made: Path) -> str:
    """Where two files differ first, and for records, in what."""
    if there.suffix == ".parquet":
        return "other bytes than those made anew"
    for number, (was, now) in enumerate(zip_longest(_lines(there), _lines(made)), 1):
        if was != now:
            return f"line {number} differs from the one made anew{_in_fields(was, now)}"
    return "packed in another way than when made anew"


def _in_fields(was: bytes | None, now: bytes | None) -> str:
    """The fields in which two records differ, with the id of the one made anew."""
    if was is None or now is None:
        return ": one of them ends here"
    try:
        mine, theirs = json.loads(was), json.loads(now)
        names = [name for name in theirs if mine.get(name) != theirs[name]]
        id = theirs["id"]
    except (ValueError, AttributeError, TypeError, KeyError):
        return ""
    return f": {id} in {', '.join(names) or 'its spelling'}"


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, unpacked; what cannot be unpacked ends it."""
    try:
        opened = gzip.open(path) if path.suffix == ".gz" else open(path, "rb")  # noqa: SIM115
        with cast(BinaryIO, opened) as lines:
            yield from lines
    except (OSError, EOFError, ValueError):
        return


def shown(differences: list[str]) -> list[str]:
    """The first of them, and how many more there are."""
    more = len(differences) - _MOST
    return differences[:_MOST] + ([f"... and {more:,} more"] if more > 0 else [])
