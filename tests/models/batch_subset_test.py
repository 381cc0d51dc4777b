import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import DEV, ENCODER, vocabulary
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.models.batch_subset import BatchSubset
from udify_allennlp.modules.layout import Layout

READER = UniversalDependenciesReader(
    ENCODER, ["deps", "upos"], inputs=["upos"], langs=True, word_of=True, max_pieces=16, forms=True
)
TABLE = READER.table(DEV)
COUNT = 8
VOCAB = vocabulary()


def part(rows):
    collate = Collator(TABLE, READER.schema)
    collate.index_with(VOCAB)
    batch = collate(rows)
    layout = Layout(**batch.pop("layout"))
    fields = {name: batch.pop(name) for name in ("wordpieces", "forms", "inputs", "langs")}
    return BatchSubset(fields, layout, batch.pop("sentences"), batch)


def flat(values, path=""):
    if isinstance(values, dict):
        for name, value in values.items():
            yield from flat(value, f"{path}/{name}")
    elif hasattr(values, "_asdict"):
        yield from flat(values._asdict(), path)
    elif values is not None:
        yield path, values


@settings(max_examples=40)
@given(st.lists(st.booleans(), min_size=COUNT, max_size=COUNT).filter(any))
def test_a_part_is_the_batch_of_its_sentences(keep):
    rows = list(range(COUNT))
    found = part(rows).select(torch.tensor(keep))
    expected = part([row for row, kept in zip(rows, keep) if kept])
    words = found.batch["forms"]
    assert [words["strings"][i] for i in words["words"]] == [
        expected.batch["forms"]["strings"][i] for i in expected.batch["forms"]["words"]
    ]
    for one in (found, expected):
        one.batch.pop("forms")
    assert [s.text for s in found.sentences] == [s.text for s in expected.sentences]
    assert len(part(range(COUNT)).batch["wordpieces"]["ids"]) > COUNT  # several windows
    pairs = list(
        zip(
            flat({"batch": found.batch, "layout": found.layout, "gold": found.gold}),
            flat({"batch": expected.batch, "layout": expected.layout, "gold": expected.gold}),
        )
    )
    assert len(pairs) == 12
    for (name, one), (other_name, other) in pairs:
        same = one == other if isinstance(one, list) else torch.equal(one, other)
        assert name == other_name and same, name


def test_windows_are_found_without_the_words_of_pieces():
    whole = part(range(COUNT))
    keep = torch.arange(COUNT) % 3 != 1
    expected = whole.select(keep).batch["wordpieces"]
    bare = whole._replace(layout=whole.layout._replace(word_of=None)).select(keep)
    assert bare.layout.word_of is None
    for name, values in bare.batch["wordpieces"].items():
        assert torch.equal(values, expected[name])


def test_spellings_are_those_of_its_words():
    ids = torch.arange(1, 9).view(4, 2)
    whole = part(range(COUNT))
    count = len(whole.layout.sentence_of)
    spellings = {"ids": ids, "words": torch.arange(count) % 4}
    whole.batch["characters"] = {**spellings, "words": whole.layout.sentence_of % 4}
    chosen = whole.select(torch.arange(COUNT) % 4 == 2)
    assert torch.equal(chosen.batch["characters"]["ids"], ids[2:3])
    assert not chosen.batch["characters"]["words"].any()
    whole.batch["characters"] = spellings
    words = whole.select(torch.arange(COUNT) == 0).batch["characters"]
    first = whole.layout.sentence_of == 0
    assert torch.equal(words["ids"][words["words"]], ids[spellings["words"][first]])
