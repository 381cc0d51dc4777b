"""`Parser`: its inputs, the order of its results, and their objects."""

import copy
import itertools
import multiprocessing
import os
import pickle

import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError

from tests.conftest import FIXTURES
from tests.helpers import DEV
from tests.saved_model import save_run
from udify_allennlp import Parser
from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.predictors.loading import gpu_number
from udify_allennlp.text.conllu import Sentence, read_sentences
from udify_allennlp.text.document import Document
from udify_allennlp.text.errors import ConlluError, InputError
from udify_allennlp.text.tokenizers import make_tokenizer

TEXT = "The dog sleeps.  It doesn't snore!\n\nWhy?"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def parser(run):
    return Parser.load(run, lang="en")


def test_it_parses_as_the_predictor_does(parser):
    expected = [s.text for s in parser._predictor.parse(read(parser, DEV))]
    for size in (1, 7, 1024):
        again = Parser(parser._predictor, batch_size=size)
        assert [s.conllu for s in again(list(read_sentences(DEV)))] == expected
        assert [s.conllu for s in again.stream(read_sentences(DEV))] == expected
        assert [s.text for s in again.parse(read_sentences(DEV))] == expected


def read(parser, path):
    return parser._predictor.reader.sentences(path)


def test_raw_text_with_its_places(parser):
    document = parser(TEXT)
    assert [s.text for s in document] == ["The dog sleeps.", "It doesn't snore!", "Why?"]
    for sentence in document:
        for word in sentence:
            assert TEXT[word.start : word.end] == word.form == word.text
            assert word.upos != "_" and word.lemma and word.head is not None
    assert document.text == TEXT
    assert list(parser(" \n")) == []


def test_what_it_gives_is_counted_and_indexed(parser):
    document = parser(TEXT)
    assert isinstance(document, Document) and len(document) == 3
    assert document[0].text == "The dog sleeps." and document[-1].text == "Why?"
    assert [s.text for s in document[1:]] == ["It doesn't snore!", "Why?"]
    assert [s.text for s in document] == [s.text for s in document]  # as often as one likes
    with pytest.raises(TypeError, match=r"Use document\[0\] .* or parser.stream\(...\)"):
        next(document)


def test_words_and_sentences_give_the_same(parser):
    words = [["The", "dog", "sleeps", "."], ["No", "!"]]
    sentences = [Sentence.from_words(some) for some in words]
    expected = [s.conllu for s in parser(sentences)]
    assert [[word.form for word in s] for s in parser(sentences)] == words
    for source in (words, tuple(words), [tuple(w) for w in words]):
        assert [s.conllu for s in parser(source)] == expected
        assert [s.conllu for s in parser.stream(iter(source))] == expected
    assert [s.conllu for some in words for s in parser(some, tokenized=True)] == expected
    assert [s.conllu for some in sentences for s in parser(some)] == expected
    assert parser(words)[0][0].start is None
    assert list(parser([])) == []


def test_a_list_of_strings_is_a_list_of_texts(parser):
    texts = ["A dog. It sleeps.", " ", "Why not?"]
    document = parser(texts)
    assert [s.text for s in document] == ["A dog.", "It sleeps.", "Why not?"]
    assert [s.text_index for s in document] == [0, 0, 2]
    assert [s.sent_id for s in document] == ["1", "2", "3"]
    assert document[2][0].start == 0
    assert [one.text for one in document.by_text()] == ["A dog. It sleeps.", "", "Why not?"]
    streamed = parser.stream(text for text in texts)
    assert [(s.text_index, s.conllu) for s in streamed] == [
        (s.text_index, s.conllu) for s in document
    ]


def test_a_stream_without_end_is_parsed_as_it_comes(run):
    parser = Parser.load(run, batch_size=4)
    drawn = itertools.count()
    endless = (["word"] * (next(drawn) % 3 + 1) for _ in itertools.repeat(None))
    found = list(itertools.islice(parser.stream(endless), 10))
    assert [len(sentence) for sentence in found] == [1, 2, 3, 1, 2, 3, 1, 2, 3, 1]
    assert [sentence.text_index for sentence in found] == list(range(10))
    assert next(drawn) == 12  # three batches


@pytest.mark.parametrize(
    "source, error, message",
    [
        (3, InputError, "accept 3. Use a text, a list of texts"),
        ([["a"], 3], InputError, "accept 3 as"),
        (["The dog.", None], InputError, "accept None as item 1 of its input"),
        ("a \ud83d", InputError, r"Text 0 .* has '\\ud83d' at character 2, half of a"),
        ([["a", "\ud83d"]], ValueError, r"word 2 has '\\ud83d', with half of a character"),
        (iter([["a"]]), InputError, r"endless. Use parser.stream\(...\) .*list"),
        ([["a\tb"]], ValueError, "tabs or newlines"),
        ([["a"], []], InputError, "no words"),
    ],
)
def test_input_that_is_none(parser, source, error, message):
    with pytest.raises(error, match=message):
        parser(source)


