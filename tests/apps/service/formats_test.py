"""Formats and tokenizer options, beside those of UDPipe itself."""

import itertools

import pytest

from tests.helpers import DEV
from udify_allennlp.apps.service.formats import READERS, WRITERS
from udify_allennlp.apps.service.texts import TextReader
from udify_allennlp.text.conllu import Sentence, read_sentences
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.raw_text import rebuild

TOKENIZED = {
    "horizontal": "A dog  sleeps .\nNew\u00a0York\tx\r\n\n\n third\n",
    "vertical": "A\tDT\ndog\n\n\nNew York\nx\r\n\nthird",
}
RANGES = (
    "# newpar\n# text = du b\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tle\t_\t_\t_\t_\t_\t_\t_\t_\n2.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "3\tb c\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
)


def written(kind, sentences):
    return "".join(map(WRITERS[kind], sentences))


def udpipe(data, source, target):
    package = pytest.importorskip("ufal.udpipe")
    reader = package.InputFormat.newInputFormat(source)
    writer = package.OutputFormat.newOutputFormat(target)
    reader.setText(data)
    sentence, error, found = package.Sentence(), package.ProcessingError(), ""
    while reader.nextSentence(sentence, error):
        found += writer.writeSentence(sentence)
        sentence = package.Sentence()
    assert not error.occurred()
    return found + writer.finishDocument()


@pytest.mark.parametrize("kind", TOKENIZED)
def test_tokenized_text_is_read_as_udpipe_reads_it(kind):
    data = TOKENIZED[kind]
    ours = written("conllu", READERS[kind](data))
    assert ours == udpipe(data.replace("\r", ""), kind, "conllu")
    assert ours.count("# newpar") == 2 and "New York" in ours


@pytest.mark.parametrize("kind", WRITERS)
def test_sentences_are_written_as_udpipe_writes_them(kind):
    assert written(kind, READERS["conllu"](RANGES)) == udpipe(RANGES, "conllu", kind)


def test_written_and_read_again_the_words_are_the_same():
    words = ["a", "b c", "\u0085x", "#", "1-2"]
    sentences = [list(some) for size in (1, 2, 3) for some in itertools.product(words, repeat=size)]
    made = [Sentence.from_words(words) for words in sentences]
    for kind in TOKENIZED:
        again = READERS[kind](written(kind, made))
        assert [sentence.forms for sentence in again] == sentences


def test_conllu_is_kept_to_the_byte_and_judged_by_line():
    text = "".join(sentence.text for sentence in read_sentences(DEV))
    assert written("conllu", READERS["conllu"](text)) == text
    with pytest.raises(ConlluError, match=r"^data:2: the line has 1 columns instead of 10\."):
        list(READERS["conllu"]("# text = a\na\n\n"))


def test_options_of_the_tokenizer():
    text = "The  dog\nsleeps. It doesn't!\n\nWhy?"
    plain, ranged, neat = (
        list(TextReader().read(text, "af", options))
        for options in ("", "ranges;unknown=3", "normalized_spaces")
    )
    assert rebuild(plain) == text
    for sentence in ranged:
        for form, misc in zip(sentence.forms, sentence.misc):
            start, end = misc.rpartition("TokenRange=")[2].split(":")
            assert text[int(start) : int(end)] == form
    assert [sentence.misc for sentence in neat] == [
        ["_", "_", "SpaceAfter=No", "_"],
        ["_", "SpaceAfter=No", "_"],
        ["SpaceAfter=No", "SpaceAfter=No"],
    ]
    lines = TextReader().read(text, "af", "presegmented")
    assert [s.forms[0] for s in lines] == ["The", "sleeps", "Why"]
