"""
Conversion between trees of words and trees of subwords (Sun et al. 2021, appendix A.2). The nodes
of a sentence are [CLS], which is ROOT, its wordpieces and, if the layout has it, [SEP].
"""

import torch

from udify_allennlp.modules.layout import Layout

ALL, FIRST, CHAIN = "all", "first", "chain"
STRATEGIES = (ALL, FIRST, CHAIN)


def with_ends(pieces: Layout, cells: torch.Tensor) -> tuple[Layout, torch.Tensor]:
    """
    Returns the layout of wordpieces that includes the [SEP] of each sentence as its last piece,
    with word 0, which means none.

    # Parameters

    pieces : `Layout`
        Layout of wordpieces.
    cells : `torch.Tensor`
        `(pieces,)`: the position of each piece in the batch's `ids.flatten()`; see `Collator`.

    # Returns

    `Tuple[Layout, torch.Tensor]`
        That layout, and the cells `(pieces + batch,)`.
    """
    assert pieces.word_of is not None and pieces.first_of is not None
    batch, width = pieces.nodes.shape
    sentence_of = pieces.sentence_of
    new = torch.arange(len(cells), device=cells.device) + sentence_of  # the new row of each piece
    lengths = cells.new_zeros(batch).index_add(0, sentence_of, torch.ones_like(cells))
    sentences = torch.arange(batch, device=cells.device)
    ends = lengths.cumsum(0) + sentences

    def joined(of_pieces: torch.Tensor, of_ends: torch.Tensor) -> torch.Tensor:
        rows_joined = of_pieces.new_empty(len(cells) + batch)
        return rows_joined.index_copy(0, new, of_pieces).index_copy(0, ends, of_ends)

    # A node more in each sentence before.
    places = joined(pieces.places + sentence_of, sentences * (width + 1) + lengths + 1)
    nodes = pieces.nodes.new_zeros(batch, width + 1)
    rows = torch.arange(1, len(places) + 1, device=cells.device)
    nodes.view(-1).index_copy_(0, places, rows)
    layout = Layout(
        nodes,
        places,
        joined(pieces.word_of, torch.zeros_like(ends)),
        new.index_select(0, pieces.first_of),
    )
    # The window that keeps the last piece is the last one, where [SEP] is behind that piece.
    last = cells.index_select(0, lengths.cumsum(0) - 1)
    return layout, joined(cells, last + 1)


def first_nodes(pieces: Layout) -> torch.Tensor:
    """
    Returns the node of the first piece of each word, numbered within its sentence, `(words,)`.
    """
    assert pieces.first_of is not None
    return pieces.places.index_select(0, pieces.first_of) % pieces.nodes.shape[1]


def words_before(pieces: Layout) -> torch.Tensor:
    """Returns the number of words in the batch before the sentence of each word, `(words,)`."""
    assert pieces.first_of is not None
    of_words = pieces.sentence_of.index_select(0, pieces.first_of)
    counts = of_words.new_zeros(len(pieces.nodes))
    counts = counts.index_add(0, of_words, torch.ones_like(of_words))
    return (counts.cumsum(0) - counts).index_select(0, of_words)


def extend(
    heads: torch.Tensor,
    labels: torch.Tensor,
    pieces: Layout,
    strategy: str,
    app_label: int,
    end_label: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Converts a tree of words to one of subwords. The first piece of a word hangs from the first
    piece of the word's head, or from [CLS]. Its other pieces do the same, with the same label
    (`all`), or hang from the first one (`first`), or each from the piece before it (`chain`), with
    the label APP. [SEP] hangs from [CLS].

    # Parameters

    heads, labels : `torch.Tensor`
        `(words,)`: the number of each word's head in the sentence, 0 is ROOT, and the label of its
        arc.
    pieces : `Layout`
        Layout of wordpieces, with or without [SEP].
    strategy : `str`
        One of `STRATEGIES`.
    app_label, end_label : `int`
        The labels of arcs inside words, and of [SEP].

    # Returns

    `Tuple[torch.Tensor, torch.Tensor]`
        `(pieces,)` each: the node that is the head of each piece, and the label of its arc.
    """
    assert pieces.word_of is not None and pieces.first_of is not None
    first = first_nodes(pieces)
    # Row 0 is of [CLS], and of [SEP], which is of no word.
    of_heads = (words_before(pieces) + heads).masked_fill(heads == 0, 0)
    none = first.new_zeros(1)
    head_nodes = torch.cat([none, first]).index_select(0, of_heads)
    word_of = pieces.word_of
    piece_heads = torch.cat([none, head_nodes]).index_select(0, word_of)
    piece_labels = torch.cat([labels.new_full((1,), end_label), labels]).index_select(0, word_of)
    if strategy == ALL:
        return piece_heads, piece_labels
    later = word_of > 0
    later = later.index_fill(0, pieces.first_of, False)
    if strategy == FIRST:
        inside = torch.cat([none, first]).index_select(0, word_of)
    else:
        inside = pieces.places % pieces.nodes.shape[1] - 1
    return torch.where(later, inside, piece_heads), piece_labels.masked_fill(later, app_label)


def restore(
    piece_heads: torch.Tensor, piece_labels: torch.Tensor, pieces: Layout
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Inverts `extend` for any strategy: returns the heads and labels of words, `(words,)` each, from
    those of their first pieces. A head is the word that the node belongs to.
    """
    assert pieces.word_of is not None and pieces.first_of is not None
    nodes = piece_heads.index_select(0, pieces.first_of)
    rows = pieces.first_of + nodes - first_nodes(pieces)
    # Below the first piece of the batch there is [CLS] alone.
    words = pieces.word_of.index_select(0, rows.clamp(min=0)) - words_before(pieces)
    return words.masked_fill(nodes == 0, 0), piece_labels.index_select(0, pieces.first_of)
