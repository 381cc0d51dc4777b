"""The lemma lookup of an archive: trusted sources, and words that are exceptions."""

import lzma

import lookup
import lookup_scores
import pytest
from lemma_trust import Trained, answers, trained, trust, trust_by_endings
from lookup import candidates
from word_lists import Word, WordList

from tests.saved_model import save_run
from udify_allennlp.data.lemma_lookup import ANY, EXCEPTIONS, TRUSTED
from udify_allennlp.text.sentence import Sentence

LEMMAS = {f"casa{letter}aban": f"casa{letter}ar" for letter in "bcdfghjklmnpqrstvxyz"}
LIST = """\
cantaban	cantar	VERB	Mood=Ind
cantaban	cantar	VERB	Person=3
duerme	dormir	VERB	_
fue	ser	VERB	_
fue	ir	VERB	_
casababan	casabar	VERB	_
Lima	lima	PROPN	_
dos mil	dos mil	NUM	_
rosas	rosa	_	_
"""


@pytest.fixture
def words(tmp_path):
    folder = tmp_path / "words"
    folder.mkdir()
    (folder / "languages.tsv").write_text(
        "ud_code\tlanguage\ttables (first wins)\nes\tSpanish\tes\nno\tNorwegian\tnb nn\nen\t\t\n"
    )
    for name, text in (("es", LIST), ("nb", "hus\thus\tNOUN\t_\n"), ("nn", "heim\theim\tADV\t_\n")):
        (folder / f"{name}.tsv.xz").write_bytes(lzma.compress(text.encode()))
    return folder


def sentence(forms, upos, lemmas, path="es_x-ud-train.conllu"):
    return Sentence.from_words(forms, path).replace(upos=upos, lemmas=lemmas)


def of_training(*more):
    own = Trained()
    verbs = [(form, "VERB", lemma) for form, lemma in LEMMAS.items()]
    for form, upos, lemma in [*verbs, *more]:
        own.add(sentence([form], [upos], [lemma]), "es")
    return own


def test_a_word_list_knows_words_that_have_one_lemma(words):
    found = WordList(words, "es")
    assert found.lemma("Duerme", "VERB") == found.lemma("duerme", "AUX") == "dormir"
    assert found.lemma("fue", "VERB") == found.lemma("duerme", "NOUN") == ""
    assert found.lemma("Rosas", "NOUN") == "rosa" and found.lemma("Lima", "PROPN") == "lima"
    assert sorted(found.words({"cantaban"})) == [
        Word("casababan", "VERB", "casabar"),
        Word("duerme", "VERB", "dormir"),
        Word("rosas", ANY, "rosa"),
    ]
    norwegian = WordList(words, "no")
    assert norwegian.lemma("heim", "ADV") == "heim" and norwegian.lemma("hus", "NOUN") == "hus"
    assert not len(WordList(words, "en")) and not len(WordList(words, "xx"))


def test_a_source_is_trusted_where_training_agrees_with_it_on_19_of_20():
    def source(form, upos):
        return {**LEMMAS, "rio": "rio", "dos": "uno"}.get(form)

    assert [(each.upos, each.found, each.right) for each in trust(source, of_training())] == [
        ("VERB", 20, 20)
    ]
    for wrong, enough in ((1, True), (2, False)):
        own = Trained()
        for place, (form, lemma) in enumerate(LEMMAS.items()):
            own.add(sentence([form], ["VERB"], ["x" if place < wrong else lemma]), "es")
        (found,) = trust(source, own)
        assert found.right == 20 - wrong and found.is_enough is enough
    # With fewer words nothing is known; names, and words with digits, are not asked for.
    few = of_training(("dos", "NUM", "dos"), ("rio", "PROPN", "Rio"), ("a1", "VERB", "a1"))
    assert {each.upos: each.is_enough for each in trust(source, few)} == {
        "VERB": True,
        "NUM": False,
    }


def test_lemmas_with_a_strange_ending_are_no_answer():
    # A noun where training has verbs: with the ending of one verb alone it does not count.
    own = of_training(*[(f"ser{n}".translate({48 + i: 97 + i for i in range(10)}), "VERB", "ser")
                        for n in range(10, 20)])  # fmt: skip

    def source(form, upos):
        return LEMMAS.get(form, form + "o")

    (plain,), (found,) = trust(source, own), trust_by_endings(source, own)
    assert not plain.is_enough and plain.found == 30
    assert found.is_enough and found.found == 20 and {*found.endings} == {"ar"}
    assert answers(source, own)["VERB"].count(("casabar", True)) == 1


