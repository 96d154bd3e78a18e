"""Evaluation: how right a model is on test sets with and without copies of what it learnt from."""
