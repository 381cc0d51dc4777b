import pytest
import torch
from allennlp.data import Batch, Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from tests.data.by_hand import (
    Letters,
    Spans,
    as_lists,
    batch_by_hand,
    pieces_of,
    schema_of,
    table_of,
    windows_by_hand,
)
from tests.helpers import DEV, ENCODER, TRAIN
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.columns import UNSEEN
from udify_allennlp.data.instance import TableInstance
from udify_allennlp.data.table_builder import TableBuilder
from udify_allennlp.data.tasks import Deps, Upos
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.conllu import Sentence

TASKS = ["upos", "xpos", "feats", "lemma", "deps"]
SENTENCES = st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=40), min_size=1, max_size=5)
WINDOWS = st.sampled_from([4, 5, 7, 12, 512])


@given(sentences=SENTENCES, max_pieces=WINDOWS, data=st.data())
def test_any_lengths_and_windows_against_loops(sentences, max_pieces, data):
    starts = [10 + sum(map(sum, sentences[:number])) for number in range(len(sentences))]
    words = [pieces_of(lengths, start) for lengths, start in zip(sentences, starts)]
    schema = schema_of(max_pieces, word_of=True)
    collate = Collator(table_of(words, schema), schema)
    rows = data.draw(st.lists(st.integers(0, len(sentences) - 1), min_size=1, max_size=6))
    batch, expected = collate(rows), batch_by_hand([words[row] for row in rows], max_pieces)
    assert {name: as_lists(batch[name]) for name in expected} == expected
    assert batch["wordpieces"]["ids"].shape[1] <= max_pieces
    without = Collator(table_of(words, schema), schema_of(max_pieces))(rows)
    assert set(without["layout"]) == {"nodes", "places"}
    sizes = collate.sizes()
    for row, sentence in enumerate(words):
        windows = windows_by_hand(sentence, max_pieces)[0]
        own = (sizes.windows[row], sizes.widths[row], sizes.pieces[row])
        assert own == (len(windows), max(map(len, windows)), sum(map(len, windows)))


@given(total=st.integers(1, 200), max_pieces=st.sampled_from([6, 12, 20]))
def test_windows_overlap_by_half_and_keep_the_first_half(total, max_pieces):
    schema = schema_of(max_pieces)
    pieces = Collator(table_of([pieces_of([1] * total)], schema), schema)([0])["wordpieces"]
    windows, width = pieces["ids"].shape
    size, step = max_pieces - 2, max_pieces // 2 - 1
    rows, places = pieces["first"] // width, pieces["first"] % width
    assert (pieces["ids"][rows, places] == torch.arange(10, 10 + total)).all()
    assert (places <= torch.where(rows == windows - 1, size, step)).all()
    assert windows == 1 or total > size