def test_words_of_frequent_lemmas_come_first(words, monkeypatch):
    own = of_training(*[("duermo", "VERB", "dormir")] * 3)
    listed = WordList(words, "es")
    found = candidates(listed, own, ["VERB"], "es")
    # One of the list is in training, another has two lemmas.
    assert [word.form for word in found] == ["duerme", "rosas", "cantaban"]
    # Those that texts have come before.
    text = words / "wiki.es.txt"
    text.write_text("Cantaban, cantaban y cantaban. Rosas.\n")
    counts = lookup.frequencies([str(text)])["es"]
    assert counts == {"cantaban": 3, "y": 1, "rosas": 1}
    ranked = candidates(listed, own, ["VERB"], "es", counts)
    assert [word.form for word in ranked] == ["cantaban", "rosas", "duerme"]
    monkeypatch.setattr(lookup, "MOST", 1)
    assert [word.form for word in candidates(listed, own, ["VERB"], "es")] == ["duerme"]


def test_vocabularies_that_an_archive_takes(tmp_path, words, monkeypatch, capsys):
    monkeypatch.setattr(lookup, "simplemma_lookup", lambda: lambda form, lang: LEMMAS.get(form))
    (tmp_path / "run").mkdir()
    run = save_run(tmp_path / "run")
    rows = [sentence([form], ["VERB"], [lemma]) for form, lemma in LEMMAS.items()]
    file = tmp_path / "es_x-ud-train.conllu"
    file.write_text("".join(each.text for each in rows))
    with lzma.open(words / "es.tsv.xz", "at") as table:
        table.writelines(f"{form}\t{lemma}\tVERB\t_\n" for form, lemma in LEMMAS.items())
    out = tmp_path / "out"
    out.mkdir()
    lookup.write(str(run), [str(file)], out, words)
    files = {name: (out / f"{name}.txt").read_text() for name in (EXCEPTIONS, TRUSTED)}
    assert files[TRUSTED] == "words\tes\tVERB\nsimplemma\tes\tVERB\tar\n"
    # Those that the model, which has random weights, gets wrong.
    for line in files[EXCEPTIONS].splitlines():
        lang, upos, rule, forms = line.split("\t")
        assert (lang, upos) == ("es", "VERB") and {*forms.split()} <= {"duerme", "cantaban"}
    assert "es words: VERB 20/20" in capsys.readouterr().out
    assert set(trained([str(file)])) == {"es"}
    # The most frequent ones are looked up even if the model gets them right by themselves.
    text = tmp_path / "wiki.es.txt"
    text.write_text("Cantaban y cantaban. Duerme.\n")
    monkeypatch.setattr(lookup, "_tried", lambda *_: [])
    monkeypatch.setattr(lookup, "ALWAYS", 1)
    lookup.write(str(run), [str(file)], out, words, [str(text)])
    lines = (out / f"{EXCEPTIONS}.txt").read_text().splitlines()
    assert [line.split("\t")[-1] for line in lines] == ["cantaban"]
    # Without either source there is nothing.
    monkeypatch.setattr(lookup, "simplemma_lookup", lambda: None)
    lookup.write(str(run), [str(file)], out, None)
    assert (out / f"{TRUSTED}.txt").read_text() == ""
    assert "simplemma: not found, skipped" in capsys.readouterr().out


def test_what_is_gained_is_counted_by_forms_that_training_has(tmp_path):
    (tmp_path / f"{EXCEPTIONS}.txt").write_text("es\tVERB\t!dormir\tduerme duermo\n")
    lookups = {
        "own": lookup_scores.lookup_of(tmp_path, ()),
        "lists": lookup_scores.lookup_of(tmp_path, (EXCEPTIONS,)),
    }
    gold = sentence(["Duerme", "duermo", "ya"], ["VERB"] * 2 + ["ADV"], ["dormir"] * 2 + ["ya"])
    guess = gold.replace(lemmas=["duerme", "duermar", "yar"])
    file = tmp_path / "es_x-ud-train.conllu"
    file.write_text(sentence(["Duermo", "ya"], ["VERB", "ADV"], ["dormir", "ya"]).text)
    known = lookup_scores.known_forms([str(file)])
    assert known == {"es": {"duermo", "ya"}}
    counts = lookup_scores.right([gold], [guess], lookups, "es", known["es"])
    rows = {kind: [counts[kind, way] for way in ("", "own", "lists")] for kind in ("all", "unseen")}
    assert rows == {"all": [3, 0, 1], "unseen": [1, 0, 1]}
