"""Lemmas that are looked up instead of predicted."""

import json
from importlib.util import find_spec

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import DEV, execute
from tests.saved_model import save_run
from udify_allennlp import Parser
from udify_allennlp.data import lemma_lookup
from udify_allennlp.data.dictionaries import SIMPLEMMA, ask
from udify_allennlp.data.known_words import (
    KNOWN,
    NOT_ANNOTATED,
    Analysis,
    Treebank,
    Word,
    known_words_entry,
)
from udify_allennlp.data.lemma_lookup import (
    ANY,
    EXCEPTIONS,
    NAMESPACES,
    OWN_FORMS,
    TRUSTED,
    LemmaLookup,
    exception_entries,
    trusted_entry,
)
from udify_allennlp.models.from_archive import ExtendedVocabulary
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.lemma_rules import make_rule
from udify_allennlp.text.sentence import Sentence

WORDS = {
    ("es", "duerme"): "dormir",
    ("es", "dormir"): "dormir",
    ("es", "subieron"): "subir",
    ("es", "sube"): "subir",
    ("es", "casas"): "casar",
    ("es", "reloj"): "часы",
    ("es", "dado"): "dar se",
    ("es", "venga"): "vengar",
    ("tr", "ırmağı"): "ırmak",
}
"""What the stand-in for simplemma has."""


@pytest.fixture
def simplemma(monkeypatch):
    def look_up(form, lang):
        return WORDS.get((lang, form))

    monkeypatch.setattr(lemma_lookup, "simplemma_lookup", lambda: look_up)


def vocabulary(exceptions=(), trusted=(), own_forms=(), known=()):
    vocab = Vocabulary()
    rules = {(lang, upos, form): make_rule(form, m) for lang, upos, form, m in exceptions}
    for namespace, entries in (
        (EXCEPTIONS, exception_entries(rules)),
        (TRUSTED, [trusted_entry(*each) for each in trusted]),
        (OWN_FORMS, [f"{lang}\t{form.lower()}" for lang, form in own_forms]),
        (KNOWN, [known_words_entry(*each) for each in known]),
    ):
        for entry in entries:
            vocab.add_token_to_namespace(entry, namespace)
    return vocab


VERBS = (SIMPLEMMA, "es", "VERB", ["ir", "se"])


def test_where_simplemma_is_trusted_it_is_asked(simplemma):
    found = LemmaLookup(vocabulary(trusted=[VERBS], own_forms=[("es", "Subieron")]))
    assert found("es", "duerme", "VERB") == found("es", "DUERME", "VERB") == "dormir"
    # Training has this one; nouns, names and other languages are not trusted.
    assert found("es", "subieron", "VERB") is found("es", "Subieron", "VERB") is None
    assert found("es", "duerme", "NOUN") is found("es", "duerme", "PROPN") is None
    assert found("pt", "duerme", "VERB") is found("", "duerme", "VERB") is None
    # No verb ends so in training; another script; a phrase; not there.
    for form in ("casas", "reloj", "dado", "xyz"):
        assert found("es", form, "VERB") is None
    assert LemmaLookup(vocabulary([("es", "PROPN", "x", "y")], [VERBS]))("es", "Duerme", "VERB")


def corrected(found, lang, form, upos, lemma):
    columns = {"upos": [upos], "lemmas": [lemma]}
    found.apply([columns], [Sentence.from_words([form])], [lang])
    return columns["lemmas"][0]


