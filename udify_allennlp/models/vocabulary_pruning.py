"""A trained model, and its tokenizer, with a part of the wordpieces: a smaller table of vectors."""

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from pathlib import Path
from typing import Any

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models import Model

from udify_allennlp.data.encoder_files import FOLDER
from udify_allennlp.data.wordpieces import WordpieceTokenizer, name_added_pieces
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder


def keep_pieces(
    model: Model, words: Iterable[str], least: int, folder: Path, state: dict[str, torch.Tensor]
) -> None:
    """
    Removes pieces that occur less than `least` times in `words` from the weights `state` and the
    encoder's files in `folder`, in place; special pieces and single characters always stay
    (`without_others`).

    # Raises

    `ConfigurationError` if the model reads no wordpieces, its folder has no tokenizer, the type of
    the tokenizer does not allow the removal of pieces, or the model predicts pieces.
    """
    tables = piece_tables(model, folder)
    wanted = used_pieces(WordpieceTokenizer(str(folder), str(folder)), words, least)
    settings, kept = without_others(read_tokenizer(folder), wanted)
    for name in tables:
        state[name] = state[name].index_select(0, torch.tensor(kept))
    write_tokenizer(folder, settings, {old: new for new, old in enumerate(kept)}.__getitem__)


def piece_tables(model: Model, folder: Path) -> list[str]:
    """
    Returns the names of the weights with a row for each wordpiece.

    # Raises

    `ConfigurationError` if the model reads no wordpieces, its folder has no tokenizer, or the model
    predicts pieces.
    """
    encoders = [part for part in model.modules() if isinstance(part, HuggingFaceEncoder)]
    if not encoders or not (folder / FOLDER / "tokenizer.json").is_file():
        raise ConfigurationError(
            "Pieces can be changed only if the encoder is from Hugging Face and the archive "
            "contains its tokenizer. Train with a config of training_config/, or omit --words and "
            "--letters."
        )
    # All of a model's encoders read the same pieces: that of SynTr beside that of RNGTr.
    tables = [encoder.transformer.get_input_embeddings().weight for encoder in encoders]
    ids = {id(table) for table in tables}
    names = []
    for name, weight in model.named_parameters():
        if id(weight) in ids:
            names.append(name)
        elif weight.dim() and len(weight) == len(tables[0]):
            raise ConfigurationError(
                f"{name} has a row for each piece: the model predicts pieces, so none can be "
                "removed or added. Omit --words and --letters."
            )
    return names


def read_tokenizer(folder: Path) -> dict[str, Any]:
    """Returns the settings of the tokenizer in the folder of a model."""
    text = (folder / FOLDER / "tokenizer.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def write_tokenizer(
    folder: Path, settings: Mapping[str, Any], new: Callable[[int], int] = int
) -> None:
    """
    Writes the tokenizer and its encoder's config into the folder of a model; `new` returns the
    number of a special piece, given its former one; by default the same.
    """
    files = folder / FOLDER
    text = json.dumps(settings, ensure_ascii=False)
    (files / "tokenizer.json").write_text(text, encoding="utf-8")
    name_added_pieces(files)
    config = json.loads((files / "config.json").read_text(encoding="utf-8"))
    config["vocab_size"] = len(settings["model"]["vocab"])
    for name, number in config.items():
        if name.endswith("_token_id") and isinstance(number, int):
            config[name] = new(number)
    (files / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")


_MARKS = ("▁", "##")
"""Prefixes of pieces at the start of a word (SentencePiece), or within one (WordPiece)."""
_GROUP = 50_000  # words that are split at once


def used_pieces(tokenizer: WordpieceTokenizer, words: Iterable[str], least: int = 1) -> Set[int]:
    """Returns the pieces that occur at least this often in `words`, which may have repetitions."""
    times = Counter(words)
    counts: Counter[int] = Counter()
    order = list(times)
    for start in range(0, len(order), _GROUP):
        group = order[start : start + _GROUP]
        for word, pieces in zip(group, tokenizer(group)):
            for piece in pieces:
                counts[piece] += times[word]
        tokenizer.forget()
    return {piece for piece, count in counts.items() if count >= least}


def without_others(
    settings: Mapping[str, Any], wanted: Set[int]
) -> tuple[dict[str, Any], list[int]]:
    """
    Returns the settings of a `tokenizer.json` with only the pieces `wanted`, and the former number
    of each. Special pieces and those of a single character always stay, so that every word that
    could be split still can. A word whose pieces have all stayed is split as before.

    # Raises

    `ConfigurationError` if pieces are made by merging others (BPE), none of which can be removed.
    """
    model = settings["model"]
    if model["type"] not in ("Unigram", "WordPiece"):
        raise ConfigurationError(
            f"The tokenizer is of type {model['type']}. Pieces can be removed only from Unigram "
            "and WordPiece, in which pieces do not depend on each other."
        )
    if model["type"] == "Unigram":
        pieces = [piece for piece, _ in model["vocab"]]
    else:
        pieces = sorted(model["vocab"], key=model["vocab"].__getitem__)
    special = {token["content"] for token in settings["added_tokens"]}
    kept = [
        number
        for number, piece in enumerate(pieces)
        if number in wanted or piece in special or _is_character(piece)
    ]
    new = {old: number for number, old in enumerate(kept)}
    pruned = copy.deepcopy(dict(settings))
    _renumber(pruned, new.__getitem__)
    if model["type"] == "Unigram":
        pruned["model"]["vocab"] = [model["vocab"][old] for old in kept]
        if model.get("unk_id") is not None:
            pruned["model"]["unk_id"] = new[model["unk_id"]]
    else:
        pruned["model"]["vocab"] = {pieces[old]: number for old, number in new.items()}
    return pruned, kept


def _is_character(piece: str) -> bool:
    for mark in _MARKS:
        piece = piece.removeprefix(mark) or piece
    return len(piece) == 1


def _renumber(settings: dict[str, Any], new: Callable[[int], int]) -> None:
    """Renumbers special pieces everywhere in a `tokenizer.json`."""
    for token in settings["added_tokens"]:
        token["id"] = new(token["id"])
    after = settings.get("post_processor") or {}
    for part in after.get("processors", [after]):
        for token in (part.get("special_tokens") or {}).values():
            token["ids"] = [new(number) for number in token["ids"]]
        for name in ("sep", "cls"):
            if name in part:
                part[name] = [part[name][0], new(part[name][1])]
    if settings.get("padding"):
        settings["padding"]["pad_id"] = new(settings["padding"]["pad_id"])
