"""The fields of a record and their types, for formats that must be told them."""

from collections.abc import Mapping
from typing import Any

Type = Any
"""A name of a plain type, a list with the type of its members, or a mapping of fields."""

FIELDS: Mapping[str, Type] = {
    "id": "string",
    "original_id": "string",
    "group_id": "string",
    "project": "string",
    "path": "string",
    "file": "string",
    "method": "string",
    "line": "int64",
    "start": "int64",
    "end": "int64",
    "license": "string",
    "license_source": "string",
    "code_before": "string",
    "code_before_sha256": "string",
    "file_before_sha256": "string",
    "statements": "int64",
    "tokens": "int64",
    "source_record": "string",
    "transform": "string",
    "transform_version": "string",
    "place": "string",
    "sites": ["int64"],
    "seed": "int64",
    "code": "string",
    "code_sha256": "string",
    "file_sha256": "string",
    "edits": [{"start": "int64", "end": "int64", "text": "string"}],
    "line_map": [["int64"]],
    "name_map": [{"old": "string", "new": "string"}],
    "task": "string",
    "label": "string",
    "label_after": "string",
    "strength": "string",
    "changes": ["string"],
    "checks": {"parses": "string", "compiles": "string", "tests": "string"},
    "tool": "string",
    "tool_version": "string",
    "grammar": "string",
    "grammar_version": "string",
    "schema_version": "int64",
    "split": "string",
}
"""In the order in which a record has them."""
