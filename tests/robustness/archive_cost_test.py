"""An archive's own bytes bound its cost; a damaged download gives a one-line error everywhere."""

import json
import os
import random
import resource
from collections.abc import Callable

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from tests.conftest import FIXTURES, ROOT
from tests.helpers import ENCODER
from tests.helpers.archives import content, edit, read, setting, without, write
from udify_allennlp.apps.service.models import load_models
from udify_allennlp.archives.card import card_of
from udify_allennlp.archives.checks import ArchiveError
from udify_allennlp.archives.loading import load_archive
from udify_allennlp.archives.rewriting import rewritten
from udify_allennlp.parser import Parser
from udify_allennlp.segmenter.archive import own_tokenizer, segmenter_tokenizer

KEPT = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"
COUNT = 300 if os.environ.get("UDIFY_SOAK") else 10
OPENED: dict[str, Callable[[str], object]] = {
    "a segmenter's place": own_tokenizer,
    "a segmenter": segmenter_tokenizer,
    "a parser": Parser.load,
    "a service": lambda path: load_models([path]),
    "a card": card_of,
    "another archive": lambda path: rewritten(path, f"{path}.tar.gz", lambda *parts: parts[2]),
}
"""Every way in which commands and Python open an archive."""
PIECE = {"content": "x", "special": False, "lstrip": False, "rstrip": False}
PRECOMPILED = {"type": "Precompiled", "precompiled_charsmap": "AAAA"}


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_damaged_download_is_one_line(seed, tmp_path):
    draw = random.Random(seed)
    data = bytearray(KEPT.read_bytes())
    if seed % 3:
        for _ in range(draw.randint(1, 3)):
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    else:
        data = data[: draw.randrange(len(data))]
    path = tmp_path / "model.tar.gz"
    path.write_bytes(data)
    for name, opened in OPENED.items():
        try:
            opened(str(path))
        except ConfigurationError as error:
            assert str(error).startswith(str(path)) and "\n" not in str(error), name


def added(count):
    pieces = {str(99 + place): {**PIECE, "content": f"x{place}"} for place in range(count)}
    return setting("encoder/tokenizer_config.json:added_tokens_decoder", pieces)


def normalizer(files):
    settings = json.loads(files["encoder/tokenizer.json"])
    settings["normalizer"] = PRECOMPILED
    files["encoder/tokenizer.json"] = json.dumps(settings).encode()


def doublings(files):
    settings = json.loads(files["encoder/tokenizer.json"])
    twice = {"type": "Replace", "pattern": {"Regex": "."}, "content": "xx"}
    inner = {"type": "Sequence", "normalizers": [twice] * 20}
    settings["normalizer"] = {"type": "Sequence", "normalizers": [inner, inner]}
    files["encoder/tokenizer.json"] = json.dumps(settings).encode()


COSTLY = {
    "blank labels": content("vocabulary/upos_lexicon_labels.txt", b"\n" * 30_000_000),
    "layers": setting("encoder/config.json:num_hidden_layers", 100_000),
    "a wide encoder": setting("encoder/config.json:intermediate_size", 10**9),
    "wide characters": setting("model.characters.dim", 10**9),
    "a view": edit("word_embeddings", lambda w: torch.zeros(1).half().expand(60_000, 30_000)),
    "added pieces": added(20_000),
    "a broken normalizer": normalizer,
    "forty doublings": doublings,
}


@pytest.mark.parametrize("name", COSTLY)
def test_few_bytes_cannot_ask_for_much(name, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    files = read(KEPT)
    COSTLY[name](files)
    path = write(tmp_path / "model.tar.gz", files)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ArchiveError) as refused:
        Parser.load(path)
    assert str(refused.value).startswith(f"{path}: ") and "udify-archive-" not in str(refused.value)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**20


def test_an_archive_without_its_encoder_takes_no_other(tmp_path, monkeypatch):
    """Unless the user names it."""
    monkeypatch.chdir(ROOT)  # where the encoder is that its config names
    files = read(KEPT)
    without("encoder")(files)
    path = write(tmp_path / "model.tar.gz", files)
    with pytest.raises(ArchiveError, match=r"has no encoder/tokenizer.json, and must not refer to"):
        load_archive(path)
    named = dict.fromkeys(("dataset_reader.model_name", "model.embedder.model_name"), ENCODER)
    assert load_archive(path, overrides=json.dumps(named)).model.decoders


def test_windows_longer_than_the_encoder_takes_are_one_line(tmp_path):
    files = read(KEPT)
    setting("dataset_reader.max_pieces", 65)(files)
    path = write(tmp_path / "model.tar.gz", files)
    with pytest.raises(ArchiveError, match=r"windows of 65 pieces, but the encoder has 64"):
        load_archive(path)