def test_each_way_in_says_what_the_others_are_for(parser):
    with pytest.raises(InputError, match=r"Use parser\(...\) instead of parser.parse"):
        parser.parse("The dog sleeps.")
    with pytest.raises(InputError, match="not 'The dog'. Use parser"):
        next(parser.parse(["The dog"]))
    with pytest.raises(InputError, match=r"parser.stream\(\[text\]\).* parser\(text\)"):
        parser.stream("The dog sleeps.")


def test_the_language_of_one_call(parser, monkeypatch):
    seen = []
    monkeypatch.setattr(
        parser, "_tokenizer", lambda name, lang: seen.append(lang) or make_tokenizer(name, lang)
    )
    assert [word.text for word in parser("L'eau", lang="French")[0]] == ["L'", "eau"]
    assert [word.text for word in parser("L'eau")[0]] == ["L'eau"]
    list(parser.stream(["L'eau"], lang="fr-CA"))
    assert [word.text for word in parser("L'eau", lang="fr_gsd")[0]] == ["L'", "eau"]
    assert seen == ["fr", "en", "fr", "fr_gsd"]
    for call in (parser, parser.stream):
        with pytest.raises(InputError, match="nknown language 'Frensh'. Did you mean fr"):
            call(["L'eau est"], lang="Frensh")


def test_a_model_that_asks_for_it_is_told_the_language(parser, monkeypatch):
    told = []
    columns = ConlluPredictor.columns
    monkeypatch.setattr(
        ConlluPredictor,
        "columns",
        lambda self, batch, **origins: told.append(origins) or columns(self, batch, **origins),
    )
    parser("Why?")
    parser("Warum?", lang="German")
    parser("Hvorfor?", lang="nb")  # treebanks have it as no
    parser("Pourquoi ?", lang="fr_gsd")
    others = [("no", "no_bokmaal"), ("fr", "fr_gsd")]
    expected = [{"lang": lang, "treebank": treebank} for lang, treebank in others]
    assert told == [{"lang": "en"}, {"lang": "de"}, *expected]


