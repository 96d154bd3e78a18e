"""Hugging Face checkpoints, from a folder or the hub; torch and transformers come with `[hf]`."""

from metamorph.models.hugging_face.adapter import HuggingFace, load

__all__ = ["HuggingFace", "load"]
