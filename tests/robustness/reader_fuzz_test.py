"""Any file is read without loss, or rejected with its line."""

import gzip
import io
import lzma
import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Optional, TypeVar

import numpy
import pytest
from allennlp.common.checks import ConfigurationError

from tests.conftest import FIXTURES
from tests.helpers import ENCODER
from tests.robustness.mutants import MOST, mutants
from udify_allennlp.data.static_vectors import StaticVectors
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.conllu import Sentence, check_tree, read_sentences
from udify_allennlp.text.constituents.files import read_trees
from udify_allennlp.text.constituents.sentences import tree_of
from udify_allennlp.text.drawing.svg import tree_svg
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.json_lines import read_json_lines
from udify_allennlp.text.non_word_rows import empty_nodes, multiword_tokens
from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.raw_text import rebuild, spans
from udify_allennlp.text.roles.files import read_roles
from udify_allennlp.text.sentence import BOM

T = TypeVar("T")


def role_labels(path: Path) -> list[str]:
    sentences = list(read_roles(path))
    data = path.read_bytes().decode().removeprefix(BOM)
    assert "".join(each.text for each in sentences).removeprefix(BOM).strip() == data.strip()
    return [cell for each in sentences for row in each.rows for cell in row]


def tree_words(path: Path) -> list[str]:
    trees = list(read_trees(path))
    assert "".join(each.text for each in trees).strip() == path.read_bytes().decode().strip()
    sentences = read_sentences(path)
    kept = [tree_of(each).brackets() for each in sentences]
    assert kept == [each.tree.without_empty().with_top().brackets() for each in trees]
    return [word for each in trees for word in each.tree.words]


def json_texts(path: Path) -> list[str]:
    with open(path, "rb") as file:
        return [value["sentence"] for value in read_json_lines(file, str(path))]


def vector_words(path: Path) -> list[str]:
    vectors = StaticVectors.load(path)
    assert numpy.isfinite(vectors.of(vectors.words)).all()
    return vectors.words


def npz() -> bytes:
    buffer = io.BytesIO()
    numpy.savez(buffer, words=numpy.array("a\nb"), vectors=numpy.ones((2, 3), numpy.float32))
    return buffer.getvalue()


MANY = [2_000, pytest.param(20_000, marks=pytest.mark.soak)]
SOME = [200, pytest.param(2_000, marks=pytest.mark.soak)]


def attempt(read: Callable[..., T], given: Any, path: Path, lines: int) -> Optional[T]:
    """What `read` gives; `None` for an error that says where it is, in one line not too long."""
    try:
        return read(given)
    except ConlluError as error:
        found = re.fullmatch(rf"{re.escape(str(path))}:(\d+): .+", str(error))
        assert found and 1 <= int(found[1]) <= lines + 1 and len(str(error)) < len(str(path)) + 400
        return None


def sentences(path: Path) -> list[Sentence]:
    return list(read_sentences(path))


def joined(sentences: Iterable[Sentence]) -> bytes:
    return "".join(sentence.text for sentence in sentences).encode()


def look_at(sentence: Sentence) -> None:
    """All that is read of one, without a model."""
    assert len(sentence) == len(sentence.forms) == len(sentence.heads) > 0
    assert len(spans(sentence)) == len(sentence) and rebuild([sentence])
    assert ParsedSentence(sentence).words[-1].id == len(sentence)
    multiword_tokens(sentence), empty_nodes(sentence)
    assert sentence.replace(heads=sentence.heads, misc=sentence.misc).text == sentence.text


@pytest.mark.parametrize("count", MANY)
def test_mutants_are_read_without_loss_or_refused(tmp_path, count):
    path = tmp_path / "mutant.conllu"
    read = 0
    for number, data in enumerate(mutants(count)):
        path.write_bytes(data)
        lines = data.count(b"\n") + 1
        try:
            kept = attempt(sentences, path, path, lines)
            if kept is None:
                errors: list[ConlluError] = []
                kept = list(read_sentences(path, errors.append))
                assert errors  # and the rest of the file is read
                assert all(sentence.text.encode() in data for sentence in kept)
            else:
                assert joined(kept) == data
                read += 1
            for sentence in kept:
                look_at(sentence)
                attempt(check_tree, sentence, path, lines)
                attempt(tree_svg, sentence, path, lines)
        except Exception as error:
            raise AssertionError(f"mutant {number}: {data!r}") from error
    assert count / 10 < read < count * 9 / 10  # it tries both