def test_files(parser, tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    parser.parse_file(tmp_path / "a.txt", tmp_path / "a.conllu.gz", silent=True)
    parsed = [sentence.text for sentence in read_sentences(tmp_path / "a.conllu.gz")]
    assert parsed == [sentence.conllu for sentence in parser(TEXT)]
    parser.parse_file(DEV, tmp_path / "dev.conllu", silent=True)
    parsed = [sentence.text for sentence in read_sentences(tmp_path / "dev.conllu")]
    assert parsed == [sentence.text for sentence in parser.parse(read_sentences(DEV))]
    bad = FIXTURES / "conllu" / "bad" / "missing_column.conllu"
    with pytest.raises(ConlluError, match="missing_column.conllu:"):
        parser.parse_file(bad, tmp_path / "bad.conllu", silent=True)
    assert not (tmp_path / "bad.conllu").exists()


def test_files_are_not_replaced_and_endings_name_formats(parser, tmp_path):
    text = tmp_path / "text"
    text.write_text("The dog sleeps.")
    for target, message in {
        "text": "text is an input, and its output would replace it",
        "out.txt": "the ending .txt is not supported",
        "out.xyz": "the ending .xyz is not supported",
    }.items():
        with pytest.raises(InputError, match=message):
            parser.parse_file(text, tmp_path / target, silent=True)
    with pytest.raises(FileNotFoundError, match="none does not exist. Create it first"):
        parser.parse_file(text, tmp_path / "none" / "out.conllu")
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
    assert text.read_text() == "The dog sleeps."
    parser.parse_file(text, tmp_path / "out.csv", silent=True)
    assert (tmp_path / "out.csv").read_text().count("\n") == 5


@pytest.mark.parametrize(
    "source, message",
    [
        ([["a"], ["b"], []], "Sentence 2 .the first is 0.: the sentence has no words. Remove it."),
        ([["a"], ["b", ""]], "Sentence 1 .the first is 0.: words: word 2 has ''"),
        ({"text": "The dog."}, "does not accept a dict, which may hold more than texts"),
        (numpy.array([["a"], ["b"]]), "does not accept a ndarray"),
    ],
)
def test_inputs_that_cannot_be_parsed_are_named(parser, source, message):
    with pytest.raises(InputError, match=message):
        parser(source)
    with pytest.raises(InputError, match=message):
        list(parser.stream(source))


@pytest.mark.parametrize("lang", [["en", "de"], 5])
def test_one_language_at_a_time(parser, lang):
    with pytest.raises(InputError, match="^lang is .* Use one code or name"):
        parser(TEXT, lang=lang)


def test_what_cannot_be_loaded_is_refused_when_loading(run):
    with pytest.raises(InputError, match="Unknown tokenizer 'foo'. Use rules"):
        Parser.load(run, tokenizer="foo")
    with pytest.raises(ConfigurationError, match="The model is None. Name an archive"):
        Parser.load(None)


def test_options_of_load(run):
    assert Parser.load(run, precision="bfloat16")._predictor._model.precision == "bfloat16"
    with pytest.raises(ConfigurationError, match="model.precision is 'half'"):
        Parser.load(run, precision="half")
    with pytest.raises(ConfigurationError, match="batch_size is 0"):
        Parser.load(run, batch_size=0)
    with pytest.raises(InputError, match="Unknown tokenizer 'none'"):
        Parser.load(run, tokenizer="none")("text")
    with pytest.raises(ArchiveError, match="nowhere.tar.gz: no such file"):
        Parser.load(run / "nowhere.tar.gz")


def test_a_path_is_enough(run, parser):
    again = Parser(str(run), lang="en", device="cpu", precision="float32")
    assert again(TEXT).conllu == parser(TEXT).conllu
    with pytest.raises(ConfigurationError, match=r"Use Parser.load\(path, device="):
        Parser(parser._predictor, device="cpu")


def test_devices_by_name(run):
    names = [None, 1, "cpu", "cuda", "cuda:1"]
    assert [gpu_number(name) for name in names] == [-1, 1, -1, 0, 1]
    for wrong in ("gpu", "cuda:", "cpu:0", "cuda:-1"):
        with pytest.raises(ConfigurationError, match=f"device is '{wrong}'. Use 'cpu', 'cuda'"):
            Parser.load(run, device=wrong)


def test_what_it_can_predict(parser):
    labels = parser.labels
    assert list(labels) == ["upos", "feats", "lemma", "deprels"]
    assert "NOUN" in labels["upos"] and "nsubj" in labels["deprels"]
    words = parser(TEXT).words
    assert {word.upos for word in words} <= set(labels["upos"])
    assert {word.deprel for word in words} <= set(labels["deprels"])
    assert parser.languages == [] and parser.card.date == ""  # a run without a card


def test_there_is_one_way_to_parse(parser, monkeypatch):
    seen = []
    columns = ConlluPredictor.columns
    monkeypatch.setattr(
        ConlluPredictor,
        "columns",
        lambda self, batch, **origins: seen.append(len(batch)) or columns(self, batch, **origins),
    )
    parser(TEXT)
    list(parser.parse(read_sentences(DEV)))
    assert seen == [3, 40]


def test_one_word_may_be_a_text(parser):
    for texts in (["Yes.", "No."], ["私は学生です。", "彼は先生です。"]):
        assert [one.text for one in parser(texts).by_text()] == texts


def test_a_stream_says_which_text_is_wrong(parser):
    with pytest.raises(InputError, match="accept nan as item 1 of its input"):
        list(parser.stream(iter(["a", float("nan")])))


def test_files_are_what_they_begin_as(parser, tmp_path):
    (tmp_path / "text.txt").write_text(TEXT)
    parser.parse_file(tmp_path / "text.txt", tmp_path / "expected.conllu", silent=True)
    expected = (tmp_path / "expected.conllu").read_text()
    for name in ("README.md", "TEXT.TXT", "notes"):
        (tmp_path / name).write_text(TEXT)
        parser.parse_file(tmp_path / name, tmp_path / "parsed.conllu", silent=True)
        assert (tmp_path / "parsed.conllu").read_text() == expected


def test_another_process_loads_it_by_its_path(run, monkeypatch):
    monkeypatch.chdir(run.parent)
    parser = Parser.load(run.name, lang="en", batch_size=3, probabilities=True)
    expected = parser(TEXT).conllu
    sent = pickle.dumps(parser)
    assert len(sent) < 1000
    monkeypatch.chdir("/")
    again = pickle.loads(sent)
    assert again(TEXT).conllu == expected
    assert pickle.dumps(again) == sent
    copied = copy.deepcopy(parser)
    assert copied._predictor.model is not parser._predictor.model
    assert copy.copy(parser)._predictor is parser._predictor
    assert copied(TEXT).conllu == expected
    copied._predictor.reload = None
    with pytest.raises(pickle.PicklingError, match=r"Parser.load\(path\)"):
        pickle.dumps(copied)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_processes_answer(parser):
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        expected = [word.head for word in parser(TEXT).words]
        torch.rand(300, 300) @ torch.rand(300, 300)  # on both threads
        context = multiprocessing.get_context("fork")
        answers = context.SimpleQueue()
        children = [context.Process(target=_answer, args=(parser, answers)) for _ in range(5)]
        for child in children:
            child.start()
        for child in children:
            child.join(60)
            child.kill()
        assert [child.exitcode for child in children] == [0] * 5
        assert [answers.get() for _ in children] == [expected] * 5
    finally:
        torch.set_num_threads(threads)


def _answer(parser, answers):
    torch.rand(300, 300) @ torch.rand(300, 300)
    answers.put([word.head for word in parser(TEXT).words])


def test_spawned_processes_answer(parser):
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        parsed = pool.map(parser, [TEXT, "Why?"])
    assert [document.conllu for document in parsed] == [parser(TEXT).conllu, parser("Why?").conllu]
