import json
import shutil

import pytest
from transformers import AutoTokenizer

from tests.helpers import ENCODER
from udify_allennlp.data import wordpieces
from udify_allennlp.data.tokenizer_file import FileTokenizer, tokenizer_of
from udify_allennlp.data.wordpieces import WordpieceTokenizer

WORDS = ["The", "house", "[MASK]", "Straße", "\u200b", "unbelievable", "ЁЖ", "a" * 80, "x y"]


@pytest.fixture
def folder(tmp_path):
    wordpieces.save_tokenizer(AutoTokenizer.from_pretrained(ENCODER), str(tmp_path))
    (tmp_path / "special_tokens_map.json").unlink(missing_ok=True)
    return tmp_path


def changed(folder, **settings):
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))
    tokenizer_of.cache_clear()
    return tokenizer_of(str(folder))


def test_it_is_the_tokenizer_of_transformers(folder, monkeypatch):
    lean = WordpieceTokenizer(str(folder))
    assert isinstance(lean._pretrained, FileTokenizer)
    monkeypatch.setattr(wordpieces, "tokenizer_of", lambda path: None)
    full = WordpieceTokenizer(str(folder))
    assert not isinstance(full._pretrained, FileTokenizer)
    for name in ("start_id", "end_id", "pad_id", "unknown_id", "mask_id", "max_pieces"):
        assert getattr(lean, name) == getattr(full, name), name
    assert lean(WORDS) == full(WORDS) and lean.fingerprint == full.fingerprint
    assert lean.last_piece == full.last_piece


def test_it_becomes_one_of_transformers_and_is_saved_as_before(folder, tmp_path_factory):
    lean, target = WordpieceTokenizer(str(folder)), tmp_path_factory.mktemp("saved")
    wordpieces.save_tokenizer(lean.pretrained, str(target))
    saved = json.loads((target / "tokenizer.json").read_text())
    assert saved == json.loads((folder / "tokenizer.json").read_text())
    again = WordpieceTokenizer(str(target))
    assert again(WORDS) == lean(WORDS) and again.fingerprint == lean.fingerprint


@pytest.mark.parametrize(
    "settings",
    [
        {"tokenizer_class": "BertTokenizer"},
        {"added_tokens_decoder": {}},
        {"extra_special_tokens": ["<x>"]},
        {"auto_map": {"AutoTokenizer": "x.Y"}},
        {"unk_token": {"content": "[UNK]"}},
        {"sep_token": "<no such piece>"},
        {"model_max_length": "64"},
    ],
)
def test_what_is_not_all_in_the_file_is_left_to_transformers(folder, settings):
    assert changed(folder) is not None
    assert changed(folder, **settings) is None


def test_a_folder_of_an_earlier_version_and_a_damaged_file_too(folder, tmp_path_factory):
    early = tmp_path_factory.mktemp("early")
    shutil.copytree(folder, early, dirs_exist_ok=True)
    (early / "added_tokens.json").write_text("{}")
    assert tokenizer_of(str(early)) is None
    (folder / "tokenizer.json").write_text("{")
    assert changed(folder) is None