def test_predicted_lemmas_that_are_no_lemmas_are_replaced(simplemma):
    found = LemmaLookup(vocabulary([("es", "VERB", "fue", "ser")], own_forms=[("es", "sube")]))
    # Untrusted, it still knows better than a word that it lacks, or has as a form.
    assert corrected(found, "es", "subieron", "VERB", "subier") == "subir"
    assert corrected(found, "es", "subieron", "NOUN", "sube") == "subir"
    # Its own lemmas, the form itself, names, what training knows and exceptions stay.
    for form, upos, lemma in (
        ("subieron", "VERB", "dormir"),
        ("Duerme", "VERB", "duerme"),
        ("duerme", "PROPN", "x"),
        ("sube", "VERB", "x"),
        ("xyz", "VERB", "x"),
    ):
        assert corrected(found, "es", form, upos, lemma) == lemma
    assert corrected(found, "es", "fue", "VERB", "fuer") == "ser"
    assert corrected(found, "pt", "duerme", "VERB", "x") == "x"
    assert corrected(LemmaLookup(vocabulary()), "es", "duerme", "VERB", "x") == "x"


def test_a_predicted_lemma_of_training_is_kept_before_one_that_training_lacks(simplemma):
    def lemma(predicted, *forms):
        words = {
            form: Word((Analysis("VERB", "_", make_rule(form, lemma)),), is_rare=False)
            for form, lemma in forms
        }
        known = [("es", [Treebank("es_x", frozenset(), words)])]
        trusted = [(SIMPLEMMA, "es", "VERB", ["ar"])]
        found = LemmaLookup(vocabulary(trusted=trusted, known=known))
        return corrected(found, "es", "venga", "VERB", predicted)

    assert lemma("venir", ("viene", "venir")) == "venir"
    assert lemma("venir", ("viene", "venir"), ("vengó", "vengar")) == "vengar"
    assert lemma("vengir", ("viene", "venir")) == "vengar"


def of_training(lang, upos, **lemmas):
    """A lookup that knows some forms of a language by their lemmas; `None` is not annotated."""
    words = {
        form: Word(
            (Analysis(upos, "_", make_rule(form, lemma) if lemma else NOT_ANNOTATED),), False
        )
        for form, lemma in lemmas.items()
    }
    known = [(lang, [Treebank(f"{lang}_x", frozenset(), words)])]
    return LemmaLookup(vocabulary(known=known))


def test_rules_of_other_words_leave_no_broken_lemmas(simplemma):
    found = of_training("es", "NOUN", casa="casa", cap="capítulo", vez="vez", art="artículo")
    for form, lemma, expected in (
        ("1995-ben", "1995-", "1995"),
        ("blz.", "blummez", "blz."),
        ("art.", "artículo", "artículo"),  # a lemma of training that begins so
        ("Min", "jug", "Min"),
        ("vez", "capítulo", "vez"),
        ("5°C", "5°c", "5°c"),  # no name of training has a capital
    ):
        assert corrected(found, "es", form, "NOUN", lemma) == expected
    assert corrected(found, "es", "cap", "VERB", "capítulo") == "capítulo"  # known as a noun
    assert corrected(found, "hu", "5°C", "NOUN", "5°c") == "5°C"
    # An archive without known words may have made it of its training.
    assert corrected(LemmaLookup(vocabulary(trusted=[VERBS])), "es", "Min", "NOUN", "jug") == "jug"


def test_lemmas_that_training_may_have_stay(simplemma):
    article = Word((Analysis("DET", "_", make_rule("the", "o")),), False)
    vocab = vocabulary(known=[("en", [Treebank("en_a", frozenset(), {"the": article})])])
    for lang in ("en", "lij"):  # the archive lacks the words of Ligurian
        vocab.add_token_to_namespace(lang, "lang_labels")
    lookup = LemmaLookup(vocab)
    sentence = Sentence.from_words(["a"])

    def lemma(lang, upos):
        columns = [{"upos": [upos], "lemmas": ["o"]}]
        lookup.apply(columns, [sentence], [lang], [""])
        return columns[0]["lemmas"][0]

    assert [lemma("lij", upos) for upos in ("DET", "NOUN")] == ["o", "o"]
    assert [lemma("en", upos) for upos in ("DET", "NOUN")] == ["o", "a"]
    assert lemma("hu", "DET") == "a"


