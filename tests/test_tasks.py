"""Tasks: how answers are read, compared, and made to follow renamed variables."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.oracles.equality import Equality, equality, likeness, word_f1
from metamorph.oracles.outcomes import CHANGES, Outcome
from metamorph.tasks import judge, load, names

SOURCE = b"class A { /** Doc. */ @Deprecated int twice(int x) { return x == 0 ? 0 : twice(x); } }"
NAMES = st.sampled_from(["x", "y", "size", "var0", "var1", "n", "größe"])
RENAMINGS = st.lists(NAMES, unique=True, max_size=6).flatmap(
    lambda old: st.permutations(["x", "y", "size", "var0", "var1", "n", "größe"]).map(
        lambda new: dict(zip(old, new, strict=False))
    )
)
ANSWERS = st.lists(
    st.one_of(NAMES, st.sampled_from([".", "(", ")", " ", '"', "\\", "+", "1", "\n", "$x"])),
    max_size=12,
).map("".join)
TEXTS = st.lists(st.sampled_from(["a", "b", "c", "+", "(", "a1", "$", "_"]), max_size=9).map(
    " ".join
)


@pytest.mark.parametrize("name", names())
def test_every_task_says_its_name_and_puts_the_program_into_its_prompt(name: str) -> None:
    task = load(name)
    assert task.name == name
    assert "int {x} {" in task.prompt("int {x} {")


@pytest.mark.parametrize("name", names())
def test_only_naming_a_method_masks_its_name(name: str) -> None:
    tree = parse(SOURCE)
    method = next(methods(SourceFile("A.java", SOURCE), tree))
    code = load(name).code(tree, method.node)
    assert code.startswith("@Deprecated int ") and code.endswith("twice(x); }")
    assert ("METHOD_NAME(int x)" in code) == (name == "method-name")
    assert ("twice(int x)" in code) == (name != "method-name")


@pytest.mark.parametrize(
    ("task", "rule", "one", "other", "same"),
    [
        ("method-name", "", "get|name", "get|name", True),
        ("method-name", "", "get|name", "name|get", False),
        ("method-name", "", "get|url", "geturl", False),
        ("method-name", "ignore-case", "get|url", "geturl", True),
        ("method-name", "ignore-case", "get|url", "get|uri", False),
        ("method-name", "f1:0.5", "get|name", "set|name", True),
        ("method-name", "f1:0.51", "get|name", "set|name", False),
        ("method-name", "f1:1", "get|name", "name|get", True),
        ("method-name", "f1:0.9", "get|get", "get", False),
        ("label", "", "Clone", "clone", False),
        ("label", "ignore-case", "Clone", "clone", True),
        ("text", "", "returns the sum of a and b", "returns the sum of b", True),
        ("text", "similarity:0.9", "returns the sum of a and b", "returns the sum of b", False),
        ("text", "", "return a - b;", "return b - a;", False),
        ("text", "f1:1", "return a - b;", "return b - a;", True),
        ("text", "exact", "a b", "a c", False),
        ("number", "", "1.5", "1.5", True),
        ("number", "", "1.5", "1.50001", False),
        ("number", "within:2", "1.5", "3.5", True),
        ("number", "within:2", "-1", "1.01", False),
        ("surprise", "", "6.25", "6.3", True),
        ("surprise", "", "6.25", "6.375", False),
    ],
)
def test_each_task_compares_by_its_own_rule(
    task: str, rule: str, one: str, other: str, same: bool
) -> None:
    loaded = load(task, rule)
    assert loaded.same(one, other) is same
    assert loaded.same(other, one) is same


@pytest.mark.parametrize(
    ("task", "answer", "label"),
    [
        ("method-name", "parseHTTPHeader2", "parse|http|header|2"),
        ("method-name", "?", ""),
        ("label", " 1\n", "1"),
        ("label", "Not A Clone", "Not A Clone"),
        ("text", "  Returns\n the sum. ", "Returns the sum."),
        ("text", "\n", ""),
        ("number", " 1.50\n", "1.5"),
        ("number", "1e3", "1000"),
        ("number", "many", ""),
        ("number", "nan", ""),
        ("surprise", "-inf", ""),
    ],
)
def test_answers_are_read_into_one_form(task: str, answer: str, label: str) -> None:
    assert load(task).label(answer) == label


@pytest.mark.parametrize(
    ("task", "target", "gold"),
    [
        ("method-name", "whatever", "get|name"),
        ("method-name", None, "get|name"),
        ("label", " defect ", "defect"),
        ("label", None, None),
        ("label", " ", None),
        ("text", "Returns\nit.", "Returns it."),
        ("text", None, None),
        ("number", " 7 ", "7"),
        ("number", "seven", None),
        ("surprise", "7", None),
    ],
)
def test_the_right_answer_comes_from_the_name_or_the_corpus(
    task: str, target: str | None, gold: str | None
) -> None:
    assert load(task).gold("getName", target) == gold


@pytest.mark.parametrize(
    ("task", "rule", "fault"),
    [
        ("naming", "", "unknown task 'naming'"),
        ("text", "bleu:0.5", "unknown equality 'bleu:0.5'"),
        ("text", "similarity", "similarity:T"),
        ("text", "similarity:0", "above 0"),
        ("text", "similarity:nan", "above 0"),
        ("text", "f1:1.01", "at most 1"),
        ("text", "exact:1", "takes no threshold"),
        ("label", "similarity:0.5", "takes exact, ignore-case"),
        ("text", "within:0.5", "takes exact, ignore-case, f1:T, similarity:T"),
        ("number", "within:0", "a number above 0"),
        ("number", "within:inf", "a number above 0"),
        ("surprise", "f1:0.5", "takes within:T, exact"),
        ("method-name", "similarity:0.5", "takes exact, ignore-case, f1:T"),
    ],
)
def test_an_unknown_task_or_equality_is_refused(task: str, rule: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        load(task, rule)


@pytest.mark.parametrize(
    "spelling", ["exact", "ignore-case", "f1:0.5", "similarity:1.0", "within:2.5"]
)
def test_an_equality_reads_back_what_it_is_written_as(spelling: str) -> None:
    assert str(equality(spelling)) == spelling
    assert equality(str(equality(spelling))) == equality(spelling)


@pytest.mark.parametrize(
    ("answer", "followed"),
    [
        ("return x;", "return var0;"),
        ("this.x = x;", "this.x = var0;"),
        ("x(x).x", "x(var0).x"),
        (".x", ".x"),
        ("f(int...x)", "f(int...var0)"),
        ('print("x is " + x)', 'print("x is " + var0)'),
        ("max, $x, x1, 1x", "max, $x, x1, 1x"),
        ("var0", "x"),
        ("", ""),
    ],
)
def test_variables_in_texts_follow_and_nothing_else(answer: str, followed: str) -> None:
    assert load("text:names").follow(answer, {"x": "var0"}) == followed


def test_only_tasks_that_name_variables_follow_renamings() -> None:
    followed = {name: load(name).follow("x", {"x": "var0"}) for name in names()}
    assert followed == {name: "var0" if name.endswith(":names") else "x" for name in names()}


@given(RENAMINGS, ANSWERS)
def test_the_inverse_renaming_leads_back(renaming: dict[str, str], answer: str) -> None:
    inverse = {new: old for old, new in renaming.items()}
    for task in (load("text:names"), load("label:names")):
        assert task.follow(task.follow(answer, renaming), inverse) == answer


@given(RENAMINGS, ANSWERS, ANSWERS)
def test_renaming_two_answers_alike_keeps_how_alike_they_are(
    renaming: dict[str, str], one: str, other: str
) -> None:
    class_of = load("label:names")
    assert class_of.same(one, other) == class_of.same(
        class_of.follow(one, renaming), class_of.follow(other, renaming)
    )
    text = load("text:names")
    if '"' not in one + other and "." not in one + other and "(" not in one + other:
        followed = (text.follow(one, renaming), text.follow(other, renaming))
        assert likeness(one, other) == likeness(*followed)


@given(TEXTS, TEXTS)
def test_likeness_is_the_share_of_the_longest_common_subsequence(one: str, other: str) -> None:
    tokens, others = one.split(), other.split()
    longest = [[0] * (len(others) + 1) for _ in range(len(tokens) + 1)]
    for i, j in itertools.product(range(len(tokens)), range(len(others))):
        longest[i + 1][j + 1] = (
            longest[i][j] + 1
            if tokens[i] == others[j]
            else max(longest[i][j + 1], longest[i + 1][j])
        )
    total = len(tokens) + len(others)
    assert likeness(one, other) == (2 * longest[-1][-1] / total if total else 1.0)
    assert likeness(one, other) == likeness(other, one)
    assert word_f1(one, other) == word_f1(other, one)


@given(TEXTS, TEXTS, st.floats(0, 1, exclude_min=True), st.floats(0, 1, exclude_min=True))
def test_a_higher_threshold_never_makes_more_answers_the_same(
    one: str, other: str, low: float, high: float
) -> None:
    low, high = min(low, high), max(low, high)
    for rule in ("f1", "similarity"):
        strict, lax = Equality(rule, high), Equality(rule, low)
        assert strict.same(one, one)
        assert lax.same(one, other) or not strict.same(one, other)


@pytest.mark.parametrize(
    ("before", "after", "gold", "category"),
    [
        ("x", "var0", "x", "CCP"),
        ("x", "x", "x", "CIP"),
        ("y", "y", "x", "WWSP"),
        ("y", "var0", "x", "WCP"),
        ("y", "x", "x", "WWDP"),
        ("x", "var0", None, "same"),
        ("x", "x", None, "changed"),
    ],
)
def test_answers_and_gold_follow_a_renamed_variable(
    before: str, after: str, gold: str | None, category: str
) -> None:
    assert judge(load("label:names"), before, after, gold, {"x": "var0"}).category == category


@pytest.mark.parametrize(
    ("before", "after", "category"),
    [
        ("get|name", "set|name", "CCP"),
        ("get|name", "set|value", "CIP"),
        ("set|value", "get|value", "WCP"),
        ("set|value", "put|value", "WWSP"),
        ("set|value", "put|it", "WWDP"),
    ],
)
def test_a_tolerant_equality_judges_right_answers_too(
    before: str, after: str, category: str
) -> None:
    outcome = judge(load("method-name", "f1:0.5"), before, after, "get|name", {})
    assert outcome.category == category
    assert outcome.changed == (category in CHANGES)


@given(st.sampled_from("ab"), st.sampled_from("ab"))
def test_without_gold_an_outcome_has_no_category_but_still_changes(before: str, after: str) -> None:
    outcome = Outcome(before, after, None)
    assert outcome.changed == (before != after)
    assert outcome.category == ("changed" if before != after else "same")
