import logging

import numpy
import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.aligned_vectors import AlignedVectors, file_language, find_vectors
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.static_vectors import StaticVectors
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.sentence import Sentence


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "en.vec").write_text("dog 1 0\nthe 0 1\n00 2 2\nParis 3 3\n")
    (tmp_path / "wiki.fi.align.vec").write_text("1 2\nkoira 5 5\n")
    (tmp_path / "README.md").write_text("no vectors")
    return tmp_path


@pytest.mark.parametrize(
    "name, lang",
    [
        ("fi.vec", "fi"),
        ("x/fi.npz", "fi"),
        ("wiki.fi.vec", "fi"),
        ("wiki.fi.align.vec", "fi"),
        ("wiki.multi.fi.vec", "fi"),
        ("cc.fi.300.vec.gz", "fi"),
        ("grc.txt.xz", "grc"),
        ("codebook.npz", None),
        ("README.md", None),
        ("fi.npz.gz", None),
    ],
)
def test_the_language_is_in_the_name(name, lang):
    assert file_language(name) == lang


def test_a_word_has_the_vector_of_its_language_and_else_that_of_the_fallback(folder):
    vectors = AlignedVectors(find_vectors(str(folder)), "en")
    assert vectors.langs == ["en", "fi"]
    langs = ["fi", "fi", "fi", "fi", "en", "en", "fi"]
    forms = ["Koira", "dog", "The", "13", "koira", "PARIS", "?"]
    # 'koira' is Finnish only; 'PARIS' has the spelling 'paris', and that is not 'Paris'.
    assert vectors.of(langs, forms).tolist() == [
        [5, 5], [1, 0], [0, 1], [2, 2], [0, 0], [0, 0], [0, 0]
    ]  # fmt: skip


def test_a_language_without_vectors_is_told_once(folder, caplog):
    vectors = AlignedVectors(find_vectors(str(folder)), "en")
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert vectors.of(["de"], ["dog"]).tolist() == [[1, 0]]
    assert caplog.text.count("There are no vectors for the language 'de'") == 1
    vectors.of([""], ["dog"])  # raw text without --lang
    assert "have no language: words receive the vectors of 'en'" in caplog.text


def test_files_are_read_when_they_are_needed_and_checked_then(folder):
    (folder / "de.vec").write_text("hund 1 2 3\n")
    vectors = AlignedVectors(find_vectors(str(folder)), "en")
    assert vectors.of(["en"], ["dog"]).tolist() == [[1, 0]]
    with pytest.raises(ConfigurationError, match="de.vec has 3 numbers per word.* has 2"):
        vectors.of(["de"], ["hund"])
    with pytest.raises(ConfigurationError, match="de.vec has 3 numbers"):
        vectors.keep(str(folder))


def test_what_a_folder_lacks_is_one_line(folder, tmp_path_factory):
    with pytest.raises(ConfigurationError, match="vectors for en, fi, but not for 'de'"):
        AlignedVectors(find_vectors(str(folder)), "de")
    (folder / "fi.vec").write_text("koira 5 5\n")
    with pytest.raises(ConfigurationError, match="has fi.vec and wiki.fi.align.vec"):
        find_vectors(str(folder))
    empty = tmp_path_factory.mktemp("empty")
    with pytest.raises(ConfigurationError, match="has no vectors. Put files"):
        find_vectors(str(empty))
    (empty / "words.vec").write_text("a 1\n")
    with pytest.raises(ConfigurationError, match="the language of these vectors is unknown"):
        find_vectors(str(empty / "words.vec"))
    with pytest.raises(ConfigurationError, match="nowhere is neither a folder nor a file"):
        find_vectors("nowhere")
    assert find_vectors("words.vec", "en") == {"en": "words.vec"}


def coded(folder, words=("a", "b", "c")):
    """Vectors by a codebook: two parts of two numbers, three centroids each."""
    book = numpy.arange(12, dtype=numpy.float16).reshape(2, 3, 2)
    codes = numpy.array([[0, 0], [1, 2], [2, 1]], dtype=numpy.uint8)
    numpy.savez(folder / "codebook.npz", centroids=book)
    numpy.savez(folder / "en.npz", words=numpy.array("\n".join(words)), codes=codes)
    rows = numpy.array([[0, 1, 6, 7], [2, 3, 10, 11], [4, 5, 8, 9]], dtype=numpy.float32)
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


def test_codes_of_a_codebook_are_vectors_of_unit_length(tmp_path):
    expected = coded(tmp_path)
    found = StaticVectors.load(tmp_path / "en.npz")
    assert found.dim == 4 and len(found) == 3
    numpy.testing.assert_allclose(found.vectors, expected, rtol=1e-6)
    numpy.testing.assert_allclose(found.of(["C", "x", "a"]), [expected[2], [0] * 4, expected[0]])
    found.save(tmp_path / "copy.npz")
    (tmp_path / "codebook.npz").unlink()  # the copy has its own
    again = StaticVectors.load(tmp_path / "copy.npz", max_words=2)
    assert again.words == ["a", "b"]
    numpy.testing.assert_array_equal(again.vectors, found.vectors[:2])
    with pytest.raises(ConfigurationError, match="has codes but no centroids, and"):
        StaticVectors.load(tmp_path / "en.npz")


@pytest.mark.parametrize(
    "book, message",
    [
        (numpy.zeros((3, 3, 2)), "codes do not match its centroids"),
        (numpy.zeros((2, 2, 2)), "a code exceeds the 2 centroids"),
        (numpy.full((2, 3, 2), numpy.nan), "a centroid is not finite"),
        (numpy.zeros((2, 3), dtype=int), "codes do not match"),
    ],
)
def test_a_codebook_that_does_not_fit_is_one_line(book, message, tmp_path):
    coded(tmp_path)
    numpy.savez(tmp_path / "codebook.npz", centroids=book)
    with pytest.raises(ConfigurationError, match=message):
        StaticVectors.load(tmp_path / "en.npz")


def test_only_the_first_words_are_read(tmp_path):
    (tmp_path / "en.vec").write_text("3 1\na 1\nb 2\nc broken\n")
    assert StaticVectors.load(tmp_path / "en.vec", max_words=2).words == ["a", "b"]


def test_a_form_comes_once_for_each_language():
    reader = UniversalDependenciesReader(tasks=[], forms=True, langs=True)
    schema = reader.schema.unannotated()
    sentences = [Sentence.from_words(words) for words in (["a", "b"], ["b", "a", "a"], ["b"])]
    collate = Collator(reader.table_of(sentences, schema, lang=["en", "fi", "en"]), schema)
    collate.index_with(Vocabulary())
    forms = collate([0, 1, 2])["forms"]
    of_words = [(forms["langs"][i], forms["strings"][i]) for i in forms["words"].tolist()]
    assert of_words == [
        ("en", "a"), ("en", "b"), ("fi", "b"), ("fi", "a"), ("fi", "a"), ("en", "b")
    ]  # fmt: skip
    assert len(forms["strings"]) == 4