def test_signs_keep_their_case_where_names_do(simplemma):
    found = of_training("es", "PROPN", Goya="Goya")
    assert corrected(found, "es", "5°C", "NOUN", "5°c") == "5°C"
    assert corrected(found, "es", "ONU", "PROPN", "onu") == "ONU"
    assert corrected(found, "es", "MADRID", "PROPN", "madrid") == "Madrid"


def test_forms_are_the_lemmas_where_training_has_none(simplemma):
    found = of_training("te", "VERB", ab=None)
    assert corrected(found, "te", "abcd", "VERB", "abc") == "abcd"
    assert corrected(found, "te", "abcd", "VERB", "_") == "_"


def test_the_apostrophe_of_the_form_is_looked_up_first(simplemma):
    found = of_training("fr", "ADV", **{"Aujourd’hui": "aujourd’hui", "aujourd'hui": "aujourd'hui"})
    assert corrected(found, "fr", "Aujourd'hui", "ADV", "x") == "aujourd'hui"
    assert corrected(found, "fr", "Aujourd’hui", "ADV", "x") == "aujourd’hui"


@pytest.mark.parametrize(
    "lang, upos, form, lemma",
    [
        ("hu", "NOUN", "könyvet", "könyv"),
        ("hu", "VERB", "könyvet", "könyve"),
        ("hu", "NOUN", "könyvere", "könyve"),
        ("et", "VERB", "kuulunud", "kuuluma"),
        ("et", "ADJ", "kuulunud", "kuulunu"),
        ("et", "VERB", "teinud", "teinu"),
    ],
)
def test_a_form_that_simplemma_has_as_a_lemma_is_looked_up_again(lang, upos, form, lemma):
    has = {
        "könyvet": "könyve",
        "könyvere": "könyve",
        "könyve": "könyv",
        "kuulunud": "kuulunu",
        "teinud": "teinu",
        "kuuluma": "kuuluma",
    }
    assert ask(lambda form, lang: has.get(form), form, lang, upos) == lemma


def test_names_are_never_looked_up_there(simplemma):
    found = LemmaLookup(vocabulary(trusted=[(SIMPLEMMA, "es", "PROPN", ["ir"])]))
    assert found("es", "duerme", "PROPN") is None


def test_without_simplemma_lemmas_stay(monkeypatch):
    monkeypatch.setattr(lemma_lookup, "simplemma_lookup", lambda: None)
    assert LemmaLookup(vocabulary(trusted=[VERBS]))("es", "duerme", "VERB") is None


def test_exceptions_come_first_by_language_upos_and_form(simplemma):
    found = LemmaLookup(
        vocabulary(
            [
                ("es", "VERB", "duerme", "dormirse"),
                ("es", ANY, "fue", "ser"),
                ("es", "PROPN", "Burgos", "Burgos"),
                ("tr", "NOUN", "ırmağı", "ırmak"),
            ],
            [VERBS],
        )
    )
    assert found("es", "Duerme", "VERB") == "dormirse"
    assert found("es", "Fue", "VERB") == found("es", "fue", "AUX") == "ser"
    assert found("es", "fue", "PROPN") is found("pt", "fue", "VERB") is None
    assert found("es", "Burgos", "PROPN") == "Burgos" and found("es", "BURGOS", "PROPN") is None
    assert found("tr", "IRMAĞI", "NOUN") == "ırmak"


FORMS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=6)


@settings(max_examples=20)
@given(
    words=st.dictionaries(st.tuples(st.sampled_from("ab"), st.just("X"), FORMS), FORMS, max_size=6)
)
def test_any_form_and_lemma_come_back_from_the_vocabulary(words, tmp_path_factory):
    vocab = vocabulary([(*key, lemma) for key, lemma in words.items()])
    folder = str(tmp_path_factory.mktemp("vocabulary"))
    vocab.save_to_files(folder)
    found = LemmaLookup(Vocabulary.from_files(folder))
    assert bool(found) is bool(words)
    for lang in "ab":
        own = {key: lemma for key, lemma in words.items() if key[0] == lang}
        assert found._of(lang) == {key[1:]: make_rule(key[2], own[key]) for key in own}


