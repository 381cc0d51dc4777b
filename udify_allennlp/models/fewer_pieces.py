"""A trained model with some of its encoder's wordpieces."""

import json
from pathlib import Path
from typing import Any, Dict, Iterable

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models import Model

from udify_allennlp.data.encoder_files import FOLDER
from udify_allennlp.data.fewer_pieces import used_pieces, without_others
from udify_allennlp.data.wordpieces import WordpieceTokenizer, name_added_pieces
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder


def keep_pieces(
    model: Model, words: Iterable[str], least: int, folder: Path, state: Dict[str, torch.Tensor]
) -> None:
    """
    Leave pieces that are not at least `least` times in `words` out of the weights `state` and of
    the encoder's files in `folder`, in place; special pieces and single characters always stay
    (`without_others`).

    # Raises

    `ConfigurationError` if the model reads no wordpieces, the folder of the model has no tokenizer
    of its own, the tokenizer is of a type in which no piece can be left out, or the model predicts
    pieces.
    """
    files = folder / FOLDER
    path = files / "tokenizer.json"
    encoders = [part for part in model.modules() if isinstance(part, HuggingFaceEncoder)]
    if not encoders or not path.is_file():
        raise ConfigurationError(
            "Pieces can be left out of models whose encoder is of Hugging Face, and whose archive "
            "holds its tokenizer. Train with a config of training_config/, or leave --words out."
        )
    wanted = used_pieces(WordpieceTokenizer(str(folder), str(folder)), words, least)
    settings, kept = without_others(json.loads(path.read_text(encoding="utf-8")), wanted)
    # All of a model's encoders read the same pieces: that of SynTr beside that of RNGTr.
    tables = [encoder.transformer.get_input_embeddings().weight for encoder in encoders]
    ids = {id(table) for table in tables}
    for name, weight in model.named_parameters():
        if id(weight) in ids:
            state[name] = state[name].index_select(0, torch.tensor(kept))
        elif weight.dim() and len(weight) == len(tables[0]):
            raise ConfigurationError(
                f"{name} has a row for each piece: the model predicts pieces, so none can be left "
                "out. Leave --words out."
            )
    path.write_text(json.dumps(settings, ensure_ascii=False), encoding="utf-8")
    name_added_pieces(files)
    config = json.loads((files / "config.json").read_text(encoding="utf-8"))
    _renumber(config, {old: new for new, old in enumerate(kept)})
    (files / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")


def _renumber(config: Dict[str, Any], new: Dict[int, int]) -> None:
    config["vocab_size"] = len(new)
    for name, number in config.items():
        if name.endswith("_token_id") and isinstance(number, int):
            config[name] = new[number]
