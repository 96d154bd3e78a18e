"""Java that no person writes: each shape is a whole file of any size."""

from collections.abc import Callable

_Shape = Callable[[int], bytes]
_INT = b"int f(int a, int b, boolean c, String s)"


def in_class(body: bytes) -> bytes:
    """A class with these members."""
    return b"class A {\n" + body + b"\n}\n"


def _method(body: bytes) -> bytes:
    return in_class(_INT + b" {\n" + body + b"\n}")


def _nested(opening: bytes, inner: bytes, closing: bytes, after: bytes = b"") -> _Shape:
    return lambda n: _method(opening * n + inner + closing * n + after)


def _repeated(text: bytes, before: bytes = b"", after: bytes = b"") -> _Shape:
    return lambda n: _method(before + text * n + after)


def _numbered(text: str, before: bytes = b"", after: bytes = b"") -> _Shape:
    holes = text.count("%d")
    return lambda n: _method(
        before + b"".join((text % ((i,) * holes)).encode() for i in range(n)) + after
    )


_END = b" return a;"

SHAPES: dict[str, _Shape] = {
    "initialiser": _numbered("%d, ", b"int[] x = {", b"}; return x[0];"),
    "strings": _numbered('"%d", ', b"String[] x = {", b"}; return x.length;"),
    "blocks": _nested(b"{", b"int x = 1;", b"}", _END),
    "parentheses": lambda n: _method(b"return " + b"(" * n + b"a" + b")" * n + b";"),
    "lambdas": _repeated(b"x -> ", b"Object o = ", b"1;" + _END),
    "lambda-blocks": lambda n: _method(
        b"Runnable o = " + b"() -> { Runnable r = " * n + b"null" + b"; }" * n + b";" + _END
    ),
    "sum": _repeated(b" + a", b"return a", b";"),
    "concatenation": _repeated(b' + "x"', b"return s", b".length();"),
    "and": _repeated(b" && c", b"if (c", b") return 1;" + _END),
    "conditional": _repeated(b"c ? a : ", b"return ", b"b;"),
    "not": _repeated(b"!", b"boolean d = ", b"c;" + _END),
    "casts": _repeated(b"(int) ", b"return ", b"a;"),
    "assignments": _repeated(b"a = ", b"", b"b;" + _END),
    "else-if": _numbered(" else if (a == %d) { b = 1; }", b"if (c) { b = 2; }", _END),
    "nested-if": _repeated(b"if (c) ", b"", b"a = 1;" + _END),
    "nested-for": _repeated(b"for (int i = 0; i < 3; i++) ", b"", b"a = 1;" + _END),
    "nested-while": _nested(b"while (c) {", b"a = 1;", b"}", _END),
    "nested-try": _nested(b"try {", b"a = 1;", b"} catch (Exception e) {}", _END),
    "nested-switch": _nested(b"switch (a) { case 1: ", b"b = 1; break;", b"}", _END),
    "generics": lambda n: _method(b"java.util.List<" * n + b"A" + b">" * n + b" x = null;" + _END),
    "less-than": _repeated(b" < b", b"x = a", b";" + _END),
    "accesses": _repeated(b"[0]", b"return s", b";"),
    "calls": _repeated(b".trim()", b"s", b";" + _END),
    "nested-calls": lambda n: _method(b"return " + b"f(" * n + b"a" + b")" * n + b";"),
    "arguments": _repeated(b"a, ", b"g(", b"a);" + _END),
    "locals": _numbered("int x%d = b;\n", b"", _END),
    "one-local": _repeated(b"x = x + a;\n", b"int x = 0;", b"return x;"),
    "declarators": _numbered("x%d = a, ", b"int ", b"y;" + _END),
    "statements": _repeated(b"a = b; b = a;\n", b"", _END),
    "nothing": _repeated(b";", b"", _END),
    "loops": _repeated(b"for (int i = 0; i < a; i++) { b += i; }\n", b"", _END),
    "booleans": _numbered("boolean d%d = true; if (d%d) { a++; }\n", b"", _END),
    "switches": _repeated(b"switch (a) { case 1: b = 1; break; default: b = 2; }\n", b"", _END),
    "cases": _numbered("case %d: b = 2; break;\n", b"switch (a) {", b"}" + _END),
    "cases-that-fall": _numbered("case %d: b += 1;\n", b"switch (a) {", b"}" + _END),
    "labels-of-a-case": _numbered("case %d:\n", b"switch (a) {", b"b = 1; break; }" + _END),
    "rules": _numbered("case %d -> b = 1;\n", b"switch (a) {", b"default -> {} }" + _END),
    "labels": _numbered("l%d: ", b"", b"a = 1;" + _END),
    "catches": _numbered(" catch (E%d e) { a = 2; }", b"try { a = 1; }", _END),
    "methods": lambda n: in_class(
        b"".join(b"int f%d(int a) { int b = a; return b; }\n" % i for i in range(n))
    ),
    "classes-in-classes": lambda n: (
        b"".join(b"class A%d { int f() { int b = 1; return b; }" % i for i in range(n)) + b"}" * n
    ),
    "anonymous-classes": lambda n: _method(
        b"Object o = "
        + b"new Object() { int g(int z) { Object y = " * n
        + b"null"
        + b"; return 1; } }" * n
        + b";"
        + _END
    ),
    "local-classes": _numbered("class L%d { int g() { int z = 1; return z; } }\n", b"", _END),
    "parameters": lambda n: in_class(
        b"int f(" + b", ".join(b"int p%d" % i for i in range(n)) + b") { return p0; }"
    ),
    "comments": _repeated(b"a = 1; /* x */ // y\n", b"", _END),
    "annotations": lambda n: in_class(b"@A " * n + b"int f(int a) { int b = a; return b; }"),
    "long-string": _repeated(b"x" * 10, b'String t = "', b'";' + _END),
    "text-block": _repeated(b"x y\n", b'String t = """\n', b'""";' + _END),
    "long-name": lambda n: _method(
        b"int " + b"xY" * 5 * n + b" = 1; return " + b"xY" * 5 * n + b";"
    ),
    "long-number": _repeated(b"1", b"double d = ", b";" + _END),
    "blank-lines": _repeated(b"\n", b"", b"int x = a; return x;"),
    "carriage-returns": _repeated(b"int x = a;\r", b"", b"return x;"),
    "fresh-names": _numbered("int var%d = a;\n", b"", _END),
    "unicode-escapes": _repeated(b"\\u0041", b"int x = a; /* ", b" */ return x;"),
    "patterns": _numbered(" && s instanceof String t%d", b"if (c", b") return 1;" + _END),
    "nested-patterns": lambda n: _method(
        b"if (s instanceof " + b"R(" * n + b"int q" + b")" * n + b") return 1;" + _END
    ),
    "switch-expressions": lambda n: _method(
        b"return " + b"switch (a) { default -> " * n + b"1" + b"; }" * n + b";"
    ),
}
"""Shapes that are Java; the number says how often the part in question is repeated."""

GARBAGE: dict[str, _Shape] = {
    "open-parentheses": _repeated(b"(", b"return "),
    "open-braces": _repeated(b"{"),
    "open-generics": _repeated(b"A<"),
    "dimensions": _repeated(b"[]", b"int", b" x = null;" + _END),
    "shifts": _repeated(b"! << "),
    "questions": _repeated(b"+ ? "),
    "strings-and-comments": _repeated(b'"s" /*x*/ '),
    "colons": _repeated(b": ~ "),
}
"""Shapes for which the parser's own work grows with the square, or worse."""
