"""The words of the training treebanks in a vocabulary: storage, and the predictions for them."""

import base64
import bz2
from functools import partial

import pytest
import torch
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from tests.helpers import ENCODER, TRAIN
from tests.helpers.exportable import save_exportable
from tests.helpers.known import dictionaries, vocabulary
from tests.saved_kinds import TREES
from udify_allennlp import Parser
from udify_allennlp.data import (
    endings,
    known_words,
    label_limits,
    lemma_lookup,
    lexicon,
    packed_entries,
)
from udify_allennlp.data.agreement_odds import AGREEMENT
from udify_allennlp.data.attachments import ATTACHMENTS
from udify_allennlp.data.columns import LANG, TREEBANK
from udify_allennlp.data.deprel_odds import DEPREL_WORDS
from udify_allennlp.data.known_words import (
    KNOWN,
    NOT_ANNOTATED,
    Analysis,
    KnownWords,
    Treebank,
    Word,
    known_words_entry,
    word_in,
)
from udify_allennlp.data.lemma_lookup import EXCEPTIONS, LemmaLookup
from udify_allennlp.data.training_lemmas import TrainingLemmas
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.decoders.tag import TagDecoder, TagScores
from udify_allennlp.models.from_archive import ExtendedVocabulary
from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.lemma_rules import make_rule
from udify_allennlp.text.sentence import Sentence

CHARACTERS = st.characters(codec="utf-8")
CELLS = st.text(CHARACTERS, min_size=1)
FORMS = st.text(CHARACTERS, min_size=1)
ANALYSES = st.builds(
    lambda upos, feats, lemma: Analysis(upos, feats, make_rule("a", lemma)),
    st.sampled_from(["NOUN", "VERB", "X"]),
    CELLS,
    st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r"), min_size=1),
)
WORDS = dictionaries(FORMS, ANALYSES)
NONE: frozenset[str] = frozenset()
POOR = st.frozensets(st.sampled_from(["NOUN", "VERB"]))


def word(*analyses, is_rare=False):
    return Word(analyses, is_rare)


def analysis(form, lemma, upos, feats="_"):
    return Analysis(upos, feats, make_rule(form, lemma))


@given(words=WORDS, other=WORDS, poor=POOR)
def test_any_words_come_back_from_a_vocabulary(words, other, poor, tmp_path_factory):
    treebanks = (Treebank("en_a", poor, words), Treebank("en_b", NONE, other))
    vocab = vocabulary(Vocabulary(), *treebanks, Treebank("xx_a", NONE, other))
    vocab.add_token_to_namespace("other", "feats_labels")
    folder = str(tmp_path_factory.mktemp("vocabulary"))
    vocab.save_to_files(folder)
    for found in (KnownWords(vocab), KnownWords(Vocabulary.from_files(folder))):
        assert found.of("en_a") == words and found.of("en_b") == found.of("xx_a") == other
        assert found.of("en_c") == found.of("fr") == found.of("") == {}
        both = found.of("en")
        assert both.keys() == words.keys() | other.keys()
        for form, own in both.items():
            given = [found[form] for found in (words, other) if form in found]
            assert own.is_rare is (len(given) == 1 and given[0].is_rare)
            own, expected = own.analyses, {each for word in given for each in word.analyses}
            bare = {each for each in expected if each.feats == "_" and each.upos in poor}
            assert not bare or form in words
            assert {*own} - {*expected} == {
                each._replace(feats=NOT_ANNOTATED) for each in {*expected} - {*own}
            }


def test_without_an_entry_there_are_none():
    assert not KnownWords(Vocabulary()) and KnownWords(Vocabulary()).of("en_ewt") == {}


@pytest.mark.parametrize(
    "packed",
    [
        base64.b64encode(bz2.compress(b"en_a\nNOUN _\tdog\t")),  # two cells
        base64.b64encode(bz2.compress(b"en_a\nNOUN  l|\tdog\t")),  # no features
        base64.b64encode(bz2.compress(b"en_a\nNOUN _ x|\tdog\t")),  # no lemma rule
        base64.b64encode(bz2.compress(b"en_a\nNOUN _ !\\9;\tdog\t")),  # a tab in the lemma
        base64.b64encode(bz2.compress(b"en_a\nNOUN _ l|\t\\ffffff;\t")),  # no character
        base64.b64encode(bz2.compress(b"\xff")),
        base64.b64encode(bz2.compress(b"en_a")[:-4]),
        base64.b64encode(b"en_a"),
        b'"',
    ],
)
def test_damaged_words_are_an_error_of_a_line(packed):
    vocab = Vocabulary()
    vocab.add_token_to_namespace(f"en\t{packed.decode()}", KNOWN)
    for origin in ("en_a", "en"):
        with pytest.raises(InputError, match="^The model's words of en are damaged: .* again.$"):
            KnownWords(vocab).of(origin)


