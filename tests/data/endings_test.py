"""The labels of unknown forms by their endings, beside all labels scored one by one."""

import math

import numpy
import pytest
import torch
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.exportable import save_exportable
from tests.helpers.known import dictionaries, vocabulary
from tests.saved_kinds import TREES
from udify_allennlp import Parser
from udify_allennlp.data import endings, everyday_words, known_words
from udify_allennlp.data.columns import TREEBANK
from udify_allennlp.data.endings import Endings
from udify_allennlp.data.known_words import (
    NOT_ANNOTATED,
    Analysis,
    ContextWord,
    KnownWords,
    Treebank,
    Word,
)
from udify_allennlp.data.label_limits import LabelLimits
from udify_allennlp.data.label_scores import LabelScores
from udify_allennlp.data.language_sections import text_by_language
from udify_allennlp.decoders.tag import TagDecoder, TagScores
from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.sentence import Sentence

LABELS = ["NOUN", "VERB", "ADJ", "X"]
FORMS = st.text("abAB", min_size=1, max_size=7)
ANALYSES = st.sampled_from(LABELS[:3] + [NOT_ANNOTATED]).map(lambda upos: Analysis(upos, "_", "l|"))
WORDS = dictionaries(FORMS, ANALYSES)


def made_of(**treebanks):
    """Returns the vocabulary of the words of some treebanks."""
    own = (Treebank(name, frozenset(), words) for name, words in treebanks.items())
    return vocabulary(Vocabulary(), *own)


def words(upos, *forms):
    return {form: Word((Analysis(upos, "_", "l|"),), False) for form in forms}


def gains(ends, form, lang="en", treebank="en_one", upos="", best=0):
    """Returns those of an unknown word; `None` if there are none."""
    return ends.gains([ContextWord(form, lang, treebank, upos, True)], [best]).get(0)


def case_of(form):
    return (form[0].isupper(), len(form) > 1 and form.isupper())


def by_hand(form, treebanks):
    """Returns the log-probability of each label, from every word and ending."""
    found = [1e-4] * len(LABELS)
    marked = "^" + form.lower()
    for length in range(min(len(marked), 5) + 1):
        counts, total = [0.0] * len(LABELS), 0.0
        for weight, own in treebanks:
            for other, upos in own.items():
                ending = marked[len(marked) - length :]
                if (
                    upos
                    and case_of(other) == case_of(form)
                    and f"^{other.lower()}".endswith(ending)
                ):
                    total += weight
                    for label in upos:
                        counts[LABELS.index(label)] += weight / len(upos)
        found = [(count + 1.5 * each) / (total + 1.5) for count, each in zip(counts, found)]
    return [math.log(each) for each in found]


def upos_of(own):
    return {
        form: {each.upos for each in word.analyses} - {NOT_ANNOTATED} for form, word in own.items()
    }


@given(
    form=FORMS,
    one=WORDS,
    two=WORDS,
    scores=st.lists(st.floats(-9, 0), min_size=4, max_size=4),
    treebank=st.sampled_from(["en_one", ""]),
)
def test_an_unknown_form_gets_the_best_sum_of_all_labels(form, one, two, scores, treebank):
    vocab = made_of(en_one=one, en_two=two)
    own, others = upos_of(one), upos_of(two)
    both = {each: own.get(each, set()) | others.get(each, set()) for each in {**own, **others}}
    known = own if treebank else both
    sums = numpy.array(scores)
    is_known = form in known or form.lower() in known
    if not is_known:
        of_form = by_hand(form, [(1.0, own)] * bool(treebank) + [(0.3, both)])
        sums = sums + 0.5 * numpy.array(of_form)
    table = numpy.array([scores])
    best = table.argmax(1)
    limits = LabelLimits(vocab, "upos", LABELS)
    # Known words are another matter.
    limits.lexicon.by_treebank = False
    word = ContextWord(form, "en", treebank, "", not is_known)
    limits.apply(best, [word], LabelScores(table.__getitem__, 4))
    assert sums[best[0]] == pytest.approx(sums.max())
    assert not is_known or best[0] == table.argmax()


