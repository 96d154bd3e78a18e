"""Suites: programs with their sources and settings in a folder, to be asked about elsewhere."""
