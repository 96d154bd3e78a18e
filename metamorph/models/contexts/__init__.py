"""Path contexts of methods, identical to the official JavaExtractor's."""

from metamorph.models.contexts.extract import (
    MethodContexts,
    checked_comments,
    extract,
    extract_each,
    extract_numbers,
    no_comments,
    sample,
)
from metamorph.models.contexts.heads import head
from metamorph.models.contexts.shapes import shape
from metamorph.models.contexts.tokens import method_label, subtokens
from metamorph.models.contexts.writers import Comments, Context, Style

__all__ = [
    "Comments",
    "Context",
    "MethodContexts",
    "Style",
    "checked_comments",
    "extract",
    "extract_each",
    "extract_numbers",
    "head",
    "method_label",
    "no_comments",
    "sample",
    "shape",
    "subtokens",
]
