"""Scopes: what each name of a file means, by the rules of JLS chapter 6."""

import pytest

from metamorph.java.jdk_types import handed_down
from metamorph.java.scopes import Binding, declared_type, resolve
from metamorph.java.tree import Tree, parse
from metamorph.java.unicode_escapes import hide_code


def meanings(source: str, name: str) -> str:
    """For each identifier of that name: the kind of what it means, `-` for no variable.

    A declaration is written in capitals.
    """
    tree = parse(source.encode())
    assert not tree.has_error
    of = resolve(tree).of
    found = []
    for node, kind in enumerate(tree.kind):
        if kind in ("identifier", "type_identifier") and tree.text(node) == name:
            binding = of.get(node)
            meant = binding.kind if binding else "-"
            found.append(meant.upper() if binding and binding.node == node else meant)
    return " ".join(found)


def bindings(source: str) -> tuple[Tree, dict[str, Binding]]:
    """The bindings by name; the last of a name wins."""
    tree = parse(source.encode())
    return tree, {each.name: each for each in resolve(tree).bindings}


def doubts(source: str) -> dict[str, str]:
    """Name -> doubt of the bindings that have one."""
    return {name: each.doubt for name, each in bindings(source)[1].items() if each.doubt}


def in_method(body: str) -> str:
    """A class with a field `s` and a method of these statements."""
    return f"class C {{ String s; int m(Object o, Object p) {{ {body} }} }}"


def test_a_local_is_in_scope_from_its_own_declarator_on() -> None:
    assert meanings(in_method("f(s); String s = g(s), t = s; f(s);"), "s") == (
        "FIELD field LOCAL local local local"
    )


def test_a_local_ends_with_its_block() -> None:
    assert meanings(in_method("{ String s; f(s); } f(s);"), "s") == "FIELD LOCAL local field"


def test_the_variable_of_a_for_loop_ends_with_the_loop() -> None:
    body = "for (int s = 0; s < 3; s++) f(s); f(s);"
    assert meanings(in_method(body), "s") == "FIELD LOOP loop loop loop field"


def test_an_enhanced_for_does_not_hold_its_variable_in_scope_in_its_expression() -> None:
    assert meanings(in_method("for (var s : s) f(s); f(s);"), "s") == "FIELD LOOP field loop field"


def test_a_resource_ends_before_catch_and_finally() -> None:
    body = "try (var s = f(); var t = g(s)) { f(s); } catch (E e) { f(s); } finally { f(s); }"
    assert meanings(in_method(body), "s") == "FIELD RESOURCE resource resource field field"


def test_a_catch_parameter_is_in_scope_in_its_block() -> None:
    body = "try { f(s); } catch (E | F s) { f(s); } f(s);"
    assert meanings(in_method(body), "s") == "FIELD field CATCH catch field"


def test_a_lambda_parameter_ends_with_the_lambda() -> None:
    body = "f(s -> s, (s, t) -> { return s; }, (int s) -> s, s);"
    assert meanings(in_method(body), "s") == (
        "FIELD LAMBDA lambda LAMBDA lambda LAMBDA lambda field"
    )