def test_words_that_would_fill_the_memory_are_refused(monkeypatch):
    monkeypatch.setattr(packed_entries, "_MOST", 1000)
    entry = known_words_entry(
        "en", [Treebank("en_a", NONE, {"a" * 2000: word(analysis("a", "a", "X"))})]
    )
    assert len(entry) < 200
    vocab = Vocabulary()
    vocab.add_token_to_namespace(entry, KNOWN)
    with pytest.raises(InputError, match="too large"):
        KnownWords(vocab).of("en_a")


def make(vocab, task):
    torch.manual_seed(0)
    return TagDecoder(vocab, task, input_dim=4).eval()


def test_an_apostrophe_may_be_straight_or_curly():
    straight, curly = word(analysis("'s", "es", "PRON")), word(analysis("п’ять", "п’ять", "NUM"))
    words = {"'s": straight, "п’ять": curly, "'t": straight, "’t": word(Analysis("X", "_", "l|"))}
    words["’"] = word(analysis("’", "’", "PUNCT"))
    assert known_words.word_in(words, "’s") == known_words.word_in(words, "'s") == straight
    assert known_words.word_in(words, "п'ять") == curly
    assert known_words.word_in(words, "s") is None and known_words.word_in(words, "’d") is None
    assert known_words.word_in(words, "’t") == words["’t"]
    lookup = LemmaLookup(vocabulary(Vocabulary(), Treebank("de_a", NONE, words)))
    for form in ("’s", "’t"):  # the curly one has another part of speech
        assert looked_up(lookup, form, "PRON", "wir", "de_a", "de") == f"e{form[1]}"
    assert looked_up(lookup, "'", "PUNCT", "x", "de_a", "de") == "'"
    assert looked_up(lookup, "п'ять", "NUM", "x", "de_a", "de") == "п’ять"  # as in training


@pytest.mark.parametrize("margin", [None, 0.3])
@pytest.mark.parametrize("task", ["upos", "feats"])
@pytest.mark.parametrize(
    "treebank, own_key", [("en_ewt", "en_ewt"), ("", "en"), ("de_gsd", "de_gsd")]
)
def test_known_words_get_the_best_of_their_own_labels(task, treebank, own_key, margin, monkeypatch):
    monkeypatch.setattr(label_limits, "MARGINS", {} if margin is None else {task: margin})
    monkeypatch.setattr(endings, "WEIGHTS", {})  # which say more of other words
    monkeypatch.setattr(lexicon, "RARER", 0.0)
    monkeypatch.setattr(label_limits.FeaturesOfUpos, "others", lambda *_: {})
    reader = UniversalDependenciesReader(
        ENCODER, tasks=["upos", "feats"], langs=True, treebanks=True, own_labels=True
    )
    paths = {"en_ewt": TRAIN, "de_gsd": str(FIXTURES / "ud" / "de_gsd-ud-train.conllu")}
    instances = [one for path in paths.values() for one in reader.read(path)]
    vocab = Vocabulary.from_instances(instances)
    plain = make(vocab, task)
    column = "upos" if task == "upos" else "feats"
    known = {"en_ewt": {}, "en_more": {}, "de_gsd": {}}
    for name, path in paths.items():
        for sentence in list(read_sentences(path))[:90:2]:
            for form, upos, feats in zip(sentence.forms, sentence.upos, sentence.feats):
                own = known[name].setdefault(form.lower(), {})
                own[Analysis(upos, feats, "l|")] = None
    # Another treebank has more, and one without features says nothing.
    other = {form: Analysis("X", "Foreign=Yes", "l|") for form in [*known["en_ewt"]][::3]}
    other |= {form: Analysis("X", NOT_ANNOTATED, "l|") for form in [*known["en_ewt"]][1::3]}

    def is_rare(form):
        return len(form) % 2 == 0

    known["en_more"] = {form: {each: None} for form, each in other.items()}
    treebanks = [
        Treebank(name, NONE, {form: Word(tuple(own), is_rare(form)) for form, own in words.items()})
        for name, words in known.items()
    ]
    decoder = make(vocabulary(vocab, *treebanks), task)
    assert {*decoder.inputs} == {LANG, TREEBANK}
    sentences = list(read_sentences(TRAIN))[:4]
    forms = [form for sentence in sentences for form in sentence.forms]
    predicted = [upos for sentence in sentences for upos in sentence.upos]
    words = torch.randn(len(forms), 4)
    # A treebank or a language that training has not seen is unknown to a batch.
    lang = decoder.own.numbers.get(treebank[:2] or "en", 0)
    number = decoder._treebanks.index(treebank) if treebank in paths else 0
    scores = TagScores(words, torch.full((len(forms),), lang), torch.full((len(forms),), number))
    log_prob = decoder.log_prob(scores, slice(None))
    rank = {label: place for place, label in enumerate(plain._labels)}
    name_of = rank.get("PROPN")
    labels: list[int] = []
    names_found = 0
    for row, form, upos in zip(log_prob, forms, predicted):
        best = int(row.argmax())
        names = ["en_ewt", "en_more"] if own_key == "en" else [own_key]
        is_name = best == name_of if task == "upos" else upos == "PROPN"
        spelled = form if is_name else form.lower()
        analyses = [each for n in names for each in known[n].get(spelled, ())]
        names_found += is_name and form.lower() != form and form.lower() in known["en_ewt"]
        tags = {each.upos for each in analyses}
        is_same = task == "upos" or upos in tags or not {upos, *tags} <= {"ADJ", "NOUN", "VERB"}
        own = {getattr(each, column) for each in analyses if is_same}
        allowed = [rank[label] for label in own if label in rank]
        chosen = max(allowed, key=row.__getitem__) if allowed else best
        # What two treebanks have is not rare.
        rare = is_rare(spelled) and sum(spelled in known[n] for n in names) == 1
        are_alike = {plain._labels[chosen], plain._labels[best]} == {"NOUN", "VERB"}
        is_sure = margin is None or not (rare or are_alike)
        is_near = is_sure or row[chosen] >= row[best] - margin
        labels.append(chosen if is_near and row[chosen] > -torch.inf else best)
    assert task == "upos" or names_found
    assert margin is not None or labels != log_prob.argmax(-1).tolist()
    columns = decoder.decode(scores, sentences)
    cells = [cell for own in columns for cell in own[column]]
    assert cells == [plain._labels[label] for label in labels]
    found = decoder.probabilities(scores, sentences, columns, {})[f"{task.capitalize()}Prob"]
    torch.testing.assert_close(found, log_prob.softmax(-1)[torch.arange(len(forms)), labels])


