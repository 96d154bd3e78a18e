"""Weights that an optimiser moves as a whole, as checkpoints hold them."""

from collections.abc import Mapping

import torch


def state_of(dense: Mapping[str, torch.Tensor], adam: torch.optim.Optimizer) -> dict[str, object]:
    """What a checkpoint must hold of them."""
    weights = {name: tensor.detach() for name, tensor in dense.items()}
    return {"dense": weights, "adam": adam.state_dict()}


def take_over(
    dense: Mapping[str, torch.Tensor], adam: torch.optim.Optimizer, state: Mapping[str, object]
) -> None:
    """Go back to what a checkpoint holds."""
    for name, tensor in state["dense"].items():  # type: ignore[attr-defined]
        dense[name].data.copy_(tensor)
    adam.load_state_dict(state["adam"])
