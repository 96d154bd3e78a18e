"""Answers read out of what models write around them."""

import time

import pytest

from metamorph.models.answers import read_answer
from metamorph.tasks import load

NAMES = {
    "bare": "getSize",
    "snake case": "get_size",
    "space around": "  getSize\n",
    "backticks": "`getSize`",
    "three backticks in a line": "```getSize```",
    "bold": "**getSize**",
    "double quotes": '"getSize"',
    "curly quotes": "“getSize”",
    "parentheses": "getSize()",
    "arguments": "getSize(int[] x, int y)",
    "a full stop": "getSize.",
    "a semicolon": "getSize();",
    "a class before it": "Basket.getSize",
    "a method reference": "Basket#getSize",
    "end of turn": "getSize<|im_end|>",
    "end of sequence": "<s>getSize</s>",
    "a fence": "```\ngetSize\n```",
    "a fence with a language": "```java\ngetSize\n```",
    "a fence and prose": "Here it is:\n```\ngetSize\n```\nIt says what `n` is.",
    "a fence cut off": "```java\ngetSize()",
    "a fence of tildes": "~~~\ngetSize\n~~~",
    "a method": "```java\npublic int getSize() {\n  return count(n);\n}\n```",
    "a method without fence": "public int getSize() {\n  return n;\n}",
    "a method in a method": "int getSize() { return new A() { int b() { return 1; } }.c(); }",
    "a class": "```java\nclass A {\n  int getSize() { return n; }\n}\n```",
    "a signature": "public int getSize(int x)",
    "a generic signature": "static <T> List<T> getSize(List<? super T> x) throws IOException {",
    "an annotated signature": "@Override public int[] getSize()",
    "a quoted signature": "The name is `int getSize(int x)`.",
    "a sentence": "The method name is `getSize`.",
    "a sentence without quotes": "The method name is getSize.",
    "a sentence with double quotes": 'A good name could be "getSize".',
    "a sentence with bold": "Suggested name: **getSize**",
    "a bold label": "**Method name:** `getSize`",
    "a colon": "Method name: getSize",
    "an answer": "Answer: getSize",
    "called": "The method `METHOD_NAME` should be called `getSize`.",
    "called by someone": "It is called by `main`. I would name it `getSize`.",
    "called without quotes": "I would call this method getSize.",
    "a variable's name before": "The variable is named `n`. The method name is `getSize`.",
    "alternatives below": "Name: `getSize`\n\nAlternatives: `count`, `length`",
    "a tag": "<answer>getSize</answer>",
    "renamed": "Rename `METHOD_NAME` to `getSize`.",
    "an arrow": "`METHOD_NAME` -> `getSize`",
    "another quoted word before": "As `count` is returned, the method name is `getSize`.",
    "the name first": "`getSize` would be a good name.",
    "an explanation below": "getSize\n\nThis method returns the size.",
    "a quoted explanation below": "`getSize`\n\n**Explanation:** `n` is returned.",
    "an introduction above": "Sure! Here's the name:\n\ngetSize",
    "one word above": "Sure\n`getSize`",
    "a bullet": "- `getSize`",
    "twice the same": "getSize\ngetSize",
    "the same in two spellings": "1. `getSize`\n2. getSize()",
    "thoughts": "<think>It may be `count`.</think>getSize",
    "thoughts in lines": "<think>\ncount?\n\nor length\n</think>\n\ngetSize",
    "thoughts without their beginning": "It may be `count`.\n</think>\n\ngetSize",
    "other thoughts": "<reasoning>count</reasoning> getSize",
    "JSON": '{"name": "getSize"}',
    "JSON in a fence": '```json\n{"methodName": "getSize()", "why": "n"}\n```',
    "a JSON list": '["getSize"]',
    "a JSON text": '"getSize"',
}
NO_NAMES = {
    "two lines": "getSize\ncount",
    "a numbered list": "1. getSize\n2. count",
    "two quoted names": "I suggest `getSize` or `count`.",
    "three quoted names": "Call it `getSize`, `count` or `length`.",
    "a JSON list of two": '["getSize", "count"]',
    "JSON of another kind": '{"size": 3}',
    "JSON whose name is no text": '{"name": 3}',
    "two methods": "int getSize() { return n; } int count() { return n; }",
    "the mask": "METHOD_NAME",
    "the mask in a signature": "static int METHOD_NAME(int x)",
    "a keyword": "null",
    "two words": "get size",
    "a statement": "return getSize(x);",
    "an expression": "getSize(x) + count(y)",
    "a refusal": "I cannot name that.",
    "politeness": "Sure!",
    "an adjective": "The name is unclear.",
    "a quoted word that is no name": "It returns the `size` of the basket.",
    "a name that is not meant": "Don't call it `getSize`.",
    "a name without quotes that is not meant": "I would not call it getSize.",
    "thoughts cut off": "<think>It may be `getSize`",
    "letters that no subtoken has": "名前",
    "nothing but marks": "```\n```",
    "too long": "x " * 20_000,
}


@pytest.mark.parametrize("case", NAMES)
def test_a_name_is_found_in(case: str) -> None:
    assert read_answer(NAMES[case], load("method-name")) == ("get|size", "")


@pytest.mark.parametrize("case", NO_NAMES)
def test_nothing_is_guessed_from(case: str) -> None:
    assert read_answer(NO_NAMES[case], load("method-name")) == ("", "unparsed")


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_answer_without_a_word_is_empty(text: str) -> None:
    assert read_answer(text, load("method-name")) == ("", "empty-answer")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("vulnerable", "vulnerable"),
        ("`Clone`\n", "Clone"),
        ("```\n1\n```", "1"),
        ("<think>safe?</think> not safe", "not safe"),
    ],
)
def test_a_class_is_taken_as_it_is_spelt(text: str, label: str) -> None:
    assert read_answer(text, load("label")) == (label, "")


def test_a_text_keeps_its_marks_and_loses_thoughts_and_fence() -> None:
    text = '<think>hm</think>```\nReturns `n`, the "size".\n```'
    assert read_answer(text, load("text")) == ('Returns `n`, the "size".', "")


@pytest.mark.parametrize(
    "piece",
    [
        *("a ", "<think>", "`", "name is ", "public int ", "<", "@a ", "[ ", "a.b", "(", "**a**"),
        *("```\n", "call it ", "throws a ", "“", "rename to ", "{", '"a" '),
    ],
)
def test_reading_takes_no_longer_than_the_text_deserves(piece: str) -> None:
    begun = time.process_time()
    for text in (piece * (19_000 // len(piece)), piece * (390 // len(piece)) + "\n" + piece * 90):
        read_answer(text + "!", load("method-name"))
    assert time.process_time() - begun < 2
