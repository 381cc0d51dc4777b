import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError

from tests.conftest import FIXTURES
from tests.helpers import DEV, ENCODER, assert_same_side_by_side, make_model, stirred
from tests.helpers.processors import needs_int8
from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.data.buckets import Sizes
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.predictors import conllu_predictor
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.text.conllu import read_sentences, separate_block
from udify_allennlp.text.sentence import Sentence

TASKS = ["upos", "feats", "lemma", "deps"]
KEPT = {1, 4, 8, 9}  # FORM, XPOS, DEPS, MISC: what a model of these tasks leaves alone


@pytest.fixture(scope="module")
def predictor():
    model = stirred(make_model(TASKS)).eval()
    return ConlluPredictor(model, UniversalDependenciesReader(ENCODER))


def parse(predictor, path, batch_size=32):
    reader = predictor.reader
    instances = [reader.text_to_instance(s, annotated=False) for s in reader.sentences(str(path))]
    blocks = []
    for start in range(0, len(instances), batch_size):
        outputs = predictor.predict_batch_instance(instances[start : start + batch_size])
        blocks += map(predictor.dump_line, outputs)
    return "".join(blocks)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("ud/*.conllu")), ids=lambda p: p.name)
def test_only_predicted_columns_change(predictor, path, tmp_path):
    before = path.read_text(encoding="utf-8").split("\n")
    after = parse(predictor, path).split("\n")
    assert len(before) == len(after)
    for old, new in zip(before, after):
        if old[:1].isdigit() and old.split("\t")[0].isdigit():
            old_columns, new_columns = old.split("\t"), new.split("\t")
            assert len(new_columns) == 10 and all(new_columns)
            assert all(old_columns[i] == new_columns[i] for i in KEPT)
        else:  # comments, ranges, empty nodes, blank lines
            assert old == new
    (tmp_path / "predicted.conllu").write_text("\n".join(after), encoding="utf-8")
    strict = UniversalDependenciesReader(ENCODER)  # refuses anything but a valid tree
    assert list(strict.read(str(tmp_path / "predicted.conllu")))


def test_any_batch_size_gives_the_same_file(predictor):
    texts = {parse(predictor, DEV, batch_size) for batch_size in (1, 7, 1000)}
    assert len(texts) == 1


def test_columns_of_underscores_are_filled(predictor):
    text = parse(predictor, FIXTURES / "conllu" / "unannotated.conllu")
    for line in text.splitlines():
        if line[:1].isdigit() and "-" not in line.split("\t")[0]:
            assert line.split("\t")[6] != "_" and line.split("\t")[3] != "_"


@pytest.mark.parametrize("name", ["no_final_newline", "crlf", "bom", "spaces_in_forms"])
def test_odd_files_come_out_valid(predictor, name):
    path = FIXTURES / "conllu" / f"{name}.conllu"
    end = "\r\n" if name == "crlf" else "\n"
    text = parse(predictor, path)
    assert text.endswith(2 * end) and not text.endswith(3 * end)
    with open(path, encoding="utf-8", newline="") as file:
        before = file.read()
    assert len(text.rstrip("\r\n").split(end)) == len(before.rstrip("\r\n").split(end))
    assert "\ufeff" not in text  # a file that joins several may not hold one inside


def test_json_lines(predictor):
    line = predictor.load_line('{"sentence": "The dog sleeps ."}\n')
    text = predictor.dump_line(predictor.predict_json(line))
    assert [row.split("\t")[1] for row in text.splitlines() if row] == ["The", "dog", "sleeps", "."]
    assert text.endswith("\n\n")
    both = predictor.predict_batch_json([line, {"sentence": "No !"}])
    assert predictor.dump_line(both[0]) == text


@pytest.mark.parametrize("line", ["1\tThe\tthe", "[1]", '{"text": "a"}', '{"sentence": 3}'])
def test_lines_that_are_no_json_sentences_are_refused(predictor, line):
    with pytest.raises(ConfigurationError, match="Name CoNLL-U files .conllu"):
        predictor.load_line(line)