def looked_up(lookup, form, upos, predicted, treebank="", lang="en"):
    columns = [{"upos": [upos], "lemmas": [predicted]}]
    lookup.apply(columns, [Sentence.from_words([form])], [lang], [treebank])
    return columns[0]["lemmas"][0]


def test_lemmas_of_known_words_depend_on_treebank_and_upos():
    one = {
        "saw": word(analysis("saw", "see", "VERB"), analysis("saw", "saw", "NOUN")),
        "cut": word(analysis("cut", "cut", "VERB"), analysis("cut", "cutt", "VERB")),
        "Smiths": word(analysis("Smiths", "Smith", "PROPN"), is_rare=True),
        "none": word(Analysis("VERB", "_", NOT_ANNOTATED)),
    }
    two = {
        "saw": word(analysis("saw", "seen", "VERB")),
        "axes": word(analysis("axes", "ax", "NOUN")),
    }
    vocab = vocabulary(Vocabulary(), Treebank("en_a", NONE, one), Treebank("en_b", NONE, two))
    lookup = LemmaLookup(vocab)
    assert lookup
    lemma = partial(looked_up, lookup)
    assert lemma("saw", "VERB", "saw", "en_a") == lemma("Saw", "VERB", "x", "en_a") == "see"
    assert lemma("saw", "NOUN", "see", "en_a") == "saw"
    assert lemma("saw", "VERB", "see", "en_b") == "seen"
    # In the language, any of them; if the prediction is none, that of the first treebank.
    assert lemma("saw", "VERB", "seen", "") == "seen" and lemma("saw", "VERB", "x", "") == "see"
    assert lemma("cut", "VERB", "cutt", "en_a") == "cutt"
    assert lemma("cut", "VERB", "x", "en_a") == "cut"
    # A form that the treebank lacks is one of its language.
    assert lemma("axes", "NOUN", "axe", "en_a") == "ax"
    assert lemma("Smiths", "PROPN", "smith", "en_a") == "Smith"
    assert lemma("smiths", "PROPN", "smith", "en_a") == "smith"
    # Unknown as this part of speech, not annotated, or in another language.
    unknown = (("saw", "ADJ", "sea"), ("none", "VERB", "no"), ("dog", "NOUN", "god"))
    for form, upos, other in unknown:
        assert lemma(form, upos, other, "en_a") == other
    assert lemma("saw", "VERB", "sea", "", "de") == "sea"


