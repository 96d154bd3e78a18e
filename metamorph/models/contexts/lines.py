"""The lines that the official extractor prints for a source."""

from collections.abc import Iterator, Sequence

from metamorph.java.tree import COMMENTS, Tree, parse
from metamorph.models.contexts.extract import extract_each
from metamorph.models.contexts.shapes import Shape, noted_file, shape, shape_in_file
from metamorph.models.contexts.tokens import decode_escapes
from metamorph.models.contexts.writers import Comments, Style

_BOM = b"\xef\xbb\xbf"
_UNIT = frozenset(
    {
        "annotation_type_declaration",
        "class_declaration",
        "enum_declaration",
        "import_declaration",
        "interface_declaration",
        "method_declaration",
        "module_declaration",
        "package_declaration",
        "record_declaration",
    }
)


def parse_source(data: bytes) -> Tree:
    """Parse a file, bare methods, or bare statements, which become the body of a method f.

    The statements' method ends in `return noSuchReturnValue;`, as the official extractor has it.
    Unicode escapes in code are decoded. The tree has errors where no reading fits.
    """
    tree = _parse_wrapped(data)
    if tree.has_error and b"\\u" in data:
        text = decode_escapes(data.decode("utf-8", "surrogateescape"))
        decoded = _parse_wrapped(text.encode("utf-8", "surrogatepass"))
        return tree if decoded.has_error else decoded
    return tree


def _parse_wrapped(data: bytes) -> Tree:
    tree = parse(data)
    if not tree.has_error and not _is_statements(tree):
        return tree
    bare = data.removeprefix(_BOM)
    for before, after in (
        (b"public class Test {SomeUnknownReturnType f() {", b"\nreturn noSuchReturnValue; }}"),
        (b"public class Test {", b"\n}"),
    ):
        wrapped = parse(before + bare + after)
        if not wrapped.has_error:
            return wrapped
    return tree


def _is_statements(tree: Tree) -> bool:
    """Whether only statements stand at the top."""
    kinds = [tree.kind[child] for child in tree.children(0) if tree.kind[child] not in COMMENTS]
    return bool(kinds) and not any(kind in _UNIT or kind == ";" for kind in kinds)


def context_lines(
    tree: Tree,
    style: Style,
    limit: int | None = None,
    hashed: bool = True,
    comments: Comments = "strip",
) -> Iterator[str]:
    """One line for each method with a body, nested ones after the method around them.

    For code2vec methods with an empty body have no line, for code2seq they have one.
    """
    nodes = tree.of_kinds(("method_declaration",))
    return filter(None, each_line(tree, nodes, style, limit, hashed, comments))


def each_line(
    tree: Tree,
    nodes: Sequence[int],
    style: Style,
    limit: int | None = None,
    hashed: bool = True,
    comments: Comments = "strip",
) -> Iterator[str]:
    """The line of each of these method declarations, "" where one has none."""
    has_line: list[bool] = []

    def shapes() -> Iterator[Shape]:
        for node in nodes:
            found = _shape(tree, node, style, comments)
            has_line.append(found is not None)
            if found:
                yield found

    told = 0
    for contexts in extract_each(shapes(), style, limit, hashed):
        while not has_line[told]:
            yield ""
            told += 1
        yield contexts.line() if contexts.contexts else ""
        told += 1
    yield from [""] * (len(nodes) - told)


def _shape(tree: Tree, node: int, style: Style, comments: Comments) -> Shape | None:
    """The method, if it is one that has a line."""
    body = tree.child(node, "body")
    if body < 0 or (style == "code2vec" and _is_empty(tree, node, body, comments)):
        return None
    return shape(tree, node) if comments == "strip" else shape_in_file(tree, node)


def _is_empty(tree: Tree, node: int, body: int, comments: Comments) -> bool:
    """Whether a method has no code; the official extractor takes some comments for code."""
    if any(
        tree.kind[c] not in ("{", "}") and tree.kind[c] not in COMMENTS for c in tree.children(body)
    ):
        return False
    file = noted_file(tree) if comments == "official" else None
    return file is None or not file.body_lines(node)
