import json

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.data import wordpieces
from udify_allennlp.data.tokenizer_file import tokenizer_of
from udify_allennlp.data.unigram import UnigramSplitter
from udify_allennlp.data.wordpieces import PackageSplitter

# "▁" marks the start of a word; the scores are log-probabilities.
VOCAB = [
    *[["<s>", 0.0], ["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0], ["▁", -2.0], ["a", -2.5]],
    *[["b", -2.75], ["ab", -3.0], ["▁a", -2.25], ["▁ab", -4.5], ["ba", -4.0], ["aba", -7.0]],
    *[["ß", -3.5], ["▁ß", -6.0]],
]


def special(number):
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    return {"id": number, "content": VOCAB[number][0], "special": True, **flags}


def settings(**model):
    return {
        "version": "1.0",
        "added_tokens": [special(number) for number in range(4)],
        "normalizer": {"type": "NFKC"},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "Unigram", "unk_id": 3, "vocab": VOCAB, "byte_fallback": False, **model},
    }


OURS = UnigramSplitter(settings())
PACKAGE = PackageSplitter(tokenizers.Tokenizer.from_str(json.dumps(settings())))


@given(st.lists(st.text("abß▁ x<s>\u200bﬁ", max_size=12)))
def test_pieces_are_those_of_the_package(texts):
    assert OURS(texts) == PACKAGE(texts)


def test_by_hand():
    # ▁ab: -4.5; ▁a + b: -5; ▁ + ab: -5. Unknown letters side by side are one piece.
    assert OURS(["ab", "axxb", ""]) == [[9], [8, 3, 6], []]


def test_the_tokenizer_of_the_package_is_as_it_was():
    backend = tokenizers.Tokenizer.from_str(json.dumps(settings()))
    assert OURS.tokenizer().to_str() == backend.to_str()
    assert OURS.last_piece == PACKAGE.last_piece == len(VOCAB) - 1
    assert OURS.id_of("ab") == 7 and OURS.id_of("abab") is None


@pytest.mark.parametrize(
    "model",
    [
        {"type": "BPE"},
        {"byte_fallback": True},
        {"vocab": [*VOCAB, ["a", -1.0]]},
        {"vocab": [*VOCAB, ["a" * 65, -1.0]]},
        {"vocab": [*VOCAB, ["c", float("nan")]]},
        {"vocab": VOCAB[1:]},
        {"unk_id": None},
    ],
    ids=str,
)
def test_models_with_more_to_them_are_refused(model):
    with pytest.raises(ValueError, match="model"):
        UnigramSplitter(settings(**model))


def test_a_tokenizer_is_read_without_the_index_of_the_package(tmp_path, monkeypatch):
    names = {"bos": 0, "cls": 0, "eos": 2, "pad": 1, "sep": 2, "unk": 3}
    added = {str(number): special(number) for number in range(4)}
    for piece in added.values():
        del piece["id"]
    config = {f"{name}_token": VOCAB[number][0] for name, number in names.items()}
    config |= {"tokenizer_class": "PreTrainedTokenizerFast", "added_tokens_decoder": added}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "tokenizer.json").write_text(json.dumps(settings()), encoding="utf-8")
    assert isinstance(tokenizer_of(str(tmp_path)).source, UnigramSplitter)
    ours = wordpieces.WordpieceTokenizer(str(tmp_path))
    monkeypatch.setattr(wordpieces, "tokenizer_of", lambda path: None)
    theirs = wordpieces.WordpieceTokenizer(str(tmp_path))
    words = ["ab", "xa", "\u200b", "<s>"]
    assert ours(words) == theirs(words) and ours.last_piece == theirs.last_piece
    assert ours.fingerprint == theirs.fingerprint
    assert ours.pretrained.get_vocab() == theirs.pretrained.get_vocab()
