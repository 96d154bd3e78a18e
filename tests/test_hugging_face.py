"""Hugging Face checkpoints: their answers are what a plain loop over one question gives."""

import random
import re
from dataclasses import replace
from itertools import pairwise
from math import exp
from pathlib import Path

import pytest

from metamorph.corpus import sample_path
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.models import load
from metamorph.models.hugging_face import HuggingFace
from metamorph.models.hugging_face.adapter import BATCH_TOKENS, _chunks
from metamorph.models.hugging_face.questions import Fitted, fit
from metamorph.models.options import Options
from metamorph.models.protocol import Asked, Counting, Example, Model, Prediction, Streaming
from metamorph.tasks import load as load_task

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_transformers import END, MASK, PAD, TURNS, write_chain, write_checkpoint  # noqa: E402

SOURCE = sorted(sample_path().rglob("*.java"))[0].read_bytes()
TEXT = SOURCE.decode()
STEPS = 8
TASKS = {"causal": "text", "seq2seq": "text", "classifier": "label", "mask": "method-name"}
KINDS = sorted(TASKS)
PIECE = re.compile("[ĠĊ]?[A-Za-z0-9_$]+")


def examples_of(source: bytes) -> list[Example]:
    tree = parse(source)
    return [
        Example(f"{m.index}", tree, m.node) for m in methods(SourceFile("A.java", source), tree)
    ]


EXAMPLES = examples_of(SOURCE)[:10]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a checkpoint of each kind, by the kind's name."""
    made = tmp_path_factory.mktemp("checkpoints")
    for kind in KINDS:
        write_checkpoint(made / kind, kind, TEXT)
    return made


def opened(folder: Path, **options: object) -> HuggingFace:
    task = TASKS.get(folder.name, "method-name")
    model = load(f"hf:{folder}", replace(Options(task=task, max_tokens=STEPS), **options))
    assert isinstance(model, HuggingFace)
    return model


def asked(model: Model, examples: list[Example]) -> dict[str, Prediction]:
    return {answer.id: answer for answer in model.predict(examples)}


def written_alone(folder: Path, kind: str, ids: tuple[int, ...]) -> tuple[str, float]:
    """The greedy text and its score, by a loop that knows no batch, padding or memory."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    if kind == "causal":
        model = transformers.GPT2LMHeadModel.from_pretrained(folder).eval()
    else:
        model = transformers.T5ForConditionalGeneration.from_pretrained(folder).eval()
    text, logs = [] if kind == "causal" else [PAD], []
    for _ in range(STEPS):
        with torch.no_grad():
            if kind == "causal":
                logits = model(input_ids=torch.tensor([[*ids, *text]])).logits
            else:
                told = torch.tensor([list(ids)])
                logits = model(input_ids=told, decoder_input_ids=torch.tensor([text])).logits
        chance, token = logits[0, -1].log_softmax(-1).max(-1)
        text.append(int(token))
        logs.append(float(chance))
        if int(token) == END:
            break
    return tokenizer.decode(text, skip_special_tokens=True), exp(sum(logs) / len(logs))


@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_a_text_is_that_of_the_likeliest_tokens(folder: Path, kind: str) -> None:
    model = opened(folder / kind)
    answers = asked(model, EXAMPLES)
    for example in EXAMPLES[:4]:
        question = model.reader.fit(example)
        assert question is not None
        text, score = written_alone(folder / kind, kind, question.ids)
        answer = answers[example.id]
        assert answer.text == text
        assert answer.label == " ".join(text.split())
        assert answer.score == pytest.approx(score, rel=1e-4)
        assert answer.usage == (len(question.ids), STEPS)


def test_a_label_is_that_of_the_librarys_own_pipeline(folder: Path) -> None:
    answers = asked(opened(folder / "classifier"), EXAMPLES)
    classify = transformers.pipeline("text-classification", str(folder / "classifier"), top_k=None)
    for example in EXAMPLES:
        expected = [(each["label"], each["score"]) for each in classify([example.code])[0]]
        assert answers[example.id].label == expected[0][0]
        assert dict(answers[example.id].candidates) == pytest.approx(dict(expected), rel=1e-4)


def filled_alone(folder: Path, code: str, length: int) -> tuple[str, float]:
    """A name of that many tokens, filled in from left to right."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.RobertaForMaskedLM.from_pretrained(folder).eval()
    ids = tokenizer(code.replace("METHOD_NAME", "<mask>" * length, 1))["input_ids"]
    name, logs = [], []
    for _ in range(length):
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids])).logits[0, ids.index(MASK)]
        ranked = logits.log_softmax(-1).sort(descending=True)
        pairs = zip(ranked.values.tolist(), ranked.indices.tolist(), strict=True)
        chance, token = next(
            pair for pair in pairs if PIECE.fullmatch(tokenizer.convert_ids_to_tokens(pair[1]))
        )
        ids[ids.index(MASK)] = token
        name.append(token)
        logs.append(chance)
    return tokenizer.decode(name), exp(sum(logs) / len(logs))


