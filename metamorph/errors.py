"""Faults, told in one line: those of the user, and those of code that the user brought."""

from os.path import basename


class UserError(Exception):
    """Something that the user can mend: the message names the thing, its fault and the way out."""


def fault_of(error: Exception) -> str:
    """The kind of a fault and where it arose, `KeyError (swap.py:18)`: to be counted and found."""
    kind = type(error).__name__
    trace = error.__traceback__
    if trace is None:
        return kind
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{kind} ({basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})"
