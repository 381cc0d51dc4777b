"""Aligned text of a few number words, and tiny translation models."""

import json
import random
from pathlib import Path
from typing import Any

import torch
from allennlp.data import Vocabulary

from udify_allennlp.translation.aligned_text import aligned_files, read_aligned
from udify_allennlp.translation.model import TranslationModel
from udify_allennlp.translation.pairs import PairTable, read_texts
from udify_allennlp.translation.subwords import Subwords

NUMBERS = {
    "en": ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
    "de": ["eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"],
    "fr": ["un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"],
}
ARCHITECTURE = {
    "d_model": 16,
    "encoder_layers": 2,
    "decoder_layers": 3,
    **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim"), 32),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 2),
}


def write_numbers(folder: Path, part: str, count: int, langs: str = "en de fr") -> str:
    """Aligned files of one to four number words; a glob for them."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(part)
    rows = [draw.choices(range(10), k=draw.randint(1, 4)) for _ in range(count)]
    for lang in langs.split():
        lines = (" ".join(NUMBERS[lang][number] for number in row) for row in rows)
        (folder / f"{part}.{lang}").write_text("".join(f"{line}\n" for line in lines))
    return str(folder / f"{part}.*")


def subwords_of(paths: str, vocab_size: int = 60) -> Subwords:
    (files,) = aligned_files(paths)
    return Subwords.trained(read_aligned(files), vocab_size)


def table_of(paths: str, subwords: Subwords, **settings: Any) -> PairTable:
    return PairTable(read_texts(aligned_files(paths)), subwords, **settings)


def make_model(folder: Path, subwords: Subwords, seed: int = 0, **settings: Any) -> Any:
    """A model with random weights that keeps its files in `folder`, as one in training does."""
    (folder / "encoder").mkdir(parents=True)
    subwords.save(folder / "encoder")
    torch.manual_seed(seed)
    if "start" not in settings:
        settings["architecture"] = {**ARCHITECTURE, **settings.get("architecture", {})}
    model = TranslationModel(Vocabulary.empty(), serialization_dir=str(folder), **settings)
    if "start" not in settings:
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.normal_(0, 0.3)
    return model


def save_translation_run(folder: Path, seed: int = 0, **settings: Any) -> Path:
    """
    Makes `folder` what training leaves, with random weights; the texts that its subwords were
    trained on are in `numbers`.
    """
    subwords = subwords_of(write_numbers(folder / "numbers", "train", 30))
    model = make_model(folder, subwords, seed, **settings)
    config = {
        "dataset_reader": {"type": "udify_translation"},
        "model": {"type": "udify_translation", "max_length": 20},
        "include_in_archive": ["encoder"],
    }
    (folder / "config.json").write_text(json.dumps(config))
    torch.save(model.state_dict(), folder / "best.th")
    model.vocab.save_to_files(str(folder / "vocabulary"))
    return folder