def test_an_unknown_form_is_no_lemma_if_it_does_not_end_like_one(monkeypatch):
    has = {
        "baalde": "balen",
        "loopt": "lopen",
        "drink": "drinken",
        "huizen": "huis",
        "zitten": "zit",
    }
    monkeypatch.setattr(lemma_lookup, "simplemma_lookup", lambda: lambda form, lang: has.get(form))
    verbs = {f"{c}aalde": word(analysis(f"{c}aalde", f"{c}alen", "VERB")) for c in "cdfghjkl"}
    known = {**verbs, "drink": word(analysis("drink", "drink", "NOUN"))}
    lookup = LemmaLookup(vocabulary(Vocabulary(), Treebank("xx_a", NONE, known)))
    # Dutch itself has everyday words, `drink` among them.
    lemma = partial(looked_up, lookup, lang="xx")
    assert lemma("baalde", "VERB", "baalde") == "balen"
    assert lemma("Loopt", "VERB", "loopt") == "lopen"
    # A known form, a usual ending, a part of speech without lemmas or without inflection.
    for form, upos in (("drink", "VERB"), ("zitten", "VERB"), ("huizen", "ADJ"), ("loopt", "ADV")):
        assert lemma(form, upos, form) == form
    assert lemma("fiets", "VERB", "fiets") == "fiets"  # that simplemma lacks


def test_an_unknown_form_is_no_lemma_if_training_has_the_listed_one(monkeypatch):
    has = {"dir": "du", "hat": "du", "Du": "du", "ihm": "er"}
    monkeypatch.setattr(lemma_lookup, "simplemma_lookup", lambda: lambda form, lang: has.get(form))
    known = {
        "dich": word(analysis("dich", "du", "PRON")),
        "hat": word(analysis("hat", "haben", "AUX")),
    }
    lookup = LemmaLookup(vocabulary(Vocabulary(), Treebank("de_a", NONE, known)))
    lemma = partial(looked_up, lookup, lang="de")
    assert lemma("dir", "PRON", "dir") == lemma("Dir", "PRON", "dir") == "du"
    # Another part of speech, a known form, a lemma that training lacks, one that is the form.
    for form, upos in (("dir", "DET"), ("hat", "PRON"), ("ihm", "PRON"), ("du", "PRON")):
        assert lemma(form, upos, form) == form


def test_a_dictionary_decides_in_a_language_that_training_lacks(monkeypatch):
    has = {"fakat": "fa", "ment": "megy", "Duna": "duna", "kettő": "kettes", "fa": "fa"}
    has["me"] = "me"
    monkeypatch.setattr(lemma_lookup, "simplemma_lookup", lambda: lambda form, lang: has.get(form))
    known = {"hat": word(analysis("hat", "haben", "AUX"))}
    lookup = LemmaLookup(vocabulary(Vocabulary(), Treebank("de_a", NONE, known)))
    lemma = partial(looked_up, lookup, lang="hu")
    assert lemma("fakat", "NOUN", "fakat") == lemma("Fakat", "NOUN", "fa") == "fa"
    assert lemma("ment", "VERB", "fa") == "megy"  # although that is a lemma
    # A name, a numeral, a word that the dictionary lacks, a language that training has.
    for form, upos in (("Duna", "PROPN"), ("kettő", "NUM"), ("ház", "NOUN")):
        assert lemma(form, upos, form) == form
    assert looked_up(lookup, "ment", "VERB", "me", lang="de") == "me"
    # An archive without known words, which may know every language.
    vocab = Vocabulary()
    vocab.add_token_to_namespace("de\tVERB\tx\thatte", EXCEPTIONS)
    assert looked_up(LemmaLookup(vocab), "ment", "VERB", "fa", lang="hu") == "fa"


