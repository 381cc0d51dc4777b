"""`allennlp ud-vectors make` and `align`."""

import sys

import numpy
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from tests.conftest import FIXTURES
from tests.helpers import ENCODER
from udify_allennlp import cli
from udify_allennlp.apps.analysis.encoders import load_encoder
from udify_allennlp.apps.analysis.languages.encoder_vectors import frequent_words, one_space
from udify_allennlp.data.aligned_vectors import find_vectors
from udify_allennlp.data.static_vectors import StaticVectors
from udify_allennlp.text.conllu import read_sentences

UD = FIXTURES / "ud"


@pytest.fixture
def execute(monkeypatch, capfd):
    """Runs a command: exit code, output, errors."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, words)])
        return (cli.run(), *capfd.readouterr())

    return run


def test_words_are_by_frequency_as_they_are_looked_up():
    paths = [str(UD / name) for name in ("en_ewt-ud-dev.conllu", "fr_gsd-ud-dev.conllu")]
    found = frequent_words(paths, 40)
    assert list(found) == ["en", "fr"] and len(found["en"]) == 40
    assert {".", "the"} <= set(found["en"]) and not any(
        set("123456789") & set(w) for w in found["en"]
    )
    forms = [form.lower() for s in read_sentences(paths[0]) for form in s.forms]
    counts = [forms.count(word) for word in found["en"] if "0" not in word]
    assert counts == sorted(counts, reverse=True)


def test_a_word_alone_is_the_mean_of_its_pieces():
    words = ["the", "unbelievable", ".", "Straße", "a" * 700]
    found = load_encoder(ENCODER).word_means(words, 2)
    tokenizer, model = AutoTokenizer.from_pretrained(ENCODER), AutoModel.from_pretrained(ENCODER)
    for row, word in enumerate(words[:4]):
        with torch.no_grad():
            inputs = tokenizer(word, return_tensors="pt")
            states = model.eval()(**inputs, output_hidden_states=True).hidden_states[2][0]
        torch.testing.assert_close(found[row], states[1:-1].mean(0), rtol=1e-4, atol=1e-5)
    assert torch.isfinite(found).all()


def test_one_space_has_no_mean_of_a_language_and_keeps_most_of_what_varies():
    random = numpy.random.default_rng(3)
    flat = random.normal(size=(200, 2)) @ random.normal(size=(2, 6))  # all of it in two directions
    vectors = {"en": flat[:120] + 5, "fi": flat[120:] - 3}
    found = one_space(vectors, 2)
    whole = one_space(vectors, 6)
    for lang, rows in found.items():
        assert rows.shape == (len(vectors[lang]), 2) and rows.dtype == numpy.float32
        numpy.testing.assert_allclose(numpy.linalg.norm(rows, axis=1), 1, rtol=1e-5)
        # Nothing is lost: the angles between words are those of the centred vectors.
        centred = vectors[lang] - vectors[lang].mean(0)
        centred /= numpy.linalg.norm(centred, axis=1, keepdims=True)
        numpy.testing.assert_allclose(rows @ rows.T, centred @ centred.T, atol=1e-5)
        numpy.testing.assert_allclose(whole[lang] @ whole[lang].T, rows @ rows.T, atol=1e-5)


def test_vectors_of_an_encoder_from_treebanks(execute, tmp_path):
    files = [UD / "*-dev.conllu", "--out", tmp_path / "v", "--max-words", 30, "--dim", 4]
    code, output, _ = execute("ud-vectors", "make", ENCODER, *files)
    assert code == 0 and "fi: 30 words, 4 numbers each" in output
    paths = find_vectors(str(tmp_path / "v"))
    assert sorted(paths) == ["de", "en", "fi", "fr"]
    vectors = {lang: StaticVectors.load(path) for lang, path in paths.items()}
    assert vectors["en"].words[0] == "." and vectors["fr"].vectors.shape == (30, 4)

    code, _, errors = execute(
        "ud-vectors", "make", ENCODER, UD / "*-dev.conllu", "--out", tmp_path / "v"
    )
    assert code == 1 and "is not an empty folder" in errors
    for wrong, message in (
        (("--dim", 900), "--dim is 900"),
        (("--max-words", 0), "--max-words 0"),
        (("--layer", 9), "--layer has 9"),
    ):
        code, _, errors = execute("ud-vectors", "make", ENCODER, *files[:1], "--out", "x", *wrong)
        assert code == 1 and message in errors


@pytest.fixture
def unaligned(tmp_path):
    """Vectors of `fi` are those of `en`, turned by a matrix whose inverse is in the folder."""
    turn = numpy.linalg.qr(numpy.random.default_rng(4).normal(size=(3, 3)))[0]
    rows = numpy.random.default_rng(5).normal(size=(4, 3)).astype(numpy.float32)
    for name in ("vectors", "matrices"):
        (tmp_path / name).mkdir()
    StaticVectors("abcd", rows).save(tmp_path / "vectors" / "en.npz")
    text = (" ".join([word, *map(str, row)]) for word, row in zip("abcd", rows @ turn.T))
    (tmp_path / "vectors" / "wiki.fi.vec").write_text("4 3\n" + "\n".join(text) + "\n")
    numpy.savetxt(tmp_path / "matrices" / "fi.txt", turn)
    return tmp_path, rows


def test_matrices_bring_vectors_into_one_space(execute, unaligned):
    folder, rows = unaligned
    given = (
        "ud-vectors",
        "align",
        folder / "vectors",
        folder / "matrices",
        "--out",
        folder / "out",
    )
    code, _, errors = execute(*given)
    assert code == 1 and "has no matrix for en. Add LANG.txt" in errors
    assert execute(*given, "--as-is", "en")[0] == 0
    found = {lang: StaticVectors.load(p) for lang, p in find_vectors(str(folder / "out")).items()}
    numpy.testing.assert_allclose(found["fi"].vectors, rows, atol=1e-5)
    numpy.testing.assert_array_equal(found["en"].vectors, rows)
    # One language, to unit length, the first words.
    numpy.save(folder / "fi.npy", numpy.loadtxt(folder / "matrices" / "fi.txt"))
    one = (folder / "vectors" / "wiki.fi.vec", folder / "fi.npy", "--out", folder / "one")
    assert execute("ud-vectors", "align", *one, "--unit-length", "--max-words", 2)[0] == 0
    unit = StaticVectors.load(folder / "one" / "fi.npz").vectors
    expected = rows[:2] / numpy.linalg.norm(rows[:2], axis=1, keepdims=True)
    numpy.testing.assert_allclose(unit, expected, atol=1e-5)


@pytest.mark.parametrize(
    "matrix, message",
    [
        ("1 0\n0 1\n", "fi.txt has the shape (2, 2). It must have 3 rows"),
        ("a b\n", "fi.txt is not a matrix of numbers"),
        ("1 nan 0\n" * 3, "3 rows of finite numbers"),
    ],
)
def test_a_matrix_that_does_not_fit_is_one_line(execute, unaligned, matrix, message):
    folder, _ = unaligned
    (folder / "matrices" / "fi.txt").write_text(matrix)
    given = (folder / "vectors", folder / "matrices", "--out", folder / "out", "--as-is", "en")
    code, _, errors = execute("ud-vectors", "align", *given)
    assert code == 1 and message in errors
