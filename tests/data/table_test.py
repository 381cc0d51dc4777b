import weakref

import numpy
import pytest
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from tests.data.by_hand import FRAMING
from tests.helpers import DEV, ENCODER, TRAIN
from udify_allennlp.data.instance import TableInstance
from udify_allennlp.data.reading import read_table
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.table import Sentences, consecutive
from udify_allennlp.data.table_builder import TableBuilder, join
from udify_allennlp.data.tasks import Deps, Upos
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.conllu import Sentence, read_sentences

TASKS = ["upos", "xpos", "feats", "lemma", "deps"]
GOOD = sorted((FIXTURES / "conllu").glob("*.conllu"))


@pytest.fixture(scope="module")
def reader():
    return UniversalDependenciesReader(ENCODER, tasks=TASKS)


@given(
    counts=st.lists(st.integers(0, 5), max_size=8), starts=st.lists(st.integers(0, 50), min_size=8)
)
def test_consecutive_numbers_are_those_of_range(counts, starts):
    starts = numpy.array(starts[: len(counts)], dtype=numpy.int64)
    found = consecutive(starts, numpy.array(counts, dtype=numpy.int64))
    expected = [n for start, count in zip(starts, counts) for n in range(start, start + count)]
    assert found.tolist() == expected


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_every_byte_comes_back(path):
    reader = UniversalDependenciesReader(ENCODER, tasks=[], check_trees=False)
    table = reader.table(str(path))
    assert b"".join(text.tobytes() for text in table.texts) == path.read_bytes()
    sentences = list(read_sentences(path))
    assert len(table) == len(sentences)
    for made, sentence in zip(Sentences(table, range(len(table))), sentences, strict=True):
        assert (made.text, made.path, made.line) == (sentence.text, sentence.path, sentence.line)


def test_a_table_of_files_says_what_their_instances_say(reader):
    empty = str(FIXTURES / "conllu" / "empty.conllu")
    paths = [DEV, empty, str(FIXTURES / "ud" / "de_gsd-ud-dev.conllu"), TRAIN]
    table = read_table(reader, paths, quiet=True)
    instances = list(reader.read(paths))
    assert len(table) == len(instances)
    assert table.words == sum(len(instance["sentences"].metadata) for instance in instances)
    for row, instance in enumerate(instances):
        made = TableInstance(table, row, reader.schema)
        assert set(made.fields) == set(instance.fields)
        own = instance._row.table
        for spec in reader.schema.specs:
            assert table.values(row, spec.name) == own.values(0, spec.name)
        sentence, expected = (i["sentences"].metadata for i in (made, instance))
        assert (sentence.text, sentence.path) == (expected.text, expected.path)
        assert sentence.line == expected.line


def test_a_vocabulary_counts_without_making_fields(reader):
    table = reader.table(TRAIN)
    instances = [TableInstance(table, row, reader.schema) for row in range(len(table))]
    fast = Vocabulary.from_instances(instances)
    assert all(instance._fields is None for instance in instances)
    slow = Vocabulary.from_instances(reader.read(TRAIN))
    for name in slow.get_namespaces():
        table_of = Vocabulary.get_index_to_token_vocabulary
        assert table_of(fast, name) == table_of(slow, name)
    assert instances[0]["upos"] is instances[0].fields["upos"]
    with_fields = Vocabulary.from_instances(instances)
    assert with_fields.get_vocab_size("upos_labels") == slow.get_vocab_size("upos_labels")


def test_the_first_sentences(reader):
    table = reader.table(TRAIN)
    few = table.head(3)
    assert len(few) == 3 and few.words == sum(len(table.sentence(row)) for row in range(3))
    assert few.sentence(2).text == table.sentence(2).text
    assert few.values(2, "upos") == table.values(2, "upos")
    assert len(table.head(10**6)) == len(table)


