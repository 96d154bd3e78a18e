"""The transformations: one module each, found by their `CODE`; see `_protocol`."""
