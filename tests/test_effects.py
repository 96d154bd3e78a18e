"""What statements are found to do, and what follows for the order of two of them."""

import random

import pytest

from metamorph.java.commuting import conflict, guarded_nodes
from metamorph.java.effects import Effect, effect_of
from metamorph.java.expressions import expression_types
from metamorph.java.methods import methods
from metamorph.java.sites import Refusal, Site
from metamorph.java.source import SourceFile
from metamorph.java.tree import Tree, parse
from metamorph.java.types import file_types
from metamorph.transforms import permute_statement
from metamorph.transforms._protocol import Choices

FRAME = """package p;
import java.util.ArrayList;
import static other.Names.Byte;
class Frame<E> extends Above {{
    int size; long total; volatile int watched; final int fixed = size; static int shared;
    static final String TITLE = "t" + 1; E item; int[] cells; static class Inner {{ int own; }}
    void run(int i, long l, double d, boolean b, char c, Integer box, String s, Object o,
             int[] ints, String[] texts, Frame<E> other, E element, Byte odd) {{
        {body}
    }}
}}
"""
STATEMENTS = ("expression_statement", "local_variable_declaration")


def framed(body: str) -> Tree:
    """A method with this body, in a class with fields and parameters of many types."""
    tree = parse(FRAME.format(body=body).encode())
    assert not tree.has_error
    return tree


def block(tree: Tree) -> int:
    """The body of the method of the frame."""
    return next(n for n in range(len(tree)) if tree.kind[n] == "block")


def effects(body: str) -> list[Effect]:
    """The effects of the statements that stand directly in the body."""
    tree = framed(body)
    types = file_types(tree)
    inside = [n for n in tree.children(block(tree)) if tree.kind[n] in STATEMENTS]
    return [effect_of(types, statement) for statement in inside]


def effect(statement: str) -> Effect:
    """The effect of one statement."""
    (only,) = effects(statement)
    return only


def type_of(expression: str) -> str:
    """The type of an expression over the frame's names, "" where it is not known."""
    tree = framed(f"use({expression});")
    arguments = next(n for n in range(block(tree), len(tree)) if tree.kind[n] == "argument_list")
    value = next(tree.named_children(arguments))
    return expression_types(file_types(tree), value).get(value, "")


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("1", "int"),
        ("1L", "long"),
        ("0xFFL", "long"),
        ("0xFF", "int"),
        ("1f", "float"),
        ("0x1p3", "double"),
        ("'c'", "char"),
        ("c", "char"),
        ("c + c", "int"),
        ("i * l", "long"),
        ("i / d", "double"),
        ("i << l", "int"),
        ("-c", "int"),
        ("i < l", "boolean"),
        ("b & !b", "boolean"),
        ("i & c", "int"),
        ("i + s", "String"),
        ("(s)", "String"),
        ("ints[0]", "int"),
        ("texts", "String[]"),
        ("texts.length", "int"),
        ("cells.length", "int"),
        ("this.total", "long"),
        ("Frame.this.size", "int"),
        ("Frame.shared", "int"),
        ("box", "Integer"),
        ("box + 1", "int"),
        ("element", "reference"),
        ("odd", "reference"),
        ("b ? i : l", "long"),
        ("b ? s : null", "String"),
        ("b ? box : i", ""),
        ("(long) i", "long"),
        ("(String) o", "String"),
        ("new int[2][]", "int[][]"),
        ("new ArrayList<String>()", "ArrayList"),
        ("i = 2", "int"),
        ("i++", "int"),
        ("o instanceof String", "boolean"),
        ("Math.max(i, l)", "long"),
        ("Math.sqrt(i)", "double"),
        ("s.length()", "int"),
        ("Integer.MAX_VALUE", "int"),
        ("Byte.MAX_VALUE", ""),
        ("call()", ""),
        ("other.size", ""),
        ("inherited", ""),
        ("null", "null"),
    ],
)
def test_types_of_expressions(expression: str, name: str) -> None:
    assert type_of(expression) == name


