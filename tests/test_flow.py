"""Control flow, constant conditions, selectors and edits of tokens."""

import pytest

from metamorph.java.constants import truth
from metamorph.java.edits import apply
from metamorph.java.flow import LOOPS, flow
from metamorph.java.literals import Truth
from metamorph.java.rewrite import code_of, erased, replaced
from metamorph.java.selectors import selector_type
from metamorph.java.switches import clusters, groups, is_statement, labels_in, leaving
from metamorph.java.tree import Tree, parse


def method(body: str, members: str = "") -> Tree:
    """A class with those members and a method `f` with that body."""
    tree = parse(f"class A {{ {members} void f(int n, boolean q) {{ {body} }} }}".encode())
    assert not tree.has_error
    return tree


def first(tree: Tree, kind: str) -> int:
    """The first node of a kind."""
    return tree.kind.index(kind)


@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("n++;", True),
        ("return;", False),
        ("throw null;", False),
        ("while (true) n++;", False),
        ("while (!(false)) n++;", False),
        ("while (q) n++;", True),
        ("while (K) n++;", None),
        ("while (NOT_CONSTANT) n++;", True),
        ("while (UNKNOWN) n++;", None),
        ("while (true) if (q) break;", True),
        ("while (true) switch (n) { case 1: break; }", False),
        ("while (true) { Runnable r = () -> { while (q) break; }; }", False),
        ("for (;;) { }", False),
        ("for (;; n++) { if (q) break; }", True),
        ("for (int i : new int[0]) return;", True),
        ("do return; while (q);", False),
        ("do { if (q) continue; return; } while (q);", True),
        ("do { if (q) continue; return; } while (true);", False),
        ("do n++; while (true);", False),
        ("a: while (true) { while (true) break a; }", True),
        ("a: while (true) { while (true) continue a; }", False),
        ("a: { if (q) break a; return; }", True),
        ("if (q) return;", True),
        ("if (q) return; else return;", False),
        ("if (true) return;", True),
        ("synchronized (this) { return; }", False),
        ("try { return; } finally { n++; }", False),
        ("try { n++; } finally { return; }", False),
        ("try { return; } catch (RuntimeException e) { }", True),
        ("try { n++; } catch (RuntimeException e) { return; }", True),
        ("while (true) { try { break; } finally { return; } }", False),
        ("while (true) { try { n++; } finally { if (q) break; } }", True),
        ("switch (n) { case 1: return; default: return; }", False),
        ("switch (n) { case 1: return; }", True),
        ("switch (n) { case 1: break; default: return; }", True),
        ("switch (n) { default: return; case 1: }", True),
        ("switch (n) { case 1 -> { return; } default -> throw null; }", False),
        ("switch (n) { case 1 -> n++; default -> throw null; }", True),
        ("switch (n) { }", True),
        ("switch ((Object) n) { case String s: return; case Object o: return; }", False),
        ("switch ((Object) n) { case String s -> { return; } case Object o -> n++; }", True),
        ("switch (n) { case B.X: return; }", None),
    ],
)
def test_whether_a_statement_can_complete(statement: str, answer: bool | None) -> None:
    members = "static final boolean K = 1 < 2; static final boolean NOT_CONSTANT = g();"
    tree = method(statement, members)
    body = tree.child(first(tree, "method_declaration"), "body")
    assert flow(tree).completes(next(tree.named_children(body))) is answer


def test_jumps_lead_to_the_statement_that_they_leave_or_continue() -> None:
    tree = method("a: while (q) { switch (n) { case 1: break; case 2: continue; } break a; }")
    found = flow(tree)
    jumps = {tree.text(j): tree.kind[goal] for j, goal in found.target.items()}
    assert jumps == {
        "break;": "switch_expression",
        "continue;": "while_statement",
        "break a;": "labeled_statement",
    }


def test_a_jump_does_not_leave_a_lambda_or_a_class() -> None:
    tree = method("while (q) { Runnable r = () -> { for (;;) break; }; }")
    (goal,) = flow(tree).target.values()
    assert tree.kind[goal] == "for_statement"
    assert goal in [n for n, kind in enumerate(tree.kind) if kind in LOOPS]


@pytest.mark.parametrize(
    ("condition", "answer"),
    [
        ("true", Truth.TRUE),
        ("((!(true)))", Truth.FALSE),
        ("q", Truth.VARIES),
        ("K && q", Truth.VARIES),
        ("K", Truth.UNKNOWN),
        ("L", Truth.VARIES),
        ("A.K", Truth.UNKNOWN),
        ("n > 1", Truth.VARIES),
        ("f == null", Truth.VARIES),
        ("local", Truth.UNKNOWN),
        ("ARRAY == ARRAY", Truth.VARIES),
    ],
)
def test_what_is_known_of_a_condition(condition: str, answer: Truth) -> None:
    members = "final boolean K = true, L = g(); final boolean ARRAY[] = {true};"
    tree = method(f"final boolean local = 1 < 2; while ({condition}) n++;", members)
    loop = first(tree, "while_statement")
    assert truth(tree, tree.child(loop, "condition")) is answer