def test_by_hand():
    own = {**words("VERB", "walked", "talked"), **words("NOUN", "dog", "bed")}
    ends = Endings(made_of(en_one=own), "upos", LABELS)
    found = gains(ends, "stalked")
    assert [LABELS[label] for label in found.labels] == ["VERB"]
    # Each word counts 1.3: in the treebank and in the language.
    noun = verb = 1e-4
    for nouns, verbs in ((2, 2), (1, 2), (1, 2), (0, 2), (0, 2), (0, 2)):
        total = 1.3 * (nouns + verbs) + 1.5
        noun, verb = (1.3 * nouns + 1.5 * noun) / total, (1.3 * verbs + 1.5 * verb) / total
    assert found.gains == pytest.approx([0.5 * math.log(verb / noun)])
    assert gains(ends, "stalked", best=1) is None


@pytest.mark.parametrize(
    "form, lang, treebank",
    [
        ("walked", "en", "en_one"),  # known
        ("Walked", "en", ""),
        ("1990", "en", "en_one"),  # no letter at the end
        ("stalked", "de", ""),  # of another language
        ("stalked", "", ""),
    ],
)
def test_other_words_keep_their_labels(form, lang, treebank, monkeypatch):
    monkeypatch.setattr(endings, "_FEWEST", 2)
    ends = Endings(made_of(en_one=words("VERB", "walked", "talked")), "upos", LABELS)
    sentences = [Sentence.from_words(["walked", form, "stalked"])]
    *_, is_unknown, _ = ends.unknown(sentences, [lang] * 3, [treebank] * 3)
    assert not is_unknown
    assert ends.unknown(sentences, ["en"] * 3, [""] * 3)[2] and gains(ends, "stalked", treebank="")
    assert not ends.gains([ContextWord("stalked", "en", "en_one", "", False)], [0])


def test_a_mark_is_a_letter():
    ends = Endings(made_of(en_one=words("VERB", "करती", "जाती")), "upos", LABELS)
    assert gains(ends, "सोती")


def test_capitals_count_apart():
    own = {**words("PROPN", "Walked", "Talked"), **words("VERB", "halted", "talked")}
    labels = ["X", "VERB", "PROPN"]
    ends = Endings(made_of(en_one=own), "upos", labels)
    for form, label in (("Stalked", "PROPN"), ("stalked", "VERB")):
        assert [labels[each] for each in gains(ends, form).labels] == [label]
    assert gains(ends, "STALKED") is None


@pytest.mark.parametrize("treebank", ["en_one", ""])
def test_they_apply_to_sentences_in_the_language(treebank, monkeypatch):
    monkeypatch.setattr(endings, "_FEWEST", 2)
    ends = Endings(made_of(en_one=words("VERB", "walked", "talked")), "upos", LABELS)
    forms = [
        ["Walked", "a", "b", "c", "."],  # a quarter is known
        ["walked", "a", "b", "c", "d"],
        [".", "1990"],
        ["walked", "talked"],
    ]
    sentences = list(map(Sentence.from_words, forms))
    sizes = list(map(len, sentences))

    def unknown(lang, treebank):
        endings._unknown.cache_clear()
        return ends.unknown(sentences, [lang] * sum(sizes), [treebank] * sum(sizes))

    expected = [False, True, True, True, False, *[False] * sum(sizes[1:])]
    assert unknown("en", treebank) == expected
    assert not any(unknown("de", "")) and not any(unknown("", ""))
    monkeypatch.setattr(endings, "_FEWEST", 3)
    assert not any(unknown("en", treebank))


def test_frequent_endings_are_sampled(monkeypatch):
    monkeypatch.setattr(endings, "_MOST", 50)
    own = words("VERB", *(f"{a}{b}{c}ed" for a in "bcdfgh" for b in "aeiou" for c in "klmn"))
    own |= words("NOUN", *(f"{a}{b}{c}s" for a in "bcdfgh" for b in "aeiou" for c in "klmn"))
    packed = KnownWords(made_of(en_one=own)).packed("en_one")
    found = endings._by_ending("en_one", packed)
    sample = found[0].ending_in("")
    assert 40 <= len(sample) <= 50
    uposes = [word.analyses[0].upos for word in sample]
    assert abs(uposes.count("VERB") - uposes.count("NOUN")) <= 1
    assert len(found[0].ending_in("de")) == 40 and not found[0].ending_in("gni")