@pytest.mark.parametrize(
    "statement",
    [
        "int x = 1;",
        "i = 2 + c;",
        "i++;",
        "d /= 0;",
        "b = l > i && !b;",
        's += i + "x" + box + null;',
        "Object x = new ArrayList<>();",
        "int[] x = {1, i};",
        "int[] x = new int[3];",
        "Integer x = i;",
        "Runnable x = () -> call();",
        "Runnable x = this::call;",
        "String x = TITLE;",
        "int x = Math.max(i, 3);",
        "E x = element;",
        "Object x = b ? s : null;",
        "b = box == null;",
        "int x = i % 7;",
    ],
)
def test_statements_about_locals_alone_touch_nothing_else(statement: str) -> None:
    found = effect(statement)
    assert not found.unknown
    assert not found.throws
    assert not found.mutable
    assert not found.heap_reads | found.heap_writes


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("i = i / c;", "division"),
        ("i = i % 0;", "division"),
        ("i /= 0x0;", "division"),
        ("i = ints[0];", "array-access"),
        ("i = ints.length;", "null"),
        ("int[] x = new int[i];", "array-size"),
        ("int[] x = new int[-1];", "array-size"),
        ("String x = (String) o;", "cast"),
        ("i = box;", "unboxing"),
        ("box++;", "unboxing"),
        ("b = box == i;", "unboxing"),
        ("int[] x = {box};", "unboxing"),
        ("i = b ? box : 1;", "unboxing"),
        ("i = s.length();", "null"),
        ("Runnable x = s::trim;", "null"),
        ("Object x = new StringBuilder(i);", "argument"),
    ],
)
def test_a_statement_that_may_throw_has_no_unknown_effect(statement: str, reason: str) -> None:
    found = effect(statement)
    assert found.throws == {reason}
    assert not found.unknown


@pytest.mark.parametrize(
    "statement",
    [
        "call();",
        "new Frame<E>();",
        "Object x = new ArrayList<>(other);",
        "Object x = new ArrayList<>() { };",
        's = "" + o;',
        "s += o;",
        "i = inherited;",
        "i = this.inherited;",
        "i = super.size;",
        "i = other.size;",
        "i = Elsewhere.SIZE;",
        "i = watched;",
        "this.watched = 1;",
        "i = switch (c) { default -> 1; };",
        "b = o instanceof Pair(int x);",
        "i = Byte.MAX_VALUE;",
        "i = (other.size) + i;",
        "Object x = inherited::call;",
        "i = Math.addExact(i, i);",
        "i = Integer.parseInt(s);",
        "s = s.toLowerCase();",
    ],
)
def test_when_in_doubt_a_statement_may_do_anything(statement: str) -> None:
    assert effect(statement).unknown


def test_fields_are_told_apart_by_name_and_array_elements_by_type() -> None:
    found = effects("size += 1; this.total = size; ints[0]++; texts[0] = s; i = cells[1];")
    reads = [e.heap_reads for e in found]
    writes = [e.heap_writes for e in found]
    assert reads == [{".size"}, {".size"}, {"int[]"}, set(), {".cells", "int[]"}]
    assert writes == [{".size"}, {".total"}, {"int[]"}, {"reference[]"}, set()]


def test_a_final_field_is_no_state_that_others_change() -> None:
    fixed, plain = effects("i = fixed; i = size;")
    assert (fixed.mutable, plain.mutable) == (False, True)
    assert fixed.heap_reads == {".fixed"}


def test_a_lambda_reads_what_it_captures_and_does_nothing_else() -> None:
    tree = framed("Runnable x = () -> { size = i; int y = 1; y++; };")
    types = file_types(tree)
    statement = tree.child_of_kind(block(tree), "local_variable_declaration")
    found = effect_of(types, statement)
    names = {tree.text(n) for n in found.reads}
    assert names == {"i"}
    assert {tree.text(n) for n in found.writes} == {"x"}
    assert found.declares == {"x"}
    assert not found.heap_writes
    assert not found.throws


