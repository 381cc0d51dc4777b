import pytest
import torch
from allennlp.data import Batch, Instance, Vocabulary
from allennlp.data.fields import MetadataField
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import DEV, ENCODER, TRAIN
from udify_allennlp.data import Collator, UniversalDependenciesReader
from udify_allennlp.data.fields import UNSEEN, ColumnField, HeadsField, WordpieceField
from udify_allennlp.data.table_builder import TableBuilder
from udify_allennlp.data.wordpieces import Framing
from udify_allennlp.text.conllu import Sentence

TASKS = ["upos", "xpos", "feats", "lemma", "deps"]


def slow(instances, vocab):
    batch = Batch(instances)
    batch.index_instances(vocab)
    return batch.as_tensor_dict()


def assert_same(fast, expected):
    assert set(fast) == set(expected)
    fast_text, expected_text = ([s.text for s in b.pop("sentences")] for b in (fast, expected))
    assert fast_text == expected_text
    for name, values in {**expected.pop("wordpieces"), **expected}.items():
        made = fast["wordpieces"][name] if name in fast["wordpieces"] else fast[name]
        assert made.dtype == values.dtype and torch.equal(made, values), name


def test_batches_of_a_table_are_those_of_instances():
    reader = UniversalDependenciesReader(ENCODER, tasks=TASKS, max_pieces=20)
    vocab = Vocabulary.from_instances(reader.read(TRAIN))
    instances, table = list(reader.read(DEV)), reader.table(DEV)
    collate = Collator(table, reader.framing)
    collate.index_with(vocab)
    for rows in ([0], [3, 1, 2], list(range(len(table)))):
        assert_same(collate(rows), slow([instances[row] for row in rows], vocab))
    unseen = [(collate(range(len(table)))[name] == UNSEEN).any() for name in ("lemma", "feats")]
    assert any(unseen)


def test_sizes_are_those_of_the_fields():
    reader = UniversalDependenciesReader(ENCODER, max_pieces=9)
    fields = [instance["wordpieces"] for instance in reader.read(DEV)]
    sizes = Collator(reader.table(DEV), reader.framing).sizes()
    assert sizes.windows.tolist() == [len(field.windows) for field in fields]
    assert sizes.widths.tolist() == [field.width for field in fields]
    assert sizes.pieces.tolist() == [sum(map(len, field.windows)) for field in fields]
    assert sizes.windows.max() > 2


@given(
    sentences=st.lists(
        st.lists(
            st.tuples(st.integers(1, 4), st.sampled_from("ABC"), st.integers(0, 40)),
            min_size=1,
            max_size=40,
        ),
        min_size=1,
        max_size=5,
    ),
    max_pieces=st.sampled_from([4, 5, 7, 12, 512]),
    data=st.data(),
)
def test_any_lengths_any_windows_any_labels(sentences, max_pieces, data):
    framing = Framing(1, 2, 0, max_pieces)
    builder = TableBuilder("a", ["upos"], with_heads=True)
    instances, piece = [], 10
    for words in sentences:
        pieces = []
        for length, _, _ in words:
            pieces.append(tuple(range(piece, piece + length)))
            piece += length
        labels, heads = [label for _, label, _ in words], [head for _, _, head in words]
        sentence = Sentence.from_words(["w"] * len(words))
        builder.add(sentence, pieces, heads, {"upos": labels})
        fields = {
            "wordpieces": WordpieceField(pieces, *framing),
            "sentences": MetadataField(sentence),
            "upos": ColumnField(labels, "upos_labels"),
            "heads": HeadsField(heads),
        }
        instances.append(Instance(fields))
    vocab = Vocabulary()  # C is not in it
    for label in "BA":
        vocab.add_token_to_namespace(label, "upos_labels")
    collate = Collator(builder.table(), framing)
    collate.index_with(vocab)
    rows = data.draw(st.lists(st.integers(0, len(sentences) - 1), min_size=1, max_size=6))
    assert_same(collate(rows), slow([instances[row].duplicate() for row in rows], vocab))


def test_a_batch_worked_by_hand():
    builder = TableBuilder("a", ["upos"], with_heads=True)
    builder.add(Sentence.from_words(["a", "b"]), [(10, 11), (12,)], [2, 0], {"upos": ["X", "Y"]})
    builder.add(Sentence.from_words(["c"]), [(13,)], [0], {"upos": ["Y"]})
    collate = Collator(builder.table(), Framing(1, 2, 0, 512))
    vocab = Vocabulary()
    vocab.add_token_to_namespace("Y", "upos_labels")
    with pytest.raises(ValueError, match="Call index_with"):
        collate([0])
    collate.index_with(vocab)
    batch = collate([1, 0])
    pieces = batch["wordpieces"]
    assert pieces["ids"].tolist() == [[1, 13, 2, 0, 0], [1, 10, 11, 12, 2]]
    assert pieces["mask"].int().tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]
    assert pieces["first"].tolist() == [1, 6, 8]
    assert pieces["nodes"].tolist() == [[0, 1, 0], [0, 2, 3]]
    assert pieces["places"].tolist() == [1, 4, 5]
    assert batch["upos"].tolist() == [0, UNSEEN, 0]
    assert batch["heads"].tolist() == [0, 2, 0]


def test_without_labels_no_vocabulary_is_needed():
    reader = UniversalDependenciesReader(ENCODER)
    reader.annotated = False
    collate = Collator(reader.table(DEV), reader.framing)
    assert set(collate([0, 1])) == {"wordpieces", "sentences"}
