"""Tiny Hugging Face checkpoints with random or chosen weights, made on the spot: no download."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
START, PAD, END, MASK = 0, 1, 2, 4
WIDTH = 16
TURNS = "{% for m in messages %}<s>{{ m.content }}{% endfor %}answer: "


def write_tokenizer(folder: Path, text: str, chat: str = "") -> Any:
    """A tokenizer of bytes, with some merges learnt from a text."""
    trained = tokenizers.ByteLevelBPETokenizer()
    trained.train_from_iterator(
        [text], vocab_size=400, min_frequency=1, special_tokens=SPECIALS, show_progress=False
    )
    trained._tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", START), ("</s>", END)]
    )
    wrapped = transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer,
        bos_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        mask_token="<mask>",
    )
    if chat:
        wrapped.chat_template = chat
    wrapped.save_pretrained(folder)
    return wrapped


def write_checkpoint(
    folder: Path, kind: str, text: str, *, positions: int = 512, chat: str = "", **config: Any
) -> Path:
    """A checkpoint of that kind (causal, seq2seq, classifier, mask) with random weights."""
    torch.manual_seed(1)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = write_tokenizer(folder, text, chat)
    model = _MAKERS[kind](len(tokenizer), positions, config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.8)
    model.save_pretrained(folder)
    return folder


def write_chain(folder: Path, text: str, start: str, chain: str, last: str = "") -> Path:
    """A causal checkpoint that after `start` always writes `chain`, then `last` or the end.

    Its embeddings are one-hot and its layers add nothing, so that each token decides the next.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = write_tokenizer(folder, text)

    def ids(of: str) -> list[int]:
        return list(tokenizer(of, add_special_tokens=False)["input_ids"])

    tokens = [ids(start)[-1], *ids(chain), *(ids(last) or [END])]
    assert len(set(tokens)) == len(tokens)
    follows = dict(pairwise(tokens))
    model = _causal(len(tokenizer), 512, {"n_embd": len(tokenizer), "tie_word_embeddings": False})
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.fill_(1.0 if name.endswith("ln_f.weight") else 0.0)
        model.transformer.wte.weight.copy_(torch.eye(len(tokenizer)))
        model.lm_head.weight.copy_(_next(len(tokenizer), follows))
    model.save_pretrained(folder)
    return folder


def _next(size: int, follows: Mapping[int, int]) -> Any:
    """Row: the token that comes; column: the one before it."""
    matrix = torch.zeros(size, size)
    for before, after in follows.items():
        matrix[after, before] = 10.0
    return matrix


def _causal(vocabulary: int, positions: int, config: Mapping[str, Any]) -> Any:
    sizes = {"n_embd": WIDTH, "n_layer": 2, "n_head": 2, "n_positions": positions}
    tokens = {"bos_token_id": START, "eos_token_id": END, "pad_token_id": PAD}
    made = transformers.GPT2Config(vocab_size=vocabulary, **{**sizes, **tokens, **config})
    return transformers.GPT2LMHeadModel(made)


def _seq2seq(vocabulary: int, positions: int, config: Mapping[str, Any]) -> Any:
    sizes = {"d_model": WIDTH, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2}
    tokens = {"decoder_start_token_id": PAD, "eos_token_id": END, "pad_token_id": PAD}
    made = transformers.T5Config(vocab_size=vocabulary, **{**sizes, **tokens, **config})
    return transformers.T5ForConditionalGeneration(made)


def _roberta(vocabulary: int, positions: int, config: Mapping[str, Any]) -> Any:
    sizes = {"hidden_size": WIDTH, "num_hidden_layers": 2, "intermediate_size": 32}
    tokens = {"bos_token_id": START, "eos_token_id": END, "pad_token_id": PAD}
    return transformers.RobertaConfig(
        vocab_size=vocabulary,
        num_attention_heads=2,
        max_position_embeddings=positions,
        **{**sizes, **tokens, **config},
    )


def _classifier(vocabulary: int, positions: int, config: Mapping[str, Any]) -> Any:
    made = _roberta(vocabulary, positions, {"num_labels": 3, **config})
    return transformers.RobertaForSequenceClassification(made)


def _mask(vocabulary: int, positions: int, config: Mapping[str, Any]) -> Any:
    return transformers.RobertaForMaskedLM(_roberta(vocabulary, positions, config))


_MAKERS = {"causal": _causal, "seq2seq": _seq2seq, "classifier": _classifier, "mask": _mask}
