"""Formats and tokenizer options, beside those of UDPipe itself."""

import itertools
import json

import pytest

from tests.helpers import DEV
from udify_allennlp.apps.service.formats import READERS, WRITERS, as_dicts
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
    return "".join(WRITERS[kind](sentences))


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


PARSED = """# newdoc
# newpar
# text = du "b" <c
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tde\tde\tADP\tE\tA=B,D|C=D\t2\tcase\t_\tTokenRange=0:2
2\tle\tle\tDET\t_\t_\t3\tdet\t_\tTokenRange=0:2
3\t"b" <c\tx&y'\tX\t_\t_\t0\troot\t_\tSpacesAfter=\\s\\s\\n

# text = Why no tree?
1\tWhy\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No
2\tno tree\t_\t_\t_\t_\t_\t_\t_\t_

"""


@pytest.mark.parametrize("kind", WRITERS)
def test_trees_are_written_as_udpipe_writes_them(kind):
    assert written(kind, READERS["conllu"](PARSED)) == udpipe(PARSED, "conllu", kind)


def test_a_tree_as_deep_as_its_sentence_is_long_can_be_written():
    words = Sentence.from_words(["a"] * 1000)
    deep = words.replace(heads=[str(n) for n in range(1000)], deprels=["dep"] * 1000)
    assert written("matxin", [deep]).count("</NODE>") == 999


def test_trees_as_json():
    first, second = json.loads(json.dumps(list(as_dicts(READERS["conllu"](PARSED), False))))
    assert [word["form"] for word in first["words"]] == ["de", "le", '"b" <c']
    assert [word["head"] for word in first["words"]] == [2, 3, 0]
    assert first["words"][0]["feats"] == {"A": "B,D", "C": "D"}
    assert first["multiword_tokens"] == [{"text": "du", "words": [1, 2]}]
    assert [word["head"] for word in second["words"]] == [0, None]
    raw = "Dogs bark.  They do!"
    sentences = list(as_dicts(TextReader().read(raw, "en"), True))
    words = [word for sentence in sentences for word in sentence["words"]]
    assert len(sentences) == 2
    assert [raw[word["start"] : word["end"]] for word in words] == [w["form"] for w in words]


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
