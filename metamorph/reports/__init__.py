"""Reports: a summary of a run, rendered for people and for programs."""
