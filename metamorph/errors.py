"""Faults of the user, told in one line."""


class UserError(Exception):
    """Something that the user can mend: the message names the thing, its fault and the way out."""
