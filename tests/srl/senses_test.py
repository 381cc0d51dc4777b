"""Senses by hand: which a word can have, and which of them it gets."""

import math
from collections import defaultdict

import pytest
import torch
from allennlp.data import Vocabulary

from udify_allennlp.srl.senses import SenseClassifier
from udify_allennlp.srl.tasks import KEYS, PREDICATES, ROLESETS, SENSES, RolesTask
from udify_allennlp.text.sentence import Sentence

SEEN = [
    *(("broke", "break.01"), ("broke", "break.02"), ("chased", "chase.01"), ("go", "go.03")),
    *[("was", "be.01")] * 9,  # by a rule that makes `be` of everything
]


@pytest.fixture
def senses():
    """Of vectors of two numbers: the first is for break.01, the second for break.02."""
    values = {spec.name: [] for spec in RolesTask().specs}
    values.update({KEYS: [key for key, _ in SEEN], SENSES: [sense for _, sense in SEEN]})
    counter = defaultdict(lambda: defaultdict(int))
    RolesTask().count(counter, values)
    vocab = Vocabulary(counter=counter, non_padded_namespaces=["*"])
    found = SenseClassifier(vocab, 2)
    names = vocab.get_token_to_index_vocabulary(ROLESETS)
    with torch.no_grad():
        found.weight.zero_()
        found.weight[names["break.01"]] = torch.tensor([1.0, 0.0])
        found.weight[names["break.02"]] = torch.tensor([0.0, 1.0])
        found.bias[names["chase.01"]] = 100.0  # no candidate of the others
    return found, vocab, names


def test_a_roleset_that_is_not_known_is_none():
    row = "{0}\tgoes\t_\t_\t_\t_\t_\t_\t_\tPred={1}\n"
    sentence = Sentence(row.format(1, "_") + row.format(2, "go.03") + "\n")
    values = dict(zip((spec.name for spec in RolesTask().specs), RolesTask().values(sentence)))
    assert values[SENSES] == ["", "go.03"] and values[PREDICATES] == [1, 2]
    counter = defaultdict(lambda: defaultdict(int))
    RolesTask().count(counter, values)
    assert set(counter[ROLESETS]) == {"go.03"}


WORDS = torch.tensor([[2.0, 0.0], [0.0, 3.0]])


def test_the_better_of_its_candidates(senses):
    found, *_ = senses
    assert found.best(WORDS, ["broke", "broke"], [None, None]) == ["break.01", "break.02"]
    assert found.best(WORDS, ["chased", "go"], [None, None]) == ["chase.01", "go.03"]
    assert found.best(WORDS[:0], [], []) == []


def test_the_loss_is_that_of_the_right_one_among_them(senses):
    found, vocab, names = senses
    keys = vocab.get_token_to_index_vocabulary("role_key_labels")
    rows = [("broke", "break.02"), ("broke", "break.02")]
    numbers = torch.tensor([keys[key] for key, _ in rows])
    loss = found.loss(WORDS, numbers, torch.tensor([names[sense] for _, sense in rows]))
    assert float(loss.detach()) == pytest.approx(math.log(1 + math.e**2) + math.log(1 + math.e**-3))


def test_a_form_that_was_not_seen_has_the_senses_of_its_lemma(senses):
    """By rules of training: -d of chased, the whole word of broke."""
    found, *_ = senses
    best = found.best(WORDS, ["break", "god"], [None, None])
    assert best == ["break.01", "go.03"]
    assert found.best(WORDS, ["xyz", "xyz"], [None, "break"])[1] == "break.02"


def test_a_lemma_that_is_given_is_kept(senses):
    found, *_ = senses
    given = ["go", "break", "sing"]
    best = found.best(WORDS[[0, 1, 1]], ["broke", "breaking", "sang"], given)
    assert best == ["go.03", "break.02", "sing.01"]
