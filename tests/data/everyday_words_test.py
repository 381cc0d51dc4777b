"""Words of everyday language that training lacks, in predictions."""

import pytest
from allennlp.data import Vocabulary

from tests.helpers.known import vocabulary
from udify_allennlp.data import everyday_words
from udify_allennlp.data.everyday_features import EverydayFeatures
from udify_allennlp.data.known_words import (
    NOT_ANNOTATED,
    Analysis,
    ContextWord,
    KnownWords,
    Treebank,
    Word,
)
from udify_allennlp.data.language_sections import text_by_language
from udify_allennlp.data.lemma_lookup import LemmaLookup
from udify_allennlp.data.lexicon import Lexicon, is_pictograph
from udify_allennlp.text.sentence import Sentence

UPOS = {"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "PART", "PRON", "SCONJ"}
UPOS |= {"NUM", "VERB"}
TI = "Case=Acc|Number=Sing|Person=2|PronType=Prs"
THOSE = "Case=Nom|Gender=Fem|Number=Plur|PronType=Dem"


def made_of(treebank="hr_set", /, **words):
    """Returns the vocabulary of a treebank."""
    own = {form: Word(analyses, False) for form, analyses in words.items()}
    return vocabulary(Vocabulary(), Treebank(treebank, frozenset(), own))


def of(upos, feats="_", rule="l|"):
    return (Analysis(upos, feats, rule),)


def test_each_line_is_an_annotation():
    for lang in text_by_language(everyday_words.FILE):
        for form, words in everyday_words.everyday_words(lang).items():
            assert form and len({*words}) == len(words)
            for word in words:
                assert word.upos in UPOS and word.lemma
                entries = word.feats.split("|")
                assert entries == sorted(entries, key=str.lower) and " " not in word.feats
    assert not everyday_words.everyday_words("xx")


def test_they_are_known_words_of_the_language():
    known = KnownWords(made_of(te=of("CCONJ"), si=of("PRON", "Reflex=Yes"), kuća=of("NOUN")))
    assert known.of("hr")["si"].values("upos") == {"AUX", "PRON"}
    assert known.of("hr")["Nisi"].analyses[0].feats == NOT_ANNOTATED
    # What the treebank has is annotated as there.
    assert known.of("hr_set")["si"].values("upos") == {"PRON"}
    assert known.of("hr_set")["nisi"].values("upos") == {"AUX"}
    assert not KnownWords(Vocabulary()).of("hr")


def test_a_treebank_has_words_of_its_own():
    known = KnownWords(made_of("ja_gsd", 寝=of("NOUN"), 猫=of("NOUN")))
    assert known.of("ja_gsd")["寝"].values("upos") == {"NOUN", "VERB"}
    assert known.of("ja_gsd")["猫"].values("upos") == {"NOUN"}
    assert known.of("ja_gsd")["行け"].values("upos") == {"VERB"}
    assert "行け" not in known.of("ja") and "俺" in known.of("ja")


def test_further_annotations_add_to_those_of_training():
    noun = "Gender=Masc|Number=Sing"
    known = KnownWords(vocab := made_of("es_one", odio=of("NOUN", noun), sepa=of("ADJ")))
    assert known.of("es")["odio"].values("upos") == {"NOUN", "VERB"}
    assert known.of("es")["sepa"].values("upos") == {"VERB"}  # instead of it
    assert "trabajo" not in known.of("es")  # this training lacks it
    assert known.of("es_one")["odio"].values("upos") == {"NOUN"}
    columns = [{"upos": ["NOUN", "VERB"], "lemmas": ["odio", "odiar"], "feats": [noun, noun]}]
    EverydayFeatures(vocab).apply(columns, [Sentence.from_words(["odio", "odio"])], ["es"])
    feats = "Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin"
    assert columns[0]["feats"] == [noun, feats]


@pytest.mark.parametrize(
    "form, upos, predicted, treebank, expected",
    [
        ("te", "PRON", "Case=Acc", "", TI),
        ("Te", "DET", "Case=Nom|Gender=Fem", "", THOSE),
        ("te", "PRON", "_", "hr_set", "_"),  # annotated there
        ("tebe", "PRON", "Case=Acc|Reflex=Yes", "hr_set", TI),
        ("te", "VERB", "_", "", "_"),
        ("kuća", "NOUN", "_", "", "_"),
    ],
)
def test_features_are_those_that_have_most_in_common(form, upos, predicted, treebank, expected):
    features = EverydayFeatures(made_of(te=of("CCONJ"), kuća=of("NOUN")))
    columns = [{"upos": [upos], "feats": [predicted]}]
    features.apply(columns, [Sentence.from_words([form])], ["hr"], [treebank])
    assert columns[0]["feats"] == [expected]


def test_features_may_be_left_to_the_model():
    vocab = made_of("it_one", casa=of("NOUN"))
    assert KnownWords(vocab).of("it")["Esco"].values("upos") == {"VERB"}
    columns = [{"upos": ["VERB"], "lemmas": ["esco"], "feats": ["Number=Sing"]}]
    for correction in (EverydayFeatures(vocab), LemmaLookup(vocab)):
        correction.apply(columns, [Sentence.from_words(["Esco"])], ["it"])
    assert columns == [{"upos": ["VERB"], "lemmas": ["uscire"], "feats": ["Number=Sing"]}]


@pytest.mark.parametrize("lemma, number", [("venir", "Sing"), ("ver", "Plur"), ("ir", "Sing")])
def test_features_are_those_of_the_lemma(lemma, number):
    vocab = made_of("es_one", casa=of("NOUN"))
    columns = [{"upos": ["VERB"], "lemmas": [lemma], "feats": ["Number=Plur|Person=3"]}]
    EverydayFeatures(vocab).apply(columns, [Sentence.from_words(["Ven"])], ["es"])
    assert f"Number={number}" in columns[0]["feats"][0]


@pytest.mark.parametrize(
    "forms, upos, trees, expected",
    [
        ("ich ging", "PRON VERB", "2 nsubj 0 root", "1"),
        ("er ging", "PRON VERB", "2 nsubj 0 root", "3"),
        ("ich konnte gehen", "PRON AUX VERB", "3 nsubj 3 aux 0 root", "1"),
        ("ich wäre Koch", "PRON AUX NOUN", "3 nsubj 3 cop 0 root", "1"),
        ("ging ich", "VERB PRON", "0 root 1 obj", "3"),  # as predicted
        ("komm jetzt", "VERB ADV", "0 root 1 advmod", "2"),
        ("ich komm", "PRON VERB", "2 nsubj 0 root", "1"),
    ],
)
def test_verbs_are_in_the_person_of_their_subject(forms, upos, trees, expected):
    vocab = made_of("de_one", Haus=of("NOUN"))
    words, cells = forms.split(" "), trees.split(" ")
    person = {"ich": "Person=1", "er": "Person=3"}
    feats = [person.get(word, "Mood=Ind|Number=Sing|Person=3") for word in words]
    columns = {"upos": upos.split(" "), "feats": feats, "heads": cells[::2], "deprels": cells[1::2]}
    EverydayFeatures(vocab).apply([columns], [Sentence.from_words(words)], ["de"])
    place = next(i for i, each in enumerate(columns["upos"]) if each in ("AUX", "VERB"))
    assert f"Person={expected}" in columns["feats"][place]


def test_without_known_words_nothing_changes():
    columns = [{"upos": ["PRON"], "feats": ["_"]}]
    EverydayFeatures(Vocabulary()).apply(columns, [Sentence.from_words(["te"])], ["hr"])
    assert columns[0]["feats"] == ["_"]


def test_lemmas_are_theirs():
    lookup = LemmaLookup(made_of(kuća=of("NOUN")))
    columns = [{"upos": ["AUX", "PRON"], "lemmas": ["nisiti", "taj"]}]
    lookup.apply(columns, [Sentence.from_words(["Nisi", "te"])], ["hr"])
    assert columns[0]["lemmas"] == ["biti", "ti"]


def test_pictographs_are_symbols():
    assert all(map(is_pictograph, ["😂", "❤️", "👍🏽", "👩‍👩‍👧", "😂😂"]))
    assert not any(map(is_pictograph, ["°", "©", "€", "a", "1️⃣", ":)"]))
    labels = ["PUNCT", "SYM", "NOUN"]
    lexicon = Lexicon(made_of(kuća=of("NOUN")), "upos", labels)
    words = [ContextWord(form, "hr", "", "_", False) for form in ("😂", "°")]
    found = lexicon.others(words, [0, 0])
    assert [*found] == [0] and found[0].labels.tolist() == [1] and not found[0].is_rare
