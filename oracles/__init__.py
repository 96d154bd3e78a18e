"""Oracles: outcomes, their tallies, lengths and intervals; pure functions of values."""