def test_max_instances_stops_reading_early():
    reader = UniversalDependenciesReader(ENCODER, max_instances=45)
    assert len(read_table(reader, [DEV, TRAIN], quiet=True)) == 45
    reader.max_instances = 5
    bad = min(map(str, (FIXTURES / "conllu" / "bad").glob("*.conllu")))
    assert len(read_table(reader, [DEV, bad], quiet=True)) == 5


def test_two_tables_worked_by_hand():
    schema = Schema((Upos(), Deps()), framing=FRAMING)

    def table(path, words, pieces, heads, labels):
        builder = TableBuilder(schema.specs, path)
        sentence = Sentence.from_words(words, line=7)
        values = Schema(framing=FRAMING).values(sentence, pieces)
        own = {"upos": labels, "heads": heads, "deprels": labels}
        builder.add(sentence, {**values, **own})
        return builder.table()

    first = table("a", ["Up", "it"], [(5, 6), (7,)], [0, 1], ["VERB", "PRON"])
    second = table("b", ["It", "is", "it"], [(8,), (9,), (7, 7)], [2, 0, 2], ["PRON", "AUX", "X"])
    both = join([first, second])
    assert both.word_offsets.tolist() == [0, 2, 5]
    assert both.offsets("pieces").tolist() == [0, 3, 7]
    assert both.columns["pieces"].codes.tolist() == [5, 6, 7, 8, 9, 7, 7]
    assert both.columns["first"].codes.tolist() == [0, 2, 0, 1, 2]
    assert both.columns["heads"].codes.tolist() == [0, 1, 2, 0, 2]
    assert both.columns["upos"].names == ["VERB", "PRON", "AUX", "X"]
    assert both.columns["upos"].codes.tolist() == [0, 1, 1, 2, 3]
    assert both.values(1, "pieces") == [8, 9, 7, 7]
    assert both.values(1, "upos") == ["PRON", "AUX", "X"]
    assert both.sentence(1).forms == ["It", "is", "it"]
    assert (both.sentence(1).path, both.sentence(1).line) == ("b", 7)


def test_joining_holds_one_table_at_a_time(reader):
    made = []

    def tables():
        for _ in range(4):
            assert sum(table() is not None for table in made) <= 1
            table = reader.table(DEV)
            made.append(weakref.ref(table))
            yield table
            del table

    joined = join(tables())
    once = reader.table(DEV)
    assert len(joined) == 4 * len(once) and joined.words == 4 * once.words
    assert joined.sentence(len(joined) - 1).text == once.sentence(len(once) - 1).text


def test_one_table_is_joined_as_it_is(reader):
    table = reader.table(DEV)
    assert join([table]) is table


def test_skipped_sentences_leave_no_trace(tmp_path):
    good = "".join(sentence.text for sentence in list(read_sentences(DEV))[:2])
    bad = Sentence.from_words(["no", "heads"]).text
    path = tmp_path / "mixed.conllu"
    path.write_text(bad + good + bad, encoding="utf-8")
    table = UniversalDependenciesReader(ENCODER, skip_invalid=True).table(str(path))
    assert "".join(table.sentence(row).text for row in range(len(table))) == good
    assert table.sentence(0).line == 4


def test_sentences_are_a_sequence(reader):
    table = reader.table(DEV)
    sentences = Sentences(table, [5, 3, 5])
    assert len(sentences) == 3 and sentences[0] is sentences[2]
    assert [s.line for s in sentences] == [s.line for s in sentences[:]]
    assert sentences[-2].text == table.sentence(3).text
    with pytest.raises(IndexError):
        sentences[3]


def test_a_word_costs_less_than_a_hundred_bytes(reader):
    table = reader.table(TRAIN)
    arrays = [table.lines, table.text_offsets, table.word_offsets]
    arrays += [column.codes for column in table.columns.values()]
    arrays += [c.offsets for c in table.columns.values() if c.offsets is not None]
    assert len(arrays) == 3 + 8 + 1 and sum(array.nbytes for array in arrays) / table.words < 60
