"""Archives of translation models with hostile or damaged parts: refused in one line."""

import json
import time

import pytest
import torch
from allennlp.models.archival import load_archive

from tests.helpers import archives
from tests.helpers.translation import make_model, subwords_of, write_numbers
from udify_allennlp.archives.loading import ArchiveError

WHERE = "encoder/config.json"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The members of an archive, as training writes it."""
    folder = tmp_path_factory.mktemp("translation")
    model = make_model(folder, subwords_of(write_numbers(folder / "numbers", "train", 30)))
    config = {
        "dataset_reader": {"type": "udify_translation"},
        "model": {"type": "udify_translation", "architecture": {"d_model": 16}},
    }
    (folder / "config.json").write_text(json.dumps(config))
    torch.save(model.state_dict(), folder / "weights.th")
    model.vocab.save_to_files(str(folder / "vocabulary"))
    members = [*folder.glob("*.*"), *folder.glob("vocabulary/*"), *folder.glob("encoder/*")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in members if path.is_file()}


def load(files, folder, *changes):
    files = dict(files)
    for change in changes:
        change(files)
    return load_archive(archives.write(folder / "model.tar.gz", files)).model


def test_the_archive_itself_loads(files, tmp_path):
    assert load(files, tmp_path).subwords.languages == ("de", "en", "fr")


CASES = {
    "width": archives.setting(f"{WHERE}:d_model", 2**20),
    "layers": archives.setting(f"{WHERE}:decoder_layers", 100_000),
    "pieces": archives.setting(f"{WHERE}:vocab_size", 2**31),
    "positions": archives.setting(f"{WHERE}:max_position_embeddings", 2**31),
    "few pieces": archives.setting(f"{WHERE}:vocab_size", 7),
    "no width": archives.setting(f"{WHERE}:d_model", "wide"),
    "kind": archives.setting(f"{WHERE}:model_type", "bert"),
    "not JSON": archives.content(WHERE, b"{"),
    "no subwords": archives.without("encoder/sentencepiece"),
    "no numbers": archives.without("encoder/vocab"),
    "no subwords and no config": archives.without("encoder/"),
    "damaged subwords": archives.content("encoder/sentencepiece.bpe.model", b"\x0a\xff" * 99),
    "empty subwords": archives.content("encoder/sentencepiece.bpe.model", b""),
    "numbers of another kind": archives.content("encoder/vocab.json", b"[1, 2]"),
    "numbers that are words": archives.content("encoder/vocab.json", b'{"<s>": "0"}'),
    "other special numbers": archives.content("encoder/vocab.json", b'{"<s>": 3}'),
    "languages of another kind": archives.content("encoder/languages.json", b"7"),
    "more languages": archives.content(
        "encoder/languages.json", json.dumps([f"x{i}" for i in range(99)]).encode()
    ),
    "no number": archives.edit("shared", lambda weight: weight * torch.nan),
    "another shape": archives.edit("fc1.weight", lambda weight: weight[:3]),
    "placement": archives.setting("model.placement", "elsewhere"),
    "a reader's file": archives.setting("dataset_reader.model_name", "/etc"),
    "scores": archives.setting("model.scores", {"pieces": "x"}),
}
HARMLESS = {"a reader's file"}
"""Settings that are not looked at, since the archive has its own copy."""


@pytest.mark.parametrize("case", CASES)
def test_one_change_is_refused_in_one_line_and_costs_little(files, tmp_path, case):
    start = time.process_time()
    if case in HARMLESS:
        load(files, tmp_path, CASES[case])
    else:
        with pytest.raises(ArchiveError) as caught:
            load(files, tmp_path, CASES[case])
        message = str(caught.value)
        assert "\n" not in message and message.startswith(str(tmp_path)), message
    assert time.process_time() - start < 10


@pytest.mark.parametrize("name", ["start", "teacher"])
def test_another_model_is_not_looked_at(files, tmp_path, name):
    """What was saved is complete: the other model is neither needed nor read."""
    load(files, tmp_path, archives.setting(f"model.{name}", str(tmp_path / "absent")))


def test_subwords_of_elsewhere_are_refused(files, tmp_path):
    elsewhere = archives.setting("dataset_reader.model_name", str(tmp_path))
    with pytest.raises(ArchiveError, match="must not refer to"):
        load(files, tmp_path, elsewhere, archives.without("encoder/sentencepiece"))
