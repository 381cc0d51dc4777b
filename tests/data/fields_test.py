import pytest
import torch
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.data.fields import UNSEEN, ColumnField, HeadsField, WordpieceField

START, END, PAD = 1, 2, 0


def make_field(lengths, max_pieces=12):
    """Words of the given lengths in pieces; the pieces are numbered from 10."""
    pieces, count = [], 10
    for length in lengths:
        pieces.append(tuple(range(count, count + length)))
        count += length
    return WordpieceField(pieces, START, END, PAD, max_pieces), pieces


def batch(fields):
    width = max(field.get_padding_lengths()["pieces"] for field in fields)
    words = max(field.get_padding_lengths()["words"] for field in fields)
    tensors = [field.as_tensor({"pieces": width, "words": words}) for field in fields]
    return fields[0].batch_tensors(tensors)


@given(
    sentences=st.lists(
        st.lists(st.integers(1, 5), min_size=1, max_size=40), min_size=1, max_size=4
    ),
    max_pieces=st.sampled_from([4, 7, 12, 512]),
)
def test_first_points_to_the_first_piece_of_every_word(sentences, max_pieces):
    made = [make_field(lengths, max_pieces) for lengths in sentences]
    tensors = batch([field for field, _ in made])
    first = tensors["ids"].flatten()[tensors["first"]]
    assert first.tolist() == [word[0] for _, pieces in made for word in pieces]
    assert tensors["ids"].shape[1] <= max_pieces
    assert (tensors["ids"][~tensors["mask"]] == PAD).all()


@given(
    sentences=st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=20), min_size=1, max_size=5)
)
def test_nodes_and_places_undo_each_other(sentences):
    """Against loops: words numbered from 1 through the batch, ROOT and padding 0."""
    tensors = batch([make_field(lengths)[0] for lengths in sentences])
    n = max(map(len, sentences))
    count, rows = 0, []
    for lengths in sentences:
        numbers = range(count + 1, count + len(lengths) + 1)
        rows.append([0, *numbers, *[0] * (n - len(lengths))])
        count += len(lengths)
    assert tensors["nodes"].tolist() == rows
    assert tensors["nodes"].flatten()[tensors["places"]].tolist() == list(range(1, count + 1))


@given(total=st.integers(1, 200), max_pieces=st.sampled_from([6, 12, 20]))
def test_windows_overlap_by_half_and_keep_the_first_half(total, max_pieces):
    field, pieces = make_field([1] * total, max_pieces)
    size, step = max_pieces - 2, max_pieces // 2 - 1
    for window in field.windows:
        assert window[0] == START and window[-1] == END and len(window) <= max_pieces
    for word, (row, place) in enumerate(field.positions):
        assert field.windows[row][place] == pieces[word][0]
        last = row == len(field.windows) - 1
        assert place <= (size if last else step)
    if total <= size:
        assert len(field.windows) == 1


def test_a_window_worked_by_hand():
    field, _ = make_field([1] * 12, max_pieces=8)  # 6 pieces a window, 3 of them kept
    assert [window.tolist() for window in field.windows] == [
        [START, 10, 11, 12, 13, 14, 15, END],
        [START, 13, 14, 15, 16, 17, 18, END],
        [START, 16, 17, 18, 19, 20, 21, END],
    ]
    assert field.positions[:, 0].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2]


def test_too_small_a_window_is_refused():
    with pytest.raises(ValueError, match="max_pieces is 3"):
        make_field([1], max_pieces=3)


def test_a_label_the_vocabulary_lacks_is_unseen():
    vocab = Vocabulary()
    vocab.add_token_to_namespace("NOUN", "upos_labels")
    field = ColumnField(["NOUN", "X"], "upos_labels")
    with pytest.raises(ValueError, match="index the field"):
        field.as_tensor({})
    field.index(vocab)
    assert field.as_tensor({}).tolist() == [0, UNSEEN]


def test_labels_of_a_batch_stand_in_one_row():
    fields = [HeadsField([2, 0]), HeadsField([0])]
    rows = fields[0].batch_tensors([field.as_tensor({}) for field in fields])
    assert torch.equal(rows, torch.tensor([2, 0, 0]))
