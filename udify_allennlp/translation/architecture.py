"""
M2M-100 networks of transformers: new ones, stored ones, and students with some of their layers.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.archives.loading import archive_in
from udify_allennlp.archives.run_folder import load_weights, model_folder
from udify_allennlp.data import encoder_files
from udify_allennlp.encoders.pretrained import in_silence
from udify_allennlp.kernels.no_init import NoRandomInit
from udify_allennlp.translation.placement import M2M_100, SMALL_100
from udify_allennlp.translation.subwords import BOS, EOS, PAD, VOCABULARY

CONFIG = "config.json"
KIND = "m2m_100"
ON_HUB = ("alirezamsh/small100", "facebook/m2m100")
"""Prefixes of the names of such models on the hub."""
NETWORK = "network."
"""Prefix of the network's weights in our models."""
# Ours are plain: what training drops is dropout alone, as in Table 6.8.
_TRAINING = {"encoder_layerdrop": 0.0, "decoder_layerdrop": 0.0}


def new_config(settings: Mapping[str, Any], size: int) -> Any:
    """
    Returns the config of a new network for `size` numbers of subwords and codes.

    # Raises

    `ConfigurationError` for settings that `M2M100Config` does not have.
    """
    from transformers import M2M100Config

    known = {name for name in M2M100Config().to_dict() if not name.startswith("_")}
    for name in settings:
        if name not in known:
            raise ConfigurationError(
                f"model.architecture.{name} is not a setting of transformers' M2M100Config. Remove "
                "it."
            )
    fixed = {"vocab_size": size, "pad_token_id": PAD, "bos_token_id": BOS, "eos_token_id": EOS}
    return M2M100Config(**{**_TRAINING, **settings, **fixed, "decoder_start_token_id": EOS})


def kept_config(serialization_dir: Optional[str]) -> Any:
    """Returns the config that a run or an archive keeps, or `None`."""
    folder = Path(serialization_dir or "", encoder_files.FOLDER)
    if not serialization_dir or not (folder / CONFIG).is_file():
        return None
    return config_of(str(folder))


def config_of(name: str) -> Any:
    """
    Returns the config of an M2M-100 model: a folder or a hub name.

    # Raises

    `ConfigurationError` if it cannot be loaded, or is of another kind.
    """
    from transformers import M2M100Config

    try:
        settings, _ = M2M100Config.get_config_dict(name)
        if settings.get("model_type") != KIND:
            raise ValueError(f"it is a model of type {settings.get('model_type')!r:.40}.")
        return M2M100Config.from_dict(settings)
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"No translation model could be loaded from {name!r}: {str(error).splitlines()[0]} "
            "Name an M2M-100 or SMaLL-100 model, as a folder or a hub name."
        ) from None


def with_layers(config: Any, encoder_layers: Optional[int], decoder_layers: Optional[int]) -> Any:
    """
    Returns the config of a student with these numbers of layers. Raises `ConfigurationError` if the
    config has fewer.
    """
    for name, count in (("encoder_layers", encoder_layers), ("decoder_layers", decoder_layers)):
        if count is None:
            continue
        most = getattr(config, name)
        if not 1 <= count <= most:
            raise ConfigurationError(
                f"model.{name} is {count}, but model.start has {most}. Use 1 to {most}."
            )
        setattr(config, name, count)
    return config


def new_network(config: Any) -> Any:
    """A network in float32 with random weights."""
    from transformers import M2M100ForConditionalGeneration

    config.dtype = torch.float32
    return M2M100ForConditionalGeneration(config)


