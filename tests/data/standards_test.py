"""Treebanks of Norwegian and Japanese sentences that none is named for."""

from allennlp.data import Vocabulary

from tests.helpers import ENCODER
from tests.helpers.known import vocabulary
from udify_allennlp.data.known_words import Treebank, Word
from udify_allennlp.data.standards import Standards
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.sentence import Sentence


def test_it_is_the_treebank_of_sentences_without_one():
    reader = UniversalDependenciesReader(ENCODER, treebanks=True, langs=True)
    known = vocabulary(Vocabulary(), Treebank("no_nynorsk", frozenset(), {"eg": Word((), False)}))
    sentences = [Sentence.from_words(text.split(" ")) for text in ("Jeg vet", "Eg veit", "I know")]
    langs = ["no", "no", "en"]
    standards = Standards(known, reader.schema)
    assert standards.told(sentences, {"lang": langs})["treebank"] == [
        "no_bokmaal",
        "no_nynorsk",
        "",
    ]
    assert (
        standards.told(sentences, {"lang": "no", "treebank": "no_nynorsk"})["treebank"]
        == ["no_nynorsk"] * 3
    )
    file = [Sentence(each.text, "no_bokmaal-ud-test.conllu") for each in sentences]
    assert standards.told(file, {})["treebank"] == ["no_bokmaal"] * 3
    english = {"lang": "en"}
    assert standards.told(sentences, english) is english
    one = UniversalDependenciesReader(ENCODER, langs=True)
    for other in (Standards(known, one.schema), Standards(Vocabulary(), reader.schema)):
        told = {"lang": langs}
        assert other.told(sentences, told) is told


def test_japanese_is_of_the_treebank_of_today_if_training_has_it():
    reader = UniversalDependenciesReader(ENCODER, treebanks=True, langs=True)
    sentences = [Sentence.from_words(["猫", "が", "いる"]), Sentence.from_words(["I", "know"])]
    told = {"lang": ["ja", "en"]}
    for treebanks, expected in ((["ja_gsd", "ja_pud"], "ja_gsd"), (["ja_pud"], "")):
        known = vocabulary(
            Vocabulary(tokens_to_add={"treebank_labels": treebanks}),
            Treebank("ja_pud", frozenset(), {"猫": Word((), False)}),
        )
        standards = Standards(known, reader.schema)
        assert standards.told(sentences, told).get("treebank", ["", ""]) == [expected, ""]
        own = standards.told(sentences, {"lang": "ja", "treebank": "ja_pud"})
        assert own["treebank"] == ["ja_pud", "ja_pud"]
        file = [Sentence(sentences[0].text, "ja_gsdluw-ud-test.conllu")]
        assert standards.told(file, {})["treebank"] == ["ja_gsdluw"]
