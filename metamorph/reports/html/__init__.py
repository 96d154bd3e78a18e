"""The HTML report: one self-contained file, for people."""

from metamorph.reports.html.page import page

__all__ = ["page"]
