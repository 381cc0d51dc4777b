"""What else of a trained model is looked into, and encoders that transformers has saved."""

import functools
from pathlib import Path
from typing import Any, Dict, Optional

from udify_allennlp.models.extract_encoder import (
    encoder_config,
    in_float32,
    model_config,
    one_line,
    weights_below,
)
from udify_allennlp.modules.layer_mix import LayerMix


def layer_mixes(folder: Path, name: str) -> Dict[str, LayerMix]:
    """
    By task, the layer attention of the model in `folder`: the same one for all where they share it.
    """
    model = model_config(folder, name)["model"]
    num_layers = encoder_config(folder, name).num_hidden_layers
    kind = model.get("layer_attention", "task")
    tasks = sorted(model.get("decoders", {}))  # the order in which AllenNLP makes them
    mixes = {}
    for key in tasks if kind == "task" else ["all"]:
        mixes[key] = LayerMix(num_layers, "sum" if kind == "sum" else "attention")
        with one_line(name):
            mixes[key].load_state_dict(weights_below(folder, f"mixes.{key}."))
    return mixes if kind == "task" else dict.fromkeys(tasks, mixes["all"])


def pretrained(name: str, implementation: Optional[str] = None) -> Any:
    """The encoder in a folder of transformers or of a hub name, in float32."""
    from transformers import AutoModel

    build = functools.partial(AutoModel.from_pretrained, name, trust_remote_code=False)
    with one_line(name):
        return in_float32(build, implementation)
