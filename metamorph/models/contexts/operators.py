"""Names, literals and operators as JavaParser 3.0.0-alpha.4 shapes them."""

from metamorph.models.contexts.build import Builder, Handler

BINARY = {
    "||": "BinaryExpr:or",
    "&&": "BinaryExpr:and",
    "|": "BinaryExpr:binOr",
    "&": "BinaryExpr:binAnd",
    "^": "BinaryExpr:xor",
    "==": "BinaryExpr:equals",
    "!=": "BinaryExpr:notEquals",
    "<": "BinaryExpr:less",
    ">": "BinaryExpr:greater",
    "<=": "BinaryExpr:lessEquals",
    ">=": "BinaryExpr:greaterEquals",
    "<<": "BinaryExpr:lShift",
    ">>": "BinaryExpr:rSignedShift",
    ">>>": "BinaryExpr:rUnsignedShift",
    "+": "BinaryExpr:plus",
    "-": "BinaryExpr:minus",
    "*": "BinaryExpr:times",
    "/": "BinaryExpr:divide",
    "%": "BinaryExpr:remainder",
}
ASSIGN = {
    "=": "AssignExpr:assign",
    "+=": "AssignExpr:plus",
    "-=": "AssignExpr:minus",
    "*=": "AssignExpr:star",
    "/=": "AssignExpr:slash",
    "&=": "AssignExpr:and",
    "|=": "AssignExpr:or",
    "^=": "AssignExpr:xor",
    "%=": "AssignExpr:rem",
    "<<=": "AssignExpr:lShift",
    ">>=": "AssignExpr:rSignedShift",
    ">>>=": "AssignExpr:rUnsignedShift",
}
UNARY = {
    "+": "UnaryExpr:positive",
    "-": "UnaryExpr:negative",
    "!": "UnaryExpr:not",
    "~": "UnaryExpr:inverse",
}


def name(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A plain name."""
    b.add("NameExpr", parent, child_id, b.tree.text(node))


def _literal(label: str) -> Handler:
    def literal(b: Builder, node: int, parent: int, child_id: int) -> None:
        b.add(label, parent, child_id, b.tree.text(node))

    return literal


def integer(b: Builder, node: int, parent: int, child_id: int) -> None:
    """An integer literal of either size."""
    text = b.tree.text(node)
    label = "LongLiteralExpr" if text[-1] in "lL" else "IntegerLiteralExpr"
    b.add(label, parent, child_id, text)


def string(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A string literal or a text block."""
    text = b.tree.text(node)
    label = "TextBlockLiteralExpr" if text.startswith('"""') else "StringLiteralExpr"
    b.add(label, parent, child_id, text)


def operands(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A binary or assignment expression; the left operands are followed down in a loop."""
    kind = b.kind
    while True:
        b.at = node
        left, operator, right = b.kids(node)
        table = BINARY if kind[node] == "binary_expression" else ASSIGN
        parent = b.add(table.get(kind[operator], "BinaryExpr"), parent, child_id)
        b.stack.append((right, parent, 1, None))
        child_id, node = 0, left
        if kind[node] != "binary_expression":
            break
    b.stack.append((node, parent, child_id, None))


def unary(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A sign or negation; the two smallest integers are literals of their own."""
    kids = b.kids(node)
    operator, operand = b.kind[kids[0]], kids[-1]
    if operator == "-" and b.kind[operand] == "decimal_integer_literal":
        text = b.tree.text(operand)
        if text == "2147483648":
            b.add("IntegerLiteralMinValueExpr", parent, child_id, "-" + text)
            return
        if text[:-1] == "9223372036854775808":
            b.add("LongLiteralMinValueExpr", parent, child_id, "-9223372036854775808L")
            return
    this = b.add(UNARY.get(operator, "UnaryExpr"), parent, child_id)
    b.stack.append((operand, this, 0, None))


def update(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`++` and `--`, before or after."""
    kids = b.kids(node)
    before = not b.named[kids[0]]
    sign = b.kind[kids[0] if before else kids[-1]]
    label = f"UnaryExpr:{'pre' if before else 'pos'}{'In' if sign == '++' else 'De'}crement"
    this = b.add(label, parent, child_id)
    b.stack.append((kids[-1] if before else kids[0], this, 0, None))


def enclosed(b: Builder, node: int, parent: int, child_id: int) -> None:
    """An expression in parentheses; many of them are followed in a loop."""
    while b.kind[node] == "parenthesized_expression":
        b.at = node
        parent = b.add("EnclosedExpr", parent, child_id)
        child_id = 0
        parts = b.parts(node)
        if not parts:
            return
        node = parts[0]
    b.stack.append((node, parent, child_id, None))


def inside(b: Builder, node: int) -> int:
    """The condition within a statement's parentheses."""
    parts = b.parts(node) if b.kind[node] == "parenthesized_expression" else [node]
    return parts[0] if parts else node


HANDLERS: dict[str, Handler] = {
    "assignment_expression": operands,
    "binary_expression": operands,
    "binary_integer_literal": integer,
    "character_literal": _literal("CharLiteralExpr"),
    "decimal_floating_point_literal": _literal("DoubleLiteralExpr"),
    "decimal_integer_literal": integer,
    "false": _literal("BooleanLiteralExpr"),
    "hex_floating_point_literal": _literal("DoubleLiteralExpr"),
    "hex_integer_literal": integer,
    "identifier": name,
    "null_literal": _literal("NullLiteralExpr"),
    "octal_integer_literal": integer,
    "parenthesized_expression": enclosed,
    "string_literal": string,
    "true": _literal("BooleanLiteralExpr"),
    "unary_expression": unary,
    "underscore_pattern": name,
    "update_expression": update,
}
