"""Addresses of corpora: which paths are addresses, and how they are shown without their secrets."""

import re

_ADDRESS = re.compile(r"[a-z][a-z0-9+.\-]*(?:://|::(?:[a-z][a-z0-9+.\-]*::)*[a-z][a-z0-9+.\-]*://)")
_LOCAL = ("file://", "local://")
# github://ORGANISATION:REPOSITORY@REVISION has no password.
_PASSWORD = re.compile(r"(?<=://)(?<!github://)([^/@\s]*?):[^/\s]*@")
_QUERY = re.compile(r"(?<=\?)[^?]*?=.*?(?=::|$)")
_WITHIN = re.compile(r"[a-z][a-z0-9+.\-]*://[^\s'\"<>]+")


def is_address(path: str) -> bool:
    """Whether it is an address such as `s3://bucket/key` or `zip::https://host/a.zip`."""
    return not path.startswith(_LOCAL) and _ADDRESS.match(path) is not None


def on_this_machine(path: str) -> str:
    """`file:///a/b` as the path that it is; anything else as it stands."""
    return next((path.removeprefix(each) for each in _LOCAL if path.startswith(each)), path)


def shown(path: str) -> str:
    """The path as it may be told and stored: passwords and what follows a `?` are left out.

    Signed addresses have their secrets behind the question mark.
    """
    if not is_address(path):
        return on_this_machine(path)
    return _QUERY.sub("...", _PASSWORD.sub(r"\1:...@", path))


def without_secrets(text: str) -> str:
    """A message with every address in it as it may be told."""
    return _WITHIN.sub(lambda found: shown(found[0]), text)