def test_words_are_names_that_could_be_variables() -> None:
    assert effect("other.size = this.total + call(i, Frame.shared);").words == {
        "other",
        "i",
        "Frame",
    }


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        ("int x = 1; int y = 2;", ""),
        ("i = 1; i = 2;", "local-conflict"),
        ("int x = i; i = 2;", "local-conflict"),
        ("int x; x = 2;", "local-conflict"),
        ("i = size; int size = 3;", "captures-name"),
        ("call(); call();", "unknown-effects"),
        ("call(); size = 1;", "unknown-effects"),
        ("i = size; call();", "unknown-effects"),
        ("i = fixed; call();", ""),
        ("call(); i = 1;", ""),
        ("watched = 1; i = ints[0];", "unknown-effects"),
        ("watched = 1; l = i / c;", "two-may-throw"),
        ("i = ints[0]; l = box;", "two-may-throw"),
        ("size = 1; i = size;", "heap-conflict"),
        ("ints[0] = 1; texts = null;", ""),
        ("size = 1; this.total = 2;", ""),
        ("size = 1; i = box;", "throw-before-effect"),
        ("i = box; i++;", "local-conflict"),
        ("i = box; l = size;", ""),
    ],
)
def test_what_keeps_two_statements_in_order(pair: str, reason: str) -> None:
    first, second = effects(pair)
    assert conflict(first, second, None) == reason
    assert conflict(second, first, None) == reason


@pytest.mark.parametrize(
    ("body", "guarded"),
    [
        ("{ here(); }", ""),
        ("try { here(); } finally { }", "{ here(); }"),
        ("try { here(); } catch (E e) { }", "{ here(); }"),
        ("try (var r = s) { here(); }", ""),
        ("try { } catch (E e) { here(); }", ""),
        ("try { } catch (E e) { here(); } finally { }", "catch (E e) { here(); }"),
        ("try { } finally { here(); }", ""),
        ("try { if (b) { here(); } } finally { }", "{ if (b) { here(); } }"),
        ("try { Runnable r = () -> { here(); }; } finally { }", ""),
        ("try { try { here(); } finally { } } catch (E e) { }", "{ here(); }"),
        ("try { try { } finally { here(); } } catch (E e) { }", "{ try { } finally { here(); } }"),
    ],
)
def test_which_code_a_handler_guards(body: str, guarded: str) -> None:
    tree = framed(body)
    call = next(n for n in range(len(tree)) if tree.text(n) == "here();")
    found = guarded_nodes(tree, tree.parent[call])
    assert (tree.text(found.start) if found else "") == guarded


def permuted(body: str) -> list[Site | Refusal]:
    """The sites and refusals of the frame's method."""
    tree = framed(body)
    (method,) = methods(SourceFile("Frame.java", tree.data), tree)
    return list(permute_statement.sites(method, Choices.for_file(tree.data, random.Random(0))))


def test_the_pairs_of_a_long_block_are_bounded_and_the_bound_is_told() -> None:
    few = permuted("".join(f"int v{n} = {n};" for n in range(17)))
    assert len(few) == 17 * 16 / 2
    assert all(isinstance(found, Site) for found in few)
    many = permuted("".join(f"int v{n} = {n};" for n in range(500)))
    sites = [found for found in many if isinstance(found, Site)]
    assert len(sites) == 484 * 16 + 16 * 15 / 2
    reasons = {found.reason for found in many if isinstance(found, Refusal)}
    assert reasons == {"pair-limit"}


def test_every_pair_of_neighbours_is_a_site_or_a_refusal() -> None:
    found = permuted("int a = 1; int b = a; call(); int c = 2; c = size; size = b;")
    neighbours = {site.edits[0].start for site in found if isinstance(site, Site)}
    refused = [each.anchor for each in found if isinstance(each, Refusal)]
    assert len(refused) == len(set(refused))
    assert neighbours.isdisjoint(refused)
    assert len(neighbours) + len(refused) == 5


def test_deep_nesting_does_not_overflow() -> None:
    deep = "(" * 5000 + "i" + ")" * 5000
    sums = "+".join(["i"] * 5000)
    assert (
        len([f for f in permuted(f"int a = {deep}; int b = {sums};") if isinstance(f, Site)]) == 1
    )