def take_layers(network: Any, weights: Mapping[str, torch.Tensor], source: str) -> None:
    """
    Copies the embeddings, the encoder's first layers and the decoder's first layers into `network`,
    which may have fewer (section 6.3.3: the first 3 of 12).

    # Raises

    `ConfigurationError` if a weight is missing or has another shape.
    """
    for name, weight in network.state_dict().items():
        if name in tied_names(network):
            continue
        old = weights.get(name)
        if old is None or old.shape != weight.shape:
            shape = None if old is None else tuple(old.shape)
            raise ConfigurationError(
                f"{name} has shape {shape} in {source} and {tuple(weight.shape)} here. Use its "
                "subwords and width: omit model.architecture."
            )
        weight.copy_(old)


def tied_names(network: Any) -> frozenset[str]:
    """Returns the names of weights that are the shared embedding under another name."""
    shared = network.model.shared.weight
    names = (
        name
        for name, weight in network.named_parameters(remove_duplicate=False)
        if weight is shared and name != "model.shared.weight"
    )
    return frozenset(names)


def weights_of(name: str) -> tuple[Any, dict[str, torch.Tensor]]:
    """
    Returns the config of a trained model and its weights, under their names in transformers, in
    float32.

    # Parameters

    name : `str`
        An M2M-100 or SMaLL-100 model, as a folder or a hub name; or an archive or
        a run folder of one of our translation models.

    # Raises

    `ConfigurationError` if it cannot be loaded.
    """
    encoder_files.check_may_leave(name, "weights for a part that its config loads from elsewhere")
    if is_ours(name):
        with model_folder(os.fspath(archive_in(name))) as folder:
            config = kept_config(str(folder))
            state = load_weights(folder)
            # Copies: an unpacked archive is gone afterwards.
            found = {
                key.removeprefix(NETWORK): weight.float().clone()
                for key, weight in state.items()
                if key.startswith(NETWORK)
            }
            return config, found
    network = pretrained(name)
    return network.config, dict(network.state_dict())


def pretrained(name: str) -> Any:
    """
    Returns the network of a folder or a hub name, unchanged, in float32. Raises the errors
    of `config_of`.
    """
    from transformers import M2M100ForConditionalGeneration

    if not os.path.isdir(name):
        encoder_files.source(name, None, CONFIG)  # asks whether the hub answers
    config = config_of(name)
    try:
        with in_silence():
            network, found = M2M100ForConditionalGeneration.from_pretrained(
                name, config=config, output_loading_info=True, trust_remote_code=False
            )
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigurationError(
            f"No weights could be loaded from {name!r}: {str(error).splitlines()[0]}"
        ) from None
    missing = sorted(set(found["missing_keys"]) - tied_names(network))
    if missing:
        raise ConfigurationError(
            f"{name} has no weights for {missing[0]}, so it is not a complete M2M-100 model. Copy "
            "it again."
        )
    return network.float()


def network_with(config: Any, weights: Mapping[str, torch.Tensor], source: str) -> Any:
    """Returns a network with these weights; raises the errors of `take_layers`."""
    with NoRandomInit():
        network = new_network(config)
    with torch.no_grad():
        take_layers(network, weights, source)
    return network


def is_ours(name: str) -> bool:
    """Returns whether it is an archive or a run of ours, not a folder of transformers."""
    place = os.fspath(archive_in(name))
    return os.path.isfile(place) or os.path.isfile(
        os.path.join(place, encoder_files.FOLDER, VOCABULARY)
    )


def is_pretrained(name: str) -> bool:
    """Returns whether it is M2M-100 or SMaLL-100 on the hub, or a folder of such a model."""
    if name.startswith(ON_HUB) and not os.path.exists(name):
        return True
    with suppress(OSError, ValueError):
        settings = json.loads(Path(name, CONFIG).read_text(encoding="utf-8"))
        return isinstance(settings, dict) and settings.get("model_type") == KIND
    return False


def placement_of(config: Any) -> str:
    """
    Returns the placement of language codes in a model of transformers. Its config does not contain
    it, but SMaLL-100's decoder is shallower than its encoder, unlike M2M-100's.
    """
    return SMALL_100 if config.decoder_layers < config.encoder_layers else M2M_100
