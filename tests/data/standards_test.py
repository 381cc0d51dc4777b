"""Treebanks of Norwegian sentences that none is named for."""

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
