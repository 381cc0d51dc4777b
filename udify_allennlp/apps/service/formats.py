"""
The formats of tokenized text that UDPipe knows, read and written
(https://ufal.mff.cuni.cz/udpipe/1/users-manual, "Input Formats" and "Output Formats").
"""

import io
from typing import Callable, Dict, Iterable, Iterator, List

from udify_allennlp.predictors.conllu_predictor import block
from udify_allennlp.text.conllu import Sentence, sentences_in
from udify_allennlp.text.sentence import BOM

SOURCE = "data"
"""Stands for the file in messages, such as `data:3: the line has 4 columns instead of 10`."""

_NO_BREAK_SPACE = "\u00a0"


def read_conllu(data: str) -> Iterator[Sentence]:
    """`ConlluError` with line and remedy for what is not CoNLL-U."""
    return sentences_in(io.BytesIO(data.encode("utf-8")), SOURCE)


def read_horizontal(data: str) -> Iterator[Sentence]:
    """
    A sentence a line, its words between spaces; a no-break space is a space inside a word. An empty
    line starts a paragraph. `ValueError` for words that cannot stand in CoNLL-U.
    """
    lines = (line.replace("\t", " ").split(" ") for line in _lines(data))
    return _numbered(
        [word.replace(_NO_BREAK_SPACE, " ") for word in words if word.strip()] for words in lines
    )


def read_vertical(data: str) -> Iterator[Sentence]:
    """
    A word a line, up to its first tab; a sentence ends at an empty line, a paragraph at two.
    `ValueError` for words that cannot stand in CoNLL-U.
    """
    return _numbered(_vertical(_lines(data)))


def _vertical(lines: Iterable[str]) -> Iterator[List[str]]:
    words: List[str] = []
    for line in lines:
        word = line.partition("\t")[0]
        if word.strip():
            words.append(word)
        else:
            yield words
            words = []
    yield words


def _lines(data: str) -> List[str]:
    return data.removeprefix(BOM).replace("\r\n", "\n").split("\n")


def _numbered(sentences: Iterable[List[str]]) -> Iterator[Sentence]:
    """With the comments that UDPipe gives them; one without words stands for a new paragraph."""
    comments = ["# newdoc", "# newpar"]
    number = 0
    for words in sentences:
        if words:
            number += 1
            rows = Sentence.from_words(words, SOURCE).text
            yield Sentence("\n".join([*comments, f"# sent_id = {number}", rows]), SOURCE)
            comments = []
        elif not comments:
            comments = ["# newpar"]


def write_horizontal(sentence: Sentence) -> str:
    """Syntactic words, as UDPipe does: of `du` its words `de le`."""
    return " ".join(form.replace(" ", _NO_BREAK_SPACE) for form in sentence.forms) + "\n"


def write_vertical(sentence: Sentence) -> str:
    return "\n".join(sentence.forms) + "\n\n"


READERS: Dict[str, Callable[[str], Iterator[Sentence]]] = {
    "conllu": read_conllu,
    "horizontal": read_horizontal,
    "vertical": read_vertical,
}
WRITERS: Dict[str, Callable[[Sentence], str]] = {
    "conllu": block,
    "horizontal": write_horizontal,
    "vertical": write_vertical,
}
