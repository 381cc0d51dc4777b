"""
The check that a requested GPU exists, which commands, trainer, service and parser make before
anything is loaded.
"""

import sys
from typing import Any

import torch
from allennlp.common import checks
from allennlp.common.checks import ConfigurationError


def check_for_gpu(device: Any) -> None:
    """
    Checks like AllenNLP that a GPU exists, with a one-line error for both the command line and a
    config.

    # Parameters

    device : `Union[int, torch.device, None, List[...]]`
        Numbers of GPUs; -1, or `None`, for the CPU.

    # Raises

    `ConfigurationError` if the GPU does not exist.
    """
    if isinstance(device, (list, tuple)):
        for part in device:
            check_for_gpu(part)
        return
    if isinstance(device, torch.device):
        device = -1 if device.type == "cpu" else device.index or 0
    if device is None or device == -1:
        return
    count = torch.cuda.device_count()
    if 0 <= device < count:
        return
    there = f"only GPUs 0 to {count - 1} exist" if count > 1 else "only GPU 0 exists"
    if not count:
        there = "PyTorch finds none here"
        if torch.version.cuda is None and torch.version.hip is None:
            there = f"this PyTorch ({torch.__version__}) is built without support for them"
    raise ConfigurationError(
        f"GPU {device} was requested (--cuda-device, or cuda_device in a config), but {there}. "
        "Omit it to use the default device, or use -1 for the CPU."
    )


def apply() -> None:
    """Replaces AllenNLP's check. Safe to call twice."""
    for name, module in list(sys.modules.items()):  # those that took it by name
        if name.startswith("allennlp.") and hasattr(module, checks.check_for_gpu.__name__):
            module.check_for_gpu = check_for_gpu  # type: ignore[attr-defined]
