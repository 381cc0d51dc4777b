"""The parts of a sentence that are not words: comments, multiword tokens and empty nodes."""

from typing import NamedTuple

from udify_allennlp.text.sentence import BOM, COLUMNS, Sentence


class MultiwordToken(NamedTuple):
    """A multiword token: the words `first` to `last` are written as `form`."""

    first: int
    last: int
    form: str


class EmptyNode(NamedTuple):
    """A node of only the enhanced graph, such as 5.1: after the word 5, 0 for before word 1."""

    after: int
    id: str
    form: str
    lemma: str
    upos: str
    feats: str
    deps: str


def comment(sentence: Sentence, name: str) -> str:
    """Returns the value of the comment `# name = value`; empty without one."""
    for line in sentence.comments:
        key, _, value = line.lstrip("# ").partition("=")
        if key.strip() == name:
            return value.strip()
    return ""


def multiword_tokens(sentence: Sentence) -> list[MultiwordToken]:
    """Returns the multiword tokens, in order."""
    tokens = []
    for cells in _rows(sentence):
        first, dash, last = cells[0].partition("-")
        if dash:
            tokens.append(MultiwordToken(int(first), int(last), cells[COLUMNS["form"]]))
    return tokens


def empty_nodes(sentence: Sentence) -> list[EmptyNode]:
    """Returns the empty nodes, in order."""
    names = ("form", "lemma", "upos", "feats", "deps")
    return [
        EmptyNode(int(cells[0].split(".")[0]), cells[0], *(cells[COLUMNS[name]] for name in names))
        for cells in _rows(sentence)
        if "." in cells[0]
    ]


def _rows(sentence: Sentence) -> list[list[str]]:
    lines = sentence.text.removeprefix(BOM).replace("\r\n", "\n").split("\n")
    return [line.split("\t") for line in lines if line and line[0] != "#"]
