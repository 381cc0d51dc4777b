"""Wordpieces are left out; words split as before where none of theirs is."""

import json

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from tests.helpers import DEV, ENCODER
from tests.helpers.tokenizer_settings import UNIGRAM, WORDPIECE
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.models.vocabulary_pruning import used_pieces, without_others
from udify_allennlp.text.conllu import read_sentences

WORDS = st.text("dogsab", min_size=1, max_size=8)


def pieces(settings, word):
    encoded = Tokenizer.from_str(json.dumps(settings)).encode(word, add_special_tokens=False)
    return encoded.ids, encoded.tokens


@pytest.mark.parametrize("settings", [WORDPIECE, UNIGRAM], ids=["WordPiece", "Unigram"])
def test_no_word_is_lost_and_those_with_all_their_pieces_split_as_before(settings):
    size = len(settings["model"]["vocab"])

    @given(st.sets(st.integers(0, size - 1)), WORDS)
    def check(wanted, word):
        fewer, kept = without_others(settings, wanted)
        (before, texts), (after, new_texts) = pieces(settings, word), pieces(fewer, word)
        unknown = ("[UNK]", "<unk>")
        assert any(t in unknown for t in texts) == any(t in unknown for t in new_texts)
        assert "".join(new_texts).replace("##", "") == "".join(texts).replace("##", "")
        if set(before) <= set(kept):
            assert new_texts == texts and [kept[number] for number in after] == before

    check()


@pytest.mark.parametrize("settings", [WORDPIECE, UNIGRAM], ids=["WordPiece", "Unigram"])
def test_special_pieces_keep_their_names_under_new_numbers(settings):
    settings = json.loads(json.dumps(settings))
    if settings["model"]["type"] == "Unigram":  # behind a piece that will be gone
        settings["model"]["vocab"].insert(0, ["zz", -9.0])
        settings["model"]["unk_id"] += 1
        settings["padding"]["pad_id"] += 1
        for token in settings["added_tokens"]:
            token["id"] += 1
        for name in ("sep", "cls"):
            settings["post_processor"][name][1] += 1
    before = Tokenizer.from_str(json.dumps(settings))
    fewer, kept = without_others(settings, frozenset())
    after = Tokenizer.from_str(json.dumps(fewer))
    assert len(kept) == after.get_vocab_size() < before.get_vocab_size()
    for token in settings["added_tokens"]:
        name = token["content"]
        assert kept[after.token_to_id(name)] == before.token_to_id(name)
    assert after.encode("a").tokens[0] == before.encode("a").tokens[0]  # [CLS] or <s>
    assert [kept[number] for number in after.encode("\u0bb0").ids] == before.encode("\u0bb0").ids


def test_pieces_that_words_have_often_enough():
    tokenizer = WordpieceTokenizer(ENCODER)
    words = ["dog", "dog", "the"]
    dog, the = tokenizer(["dog", "the"])
    assert used_pieces(tokenizer, words) == {*dog, *the}
    assert used_pieces(tokenizer, words, least=2) == set(dog) - set(the)
    assert used_pieces(tokenizer, words, least=4) == set()


def test_a_treebank_splits_as_before_with_the_pieces_of_its_words():
    tokenizer = WordpieceTokenizer(ENCODER)
    words = {form for sentence in read_sentences(DEV) for form in sentence.forms}
    fewer, kept = without_others(WORDPIECE, used_pieces(tokenizer, words))
    assert len(kept) < len(WORDPIECE["model"]["vocab"])
    assert all(pieces(fewer, word)[1] == pieces(WORDPIECE, word)[1] for word in words)


def test_pieces_that_are_made_of_others_cannot_be_left_out():
    with pytest.raises(ConfigurationError, match="of type BPE"):
        without_others({"model": {"type": "BPE"}}, {1})