def test_a_name_is_the_best_of_one_to_three_tokens_filled_in(folder: Path) -> None:
    model = opened(folder / "mask")
    answers = asked(model, EXAMPLES)
    task = load_task("method-name")
    for example in EXAMPLES[:4]:
        code = task.code(example.tree, example.node)
        names = [filled_alone(folder / "mask", code, length) for length in (1, 2, 3)]
        name, score = max(names, key=lambda pair: pair[1])
        assert answers[example.id].text == name
        assert answers[example.id].label == task.label(name)
        assert answers[example.id].score == pytest.approx(score, rel=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_do_not_depend_on_the_batch(folder: Path, kind: str) -> None:
    one_by_one = asked(opened(folder / kind, batch=1), EXAMPLES)
    together = asked(opened(folder / kind, batch=16), EXAMPLES)
    assert one_by_one.keys() == together.keys() == {example.id for example in EXAMPLES}
    for id, answer in one_by_one.items():
        assert (together[id].label, together[id].text) == (answer.label, answer.text)
        assert together[id].score == pytest.approx(answer.score, rel=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_and_repetition_of_questions_change_no_bit(folder: Path, kind: str) -> None:
    model = opened(folder / kind, batch=4)
    shuffled = random.Random(0).sample(EXAMPLES, len(EXAMPLES))
    again = [replace(example, id=f"again {example.id}") for example in EXAMPLES]
    first = asked(model, EXAMPLES)
    assert first == asked(model, shuffled)
    twice = asked(model, [*EXAMPLES, *again])
    assert {id: answer for id, answer in twice.items() if id in first} == first
    assert all(replace(twice[f"again {id}"], id=id) == answer for id, answer in first.items())


@pytest.mark.parametrize("kind", KINDS)
def test_answers_stream_and_questions_and_tokens_are_told(folder: Path, kind: str) -> None:
    model = opened(folder / kind)
    assert isinstance(model, Asked) and isinstance(model, Streaming) and isinstance(model, Counting)
    answers = {answer.id: answer for answer in model.answers(EXAMPLES)}
    for example in EXAMPLES:
        usage = answers[example.id].usage
        assert usage is not None and usage[0] == model.tokens(example)
        assert example.code[-20:] in model.question(example)


@pytest.mark.parametrize("batch", [1, 2, 3, 16])
def test_batches_are_bounded_by_number_and_by_tokens(batch: int) -> None:
    lengths = [1, 1, 2, 9, 500, 511, 512, 513, 600, 1024, 1500, 5000, 5000]
    questions = [Fitted(tuple(range(length)), False) for length in lengths]
    batches = list(_chunks(questions, batch))
    assert [each for some in batches for each in some] == questions
    for some in batches:
        padded = len(some) * len(some[-1].ids)
        assert len(some) == 1 or (len(some) <= batch and padded <= batch * BATCH_TOKENS)
    for some, others in pairwise(batches):
        padded = (len(some) + 1) * len(others[0].ids)
        assert len(some) == batch or padded > batch * BATCH_TOKENS
    assert list(_chunks([], batch)) == []


def test_a_beams_other_ends_are_candidates(folder: Path) -> None:
    answers = opened(folder / "causal", beam=3).predict(EXAMPLES)
    assert any(len(answer.candidates) > 1 for answer in answers)
    for answer in answers:
        scores = [score for _, score in answer.candidates]
        assert answer.candidates[0] == (answer.label, answer.score)
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("chain", "last", "options", "label", "error", "reason"),
    [
        ("getName", "", {}, "get|name", "", "stop"),
        ("getName", "", {"max_tokens": 1}, None, "cut-off", "length"),
        ("getName", "\n{", {}, "get|name", "", "length"),
        ("getName", "\n{", {"task": "text"}, "getName {", "", "length"),
        ("{", "", {}, None, "unparsed", "stop"),
    ],
)
def test_a_name_is_the_first_line_that_a_causal_model_writes(
    tmp_path: Path,
    chain: str,
    last: str,
    options: dict[str, object],
    label: str | None,
    error: str,
    reason: str,
) -> None:
    prompt = tmp_path / "prompt"
    prompt.write_text("{code}\nname: ;")
    made = write_chain(tmp_path / "m", f"{' getName' * 20}\n;{{ {TEXT}", ";", chain, last)
    answer = opened(made, prompt=str(prompt), **options).predict(EXAMPLES)[0]
    assert (answer.label, answer.error, answer.finish_reason) == (label, error, reason)


def test_a_template_for_talks_is_used_and_tells_no_date_of_today(tmp_path: Path) -> None:
    dated = "{{ date_string or strftime_now('%d %b %Y') }}" + TURNS
    model = opened(write_checkpoint(tmp_path / "m", "causal", TEXT, chat=dated))
    question = model.question(EXAMPLES[0])
    assert question.startswith("01 Jan 2025<s>Suggest a name") and question.endswith("answer: ")
    fitted = model.reader.fit(EXAMPLES[0])
    assert fitted is not None and END not in fitted.ids


def test_the_checkpoints_own_habits_of_sampling_do_not_matter(folder: Path, tmp_path: Path) -> None:
    made = write_checkpoint(tmp_path / "causal", "causal", TEXT)
    habits = {"do_sample": True, "temperature": 2.0, "num_beams": 2, "repetition_penalty": 3.0}
    told = transformers.GenerationConfig(eos_token_id=END, pad_token_id=PAD, **habits)
    told.save_pretrained(made)
    plain, sampling = opened(folder / "causal"), opened(made)
    assert asked(sampling, EXAMPLES) == asked(plain, EXAMPLES)
    assert sampling.identity != plain.identity


LONG = "".join(f"    int v{n} = first + {n};\n" for n in range(200))


def long_method(last: str) -> Example:
    return examples_of(f"class A {{ int add(int first) {{\n{LONG}{last} }} }}".encode())[0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_does_not_fit_is_cut_from_the_code_and_flagged(tmp_path: Path, kind: str) -> None:
    made = write_checkpoint(tmp_path / kind, kind, TEXT, positions=258)
    extra = {"max_length": 256} if kind == "seq2seq" else {}
    model = opened(made, extra=extra)
    limit = {"causal": 258 - STEPS, "seq2seq": 256, "classifier": 256, "mask": 256}[kind]
    short = next(example for example in EXAMPLES if model.tokens(example) < limit)
    examples = [replace(short, id="short"), replace(long_method("return 1;"), id="long")]
    examples.append(replace(long_method("return v7;"), id="other"))
    answers = asked(model, examples)
    assert {id: answer.truncated for id, answer in answers.items()} == {
        "short": False,
        "long": True,
        "other": True,
    }
    assert replace(answers["other"], id="long") == answers["long"]
    assert answers["long"].error == ""
    fitted = model.reader.fit(examples[1])
    assert fitted is not None and limit - 20 < len(fitted.ids) <= limit


@pytest.mark.parametrize("length", [0, 1, 2, 37])
@pytest.mark.parametrize("limit", [1, 2, 3, 10, 40, 41])
def test_the_cut_keeps_as_much_code_as_fits(length: int, limit: int) -> None:
    def tokens(code: str) -> tuple[int, ...]:
        return (0, *map(ord, code), 1)

    code = "".join(chr(97 + at % 26) for at in range(length))
    whole = length + 2 <= limit
    expected = Fitted(tokens(code[: max(limit - 2, 0)]), not whole) if limit >= 2 else None
    assert fit(tokens, code, limit) == expected
    assert fit(tokens, code, None) == Fitted(tokens(code), False)


def test_the_prompt_around_the_code_is_never_cut(tmp_path: Path) -> None:
    made = write_checkpoint(tmp_path / "causal", "causal", TEXT, positions=120)
    tokenizer = transformers.AutoTokenizer.from_pretrained(made)
    prompt = tmp_path / "prompt"
    prompt.write_text("BEFORE {code} AFTER")
    fitted = opened(made, prompt=str(prompt)).reader.fit(long_method(""))
    assert fitted is not None and fitted.truncated
    text = tokenizer.decode(fitted.ids, skip_special_tokens=True)
    assert text.startswith("BEFORE int add(") and text.endswith(" AFTER")
    prompt.write_text("BEFORE {code} AFTER" * 40)
    answer = opened(made, prompt=str(prompt)).predict([long_method("")])[0]
    assert (answer.label, answer.error, answer.truncated) == (None, "prompt-too-long", True)


def test_bytes_that_are_no_text_are_answered_too(folder: Path) -> None:
    strange = examples_of(b'class A { String f() { return "\xff\xed\xa0\x80<mask>"; } }')
    for kind in KINDS:
        assert opened(folder / kind).predict(strange)[0].error == ""
