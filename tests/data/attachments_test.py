"""Corrections of arcs and deprels by counts, beside those of each arc alone."""

import numpy
import pytest
import torch
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.exportable import save_exportable
from tests.saved_kinds import TREES
from udify_allennlp import Parser
from udify_allennlp.data import attachments, deprel_odds
from udify_allennlp.data.attachments import (
    ARCS,
    ATTACHMENTS,
    DEPRELS,
    DISTANCES,
    LEFT,
    OTHERS,
    RIGHT,
    ROOT_UPOS,
    STAND_INS,
    STEP,
    ArcKind,
    KnownArcs,
    attachments_entry,
)
from udify_allennlp.data.inflections import has_inflections
from udify_allennlp.decoders.dependency import DependencyDecoder, DependencyScores
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.sentence import Sentence

LABELS = ["det", "nsubj", "root"]
UPOS = ["NOUN", "VERB", "X"]
OF_VERB = ArcKind("NOUN", "VERB", LEFT, (2, 1, 0, -1, -2, -3, -4, -5), -6, {"nsubj": -1})
OF_OTHERS = ArcKind(*OTHERS, (-1,), -7, {})
OF_ROOT = ArcKind("VERB", ROOT_UPOS, LEFT, (3,), -6, {"root": 0})


@pytest.fixture(autouse=True, scope="module")
def _no_deprel_odds(tmp_path_factory):
    """Leaves out what features say of deprels; see `deprel_odds_test.py`."""
    empty = tmp_path_factory.mktemp("odds") / "empty.txt"
    empty.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deprel_odds, "FILE", empty)
        yield


def made_of(**kinds):
    vocab = Vocabulary()
    for lang, own in kinds.items():
        vocab.add_token_to_namespace(attachments_entry(lang, own), ATTACHMENTS)
    return KnownArcs(vocab, LABELS)


def tagged(*upos):
    return Sentence.from_words(["a"] * len(upos)).replace(upos=list(upos))


def test_arcs_and_deprels_by_hand():
    known = made_of(en=[OF_OTHERS, OF_VERB, OF_ROOT])
    batch = known.of_batch([tagged("NOUN", "VERB"), tagged("VERB")], ["en", "en", "de"], [""] * 3)
    arcs = batch.arcs(4)
    assert arcs.shape == (2, 4, 4) and not arcs[1].any()
    steps = [[0, 0, 0, 0], [-1, -1, 2, 0], [3, -1, -1, 0], [0, 0, 0, 0]]
    numpy.testing.assert_allclose(arcs[0], numpy.array(steps) * ARCS * STEP, rtol=1e-6)
    # Of the noun before its verb, the verb after its noun, of ROOT, and of an unknown language.
    found = batch.deprels(numpy.array([0, 1, 1, 2]), numpy.array([1, 0, -1, -1]))
    steps = [[-6, -1, -6], [-7] * 3, [0] * 3, [0] * 3]
    numpy.testing.assert_allclose(found, numpy.array(steps) * DEPRELS * STEP, rtol=1e-6)


def test_a_treebank_with_an_entry_has_its_own_counts():
    known = made_of(en=[OF_OTHERS, OF_ROOT], en_own=[OF_OTHERS, OF_VERB])
    sentences, langs = [tagged("NOUN", "VERB")] * 3, ["en"] * 6
    treebanks = ["en_own"] * 2 + ["en_ewt"] * 2 + [""] * 2
    batch = known.of_batch(sentences, langs, treebanks)
    for place, lang in enumerate(["en_own", "en", "en"]):
        alone = known.of_batch(sentences[:1], [lang] * 2, [""] * 2)
        numpy.testing.assert_equal(batch.arcs(4)[place], alone.arcs(4)[0])
        found = batch.deprels(numpy.array([2 * place]), numpy.array([2 * place + 1]))
        expected = alone.deprels(numpy.array([0]), numpy.array([1]))
        numpy.testing.assert_equal(found, expected)
    assert (batch.arcs(4)[0] != batch.arcs(4)[1]).any()


def test_a_language_of_a_handful_of_sentences_has_the_counts_of_another():
    own = OF_VERB._replace(odds=(8,))
    kinds = {"mdf": [OF_OTHERS, own, OF_ROOT], "myv": [OF_OTHERS, OF_VERB, OF_ROOT]}
    langs, sentence = ["mdf"] * 2, tagged("NOUN", "VERB")
    of_other = made_of(**kinds).of_batch([sentence], ["myv"] * 2, [""] * 2).arcs(3)
    found = made_of(**kinds).of_batch([sentence], langs, ["mdf_jr"] * 2)
    numpy.testing.assert_allclose(found.arcs(3), 2 * of_other)
    numpy.testing.assert_allclose(
        found.deprels(numpy.array([0]), numpy.array([1]))[0],
        2 * numpy.array([-6, -1, -6]) * DEPRELS * STEP,
        rtol=1e-6,
    )
    # An archive without the other language has its own counts.
    alone = made_of(mdf=kinds["mdf"]).of_batch([sentence], langs, [""] * 2).arcs(3)
    assert alone[0, 1, 2] == pytest.approx(8 * ARCS * STEP)


