"""Weights saved by an earlier release, under their current names."""

from collections.abc import Mapping
from typing import Any

import torch


def renamed(model: torch.nn.Module, state: Mapping[str, Any]) -> dict[str, Any]:
    """
    Returns the weights of `state` under the names of `model`: a module that renamed some has
    `OLD_NAMES`, old prefixes of names and their replacements.
    """
    weights = dict(state)
    for path, module in model.named_modules():
        names: Mapping[str, str] = getattr(module, "OLD_NAMES", {})
        for old, new in names.items():
            old, new = (f"{path}.{name}" if path else name for name in (old, new))
            for name in [name for name in weights if name.startswith(old)]:
                weights[new + name[len(old) :]] = weights.pop(name)
    return weights