@pytest.mark.skipif(find_spec(SIMPLEMMA) is None, reason="the extra lemmas is not installed")
def test_of_simplemma_the_dictionaries_are_used_and_no_guesses():
    look_up = lemma_lookup.simplemma_lookup()
    assert look_up("duerme", "es") == "dormir" and look_up("blorpieron", "es") is None
    assert look_up("hundene", "no") == "hund" and look_up("kućama", "hr") == "kuća"
    assert ask(look_up, "HAUS", "de", "NOUN") == "Haus"
    assert look_up("dog", "zh") is None


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A model that is told languages, and looks two forms of the development file up."""
    folder = save_run(tmp_path_factory.mktemp("run"))
    config = json.loads((folder / "config.json").read_text())
    config["dataset_reader"]["langs"] = True
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def add(folder, vocab):
    for namespace in NAMESPACES:
        entries = vocab.get_token_to_index_vocabulary(namespace)
        (folder / "vocabulary" / f"{namespace}.txt").write_text("".join(f"{e}\n" for e in entries))


def predicted(run, file, *words):
    out = file.with_name("out.conllu")
    assert execute("predict", run, file, "--output-file", out, "--silent", *words) == 0
    return list(read_sentences(out))


def test_predict_looks_up_in_the_language_of_the_file(run, tmp_path, simplemma):
    file = tmp_path / "es_x-ud-test.conllu"
    gold = [*read_sentences(DEV)][:2] + [Sentence.from_words(["Duerme", "subieron", "fue"])]
    file.write_text("".join(each.text for each in gold))
    before = predicted(run, file)
    (upos,) = {*before[-1].upos[:1]}
    exceptions = [("es", any_upos, "fue", "ser") for any_upos in (ANY, "PROPN")]
    add(run, vocabulary(exceptions, [(SIMPLEMMA, "es", upos, ["ir"])]))
    after = predicted(run, file)
    assert after[-1].lemmas[0] == "dormir" and after[-1].lemmas[2] == "ser"
    assert [each.text for each in after[:2]] == [each.text for each in before[:2]]
    other = predicted(run, file.rename(tmp_path / "pt_x-ud-test.conllu"))
    assert [each.text for each in other] == [each.text for each in before]
    # Raw text, in a language that is given; it says so then.
    (sentence,) = Parser.load(str(run))("fue", lang="es")
    assert sentence[0].lemma == "ser" and sentence.lang == "es"
    # A model that goes on with other data has to find out anew what it can look up.
    known = Vocabulary.from_files(str(run / "vocabulary"))
    assert {*NAMESPACES} - {OWN_FORMS} <= known.get_namespaces()
    extended = ExtendedVocabulary.extended([], str(run))
    assert extended.get_namespaces() == known.get_namespaces() - {*NAMESPACES}


@pytest.mark.parametrize(
    "namespace, entry",
    [
        (EXCEPTIONS, "es\tVERB\tduerme"),
        (EXCEPTIONS, "es\tVERB\tx|\tduerme"),
        (EXCEPTIONS, "es\tVERB\t!\\9;\tduerme"),
        (EXCEPTIONS, "es\tVERB\tl|\t\\ffffff;"),
        (TRUSTED, "simplemma\tes\tVERB"),
        (OWN_FORMS, "es"),
    ],
)
def test_what_is_no_entry_is_refused(run, namespace, entry):
    add(run, Vocabulary())
    (run / "vocabulary" / f"{namespace}.txt").write_text(f"{entry}\n")
    with pytest.raises(ConfigurationError, match=f"{namespace}.txt has .* which is not a label"):
        Parser.load(str(run))
