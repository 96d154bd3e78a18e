"""Controls: changes that should not move any prediction, to measure what moves by itself."""

IDENTITY = "identity"
REFORMAT = "reformat"
CONTROLS = (IDENTITY, REFORMAT)
"""Nothing changed, and white space changed alone."""
