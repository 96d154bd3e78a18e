"""Runs: the pipeline from a corpus to outcomes, its store, resuming, parallel execution."""
