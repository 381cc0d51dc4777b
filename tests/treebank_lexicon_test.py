"""`benchmarks/treebank_lexicon.py`: the forms of treebanks that a model gets wrong."""

from types import SimpleNamespace

import pytest
import treebank_lexicon
from treebank_lexicon import OFTEN

from udify_allennlp.text.sentence import Sentence


def sentence(words, path="<text>"):
    rows = (
        f"{number}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t0\troot\t_\t_\n"
        for number, (form, lemma, upos, feats) in enumerate(words, 1)
    )
    return Sentence("".join(rows) + "\n", path)


@pytest.fixture
def lexicons(tmp_path, monkeypatch):
    """Writes treebanks and what a model makes of them; returns the entries of each task."""

    def make(gold, guesses, most=9):
        files = []
        for name, sentences in gold.items():
            files.append(str(tmp_path / f"{name}-ud-train.conllu"))
            text = "".join(sentence(words).text for words in sentences)
            (tmp_path / f"{name}-ud-train.conllu").write_text(text)
        parsed = [words for name in gold for words in guesses.get(name, gold[name])[:most]]

        def parse(sentences):
            for each, words in zip(sentences, parsed, strict=True):
                yield sentence(words, each.path)

        loaded = SimpleNamespace(load=lambda *args, **settings: SimpleNamespace(parse=parse))
        monkeypatch.setattr(treebank_lexicon, "Parser", loaded)
        treebank_lexicon.write("model", files, tmp_path, most)
        return {
            task: (tmp_path / f"treebank_{task}_lexicon_labels.txt").read_text().splitlines()
            for task in ("upos", "feats")
        }

    return make


def test_forms_with_a_label_that_their_treebank_or_language_lacks(lexicons):
    noun, verb = ("duck", "duck", "NOUN", "Number=Sing"), ("duck", "duck", "VERB", "VerbForm=Inf")
    adverb = ("fast", "fast", "ADV", "_")
    found = lexicons(
        {"en_a": [[noun, adverb]], "en_b": [[verb], [noun]], "de_a": [[adverb]]},
        # A verb in the language, though not in this treebank; an adjective in neither.
        {"en_a": [[verb, ("fast", "faster", "ADJ", "_")]], "de_a": [[verb]]},
    )
    # German has one treebank.
    others = ["en\tADV\tfast", "en_a\tADV\tfast", "en_a\tNOUN\tduck"]
    assert found["upos"] == ["de\tADV\tfast", *others]
    assert found["feats"] == ["de\t_\tfast", "en_a\tNumber=Sing\tduck"]


def test_what_a_treebank_does_not_annotate_is_no_label(lexicons):
    noun, bare = ("duck", "duck", "NOUN", "Number=Sing"), ("duck", "_", "NOUN", "_")
    given = ("duck", "ducks", "NOUN", "Number=Plur")
    found = lexicons({"en_a": [[noun]], "en_b": [[bare]]}, {"en_b": [[given]]})
    assert found == {"upos": [], "feats": []}


def test_older_files_of_a_treebank_belong_to_it(lexicons):
    older, noun = ("duck", "duck", "VERB", "_"), ("duck", "duck", "NOUN", "Number=Sing")
    given = ("duck", "duck", "ADJ", "Degree=Pos")
    found = lexicons({"en_a": [[noun]], "en_a_trees": [[older]]}, {"en_a_trees": [[given]]})
    assert found["upos"] == ["en\tNOUN VERB\tduck"]
    assert found["feats"] == []


def test_forms_beyond_what_is_parsed_have_entries_if_they_are_repeated(lexicons):
    one, two, three, four = ((form, form, "NOUN", "_") for form in ("one", "two", "three", "four"))
    rest = [[one, two, three, four]] * OFTEN + [[one, two]]
    found = lexicons({"en_a": [[one], *rest, [three]], "en_b": [[four]], "de_a": [[two]]}, {}, 1)
    # `one` is parsed and right, and so is `four` in the language.
    assert found["upos"] == ["en\tNOUN\tthree two", "en_a\tNOUN\tfour three two"]
    found = lexicons({"en_a": [[one], *rest[2:]], "en_b": [[four]]}, {}, 1)
    assert found["upos"] == []