def test_everyday_words_do_not_count(monkeypatch):
    vocab = made_of(en_one={**words("VERB", "walked", "talked"), **words("NOUN", "dog", "bed")})
    before = gains(Endings(vocab, "upos", LABELS), "stalked").gains
    text = "ADJ _ wicked: wicked naked\nADJ _ talked: talked\n"
    monkeypatch.setitem(text_by_language(everyday_words.FILE), "en", text)
    caches = (
        *(everyday_words.everyday_words, known_words._everyday),
        *(known_words.words_of, endings._by_ending),
    )
    try:
        for cache in caches:
            cache.cache_clear()
        assert KnownWords(vocab).of("en")["naked"] and KnownWords(vocab).of("en_one")["naked"]
        assert gains(Endings(vocab, "upos", LABELS), "stalked").gains == pytest.approx(before)
    finally:
        for cache in caches:
            cache.cache_clear()


def test_lemmas_depend_on_upos():
    forms = {"walked": ("VERB", "l|--"), "talked": ("VERB", "l|--"), "bed": ("NOUN", "l|")}
    forms |= {"shed": ("NOUN", "l|"), "red": ("ADJ", "l|")}
    own = {
        form: Word((Analysis(upos, "_", rule), Analysis("X", "_", "k|")), False)
        for form, (upos, rule) in forms.items()
    }
    labels = ["none", "l|", "k|", "l|--"]
    ends = Endings(made_of(en_one=own), "lemma", labels)

    def first(form, upos):
        found = gains(ends, form, upos=upos)
        return labels[found.labels[found.gains.argmax()]]

    assert [first("stalked", upos) for upos in ("VERB", "NOUN", "X")] == ["l|--", "l|", "k|"]
    # No word is known as an adverb, or the part of speech is not.
    assert first("stalked", "ADV") == first("stalked", "_") == first("stalked", "") == "k|"


@pytest.mark.parametrize(
    "task, labels, cells",
    [
        ("upos", ["NOUN", "VERB"], ["VERB", "NOUN", "NOUN"]),
        ("feats", ["_", "Tense=Past"], ["Tense=Past", "_", "_"]),
        ("lemma", ["k|", "l|--"], ["stalk", "walker", "stalked"]),
    ],
)
def test_a_decoder_predicts_by_them_as_probably_as_the_model_does(task, labels, cells, monkeypatch):
    monkeypatch.setattr(endings, "_FEWEST", 1)
    monkeypatch.setattr(endings, "FAMILIAR", 0.0)
    analysis = Analysis("VERB", "Tense=Past", "l|--")
    own = {form: Word((analysis,), False) for form in ("walked", "talked", "balked")}
    noun = Analysis("NOUN", "_", "k|")
    own |= {form: Word((noun,), False) for form in ("baker", "dog", "tower", "trowel")}
    vocab = made_of(en_one=own)
    for label in labels:
        vocab.add_token_to_namespace(label, f"{task}_labels")
    vocab.add_token_to_namespace("en_one", f"{TREEBANK}_labels")
    decoder = TagDecoder(vocab, task, input_dim=2)
    assert decoder.inputs == (TREEBANK,)
    with torch.no_grad():
        decoder.output.linear.weight.zero_()
        decoder.output.linear.bias.copy_(torch.tensor([1.0, 0.0]))
    sentence = Sentence.from_words(["stalked", "walker", "stalked"])
    scores = TagScores(torch.zeros(3, 2), treebanks=torch.tensor([1, 1, 0]))
    columns = decoder.decode(scores, [sentence])
    assert list(columns[0].values()) == [cells]
    found = decoder.probabilities(scores, [sentence], columns, {})[f"{task.capitalize()}Prob"]
    probable, other = torch.tensor([1.0, 0.0]).softmax(-1)
    torch.testing.assert_close(found, torch.stack([other, probable, probable]))


def test_an_archive_parses_by_predicted_upos_whatever_the_input_has(tmp_path, monkeypatch):
    run = str(save_exportable(tmp_path))
    sentences = list(read_sentences(expand_paths(TREES)[0]))
    others = [sentence.replace(upos=["VERB"] * len(sentence)) for sentence in sentences]

    def lemmas(given):
        return [sentence.lemmas for sentence in Parser.load(run).parse(given)]

    found = lemmas(sentences)
    assert found == lemmas(others)
    monkeypatch.setattr(endings, "WEIGHTS", {})
    assert found != lemmas(sentences)
