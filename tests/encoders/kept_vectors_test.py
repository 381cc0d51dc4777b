"""Vectors that are kept are those that the encoder makes, and it makes them once."""

import logging

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import DEV, ENCODER, make_model, vocabulary
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.encoders.kept_vectors import KeptVectors
from udify_allennlp.modules.layout import Layout

READER = UniversalDependenciesReader(ENCODER, ["upos"], max_pieces=16)
TABLE = READER.table(DEV)
COUNT = 8
BATCHES = st.lists(
    st.lists(st.integers(0, COUNT - 1), min_size=1, max_size=4), min_size=1, max_size=4
)


class Counting(torch.nn.Module):
    """An encoder that says which lengths of sentences it has been given."""

    def __init__(self):
        super().__init__()
        self.encoder = make_model(["upos"]).embedder.eval()
        self.lengths = []

    def forward(self, batch, layout):
        self.lengths += (layout.mask.sum(1) - 1).tolist()
        return self.encoder(batch, layout)


ONE = Counting()


def batch_of(rows):
    collate = Collator(TABLE, READER.schema)
    collate.index_with(vocabulary())
    batch = collate(rows)
    return {"wordpieces": batch["wordpieces"]}, Layout(**batch["layout"])


@settings(max_examples=30, deadline=None)
@given(BATCHES, st.integers(0, 2))
def test_they_are_those_of_the_encoder_and_each_sentence_is_encoded_once(batches, lowest):
    ONE.lengths.clear()
    kept = KeptVectors(ONE, lowest, megabytes=100)
    with torch.no_grad():
        for rows in batches:
            batch, layout = batch_of(rows)
            expected = ONE.encoder(batch, layout)[lowest:]
            torch.testing.assert_close(kept(batch, layout), expected)
    lengths = numbers_of_words(sorted({row for rows in batches for row in rows}))
    again = sum(len(rows) - len(set(rows)) for rows in batches)  # twice in the batch it is new in
    assert len(lengths) <= len(ONE.lengths) <= len(lengths) + again
    assert set(ONE.lengths) == set(lengths)


def numbers_of_words(rows):
    return [int(TABLE.word_offsets[row + 1] - TABLE.word_offsets[row]) for row in rows]


def test_the_batches_have_sentences_of_several_windows():
    batch, layout = batch_of(range(COUNT))
    assert len(batch["wordpieces"]["ids"]) > COUNT == len(layout.nodes)


def test_the_same_pieces_are_other_vectors_where_words_are_others():
    batch, layout = batch_of([0])
    kept = KeptVectors(ONE, 0, megabytes=100)
    with torch.no_grad():
        kept(batch, layout)
        pieces = batch["wordpieces"]
        first = torch.cat([pieces["first"][:-1], pieces["first"][-2:-1]])
        moved = {"wordpieces": {**pieces, "first": first}}
        found = kept(moved, layout)
        torch.testing.assert_close(found, ONE.encoder(moved, layout))
    assert not torch.allclose(found, kept(batch, layout))


def test_what_has_no_room_is_not_kept_and_that_is_said_once(caplog):
    kept = KeptVectors(ONE, 0, megabytes=0)
    with torch.no_grad(), caplog.at_level(logging.WARNING):
        for _ in range(3):
            batch, layout = batch_of(range(COUNT))
            torch.testing.assert_close(kept(batch, layout), ONE.encoder(batch, layout))
    (record,) = caplog.records
    assert record.getMessage() == (
        "The vectors of the encoder below need more than the 0 MB of embedder.keep_below, after 8 "
        "sentences, so none is kept. Raise it, or set it to 0."
    )


@pytest.mark.gpu
def test_on_a_gpu_they_come_back_to_it(gpu):
    encoder = make_model(["upos"]).embedder.eval().to(gpu)
    kept = KeptVectors(encoder, 0, megabytes=100)
    batch, layout = batch_of(range(COUNT))
    batch = {"wordpieces": {name: x.to(gpu) for name, x in batch["wordpieces"].items()}}
    layout = Layout(layout.nodes.to(gpu), layout.places.to(gpu))
    with torch.no_grad():
        for _ in range(2):
            found = kept(batch, layout)
            assert found.device == gpu
            torch.testing.assert_close(found, encoder(batch, layout))
