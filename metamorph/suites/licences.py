"""The licence of a source, as its record or its header tells it."""

import json
import re

from metamorph.java.source import SourceFile

_HEADER = 4096
_TAG = re.compile(rb"SPDX-License-Identifier:\s*([A-Za-z0-9.+() -]*[A-Za-z0-9.+)])")
_BETWEEN = re.compile(rb"[\s*/]+")
_HEADERS = (
    ("Apache-2.0", (b"under the Apache License, Version 2.0",)),
    ("MIT", (b"Permission is hereby granted, free of charge, to any person obtaining",)),
    (
        "GPL-2.0-only WITH Classpath-exception-2.0",
        (b"under the terms of the GNU General Public License version 2 only", b'"Classpath" exc'),
    ),
)


def licence_of(source: SourceFile, given: str) -> tuple[str, str]:
    """The SPDX identifier and where it comes from: record, tag, header or given; "" if unknown.

    Only the head of a file is looked at, and only headers whose wording leaves no doubt count.
    """
    told = json.loads(source.about).get("license") if source.about else None
    if isinstance(told, str) and told:
        return told, "record"
    head = source.data[:_HEADER]
    if tag := _TAG.search(head):
        return tag[1].decode("ascii").strip(), "tag"
    words = _BETWEEN.sub(b" ", head)
    for name, wordings in _HEADERS:
        if all(wording in words for wording in wordings):
            return name, "header"
    return given, "given" if given else ""
