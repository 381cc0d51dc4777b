"""Subwords against the tokenizer of transformers, and where codes stand."""

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from transformers import M2M100Tokenizer

from tests.helpers.translation import subwords_of, table_of
from udify_allennlp.translation.pairs import Pair
from udify_allennlp.translation.placement import M2M_100, SMALL_100, place
from udify_allennlp.translation.subwords import EOS, LANGUAGES, PAD, Subwords
from udify_allennlp.translation.subwords import M2M_100 as CODES


def test_numbers_are_those_of_transformers(subwords, tmp_path):
    """In a folder as M2M-100 has it: no list of codes."""
    subwords.save(tmp_path)
    assert Subwords.load(tmp_path).same_as(subwords)
    (tmp_path / LANGUAGES).unlink()
    ours = Subwords.load(tmp_path)
    theirs = M2M100Tokenizer.from_pretrained(tmp_path, src_lang="fr")
    texts = ["three eins", "deux  deux", "Ωµ one", ""]
    for text, numbers in zip(texts, ours.numbers(texts)):
        assert [ours.code("fr"), *numbers, EOS] == theirs(text)["input_ids"]
        assert ours.text([*numbers, EOS, 9]) == theirs.decode(numbers, skip_special_tokens=True)
    assert {lang: theirs.get_lang_id(lang) for lang in CODES} == {
        lang: ours.code(lang) for lang in CODES
    }
    assert ours.size == theirs.get_lang_id("zu") + 1 and len(CODES) == 100


def test_training_is_the_same_in_each_run(paths, subwords):
    assert subwords_of(paths).same_as(subwords)
    assert subwords.languages == ("de", "en", "fr")
    assert subwords.size <= 63


def test_bokmal_is_norwegian_and_an_unknown_language_is_refused(subwords, tmp_path):
    subwords.save(tmp_path)
    (tmp_path / LANGUAGES).unlink()
    m2m = Subwords.load(tmp_path)
    assert m2m.code("nb") == m2m.code("no")
    with pytest.raises(
        ConfigurationError, match="no code for the language 'it'. Use one of de, en"
    ):
        subwords.code("it")
    with pytest.raises(ConfigurationError, match="has no subwords of M2M-100"):
        Subwords.load(tmp_path / "absent")


def test_small100_has_the_target_code_in_the_encoder_and_none_in_the_decoder(paths, subwords):
    pairs = list(table_of(paths, subwords))[:9]
    placed = place(pairs, subwords, SMALL_100)
    codes = set(map(subwords.code, subwords.languages))
    for row, pair in enumerate(pairs):
        length = len(pair.source) + 2
        assert placed.input_ids[row, :length].tolist() == [
            subwords.code(pair.direction[1]),
            *pair.source,
            EOS,
        ]
        assert placed.attention_mask[row].tolist() == [
            int(i < length) for i in range(placed.input_ids.shape[1])
        ]
        assert (placed.input_ids[row, length:] == PAD).all()
        labels = placed.labels[row, placed.is_label[row]].tolist()
        assert labels == [*pair.target, EOS]
        given = placed.decoder_input_ids[row, : len(labels)].tolist()
        assert given == [EOS, *pair.target]
        assert not codes & {*labels, *given}


def test_another_target_language_changes_the_encoder_input_alone(subwords):
    source, target = subwords.numbers(["one two", "eins"])
    some, other = (
        place([Pair(("en", lang), source, target)], subwords, SMALL_100) for lang in ("de", "fr")
    )
    assert (some.input_ids != other.input_ids).tolist() == [[True] + [False] * (len(source) + 1)]
    for mine, theirs in zip(some[1:], other[1:]):
        torch.testing.assert_close(mine, theirs)


def test_m2m100_has_the_source_code_in_the_encoder_and_the_target_code_in_the_decoder(subwords):
    source, target = subwords.numbers(["one two", "eins"])
    placed = place([Pair(("en", "de"), source, target)], subwords, M2M_100)
    english, german = subwords.code("en"), subwords.code("de")
    assert placed.input_ids.tolist() == [[english, *source, EOS]]
    assert placed.labels.tolist() == [[german, *target, EOS]]
    assert placed.decoder_input_ids.tolist() == [[EOS, german, *target]]
    assert placed.is_label.tolist() == [[False] + [True] * (len(target) + 1)]
