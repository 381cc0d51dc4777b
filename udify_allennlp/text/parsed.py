"""Parsed sentences as objects: words with their tree, instead of columns of strings."""

from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Optional, Tuple

from udify_allennlp.text.raw_text import rebuild, spans
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.tree_check import head_number


@dataclass(eq=False)
class Word:
    """One word and its place in the tree. Of a column without a value, the string is `_`."""

    id: int
    """1 for the first word of its sentence."""
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: Dict[str, str]
    """`{"Number": "Plur"}`; empty if there are none."""
    head: Optional[int]
    """Id of the head; 0 for the root, `None` where the model predicts no trees."""
    deprel: str
    misc: str
    start: Optional[int] = None
    """Where the word starts in the raw text, in characters; `None` if it comes from no raw text.
    The words of a multiword token share its place."""
    end: Optional[int] = None
    parent: Optional["Word"] = field(default=None, repr=False)
    """The head; `None` for the root."""
    children: List["Word"] = field(default_factory=list, repr=False)
    """The dependents, in the order of the text."""


class ParsedSentence:
    """
    A sequence of `Word`s.

    # Parameters

    sentence : `Sentence`
        With the predicted columns.
    start : `Optional[int]`
        Where it starts in the raw text that it comes from, with the spaces before it.
    """

    def __init__(self, sentence: Sentence, start: Optional[int] = None) -> None:
        self.sentence = sentence
        places: List[Tuple[Optional[int], Optional[int]]] = [(None, None)] * len(sentence)
        if start is not None:
            places = [*spans(sentence, start)]
        self.words = [
            Word(
                number,
                form,
                lemma,
                upos,
                xpos,
                _feats(feats),
                head_number(head, len(sentence)),
                deprel,
                misc,
                *place,
            )
            for number, form, lemma, upos, xpos, feats, head, deprel, misc, place in zip(
                range(1, len(sentence) + 1),
                sentence.forms,
                sentence.lemmas,
                sentence.upos,
                sentence.xpos,
                sentence.feats,
                sentence.heads,
                sentence.deprels,
                sentence.misc,
                places,
            )
        ]
        for word in self.words:
            if word.head:
                word.parent = self.words[word.head - 1]
                word.parent.children.append(word)

    @property
    def root(self) -> Word:
        """`ValueError` where the model predicts no trees."""
        for word in self.words:
            if word.head == 0:
                return word
        raise ValueError("the model predicts no trees: it was trained without the decoder 'deps'.")

    @property
    def conllu(self) -> str:
        """The block of CoNLL-U, with the blank line behind it."""
        return self.sentence.text

    @property
    def text(self) -> str:
        """As it was written, without the white space around it."""
        return rebuild([self.sentence]).strip()

    def to_tree(self) -> str:
        """The tree as text, a word a line: each under its head, dependents in their order."""
        lines: List[str] = []
        stack = [(self.root, "", "")]
        while stack:
            word, branch, indent = stack.pop()
            lines.append(f"{branch}{word.form} {word.upos} {word.deprel}\n")
            for child in reversed(word.children):
                last = child is word.children[-1]
                step = ("└── ", "    ") if last else ("├── ", "│   ")
                stack.append((child, indent + step[0], indent + step[1]))
        return "".join(lines)

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def __getitem__(self, index: int) -> Word:
        """The first word is 0, as in every sequence, though its id is 1."""
        return self.words[index]

    def __repr__(self) -> str:
        return f"<ParsedSentence {self.text!r}>"


def _feats(cell: str) -> Dict[str, str]:
    if cell == "_":
        return {}
    return {name: value for name, _, value in (item.partition("=") for item in cell.split("|"))}
