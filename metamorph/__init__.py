"""metamorph: metamorphic testing of models of Java code."""

from metamorph.version import VERSION as __version__

__all__ = ["__version__"]
