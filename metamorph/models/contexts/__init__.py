"""Path contexts of methods, identical to the official JavaExtractor's."""

from metamorph.models.contexts.extract import Context, MethodContexts, extract, sample
from metamorph.models.contexts.paths import Style
from metamorph.models.contexts.tokens import method_label, subtokens

__all__ = ["Context", "MethodContexts", "Style", "extract", "method_label", "sample", "subtokens"]