def test_groups_hold_their_labels_and_fall_where_control_can() -> None:
    tree = method("switch (n) { case 1: case 2: n++; case 3: break; default: return; case 4: }")
    switch = first(tree, "switch_expression")
    found = groups(tree, switch)
    labels = [[tree.text(label) for label in g.labels] for g in found]
    assert labels == [["1", "2"], ["3"], [], ["4"]]
    assert [g.default for g in found] == [False, False, True, False]
    assert [g.falls for g in found] == [True, False, False, True]
    assert [len(cluster) for cluster in clusters(found)] == [2, 1, 1]


def test_breaks_that_end_their_group_are_told_from_the_others() -> None:
    tree = method("switch (n) { case 1: if (q) break; n++; if (q) { n--; break; } else break; }")
    switch = first(tree, "switch_expression")
    tails, others = leaving(tree, switch, groups(tree, switch)[0])
    assert (len(tails), len(others)) == (2, 1)
    assert others[0] < min(tails)


def test_a_switch_is_a_statement_only_where_one_can_stand() -> None:
    text = (
        "int m = q ? switch (n) { default -> 1; } : 2; if (q) switch (n) { default -> n++; }"
        " else switch (n) { default: } a: switch (n) { default: }"
        " g(switch (n) { default -> 1; });"
    )
    tree = method(text)
    switches = [n for n, kind in enumerate(tree.kind) if kind == "switch_expression"]
    assert [is_statement(tree, s) for s in switches] == [False, True, True, True, False]


@pytest.mark.parametrize(
    ("selector", "labels", "answer"),
    [
        ("n", "case X:", "int"),
        ("g()", "case 'a': case X:", "int"),
        ("g()", 'case "a":', "String"),
        ("g()", "case (byte) X:", "int"),
        ("g()", "case X:", ""),
        ("this.kind", "case X:", "Kind"),
        ("new A().kind", "case X:", "Kind"),
        ("kind()", "case X:", "Kind"),
        ("make().kind()", "case X:", "Kind"),
        ("A.make().kind", "case X:", "Kind"),
        ("A", "case X:", ""),
        ("size(1)", "case X:", "int"),
        ("size(1, 2)", "case X:", ""),
        ("kind.size()", "case X:", "int"),
        ("value()", "case X:", ""),
        ("b.kind()", "case X:", ""),
    ],
)
def test_the_type_of_a_selector(selector: str, labels: str, answer: str) -> None:
    members = (
        "enum Kind { X; int size() { return 1; } } Kind kind; Kind kind() { return kind; }"
        " static A make() { return null; } int size(int n) { return n; }"
        " <T> T value() { return null; } B b;"
    )
    tree = method(f"switch ({selector}) {{ {labels} }}", members)
    switch = first(tree, "switch_expression")
    assert selector_type(tree, switch, labels_in(tree, switch)) == answer


def test_a_method_that_may_be_inherited_tells_no_type() -> None:
    source = (
        "class A { int size(int n) { return n; } class B extends C { void f() {"
        " switch (size(1)) { case X: } } } }"
    )
    for text, answer in ((source, ""), (source.replace("extends C ", ""), "int")):
        tree = parse(text.encode())
        switch = first(tree, "switch_expression")
        assert selector_type(tree, switch, labels_in(tree, switch)) == answer


def test_replaced_and_erased_tokens_leave_comments() -> None:
    tree = parse(b"class A { void f() { /* a */ x(1 /* b */, 2); // c\n  y(); // d\n } }")
    statements = [n for n, kind in enumerate(tree.kind) if kind == "expression_statement"]
    edits = [*replaced(tree, statements[:1], b"z();"), *erased(tree, statements[1:])]
    after = apply(tree.data, edits)
    assert after == b"class A { void f() { /* a */ z(); /* b */ // c\n  // d\n } }"


def test_a_statement_alone_on_its_line_vanishes_with_the_line() -> None:
    tree = parse(b"class A { void f() {\r\n  x();\r\n  y(); z();\r\n } }")
    first_, _, last = [n for n, kind in enumerate(tree.kind) if kind == "expression_statement"]
    edits = [*erased(tree, [first_]), *erased(tree, [last])]
    assert apply(tree.data, edits) == b"class A { void f() {\r\n  y();\r\n } }"


def test_code_has_a_space_for_each_comment() -> None:
    tree = parse(b"class A { int f = g /* a */ (1, // b\n 2)/**/; }")
    call = first(tree, "method_invocation")
    assert code_of(tree, call).split() == [b"g", b"(1,", b"2)"]
