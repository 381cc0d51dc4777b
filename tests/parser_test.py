"""`Parser`: what goes in, in which order it comes out, and the objects that come out."""

import itertools

import pytest
from allennlp.common.checks import ConfigurationError

from tests.conftest import FIXTURES
from tests.helpers import DEV
from tests.saved_model import save_run
from udify_allennlp import Parser
from udify_allennlp.compat.archives import ArchiveError
from udify_allennlp.predictors import ConlluPredictor
from udify_allennlp.text.conllu import ConlluError, Sentence, read_sentences
from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.raw_text import rebuild

TEXT = "The dog sleeps.  It doesn't snore!\n\nWhy?"
TREE = """\
# text = Dogs, she says, sleep.
1	Dogs	dog	NOUN	_	Gender=Masc|Number=Plur	6	nsubj	_	SpaceAfter=No
2	,	,	PUNCT	_	_	1	punct	_	_
3	she	she	PRON	_	_	4	nsubj	_	_
4	says	say	VERB	_	_	6	parataxis	_	SpaceAfter=No
5	,	,	PUNCT	_	_	4	punct	_	_
6	sleep	sleep	VERB	_	_	0	root	_	SpaceAfter=No
7	.	.	PUNCT	_	_	6	punct	_	SpacesAfter=\\n

"""


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
        assert [s.conllu for s in again(read_sentences(DEV))] == expected
        assert [s.text for s in again.parse(read_sentences(DEV))] == expected


def read(parser, path):
    return parser._predictor.reader.sentences(path)


def test_raw_text_with_its_places(parser):
    sentences = list(parser(TEXT))
    assert [s.text for s in sentences] == ["The dog sleeps.", "It doesn't snore!", "Why?"]
    for sentence in sentences:
        for word in sentence:
            assert TEXT[word.start : word.end] == word.form
            assert word.upos != "_" and word.lemma and word.head is not None
    assert rebuild(sentence.sentence for sentence in sentences) == TEXT
    assert list(parser(" \n")) == []


def test_every_kind_of_input_gives_the_same(parser):
    words = [["The", "dog", "sleeps", "."], ["No", "!"]]
    sentences = [Sentence.from_words(some) for some in words]
    expected = [s.conllu for s in parser(sentences)]
    assert [[word.form for word in s] for s in parser(sentences)] == words
    for source in (words, tuple(words), iter(words), iter(sentences), (tuple(w) for w in words)):
        assert [s.conllu for s in parser(source)] == expected
    assert [s.conllu for some in words for s in parser(some)] == expected
    assert [s.conllu for some in sentences for s in parser(some)] == expected
    assert next(parser(words)).words[0].start is None
    assert list(parser([])) == []


def test_an_iterator_of_texts_counts_sentences_through(parser):
    sentences = list(parser(text for text in ["A dog. It sleeps.", "Why?"]))
    ids = [c for s in sentences for c in s.sentence.comments if c.startswith("# sent_id")]
    assert ids == [f"# sent_id = {number}" for number in (1, 2, 3)]
    assert sentences[2][0].start == 0


def test_a_stream_without_end_is_parsed_as_it_comes(run):
    parser = Parser.load(run, batch_size=4)
    drawn = itertools.count()
    stream = (["word"] * (next(drawn) % 3 + 1) for _ in itertools.repeat(None))
    lengths = [len(sentence) for sentence in itertools.islice(parser(stream), 10)]
    assert lengths == [1, 2, 3, 1, 2, 3, 1, 2, 3, 1]
    assert next(drawn) == 12  # three batches


@pytest.mark.parametrize(
    "source, error, message",
    [
        (3, ConfigurationError, "given 3. Give it raw text as a string"),
        ([["a"], 3], ConfigurationError, "given 3"),
        (["a", ["b"]], ValueError, "word 2 has"),
        ([["a\tb"]], ValueError, "no tab or newline"),
        ([["a"], []], ConlluError, "no words"),
    ],
)
def test_input_that_is_none(parser, source, error, message):
    with pytest.raises(error, match=message):
        list(parser(source))


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


def test_options_of_load(run):
    assert Parser.load(run, precision="bfloat16")._predictor._model.precision == "bfloat16"
    with pytest.raises(ConfigurationError, match="model.precision is 'half'"):
        Parser.load(run, precision="half")
    with pytest.raises(ConfigurationError, match="batch_size is 0"):
        Parser.load(run, batch_size=0)
    with pytest.raises(ConfigurationError, match="no tokenizer 'none'"):
        list(Parser.load(run, tokenizer="none")("text"))
    with pytest.raises(ArchiveError, match="nowhere.tar.gz: no such file"):
        Parser.load(run / "nowhere.tar.gz")


def test_the_objects_by_hand():
    sentence = ParsedSentence(Sentence(TREE), start=10)
    assert (len(sentence), sentence.conllu) == (7, TREE)
    assert sentence.text == "Dogs, she says, sleep."
    dogs, says, root = sentence[0], sentence[3], sentence.root
    assert dogs.feats == {"Gender": "Masc", "Number": "Plur"} and root.feats == {}
    assert (root.form, root.head, root.parent) == ("sleep", 0, None)
    assert [word.form for word in root.children] == ["Dogs", "says", "."]
    assert dogs.parent is root and says.children == [sentence[2], sentence[4]]
    assert [(word.start, word.end) for word in sentence][:3] == [(10, 14), (14, 15), (16, 19)]
    assert dogs.misc == "SpaceAfter=No" and dogs.xpos == "_"
    assert sentence.to_tree() == (
        "sleep VERB root\n"
        "├── Dogs NOUN nsubj\n"
        "│   └── , PUNCT punct\n"
        "├── says VERB parataxis\n"
        "│   ├── she PRON nsubj\n"
        "│   └── , PUNCT punct\n"
        "└── . PUNCT punct\n"
    )


def test_a_long_chain_is_drawn():
    rows = (f"{i}\tw\t_\tX\t_\t_\t{i - 1}\tdep\t_\t_\n" for i in range(1, 3001))
    sentence = ParsedSentence(Sentence("".join(rows) + "\n"))
    assert len(sentence.to_tree().splitlines()) == 3000


def test_a_model_without_trees_has_no_root():
    sentence = ParsedSentence(Sentence.from_words(["a"]))
    assert sentence[0].head is None and sentence[0].feats == {}
    with pytest.raises(ValueError, match="without the decoder 'deps'"):
        sentence.to_tree()


def test_there_is_one_way_to_parse(parser, monkeypatch):
    seen = []
    columns = ConlluPredictor.columns
    monkeypatch.setattr(
        ConlluPredictor,
        "columns",
        lambda self, batch, **origins: seen.append(len(batch)) or columns(self, batch, **origins),
    )
    list(parser(TEXT))
    list(parser.parse(read_sentences(DEV)))
    assert seen == [3, 40]