def test_groups_of_a_switch_share_a_scope_and_rules_do_not() -> None:
    groups = "switch (1) { case 1: int s = 1; case 2: s = 2; } f(s);"
    assert meanings(in_method(groups), "s") == "FIELD LOCAL local field"
    rules = "switch (1) { case 1 -> { int s = 1; } case 2 -> f(s); } "
    assert meanings(in_method(rules), "s") == "FIELD LOCAL field"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (o instanceof String s) f(s); else f(s); f(s);", "pattern field field"),
        ("if (!(o instanceof String s)) f(s); else f(s); f(s);", "field pattern field"),
        ("if (!(o instanceof String s)) return 1; f(s);", "pattern"),
        ("if (!(o instanceof String s)) { f(); throw x; } f(s); { f(s); }", "pattern pattern"),
        ("{ if (!(o instanceof String s)) return 1; f(s); } f(s);", "pattern field"),
        ("if (o instanceof String s) f(); else return 1; f(s);", "pattern"),
        ("if (o instanceof String s) return 1; else return 2; f(s);", "field"),
        ("if (q) if (!(o instanceof String s)) return 1; f(s);", "field"),
        ("a: b: if (!(o instanceof String s)) return 1; f(s);", "pattern"),
        ("if (!(o instanceof String s)) while (true) f(); f(s);", "pattern"),
        ("if (!(o instanceof String s)) for (;;) break; f(s);", "field"),
        ("if (!(o instanceof String s)) do { continue; } while (true); f(s);", "pattern"),
        ("if (!(o instanceof String s)) a: { if (q) break a; return 1; } f(s);", "field"),
        ("if (!(o instanceof String s)) try { return 1; } finally { f(); } f(s);", "pattern"),
        ("if (!(o instanceof String s)) try { return 1; } catch (E e) { } f(s);", "field"),
        ("if (!(o instanceof String s)) switch (k) { default: return 1; } f(s);", "pattern"),
        ("if (!(o instanceof String s)) switch (k) { case 1: return 1; } f(s);", "field"),
        ("if (!(o instanceof String s)) synchronized (o) { return 1; } f(s);", "pattern"),
        ("while (!(o instanceof String s)) f(s); f(s);", "field pattern"),
        ("while (!(o instanceof String s)) { if (q) break; } f(s);", "field"),
        ("a: while (true) { while (!(o instanceof String s)) break a; f(s); }", "field"),
        ("while (!(o instanceof String s)) { for (;;) break; } f(s);", "pattern"),
        ("while (o instanceof String s) f(s); f(s);", "pattern field"),
        ("do f(s); while (!(o instanceof String s)); f(s);", "field pattern"),
        ("for (; o instanceof String s; f(s)) f(s); f(s);", "pattern pattern field"),
        ("for (f(s); !(o instanceof String s); f(s)) f(s); f(s);", "field field field pattern"),
        ("f(o instanceof String s && g(s), s);", "pattern field"),
        ("f(o instanceof String s || g(s));", "field"),
        ("f(!(o instanceof String s) || g(s));", "pattern"),
        ("f(!!(o instanceof String s) && (q && g(s)));", "pattern"),
        ("f(q && o instanceof String s && g(s));", "pattern"),
        ("f(q || o instanceof String s && g(s) || h(s));", "pattern field"),
        ("f(o instanceof String s & g(s));", "field"),
        ("f((o instanceof String s) == g(s));", "field"),
        ("f(o instanceof String s ? s : s);", "pattern field"),
        ("f(!(o instanceof String s) ? s : s);", "field pattern"),
        ("f(q ? o instanceof String s && g(s) : g(s));", "pattern field"),
        ("boolean b = o instanceof String s && g(s); f(s);", "pattern field"),
        ("f(() -> o instanceof String s && g(s), s);", "pattern field"),
        ("if (q && !(o instanceof String s)) return 1; f(s);", "field"),
        ("if (q || !(o instanceof String s)) return 1; f(s);", "pattern"),
        ("if (o instanceof Box(var t, String s) && f(s)) f(s); f(s);", "pattern pattern field"),
        ("switch (o) { case String s -> f(s); default -> f(s); }", "pattern field"),
        ("switch (o) { case String s when g(s): f(s); default: f(s); }", "pattern pattern field"),
        ("switch (o) { case A a when p instanceof String s -> f(s); }", "pattern"),
        ("switch (o) { case Box(Box(String s)) -> { f(s); } default -> f(s); }", "pattern field"),
    ],
)
def test_a_pattern_variable_is_in_scope_where_its_match_is_certain(
    body: str, expected: str
) -> None:
    found = meanings(in_method(body), "s").split()
    assert [word for word in found[1:] if word != "PATTERN"] == expected.split()


def test_a_pattern_scope_that_hangs_on_a_constant_is_in_doubt() -> None:
    source = in_method("if (!(o instanceof String s)) while (K.ON) f(); f(s);")
    assert doubts(source) == {"s": "pattern-scope"}
    settled = in_method("if (!(o instanceof String s)) while (f()) f(); f(s);")
    assert not doubts(settled)


def test_a_pattern_scope_that_no_name_needs_leaves_no_doubt() -> None:
    assert not doubts(in_method("if (!(o instanceof String t)) while (K.ON) f(); f(s);"))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x.y.x", "parameter -"),
        ("this.x", "-"),
        ("x()", "-"),
        ("x.x()", "parameter -"),
        ("x::x", "parameter -"),
        ("X::x", "-"),
        ("x.new Y()", "parameter"),
        ("x.this.y", "-"),
        ("a.x.super.y()", "-"),
        ("x.super.y()", "-"),
        ("(x.y) + x", "parameter parameter"),
        ("(x.y) - -x", "parameter parameter"),
        ("(x) - x", "parameter parameter"),
        ("(a.x) + 1", "-"),
        ("x[x.y][x]", "parameter parameter parameter"),
        ("new int[x]", "parameter"),
        ("x < y & z > x", "parameter parameter"),
        ("(A & B) x", "parameter"),
        ("switch (x) { case 1 -> x; default -> x; }", "parameter parameter parameter"),
    ],
)
def test_a_simple_name_is_told_from_the_name_of_something_else(
    expression: str, expected: str
) -> None:
    found = meanings(f"class C {{ void m(int x) {{ f({expression}); }} }}", "x")
    assert found.removeprefix("PARAMETER ") == expected


