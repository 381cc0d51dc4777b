"""Batches of wordpieces as nodes."""

from tests.data.by_hand import pieces_of, schema_of, table_of
from udify_allennlp.data.collate import Collator
from udify_allennlp.modules.layout import Layout


def laid_out(lengths, max_pieces=512):
    starts = [10 + sum(map(sum, lengths[:number])) for number in range(len(lengths))]
    schema = schema_of(max_pieces)._replace(piece_nodes=True)
    words = [pieces_of(own, start) for own, start in zip(lengths, starts)]
    batch = Collator(table_of(words, schema), schema)(range(len(words)))
    return batch, Layout(**batch["piece_nodes"]), batch["wordpieces"]["pieces"]