@pytest.mark.parametrize("count", SOME)
@pytest.mark.parametrize("annotated", [False, True], ids=["predict", "train"])
def test_mutants_through_the_dataset_reader(tmp_path, annotated, count):
    reader = UniversalDependenciesReader(ENCODER, tasks=["upos", "feats", "lemma", "deps"])
    path = tmp_path / "en_ewt-ud-dev.conllu"

    def sentences_of(name):
        if not annotated:
            sentences = list(reader.sentences(str(name)))
            reader.table_of(sentences, reader.schema.unannotated())
            return sentences
        return [instance["sentences"].metadata for instance in reader.read(str(name))]

    read = 0
    for number, data in enumerate(mutants(count, seed=12)):
        path.write_bytes(data)
        try:
            kept = attempt(sentences_of, path, path, data.count(b"\n") + 1)
            if kept is not None:
                assert joined(kept) == data
                read += 1
        except Exception as error:
            raise AssertionError(f"mutant {number}: {data!r}") from error
    assert read > count / 20


@pytest.mark.parametrize("count", SOME)
@pytest.mark.parametrize("ending, compress", [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_damaged_compressed_files_are_refused(tmp_path, ending, compress, count):
    path = tmp_path / f"mutant.conllu{ending}"
    draw = random.Random(13)
    for number, data in enumerate(mutants(count, seed=13)):
        damaged = bytearray(compress(data))
        for _ in range(draw.randint(0, 2)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        path.write_bytes(damaged[: draw.choice([len(damaged), draw.randrange(len(damaged) + 1)])])
        try:
            kept = attempt(sentences, path, path, MOST)  # damage may make lines
            assert kept is None or joined(kept) in (data, b"")  # an empty file is one, too
        except Exception as error:
            raise AssertionError(f"mutant {number}: {path.read_bytes()!r}") from error


OTHERS: dict[str, tuple[Callable[[Path], list[str]], list[bytes]]] = {
    **{
        f"x.{style}": (role_labels, [path.read_bytes()[:MOST] for path in paths])
        for style in ("conll05", "conll09")
        if (paths := sorted(FIXTURES.glob(f"roles/*.{style}")))
    },
    "x.mrg": (tree_words, [path.read_bytes() for path in sorted(FIXTURES.glob("*/*.mrg"))]),
    "x.jsonl": (json_texts, [b'{"sentence": "a \\ud83d\\ude00"}\n{"sentence": "b", "x": [1.5]}\n']),
    "x.vec": (vector_words, [b"3 2\na 1.0 -2\nb c 0.5 1e3\nd 0 0\n"]),
    "x.npz": (vector_words, [npz()]),
}


@pytest.mark.parametrize("count", SOME)
@pytest.mark.parametrize("name", OTHERS)
def test_mutants_of_other_files_are_read_or_refused(tmp_path, name, count):
    read, sources = OTHERS[name]
    path = tmp_path / name
    good = 0
    for number, data in enumerate(mutants(count, 14, sources)):
        path.write_bytes(data)
        try:
            found = read(path)
            good += 1
        except (ConlluError, ConfigurationError) as error:
            place = re.match(rf"(?:embedder.vectors: )?{re.escape(str(path))}\b", str(error))
            where = re.match(rf"{re.escape(str(path))}:(\d+)", str(error))
            assert place and "\n" not in str(error), f"mutant {number}: {data!r}: {error}"
            assert where is None or 1 <= int(where[1]) <= data.count(b"\n") + 1, (number, data)
            continue
        except Exception as error:
            raise AssertionError(f"mutant {number}: {data!r}") from error
        assert name.endswith(".jsonl") or not any("\r" in cell for cell in found), (number, data)
    assert 0 < good < count
