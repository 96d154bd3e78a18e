"""Variants as a list, one JSON object a line, and as files."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from metamorph.corpus import Skipped, Unread
from metamorph.corpus.copied import write_copy
from metamorph.java.methods import Method
from metamorph.java.source import SourceFile, line_starts
from metamorph.java.variants import Variant
from metamorph.runs.checks import is_sound
from metamorph.runs.limited import all_steps, read, refused_whole
from metamorph.runs.parts import Sums, bench, made, workshop
from metamorph.runs.rows import PARSED, MethodRow, VariantRow
from metamorph.runs.settings import Settings
from metamorph.runs.sightings import Item
from metamorph.runs.variations import Variation, variations

NAME = "variants.jsonl"
_NAMELESS = "Variant.java"

_ENCODE = json.JSONEncoder().encode


@dataclass(slots=True)
class Written(Sums):
    """What was written; left: files without variants, by reason; faults: broken variants."""

    lines: int = 0
    variants: int = 0


def write_list(
    sources: Iterable[SourceFile | Skipped | Unread],
    out: Path,
    settings: Settings,
    *,
    whole_files: bool,
    workers: int = 1,
) -> Written:
    """Write the list into the folder, and with `whole_files` each variant's whole file too.

    A variant's file lies in a folder that is named by the number of its line in the list. workers:
    processes that share the work; no byte depends on them.
    """
    items = (Item(*numbered) for numbered in enumerate(sources))
    written = Written()
    with open(out / NAME, "wb") as stream:
        if workers == 1:
            for item in items:
                _write(item.brought().as_read(), out, stream, settings, whole_files, written)
            return written
        with workshop(out) as place:
            make = partial(_write_part, place, settings, whole_files)
            with closing(made(items, make, _lost, workers, settings.time_limit)) as parts:
                for part in parts:
                    _append(part, place / str(part.ordinal), out, stream, written)
    return written


@dataclass(frozen=True, slots=True)
class _Part:
    """What was written of a source in a folder of its own; ordinal: the source's place."""

    ordinal: int
    written: Written


def _write_part(place: Path, settings: Settings, whole_files: bool, item: Item) -> _Part:
    folder = bench(place, item)
    written = Written()
    with open(folder / NAME, "wb") as stream:
        _write(item.brought().as_read(), folder, stream, settings, whole_files, written)
    return _Part(item.ordinal, written)


def _lost(item: Item, reason: str) -> _Part:
    return _Part(item.ordinal, Written(files=1, left=Counter([reason])))


def _append(part: _Part, folder: Path, out: Path, stream: BinaryIO, written: Written) -> None:
    """Put a part behind those before it; its lines, and their folders, get other numbers."""
    if part.written.lines:
        with open(folder / NAME, "rb") as lines:
            shutil.copyfileobj(lines, stream)
        for name in os.listdir(folder):
            if name != NAME:
                os.rename(folder / name, out / str(written.lines + int(name)))
    written.add(part.written)
    shutil.rmtree(folder, ignore_errors=True)


def _write(
    source: SourceFile | Skipped,
    out: Path,
    stream: BinaryIO,
    settings: Settings,
    whole_files: bool,
    written: Written,
) -> None:
    """Write the lines of a source, and the files."""
    for line, variant in _lines(source, settings, written):
        written.lines += 1
        stream.write(line.encode())
        if whole_files and variant is not None:
            name = _file_name(source.path)
            write_copy(variant.data, out / str(written.lines), name, _NAMELESS)


def _file_name(path: str) -> str:
    """The name of the Java file; a source of a JSONL file has none of its own."""
    name = os.path.basename(path)
    return name if name.endswith(".java") else _NAMELESS


def _lines(
    source: SourceFile | Skipped, settings: Settings, written: Written
) -> Iterator[tuple[str, Variant | None]]:
    """The lines of a file, a variant's with the variant."""
    written.files += 1
    if isinstance(source, Skipped):
        written.left[source.reason] += 1
        return
    reading = read(source, settings.limits)
    if reading.status != PARSED:
        written.left[reading.status] += 1
        return
    starts = line_starts(source.data)
    for method in reading.methods:
        written.methods += 1
        head = _head(method)
        row = MethodRow(method.index, method.name, method.owner, method.line, 0, "")
        sound = partial(_sound, method, row, starts, settings)
        refuse = partial(refused_whole, row, settings)
        for variation in all_steps(reading.guard, sound, refuse):
            if variation.variant is None or variation.row.status:
                written.faults[variation.row.reason] += 1
                continue
            written.variants += 1
            yield head + _variant_rest(variation.row, variation.variant), variation.variant
        for refused in row.refusals:
            written.refusals[f"{refused.transform} {refused.reason}"] += 1
            rest = {"line": refused.line, "transform": refused.transform, "refused": refused.reason}
            yield head + _rest(rest), None


def _sound(
    method: Method, row: MethodRow, starts: Sequence[int], settings: Settings
) -> Iterator[Variation]:
    """The variations of a method, checked."""
    for variation in variations(method, row, starts, settings):
        if variation.variant is not None:
            is_sound(variation, settings)
        yield variation


def _head(method: Method) -> str:
    """The beginning of every line of a method."""
    path = method.file.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _ENCODE({"path": path, "method": method.title})[:-1]


def _variant_rest(row: VariantRow, variant: Variant) -> str:
    notes = sorted({site.note for site in variant.sites if site.note})
    edits = [{"start": start, "end": end, "text": text} for start, end, text in row.edits]
    rest = {
        "line": row.line,
        "transform": row.transform,
        "place": row.place,
        "sites": row.sites,
        "edits": edits,
        "line_map": variant.line_map,
        "name_map": row.names,
    }
    return _rest(rest | {"changes": notes} if notes else rest)


def _rest(fields: dict[str, Any]) -> str:
    return ", " + _ENCODE(fields)[1:] + "\n"