def test_names_that_end_like_none_are_looked_up(monkeypatch):
    has = {
        "Londynie": "Londyn",
        "Radomiu": "Radom",
        "Simona": "Simon",
        "Wisły": "wisła",
        "Łodzi": "Łódź",
    }
    monkeypatch.setattr(lemma_lookup, "simplemma_lookup", lambda: lambda form, lang: has.get(form))
    names = ("Anna", "Jana", "Radom")
    known = {form: word(analysis(form, form, "PROPN")) for form in names}
    lookup = LemmaLookup(vocabulary(Vocabulary(), Treebank("pl_a", NONE, known)))
    lemma = partial(looked_up, lookup, upos="PROPN", lang="pl")
    assert lemma("Londynie", predicted="Londyna") == lemma("Londynie", predicted="Londynie")
    assert lemma("Londynie", predicted="Londyna") == "Londyn"
    assert lemma("Radomiu", predicted="Radomi") == "Radom"
    # A form that ends as names do, small letters in one of both, a name that simplemma lacks.
    assert lemma("Simona", predicted="Simona") == "Simona"
    assert lemma("Wisły", predicted="Wisły") == "Wisły"
    assert lemma("Łodzi", predicted="łódź", treebank="pl_a") == "łódź"
    assert lemma("Gdyni", predicted="Gdyń") == "Gdyń"
    assert looked_up(lookup, "Simona", "PROPN", "Simona", lang="cs") == "Simon"  # that it lacks


def test_names_have_capitals_where_treebanks_disagree(monkeypatch):
    monkeypatch.setattr(lemma_lookup, "simplemma_lookup", lambda: None)
    one = {name: word(analysis(name, name.lower(), "PROPN")) for name in ("Madrid", "Goya")}
    two = {"Madrid": word(analysis("Madrid", "Madrid", "PROPN"))}
    treebanks = [Treebank(name, NONE, words) for name, words in (("es_a", one), ("es_b", two))]
    lookup = LemmaLookup(vocabulary(Vocabulary(), *treebanks))
    lemma = partial(looked_up, lookup, upos="PROPN", lang="es")
    assert lemma("Madrid", predicted="madrid") == "Madrid"
    assert lemma("Madrid", predicted="madrid", treebank="es_a") == "madrid"
    assert lemma("Goya", predicted="goya") == "Goya"
    assert lemma("Bernabéu", predicted="bernabéu") == "Bernabéu"
    assert lemma("Bernabéu", predicted="bernabéu", treebank="es_a") == "bernabéu"
    assert lemma("bernabéu", predicted="bernabéu") == "bernabéu"
    # Few names of a language have capitals.
    lookup = LemmaLookup(vocabulary(Vocabulary(), treebanks[0]))
    assert looked_up(lookup, "Bernabéu", "PROPN", "bernabéu", lang="es") == "bernabéu"


def test_an_archive_parses_with_its_words_and_training_on_leaves_them_behind(tmp_path):
    run = save_exportable(tmp_path)
    sentences = list(read_sentences(expand_paths(TREES)[0]))
    rows = {form for sentence in sentences[::2] for form in sentence.forms}
    parsed = list(Parser.load(str(run)).parse(sentences))
    words = [word for s in parsed for word in zip(s.forms, s.upos, s.lemmas)]
    assert {upos for form, upos, _ in words if form in rows} <= {"NOUN", "PUNCT"}
    assert all(lemma == f"x{form}" for form, _, lemma in words if form in rows)
    assert {form for form, _, _ in words} - rows
    known = Vocabulary.from_files(str(run / "vocabulary")).get_namespaces()
    assert ExtendedVocabulary.extended([], str(run)).get_namespaces() == known - {
        KNOWN,
        ATTACHMENTS,
        AGREEMENT,
        DEPREL_WORDS,
    }


@pytest.mark.parametrize(
    "form, expected",
    [("हूँ", "है"), ("ज़्यादा", "ज्यादा"), ("पढ़ें", "पढ़ना"), ("जाऊँ", None)],
)
def test_devanagari_is_found_in_its_plainer_spelling(form, expected):
    known = {"हूं": "है", "ज्यादा": "ज्यादा", "पढ़ें": "पढ़ना", "पढें": "पढना"}
    known = {each: word(analysis(each, lemma, "VERB")) for each, lemma in known.items()}
    vocab = vocabulary(Vocabulary(), Treebank("hi_a", NONE, known))
    found = word_in(KnownWords(vocab).of("hi"), form)
    assert (found is None) is (expected is None)
    lemmas = TrainingLemmas(vocab)
    assert lemmas.of_form("hi", "hi", form, "VERB")[:1] == ([expected] if expected else [])


@pytest.mark.parametrize(
    "form, expected",
    [("جدا", "جداً"), ("جدًا", "جداً"), ("ولدٌ", "ولد"), ("ولدٍ", "ولد"), ("هذا", "هذا"), ("لا", None)],
)
def test_arabic_is_found_with_and_without_written_endings(form, expected):
    words = {each: word(analysis(each, each, "X")) for each in ("جداً", "ولد", "هذا", "هذاً")}
    found = known_words.word_in(words, form)
    assert found == (words[expected] if expected else None)