def test_stand_ins_are_languages_with_inflections():
    assert all(map(has_inflections, STAND_INS)) and not STAND_INS.keys() & {*STAND_INS.values()}


KINDS = st.lists(
    st.builds(
        ArcKind,
        st.sampled_from(UPOS[:2]),
        st.sampled_from(UPOS[:2]),
        st.sampled_from([LEFT, RIGHT]),
        st.tuples(*[st.integers(-9, 9)] * (len(DISTANCES) + 1)),
        st.integers(-9, 0),
        st.dictionaries(st.sampled_from([*LABELS, "other"]), st.integers(-9, 0)),
    ),
    min_size=1,
    unique_by=lambda kind: kind[:3],
)


@given(KINDS, st.lists(st.lists(st.sampled_from(UPOS), min_size=1, max_size=20), min_size=1))
def test_a_batch_has_what_each_arc_has(kinds, tags):
    batch = made_of(en=[OF_OTHERS, *kinds]).of_batch(
        [tagged(*own) for own in tags], ["en"] * sum(map(len, tags)), [""] * sum(map(len, tags))
    )
    size = max(map(len, tags)) + 2
    arcs, start = batch.arcs(size), 0
    by_kind = {kind[:3]: kind for kind in kinds}
    known = {name for kind in kinds for name in kind[:2]}
    for row, own in zip(arcs, tags):
        for word, upos in enumerate(own):
            for head, governing in enumerate(own):
                side = RIGHT if word > head else LEFT
                kind = by_kind.get((upos, governing, side))
                place = sum(abs(word - head) > bound for bound in DISTANCES)
                is_known = {upos, governing} <= known
                odds = kind.odds[place] if kind else -1 if is_known else 0
                assert row[word + 1, head + 1] == pytest.approx(odds * ARCS * STEP)
                found = batch.deprels(numpy.array([start + word]), numpy.array([start + head]))[0]
                if kind:
                    ranks = [kind.deprels.get(label, kind.other) for label in LABELS]
                    assert found.tolist() == pytest.approx([r * DEPRELS * STEP for r in ranks])
                else:
                    assert found.tolist() == pytest.approx([-7 * DEPRELS * STEP * is_known] * 3)
        assert not row[len(own) + 1 :].any() and not row[:, len(own) + 1 :].any()
        start += len(own)


def test_a_damaged_entry_says_so():
    vocab = Vocabulary()
    vocab.add_token_to_namespace("en\tAAAA", ATTACHMENTS)
    with pytest.raises(InputError, match="arcs of en are damaged: its vocabulary attachments"):
        KnownArcs(vocab, LABELS).of_batch([tagged("NOUN")], ["en"], [""])


@pytest.mark.parametrize("best_tree", ["arcs", "arcs+labels"])
def test_a_decoder_adds_them(best_tree):
    vocab = Vocabulary()
    for label in LABELS:
        vocab.add_token_to_namespace(label, "deprel_labels")
        vocab.add_token_to_namespace(f"en\t{label}", "lang_deprel_labels")
    vocab.add_token_to_namespace("en", "lang_labels")
    for_verbs = OF_VERB._replace(odds=(40, *OF_VERB.odds[1:]))
    vocab.add_token_to_namespace(
        attachments_entry("en", [OF_OTHERS, for_verbs, OF_ROOT]), ATTACHMENTS
    )
    decoder = DependencyDecoder(
        vocab, 2, arc_dim=2, deprel_dim=2, best_tree=best_tree, label_margin=None
    ).eval()
    with torch.no_grad():
        for weight in decoder.deprels.parameters():
            weight.zero_()
    layout = Layout(torch.tensor([[0, 1, 2]]), torch.tensor([1, 2]))
    # Without counts the first word is the root.
    arcs = torch.log_softmax(torch.tensor([[[0.0, 0, 0], [3, -9, 0], [0, 3, -9]]]), -1)
    vectors = decoder.deprels.vectors(torch.zeros(3, 2), 2)

    def parsed(lang):
        scores = DependencyScores(arcs, vectors, layout, torch.tensor([lang, lang]))
        with torch.no_grad():
            columns = decoder.decode(scores, [tagged("NOUN", "VERB")])
            chances = decoder.probabilities(scores, [tagged("NOUN", "VERB")], columns, {})
        return columns[0], chances

    assert parsed(0)[0]["heads"] == ["0", "1"]
    columns, chances = parsed(1)
    assert columns == {"heads": ["2", "0"], "deprels": ["nsubj", "root"]}
    assert chances["HeadProb"][0] > 0.5
    odds = torch.tensor([-6.0, -1.0]) * DEPRELS * STEP
    torch.testing.assert_close(
        chances["DeprelProb"], torch.stack([odds.softmax(0)[1], torch.tensor(1.0)])
    )


def test_the_trees_of_an_archive_change(tmp_path, monkeypatch):
    run = str(save_exportable(tmp_path))
    sentences = list(read_sentences(expand_paths(TREES)[0]))

    def trees():
        return [(own.heads, own.deprels) for own in Parser.load(run).parse(sentences)]

    found = trees()
    monkeypatch.setattr(attachments, "ARCS", 0.0)
    monkeypatch.setattr(attachments, "DEPRELS", 0.0)
    assert found != trees()
