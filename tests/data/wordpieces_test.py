import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from allennlp.common.checks import ConfigurationError
from transformers import AutoTokenizer

from tests.conftest import FIXTURES
from udify_allennlp.data import encoder_files, word_splitter, wordpieces
from udify_allennlp.data.wordpieces import WordpieceTokenizer

ENCODER = str(FIXTURES / "encoder")


def test_pieces_are_those_of_the_hugging_face_tokenizer():
    words = ["The", "unbelievable", "evlerinizden", "don't", "U.S.", "中文", "naïve"]
    reference = AutoTokenizer.from_pretrained(ENCODER)(
        words, is_split_into_words=True, add_special_tokens=False
    )
    by_word = [[] for _ in words]
    for piece, word in zip(reference["input_ids"], reference.word_ids()):
        by_word[word].append(piece)
    assert [list(pieces) for pieces in WordpieceTokenizer(ENCODER)(words)] == by_word


def test_a_word_without_pieces_gets_the_unknown_piece():
    tokenizer = WordpieceTokenizer(ENCODER)
    assert tokenizer(["\u200b", "\u00ad"]) == [(tokenizer.unknown_id,)] * 2


@pytest.mark.parametrize("unit", ["\u0301", "\U0001f600", "qz", "東"])
def test_a_word_has_a_bounded_number_of_pieces(unit, monkeypatch):
    """A longer word keeps its first pieces unchanged; ordinary words keep all."""
    words = ["a" + unit * length for length in (1, 9, 100, 9999)]
    bounded = WordpieceTokenizer(ENCODER)
    found, fingerprint = bounded(words), bounded.fingerprint
    monkeypatch.setattr(word_splitter, "MAX_PIECES", 10**9)
    free = WordpieceTokenizer(ENCODER)
    assert found == [pieces[:512] for pieces in free(words)]
    assert fingerprint != free.fingerprint


def test_the_text_of_a_special_piece_is_a_word_like_any_other():
    tokenizer = WordpieceTokenizer(ENCODER)
    special = {tokenizer.start_id, tokenizer.end_id, tokenizer.mask_id, tokenizer.pad_id}
    for pieces in tokenizer(["[MASK]", "[SEP]", "[CLS]", "[PAD]"]):
        assert not special & set(pieces)


def test_the_memory_for_words_is_bounded(monkeypatch):
    monkeypatch.setattr(word_splitter, "_MAX_WORDS", 3)
    tokenizer, reference = WordpieceTokenizer(ENCODER), WordpieceTokenizer(ENCODER)
    for words in (["a", "b"], ["b", "c", "d"], ["a", "d", "e", "f"], ["f"]):
        assert tokenizer(words) == [reference([word])[0] for word in words]
        assert len(tokenizer._pieces) <= 4  # the bound, or one longer call


def test_forgotten_words_are_split_again():
    tokenizer = WordpieceTokenizer(ENCODER)
    before = tokenizer(["house", "unbelievable"])
    tokenizer.forget()
    assert not tokenizer._pieces
    assert tokenizer(["house", "unbelievable"]) == before


def test_a_fingerprint_stands_for_how_words_are_split(tmp_path):
    first, second = WordpieceTokenizer(ENCODER), WordpieceTokenizer(ENCODER)
    first(["house"])
    assert first.fingerprint == second.fingerprint
    shutil.copytree(ENCODER, tmp_path / "other")
    file = tmp_path / "other" / "tokenizer.json"
    text = file.read_text(encoding="utf-8")
    other = text.replace('"lowercase": false', '"lowercase": true')
    file.write_text(other, encoding="utf-8")
    assert other != text
    assert WordpieceTokenizer(str(tmp_path / "other")).fingerprint != first.fingerprint


def test_missing_encoder_is_one_clear_line(tmp_path):
    with pytest.raises(ConfigurationError, match="No tokenizer could be loaded from model_name"):
        WordpieceTokenizer(str(tmp_path / "nowhere"))


def test_the_run_keeps_a_copy_that_is_preferred(tmp_path):
    first = WordpieceTokenizer(ENCODER, str(tmp_path))
    assert (tmp_path / encoder_files.FOLDER / "tokenizer.json").is_file()
    second = WordpieceTokenizer("a/model-that-does-not-exist", str(tmp_path))
    assert first(["house"]) == second(["house"])


def test_the_copy_names_the_added_pieces_so_that_nobody_reads_it_twice(tmp_path, monkeypatch):
    first = WordpieceTokenizer(ENCODER, str(tmp_path))
    copy = tmp_path / encoder_files.FOLDER
    config = json.loads((copy / "tokenizer_config.json").read_text(encoding="utf-8"))
    settings = json.loads((copy / "tokenizer.json").read_text(encoding="utf-8"))
    assert settings["added_tokens"]
    assert config["added_tokens_decoder"] == {
        str(piece["id"]): {name: value for name, value in piece.items() if name != "id"}
        for piece in settings["added_tokens"]
    }
    read = []
    load = json.load
    monkeypatch.setattr(json, "load", lambda file: read.append(file.name) or load(file))
    wordpieces.load_tokenizer.cache_clear()
    second = WordpieceTokenizer("a/model-that-does-not-exist", str(tmp_path))
    assert not [name for name in read if name.endswith("/tokenizer.json")]
    assert second.fingerprint == first.fingerprint
    assert second(["<mask>", "house"]) == first(["<mask>", "house"])


def test_several_threads_may_learn_and_forget_at_once(monkeypatch):
    monkeypatch.setattr(word_splitter, "_MAX_WORDS", 5)
    tokenizer = WordpieceTokenizer(ENCODER)
    calls = [[f"{chr(97 + i % 26)}{i % 7}", f"w{i}", "same"] for i in range(2000)]
    expected = [WordpieceTokenizer(ENCODER)(words) for words in calls[:50]]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(tokenizer, calls))
    assert found[:50] == expected


def test_what_is_learned_stays_with_who_asked_for_it(monkeypatch):
    monkeypatch.setattr(word_splitter, "_MAX_WORDS", 2)
    tokenizer = WordpieceTokenizer(ENCODER)
    known = tokenizer.learn(["one", "two"])
    tokenizer.learn(["three"])  # another thread's, for which there is no room
    tokenizer.forget()
    assert {"one", "two"} <= known.keys()