def test_labels_and_annotation_elements_are_no_variables() -> None:
    body = "x: for (;;) { if (f(x)) break x; else continue x; } @A(x = 1, y = x) int z;"
    found = meanings(f"class C {{ void m(int x) {{ {body} }} }}", "x")
    assert found == "PARAMETER - parameter - - - parameter"


def test_a_case_label_is_never_a_variable_that_cannot_be_constant() -> None:
    source = "class C {{ void m(E e) {{ {} switch (e) {{ case RED: f(RED); }} }} }}"
    plain = source.format("int RED = 1;")
    assert meanings(plain, "RED") == "LOCAL - local"
    assert not doubts(plain)
    assert doubts(source.format("final int RED = 1;")) == {"RED": "case-label"}
    assert doubts(source.format("for (final int RED = 1; ;)")) == {"RED": "case-label"}
    assert not doubts(source.format("for (final int RED : all)"))


def test_an_annotation_that_names_its_own_variable_is_in_doubt() -> None:
    assert doubts(in_method("@A(s) final String s = f();")) == {"s": "own-annotation"}
    assert doubts(in_method("for (@A(s) final String s = f(); ;) g();")) == {"s": "own-annotation"}
    assert not doubts(in_method("@A(t) final String s = f(), t = g();")).keys() - {"t"}


def test_a_nested_class_sees_its_own_field_then_the_local_around_it() -> None:
    body = "int s = 1, t = 2; new Object() { int s; int g() { return s + t + this.s; } };"
    assert meanings(in_method(body), "s") == "FIELD LOCAL FIELD field -"
    assert meanings(in_method(body), "t") == "LOCAL local"


def test_fields_are_inherited_within_the_file_unless_private() -> None:
    classes = "class A { int x; private int y; } class B extends A {} "
    user = "class C { void m(int x, int y) { new B() { int z = x + y; }; f(x); } }"
    assert meanings(classes + user, "x") == "FIELD PARAMETER field parameter"
    assert meanings(classes + user, "y") == "FIELD PARAMETER parameter"
    assert not doubts(classes + user)


def test_a_class_of_the_file_is_found_through_the_classes_that_inherit_it() -> None:
    classes = "class A { static class In { int x; } } class B extends A { "
    user = "void m(int x) { new In() { int z = x; }; } }"
    assert meanings(classes + user, "x") == "FIELD PARAMETER field"


def test_a_local_class_hides_a_class_of_the_same_name() -> None:
    source = "class L { int x; } class C { void m(int x) { class L {} new L() { int z = x; }; } }"
    assert meanings(source, "x") == "FIELD PARAMETER parameter"


def test_constants_of_enums_and_interfaces_are_fields() -> None:
    source = "enum E { ON { int f() { return ON.g; } }; int g = ON.g; } "
    assert meanings(source, "ON") == "FIELD field field"
    inherited = "interface I { int K = 1; } class C { void m(int K) { new I() { int z = K; }; } }"
    assert meanings(inherited, "K") == "FIELD PARAMETER field"


def test_the_components_of_a_record_are_fields_in_its_body() -> None:
    source = "record R(int x) { R { x = 1; } int f() { return x; } int g(int x) { return x; } }"
    assert meanings(source, "x") == "FIELD field field PARAMETER parameter"


def test_the_fields_of_a_file_without_a_class_are_fields() -> None:
    assert meanings("int f() { return x; } int x = 1;", "x") == "field FIELD"


@pytest.mark.parametrize(
    ("header", "created", "doubtful"),
    [
        ("class C", "Unknown", True),
        ("class C", "Object", False),
        ("class C", "Runnable", False),
        ("class C", "java.util.Comparator<String>", False),
        ("class C", "Comparator<String>", True),
        ("import java.util.Comparator; class C", "Comparator<String>", False),
        ("import java.util.*; class C", "Comparator<String>", True),
        ("import java.util.Map; class C", "Map.Entry<A, B>", False),
        ("import other.Runnable; class C", "Runnable", True),
        ("class Runnable extends Other {} class C", "Runnable", True),
        ("class Runnable {} class C", "Runnable", False),
        ("class C extends Unknown", "Runnable", True),
        ("class C extends Object implements Comparable<C>", "Runnable", False),
        ("package java.util; class C", "Comparator<String>", False),
        ("package java.util; class C", "TimerTask", True),
        ("class C", "@A Runnable", False),
    ],
)
def test_a_name_in_a_nested_class_is_in_doubt_unless_its_supertypes_are_known(
    header: str, created: str, doubtful: bool
) -> None:
    source = f"{header} {{ void m(int x) {{ new {created}() {{ int z = x; }}; }} }}"
    assert doubts(source) == ({"x": "may-be-inherited-field"} if doubtful else {})