def test_an_empty_sentence_is_refused(predictor):
    with pytest.raises(ConfigurationError, match='empty "sentence"'):
        predictor.predict_json({"sentence": "  "})


def test_sentences_come_out_as_instances_do_in_their_order_and_as_they_are_done(predictor):
    sentences = list(read_sentences(DEV))
    parsed = list(predictor.parse(sentences))
    assert "".join(map(separate_block, parsed)) == parse(predictor, DEV)
    taken = []

    def stream():
        for sentence in sentences:
            taken.append(sentence)
            yield sentence

    few = predictor.parse(stream(), batch_size=4)
    assert next(few).text == parsed[0].text
    assert len(taken) <= 5


@pytest.mark.parametrize("count", [1, 3000])
def test_one_word_and_three_thousand(predictor, count):
    sentence = " ".join(["word"] * count)
    text = predictor.predict(sentence)["conllu"]
    rows = [row.split("\t") for row in text.splitlines() if row]
    assert len(rows) == count
    assert [row[6] for row in rows].count("0") == 1


def test_the_sentence_read_is_not_changed(predictor):
    before = [sentence.text for sentence in read_sentences(DEV)]
    instances = list(predictor.reader.read(DEV))
    predictor.predict_batch_instance(instances)
    assert [instance["sentences"].metadata.text for instance in instances] == before


@pytest.mark.parametrize(
    "precision", ["float32", "bfloat16", pytest.param("int8", marks=needs_int8)]
)
def test_batches_side_by_side_give_the_same(precision):
    model = stirred(make_model(TASKS, precision=precision)).eval()
    model.lower(precision)
    predictor = ConlluPredictor(model, UniversalDependenciesReader(ENCODER))
    assert_same_side_by_side(predictor, list(read_sentences(DEV)))


@pytest.mark.parametrize("pieces, at_once, most", [
    (100, 4, 3200), (511, 4, 3200), (600, 4, 300), (2000, 2, 1000), (2000, 16, 285),
    (10**6, 1, 3200), (10**6, 2, 1600), (10**6, 16, 266), (0, 4, 3200),
])  # fmt: skip
def test_each_thread_has_a_batch_and_all_together_no_more_memory(predictor, pieces, at_once, most):
    sizes = Sizes(*numpy.array([[1], [100], [pieces]]))
    assert predictor._most_wordpieces(sizes, at_once) == most


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_few_sentences_of_other_lengths_are_one_batch(predictor, at_once):
    sentences = [Sentence.from_words(["word"] * count) for count in (3, 4, 5, 6)]
    assert len(list(predictor._batches(sentences, at_once))) == 1


@pytest.mark.parametrize("threads, expected", [(1, 1), (3, 3), (12, 12), (16, 8), (64, 10)])
def test_as_many_batches_at_once_as_torch_has_threads(predictor, monkeypatch, threads, expected):
    given = []

    def spied(function, items, at_once):
        given.append(at_once)
        return map(function, items)

    monkeypatch.setattr(conllu_predictor.parallel_batches, "side_by_side", spied)
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    sentences = list(read_sentences(DEV))
    predictor.columns(sentences)
    monkeypatch.setattr(predictor, "at_once", 5)
    predictor.columns(sentences)
    monkeypatch.setattr(predictor, "at_once", None)
    monkeypatch.setattr(conllu_predictor.parallel_batches, "models_can", lambda: False)
    predictor.columns(sentences)
    assert given == [expected, 5, 1]


def test_memory_is_given_back_after_many_batches_and_not_after_a_sentence(predictor, monkeypatch):
    given_back = []
    monkeypatch.setattr(conllu_predictor, "give_back", lambda: given_back.append(1))
    parse(predictor, DEV, batch_size=1)
    assert not given_back
    monkeypatch.setattr(predictor, "_sampler", BucketSampler(batch_size=2, shuffle=False))
    parse(predictor, DEV, batch_size=1000)
    assert len(given_back) == 1
