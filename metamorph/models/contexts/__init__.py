"""Path contexts of methods, identical to the official JavaExtractor's."""

from metamorph.models.contexts.extract import MethodContexts, extract, sample
from metamorph.models.contexts.tokens import method_label, subtokens
from metamorph.models.contexts.writers import Context, Style

__all__ = ["Context", "MethodContexts", "Style", "extract", "method_label", "sample", "subtokens"]