def test_a_window_worked_by_hand():
    schema = schema_of(max_pieces=8)  # 6 pieces a window, 3 of them kept
    batch = Collator(table_of([pieces_of([1] * 12)], schema), schema)([0])
    assert batch["wordpieces"]["ids"].tolist() == [
        [1, 10, 11, 12, 13, 14, 15, 2],
        [1, 13, 14, 15, 16, 17, 18, 2],
        [1, 16, 17, 18, 19, 20, 21, 2],
    ]
    assert (batch["wordpieces"]["first"] // 8).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2]


def test_a_batch_worked_by_hand():
    schema = schema_of(512, [Upos(), Deps()], word_of=True)
    table = table_of(
        [[[10, 11], [12]], [[13]]],
        schema,
        upos=[["X", "Y"], ["Y"]],
        heads=[[2, 0], [0]],
        deprels=[["a", "root"], ["root"]],
    )
    collate = Collator(table, schema)
    vocab = Vocabulary()
    vocab.add_token_to_namespace("Y", "upos_labels")
    vocab.add_token_to_namespace("root", "deprel_labels")
    with pytest.raises(ValueError, match="Call index_with"):
        collate([0])
    collate.index_with(vocab)
    batch = as_lists({**collate([1, 0]), "sentences": None})
    assert batch == {
        "wordpieces": {
            "ids": [[1, 13, 2, 0, 0], [1, 10, 11, 12, 2]],
            "mask": [[True] * 3 + [False] * 2, [True] * 5],
            "first": [1, 6, 8],
        },
        "layout": {
            "nodes": [[0, 1, 0], [0, 2, 3]],
            "places": [1, 4, 5],
            "word_of": [[0, 1, 0, 0, 0], [0, 2, 2, 3, 0]],
        },
        "upos": [0, UNSEEN, 0],
        "heads": [0, 2, 0],
        "deprels": [0, UNSEEN, 0],
        "sentences": None,
    }


def test_columns_of_words_of_sentences_and_of_rows_stand_side_by_side():
    """Spans are rows of which a sentence has any number."""
    schema = schema_of(512, [Spans()], inputs=(Letters(),), forms=True)
    table = table_of(
        [[[10], [11]], [[12]], [[13, 14], [15], [16]]],
        schema,
        heads=[[2, 0], [0], [0, 1, 1]],
        deprels=[["x"] * 2, ["x"], ["x"] * 3],
        spans=[[4, 5, 6], [], [7]],
        letters=[["a", "b"], ["c"], ["a", "a", "c"]],
    )
    vocab = Vocabulary()
    for label in "ab":
        vocab.add_token_to_namespace(label, "letters_labels")
    collate = Collator(table, schema)
    collate.index_with(vocab)
    batch = as_lists(collate([2, 1, 0]))
    assert batch["spans"] == {"values": [7, 4, 5, 6], "lengths": [1, 0, 3]}
    assert batch["inputs"] == {"letters": [0, 0, UNSEEN, UNSEEN, 0, 1]}
    assert batch["forms"] == {"strings": ["w1", "w2"], "words": [1, 0, 0, 0, 0, 0]}
    assert "letters" not in batch
    assert table.values(0, "spans") == [4, 5, 6] and table.values(1, "spans") == []


def test_batches_of_a_table_are_those_of_instances():
    """AllenNLP's own loader makes the same batches, of sentences from one table or from many."""
    reader = UniversalDependenciesReader(
        ENCODER, TASKS, max_pieces=20, inputs=["upos"], characters=True, treebanks=True
    )
    vocab = Vocabulary.from_instances(reader.read(TRAIN))
    table = reader.table(DEV)
    collate = Collator(table, reader.schema)
    collate.index_with(vocab)
    read = list(reader.read(DEV))
    made = [TableInstance(table, row, reader.schema) for row in range(len(table))]
    for rows in ([0], [3, 1, 2], list(range(len(table)))):
        expected = collate(rows)
        texts = [sentence.text for sentence in expected.pop("sentences")]
        for instances in (read, made):
            batch = Batch([instances[row] for row in rows])
            batch.index_instances(vocab)
            tensors = batch.as_tensor_dict()
            assert [sentence.text for sentence in tensors.pop("sentences")] == texts
            assert as_lists(tensors) == as_lists(expected)
    unseen = [(collate(range(len(table)))[name] == UNSEEN).any() for name in ("lemma", "feats")]
    assert any(unseen)


def test_without_labels_no_vocabulary_is_needed():
    reader = UniversalDependenciesReader(ENCODER)
    schema = reader.schema.unannotated()
    sentences = [Sentence.from_words(["a", "b"]), Sentence.from_words(["c"])]
    collate = Collator(reader.table_of(sentences, schema), schema)
    assert set(collate([0, 1])) == {"layout", "wordpieces", "sentences"}
    characters = schema._replace(characters=True)
    with pytest.raises(ValueError, match="Call index_with"):
        Collator(reader.table_of(sentences, characters), characters)([0])


def test_where_there_are_no_wordpieces_sizes_are_words():
    reader = UniversalDependenciesReader(forms=True, tasks=[])
    builder = TableBuilder(reader.schema.specs)
    for words in (["a", "b", "a"], ["c"]):
        sentence = Sentence.from_words(words)
        builder.add(sentence, reader.schema.values(sentence))
    collate = Collator(builder.table(), reader.schema)
    assert [column.tolist() for column in collate.sizes()] == [[1, 1], [3, 1], [3, 1]]
    batch = collate([0, 1])
    assert set(batch) == {"layout", "forms", "sentences"}
    assert [batch["forms"]["strings"][i] for i in batch["forms"]["words"]] == ["a", "b", "a", "c"]
