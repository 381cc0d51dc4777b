"""Eq 5.3 and 5.4, lines of WinoMT, and the gender of an entity in a tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.compression.gender_bias import (
    FEMALE,
    MALE,
    bias_of,
    gender_bias,
    gender_f1,
    read_entities,
    stereotype_bias,
)
from udify_allennlp.compression.gender_reading import entity_gender, parsed_words
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.sentence import Sentence

F1 = st.floats(0, 1)


@given(male=F1, female=F1)
def test_psi_is_within_1_and_changes_its_sign_with_the_genders(male, female):
    psi = gender_bias(male, female)
    if male + female == 0:
        assert psi is None
    else:
        assert -1 <= psi <= 1 and gender_bias(female, male) == -psi


@given(pro=st.floats(-1, 1), anti=st.floats(-1, 1))
def test_psi_star_is_not_negative(pro, anti):
    assert stereotype_bias(pro, anti) == stereotype_bias(anti, pro) >= 0
    assert stereotype_bias(pro, pro) == 0 and stereotype_bias(None, anti) is None


def test_a_case_by_hand():
    reads = [
        *((MALE, MALE), (MALE, MALE), (FEMALE, MALE), (FEMALE, FEMALE)),
        *((FEMALE, None), (MALE, FEMALE), ("neutral", MALE)),
    ]
    # male: 2 right, 3 gold, 4 read; female: 1 right, 3 gold, 2 read
    assert gender_f1(reads, MALE) == pytest.approx(4 / 7)
    assert gender_f1(reads, FEMALE) == pytest.approx(2 / 5)
    assert bias_of(reads) == pytest.approx((4 / 7 - 2 / 5) / (4 / 7 + 2 / 5))
    assert bias_of([(MALE, None), (FEMALE, None)]) is None


def test_lines_are_read_and_others_refused(tmp_path):
    path = tmp_path / "en.txt"
    path.write_text("female\t1\tThe developer left.\tdeveloper\n")
    assert read_entities(path) == [("female", 1, "The developer left.", "developer")]
    for line in ("female\t3\tThe developer left.\tx", "f\t1\tThe developer\tx", "male\t1\ta b"):
        path.write_text(f"male\t0\ta\ta\n{line}\n")
        with pytest.raises(InputError, match=r"en.txt:2: this is not a line of WinoMT"):
            read_entities(path)


def words_of(*rows):
    """Form, UPOS, head, relation, FEATS."""
    forms, upos, heads, deprels, feats = zip(*(row.split() for row in rows))
    sentence = Sentence.from_words(forms)
    return parsed_words(
        [sentence.replace(upos=upos, heads=heads, deprels=deprels, feats=feats)] * 2
    )


FRENCH = words_of(
    "La DET 2 det Definite=Def|Gender=Fem",
    "dentiste NOUN 3 nsubj Number=Sing",
    "voit VERB 0 root _",
    "un DET 5 det Gender=Masc",
    "homme NOUN 3 obj Gender=Masc",
)


def test_the_article_decides_then_the_noun_then_other_words():
    assert entity_gender(FRENCH, {4}) == MALE
    assert entity_gender(FRENCH, {1}) == FEMALE  # by its article
    assert entity_gender(FRENCH, {0, 1, 2}) == FEMALE
    assert entity_gender(FRENCH, {2}) is None and entity_gender(FRENCH, set()) is None
    # In the second sentence, heads are those of that sentence.
    assert [word.head for word in FRENCH] == [1, 2, 2, 4, 2, 6, 7, 7, 9, 7]
    assert entity_gender(FRENCH, {6}) == FEMALE and entity_gender(FRENCH, {9}) == MALE


def test_an_article_is_asked_before_the_noun_and_an_adjective_after():
    words = words_of(
        "Die DET 2 det Gender=Fem",
        "Vorgesetzte NOUN 0 root Gender=Masc",
        "strenge ADJ 4 amod Gender=Fem",
        "Chefs NOUN 2 nmod Case=Gen",
    )
    assert entity_gender(words, {1}) == FEMALE and entity_gender(words, {3}) == FEMALE


def test_other_values_of_gender():
    words = words_of("Kind NOUN 0 root Gender=Neut", "x NOUN 1 nmod Gender=Fem,Masc")
    assert entity_gender(words, {0}) == "neutral" and entity_gender(words, {1}) is None
