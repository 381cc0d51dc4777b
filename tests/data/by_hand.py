"""Tables made of lists, and batches made of them by loops: the slow twin of the collator."""

from collections.abc import Sequence
from typing import Any, Optional

from udify_allennlp.data.framing import Framing
from udify_allennlp.data.instance import TableInstance
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.table import TreebankTable
from udify_allennlp.data.table_builder import TableBuilder
from udify_allennlp.data.tasks import Deps, LabelTask, Task
from udify_allennlp.text.sentence import Sentence

FRAMING = Framing(1, 2, 0, 12)


def pieces_of(lengths: Sequence[int], start: int = 10) -> list[list[int]]:
    """Words of the given lengths in pieces; the pieces are numbered from `start`."""
    words = []
    for length in lengths:
        words.append(list(range(start, start + length)))
        start += length
    return words


def schema_of(max_pieces: int = 12, tasks: Sequence[Task] = (), **settings: Any) -> Schema:
    return Schema(targets=tuple(tasks), framing=FRAMING._replace(max_pieces=max_pieces), **settings)


def table_of(
    sentences: Sequence[Sequence[Sequence[int]]], schema: Schema, **columns: Any
) -> TreebankTable:
    """Sentences are lists of the pieces of words; `columns` have a list for each sentence."""
    builder = TableBuilder(schema.specs)
    for number, words in enumerate(sentences):
        sentence = Sentence.from_words([f"w{len(word)}" for word in words])
        values = Schema(framing=schema.framing, forms=True).values(sentence, words)
        builder.add(sentence, {**values, **{name: c[number] for name, c in columns.items()}})
    return builder.table()


def instances_of(lengths: Sequence[int], max_pieces: int = 50) -> list[TableInstance]:
    """Sentences of so many words of one piece each."""
    schema = schema_of(max_pieces)
    table = table_of([pieces_of([1] * length) for length in lengths], schema)
    return [TableInstance(table, row, schema) for row in range(len(lengths))]


def windows_by_hand(words: Sequence[Sequence[int]], max_pieces: int) -> tuple:
    """
    The windows of a sentence, and of each word the window and the place in it that stand for it:
    the first window that keeps its first piece (thesis, section 3.3.2).
    """
    flat = [piece for word in words for piece in word]
    owner = [number for number, word in enumerate(words, 1) for _ in word]
    size, kept = max_pieces - 2, max_pieces // 2 - 1
    windows, owners, start = [], [], 0
    while True:
        windows.append([1, *flat[start : start + size], 2])
        owners.append([0, *owner[start : start + size], 0])
        if start + size >= len(flat):
            break
        start += kept
    places, first = [], 0
    for word in words:
        window = min(first // kept, len(windows) - 1)
        places.append((window, first - window * kept + 1))
        first += len(word)
    return windows, owners, places


def batch_by_hand(sentences: Sequence[Sequence[Sequence[int]]], max_pieces: int) -> dict[str, Any]:
    """The fields `wordpieces` and `layout` of a batch, as lists."""
    windows: list[list[int]] = []
    owners: list[list[int]] = []
    places = []
    words = 0
    for sentence in sentences:
        own, own_owners, own_places = windows_by_hand(sentence, max_pieces)
        places += [(len(windows) + window, place) for window, place in own_places]
        windows += own
        owners += [[words + number if number else 0 for number in row] for row in own_owners]
        words += len(sentence)
    width, n = max(map(len, windows)), max(map(len, sentences))
    nodes, count = [], 0
    for sentence in sentences:
        numbers = range(count + 1, count + len(sentence) + 1)
        nodes.append([0, *numbers, *[0] * (n - len(sentence))])
        count += len(sentence)
    flat = [number for row in nodes for number in row]
    return {
        "wordpieces": {
            "ids": [row + [0] * (width - len(row)) for row in windows],
            "mask": [[True] * len(row) + [False] * (width - len(row)) for row in windows],
            "first": [window * width + place for window, place in places],
        },
        "layout": {
            "nodes": nodes,
            "places": [flat.index(number) for number in range(1, count + 1)],
            "word_of": [row + [0] * (width - len(row)) for row in owners],
        },
    }


def as_lists(values: Any) -> Any:
    if isinstance(values, dict):
        return {name: as_lists(value) for name, value in values.items()}
    return values.tolist() if hasattr(values, "tolist") else values


class Letters(LabelTask):
    """A label a word, in tests."""

    def __init__(self, name: str = "letters", column: str = "misc") -> None:
        super().__init__(name, column, "Letters")


class Spans(Deps):
    """Beside heads, rows of which a sentence has any number, in tests."""

    def __init__(self, namespace: Optional[str] = None) -> None:
        super().__init__()
        spec = self.specs[0]._replace(name="spans", unit="row", namespace=namespace)
        self.specs = (*self.specs, spec)

    def values(self, sentence: Sentence) -> list:
        spans = [len(form) for form in sentence.forms if len(form) > 2]
        return [*super().values(sentence), spans]
