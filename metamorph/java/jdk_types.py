"""Types of the JDK that are often subclassed on the spot, and the fields that they hand down."""

from collections.abc import Mapping, Sequence

_FIELDLESS = {
    "java.lang": "Object Runnable Comparable Iterable",
    "java.util": "Comparator Iterator",
}


def fields_of(
    path: Sequence[str], package: str, imports: Mapping[str, str]
) -> frozenset[str] | None:
    """Names of the fields that subclasses of a JDK type inherit, or None if it is not known.

    path: the type's names as written; what they mean is read off the file's package and imports.
    """
    first, *rest = path
    full = ".".join([imports.get(first, first), *rest])
    names = [full, f"java.lang.{full}"]
    return next((_FIELDS[name] for name in names if name in _FIELDS), None)


_FIELDS = {
    f"{package}.{name}": frozenset[str]()
    for package, names in _FIELDLESS.items()
    for name in names.split()
}