def test_an_outer_class_gives_an_unknown_class_to_extend() -> None:
    source = "class C { class Runnable {} void m(int x, C c) { c.new Runnable() { int z = x; }; } }"
    assert doubts(source) == {"x": "may-be-inherited-field"}


def test_members_that_the_jdk_hands_down_are_known() -> None:
    imported = {"AbstractList": "java.util.AbstractList"}
    assert handed_down(["Runnable"], "", {}) == frozenset()
    assert handed_down(["AbstractList"], "", imported) == frozenset({"modCount"})
    assert handed_down(["AbstractList"], "", {}) is None


def test_a_binding_tells_type_dimensions_and_owner() -> None:
    source = (
        "class C { String[] f[]; void m(final int a[], long... b) throws E {"
        " var c = 1; for (int d[] : e) {} g((h) -> h); try {} catch (A | B i) {} } }"
    )
    tree, found = bindings(source)
    types = {name: declared_type(tree, each) for name, each in found.items()}
    assert types == {
        "f": "String[][]",
        "a": "int[]",
        "b": "long[]",
        "c": None,
        "d": "int[]",
        "h": None,
        "i": "A | B",
    }
    owners = {name: tree.kind[each.owner] for name, each in found.items()}
    assert owners == {
        "f": "class_declaration",
        "h": "lambda_expression",
        **dict.fromkeys("abcdi", "method_declaration"),
    }


def test_owners_are_initialisers_constructors_and_classes_too() -> None:
    source = (
        "enum C { A; static { int s; } { int i; } C(int c) {} boolean f = o instanceof X x;"
        " Object a = new Object() { int z; }; record R(int r) { R { int q; } } }"
    )
    tree, found = bindings(source)
    owners = {name: tree.kind[each.owner] for name, each in found.items()}
    assert owners == {
        "A": "enum_declaration",
        "s": "static_initializer",
        "i": "block",
        "c": "constructor_declaration",
        "f": "enum_declaration",
        "x": "enum_declaration",
        "a": "enum_declaration",
        "z": "object_creation_expression",
        "r": "record_declaration",
        "q": "compact_constructor_declaration",
    }


def test_the_scope_ends_where_the_last_name_could_stand() -> None:
    tree, found = bindings("class C { void m(int p) { { int l; f(); } g(); } }")
    ends = {name: tree.data[: tree.end[each.scope_end - 1]] for name, each in found.items()}
    assert ends["l"].endswith(b"f(); }")
    assert ends["p"].endswith(b"g(); }")


def test_unnamed_variables_and_receivers_declare_nothing() -> None:
    source = "class C { void m(C this, int _) { f(_ -> 1, (_, b) -> b); } }"
    assert list(bindings(source)[1]) == ["b"]


@pytest.mark.parametrize(
    ("source", "hidden"),
    [
        (r'String s = "\u0041\u0027";', False),
        (r'String s = "\u0022";', True),
        (r'String s = "\\u0022";', False),
        (r'String s = "\\\u0022";', True),
        (r'String s = "\uuu000a";', True),
        (r"char c = '\u0022';", False),
        (r"char c = '\u005c'';", True),
        (r"// \u0022 \u0041", False),
        (r"// \u000a x++;", True),
        (r"/* \u000a */", False),
        (r"/* \u002a\u002f */", True),
        (r"int \u0061;", True),
        ("int a;", False),
    ],
)
def test_escapes_are_told_by_where_they_stand(source: str, hidden: bool) -> None:
    assert hide_code(parse(f"class C {{ {source}\n }}".encode())) is hidden


def test_files_with_errors_or_hidden_code_are_in_doubt_as_a_whole() -> None:
    assert doubts("class C { void m(int x) { return ; } int f( }") == {"x": "syntax-error"}
    assert doubts('class C { String m(int x) { return "\\u0022 + x + \\u0022"; } }') == {
        "x": "unicode-escape"
    }


def test_deep_nesting_is_no_recursion() -> None:
    depth = 3000
    blocks = "{ int x = 1; " * depth + "f(x);" + "}" * depth
    ands = "(" * depth + "o instanceof A a" + ") && f(a)" * depth
    tree = parse(f"class C {{ void m(Object o) {{ {{ {blocks} }} if ({ands}) g(a); }} }}".encode())
    found = resolve(tree).bindings
    assert len(found) == depth + 2
    assert sum(len(each.references) for each in found if each.name == "x") == 1
    assert len(found[-1].references) == depth + 1
