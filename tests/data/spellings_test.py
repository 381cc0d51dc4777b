import numpy
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import DEV, ENCODER, TRAIN
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.instance import TableInstance
from udify_allennlp.data.spellings import ENDS, Spellings, visible
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.conllu import read_sentences

FORMS = st.lists(st.text("abcşß語\u0085 ", min_size=1, max_size=60), min_size=1, max_size=9)


def vocabulary(characters):
    vocab = Vocabulary()
    for character in characters:
        vocab.add_token_to_namespace(character, "characters")
    return vocab


def batch(sentences, vocab):
    forms = [form for sentence in sentences for form in sentence]
    return Spellings(forms, vocab).batch(numpy.arange(len(forms)))


def test_a_batch_worked_by_hand():
    vocab = vocabulary("abc")  # 2, 3, 4
    tensors = batch([["cab", "a"], ["x", "cab", "y"]], vocab)
    assert tensors["ids"].tolist() == [[1, 0, 0], [2, 0, 0], [4, 2, 3]]
    assert tensors["words"].tolist() == [2, 1, 0, 2, 0]


@given(form=st.text("ab", min_size=1, max_size=100))
def test_of_a_long_word_both_ends_are_seen(form):
    seen = visible(form)
    assert len(seen) == min(len(form), 2 * ENDS)
    assert form.startswith(seen[:ENDS]) and form.endswith(seen[-ENDS:])


@given(sentences=st.lists(FORMS, min_size=1, max_size=4))
def test_every_word_gets_its_characters_and_no_spelling_comes_twice(sentences):
    vocab = vocabulary("abcşß\u0085 ")
    tensors = batch(sentences, vocab)
    rows = [tuple(row[row > 0].tolist()) for row in tensors["ids"]]
    assert rows == sorted(set(rows))
    forms = [form for sentence in sentences for form in sentence]
    for form, place in zip(forms, tensors["words"].tolist(), strict=True):
        expected = [vocab.get_token_index(c, "characters") for c in visible(form)]
        assert rows[place] == tuple(expected)
    assert tensors["ids"].shape[1] == max(map(len, rows)) <= 2 * ENDS


@given(sentences=st.lists(FORMS, min_size=1, max_size=4), data=st.data())
def test_some_of_many_forms_are_as_if_they_were_all(sentences, data):
    vocab = vocabulary("abş ")
    forms = [form for sentence in sentences for form in sentence]
    places = data.draw(st.lists(st.integers(0, len(forms) - 1), min_size=1))
    some = Spellings(["another", *forms], vocab).batch(numpy.array(places) + 1)
    alone = batch([[forms[place] for place in places]], vocab)
    assert all(numpy.array_equal(some[name], alone[name]) for name in ("ids", "words"))


def test_many_characters_have_large_numbers():
    """Among 60,000 characters there are numbers that are no characters of UTF-8."""
    characters = [chr(0x20000 + i) for i in range(60_000)]
    vocab = vocabulary(characters)
    tensors = batch([[characters[0xD800 - 2], characters[-1]]], vocab)
    assert tensors["ids"].tolist() == [[0xD800], [60_001]]


def test_the_vocabulary_numbers_them_also_from_the_cache(tmp_path):
    reader = UniversalDependenciesReader(ENCODER, characters=True, cache_dir=str(tmp_path))
    vocab = Vocabulary.from_instances(reader.read(TRAIN))
    vocab.save_to_files(tmp_path / "vocabulary")
    vocab = Vocabulary.from_files(tmp_path / "vocabulary")
    rows, forms = [4, 1, 30], list(read_sentences(DEV))
    for _ in range(2):  # read, then from the cache
        collate = Collator(reader.table(DEV), reader.schema)
        collate.index_with(vocab)
        found, expected = (
            collate(rows)["characters"],
            batch([forms[row].forms for row in rows], vocab),
        )
        assert all(numpy.array_equal(found[name], expected[name]) for name in ("ids", "words"))


def test_a_vocabulary_counts_characters_of_tables_as_of_instances():
    reader = UniversalDependenciesReader(ENCODER, tasks=["upos"], characters=True)
    table = reader.table(TRAIN)
    made = [TableInstance(table, row, reader.schema) for row in range(len(table))]
    fast, slow = (Vocabulary.from_instances(i) for i in (made, reader.read(TRAIN)))
    tables = [v.get_token_to_index_vocabulary("characters") for v in (fast, slow)]
    assert tables[0] == tables[1] and tables[0]["e"] < tables[0]["q"]


def test_without_the_option_nothing_changes():
    reader = UniversalDependenciesReader(ENCODER)
    assert "characters" not in next(iter(reader.read(DEV))).fields
    assert "forms" not in reader.table(DEV).columns
