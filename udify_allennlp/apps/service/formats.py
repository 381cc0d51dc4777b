"""
The formats of tokenized text that UDPipe supports, read and written
(https://ufal.mff.cuni.cz/udpipe/1/users-manual, "Input Formats" and "Output Formats").
"""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from xml.sax.saxutils import escape

from udify_allennlp.text.conllu import Sentence, sentences_in, separate_block
from udify_allennlp.text.misc_column import entries
from udify_allennlp.text.output_kinds import placed
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.sentence import BOM
from udify_allennlp.text.tree_check import head_number

SOURCE = "data"
"""The name of the file in messages, such as `data:3: the line has 4 columns instead of 10`."""

_NO_BREAK_SPACE = "\u00a0"
_QUOTE = {'"': "&quot;"}


def read_conllu(data: str) -> Iterator[Sentence]:
    """Reads CoNLL-U; raises `ConlluError` with line and remedy for errors."""
    return sentences_in(io.BytesIO(data.encode("utf-8")), SOURCE)


def read_horizontal(data: str) -> Iterator[Sentence]:
    """
    Reads one sentence per line, with words separated by spaces; a no-break space is a space inside
    a word. An empty line starts a paragraph. Raises `ValueError` for words that CoNLL-U cannot
    hold.
    """
    lines = (line.replace("\t", " ").split(" ") for line in _lines(data))
    return _numbered(
        [word.replace(_NO_BREAK_SPACE, " ") for word in words if word.strip()] for words in lines
    )


def read_vertical(data: str) -> Iterator[Sentence]:
    """
    Reads one word per line, up to its first tab; an empty line ends a sentence, two a paragraph.
    Raises `ValueError` for words that CoNLL-U cannot hold.
    """
    return _numbered(_vertical(_lines(data)))


def _vertical(lines: Iterable[str]) -> Iterator[list[str]]:
    words: list[str] = []
    for line in lines:
        word = line.partition("\t")[0]
        if word.strip():
            words.append(word)
        else:
            yield words
            words = []
    yield words


def _lines(data: str) -> list[str]:
    return data.removeprefix(BOM).replace("\r\n", "\n").split("\n")


def _numbered(sentences: Iterable[list[str]]) -> Iterator[Sentence]:
    """
    Yields the sentences with the comments that UDPipe adds; an empty one stands for a new
    paragraph.
    """
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


def write_conllu(sentences: Iterable[Sentence]) -> Iterator[str]:
    return map(separate_block, sentences)


def write_horizontal(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yields syntactic words, as UDPipe does: `de le` for `du`."""
    for sentence in sentences:
        yield " ".join(form.replace(" ", _NO_BREAK_SPACE) for form in sentence.forms) + "\n"


def write_vertical(sentences: Iterable[Sentence]) -> Iterator[str]:
    for sentence in sentences:
        yield "\n".join(sentence.forms) + "\n\n"


def write_plaintext(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yields the original text of the sentences, with its spaces."""
    for sentence in sentences:
        yield rebuild([sentence])


def write_matxin(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yields XML, each word inside its head; words without a head are left out, as in UDPipe."""
    yield "<corpus>"
    for number, sentence in enumerate(sentences, start=1):
        yield f'\n<SENTENCE ord="{number}" alloc="0">\n{_nodes(sentence)}</SENTENCE>\n'
    yield "</corpus>\n"


def _nodes(sentence: Sentence) -> str:
    below = _dependents(sentence)
    lines: list[str] = []
    waiting = [(word, 1, False) for word in reversed(below[0])]
    while waiting:
        word, depth, is_closed = waiting.pop()
        indent = " " * depth
        if is_closed:
            lines.append(f"{indent}</NODE>\n")
            continue
        feats = sentence.feats[word - 1]
        cells = {
            "ord": str(word),
            "alloc": "0",
            "form": sentence.forms[word - 1],
            "lem": sentence.lemmas[word - 1],
            "mi": "" if feats == "_" else feats,
            "si": sentence.deprels[word - 1],
        }
        shown = " ".join(f'{name}="{escape(cell, _QUOTE)}"' for name, cell in cells.items())
        lines.append(f"{indent}<NODE {shown}{'' if below[word] else '/'}>\n")
        if below[word]:
            waiting.append((word, depth, True))
            waiting += [(child, depth + 1, False) for child in reversed(below[word])]
    return "".join(lines)


def _dependents(sentence: Sentence) -> list[list[int]]:
    """Returns the dependents of ROOT and of each word."""
    below: list[list[int]] = [[] for _ in range(len(sentence) + 1)]
    for word, head in enumerate(sentence.heads, start=1):
        number = head_number(head, len(sentence))
        if number is not None:
            below[number].append(word)
    return below


def write_epe(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yields graphs, each in a line of JSON (http://epe.nlpl.eu)."""
    for number, sentence in enumerate(sentences, start=1):
        below = _dependents(sentence)
        nodes = [_epe_node(sentence, word, below[word]) for word in range(1, len(sentence) + 1)]
        graph = {"id": number, "nodes": nodes}
        yield json.dumps(graph, ensure_ascii=False, separators=(", ", ":")) + "\n"


def _epe_node(sentence: Sentence, word: int, below: list[int]) -> dict[str, Any]:
    place = word - 1
    node: dict[str, Any] = {"id": word, "form": sentence.forms[place]}
    start, _, end = entries(sentence.misc[place]).get("TokenRange", "").partition(":")
    if start and end:
        node.update(start=int(start), end=int(end))
    if sentence.heads[place] == "0":
        node["top"] = True
    properties = {"lemma": sentence.lemmas[place]}
    for name, cell in (("upos", sentence.upos[place]), ("xpos", sentence.xpos[place])):
        properties[name] = "" if cell == "_" else cell
    feats = sentence.feats[place]
    node["properties"] = {**properties, **({} if feats == "_" else entries(feats))}
    if below:
        node["edges"] = [{"label": sentence.deprels[child - 1], "target": child} for child in below]
    return node


def as_dicts(sentences: Iterable[Sentence], is_raw: bool) -> Iterator[dict[str, Any]]:
    """
    Yields each sentence with its words, as in `ParsedSentence.to_dict`; for raw text, with the
    positions of the words in it.
    """
    for sentence in placed(sentences, is_raw):
        fields = sentence.to_dict()
        del fields["text_index"]
        yield fields


READERS: dict[str, Callable[[str], Iterator[Sentence]]] = {
    "conllu": read_conllu,
    "horizontal": read_horizontal,
    "vertical": read_vertical,
}
WRITERS: dict[str, Callable[[Iterable[Sentence]], Iterator[str]]] = {
    "conllu": write_conllu,
    "horizontal": write_horizontal,
    "vertical": write_vertical,
    "plaintext": write_plaintext,
    "matxin": write_matxin,
    "epe": write_epe,
}
"""A writer, which yields the pieces of the output in order."""
JSON = "json"
"""The name of our own output format: the sentences as JSON."""
