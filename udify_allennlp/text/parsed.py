"""A parsed sentence as objects: words with their tree, instead of columns of strings."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import (
    Any,
    NamedTuple,
    Optional,
    Union,
    overload,
)

from udify_allennlp.text.constituents.sentences import has_tree, tree_of
from udify_allennlp.text.constituents.tree import Phrase
from udify_allennlp.text.drawing.branches import branches
from udify_allennlp.text.drawing.svg import runs_leftwards, standalone, tree_svg
from udify_allennlp.text.lang_comment import lang_of
from udify_allennlp.text.misc_column import entries
from udify_allennlp.text.non_word_rows import comment, multiword_tokens
from udify_allennlp.text.raw_text import rebuild, spans
from udify_allennlp.text.roles.predicates import Predicate, predicates_of
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.tree_check import head_number

_SURE = "Prob"
_NUMBER = re.compile(r"[01]\.\d+$")


@dataclass(eq=False)
class Word:
    """
    One syntactic word and its place in the tree. Of a column without a value, the string is `_`.
    `dataclasses.asdict` gives the columns as a dictionary.
    """

    id: int
    """1 for the first word of its sentence."""
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: dict[str, str]
    """`{"Number": "Plur"}`; empty if there are none."""
    head: Optional[int]
    """Id of the head; 0 for the root, `None` where the model predicts no trees."""
    deprel: str
    misc: str
    start: Optional[int] = None
    """Where the word starts in the raw text, in characters; `None` if it comes from no raw text.
    The words of a multiword token share its place."""
    end: Optional[int] = None
    """Behind its last character."""

    def __post_init__(self) -> None:
        # No field: a sentence has words, which have a sentence, and `asdict` would go round.
        self._sentence: Optional[ParsedSentence] = None

    @property
    def text(self) -> str:
        """The form, under the name that it has in Stanza and spaCy."""
        return self.form

    @property
    def probabilities(self) -> dict[str, float]:
        """
        `{"upos": 0.98, "head": 0.91, ...}`: how sure a parser with `probabilities` is of each
        prediction, of the deprel if the head is right; empty without.
        """
        cells = entries(self.misc).items()
        ours = {name.removesuffix(_SURE): cell for name, cell in cells if name.endswith(_SURE)}
        return {name.lower(): float(cell) for name, cell in ours.items() if _NUMBER.match(cell)}

    @property
    def parent(self) -> Optional["Word"]:
        """The head; `None` for the root."""
        if self._sentence is None or not self.head:
            return None
        return self._sentence.words[self.head - 1]

    @property
    def children(self) -> list["Word"]:
        """The dependents, in the order of the text."""
        return [] if self._sentence is None else list(self._sentence._children.get(self.id, ()))

    @property
    def ancestors(self) -> list["Word"]:
        """The head, its head, and so on to the root."""
        found: list[Word] = []
        word = self.parent
        while word is not None and word is not self and word not in found:
            found.append(word)
            word = word.parent
        return found

    @property
    def descendants(self) -> list["Word"]:
        """All words below this one, in the order of the text."""
        return [word for word in self.subtree if word is not self]

    @property
    def subtree(self) -> list["Word"]:
        """This word and all below it, in the order of the text."""
        found = {self.id: self}
        waiting = [self]
        while waiting:
            new = [word for word in waiting.pop().children if word.id not in found]
            found.update((word.id, word) for word in new)
            waiting += new
        return [found[number] for number in sorted(found)]


class SurfaceToken(NamedTuple):
    """What stands in the text: a word, or the several words of a multiword token."""

    text: str
    """`du`; where it is a word, its form."""
    words: tuple[Word, ...]
    """`de` and `le`."""
    start: Optional[int]
    end: Optional[int]
    """As those of its words."""
    is_multiword: bool


class ParsedSentence(Sequence[Word]):
    """
    A sequence of `Word`s, drawn as a tree in notebooks.

    # Parameters

    sentence : `Sentence`
        With the predicted columns.
    start : `Optional[int]`
        Where it starts in the raw text that it comes from, with the spaces before it.
    text_index : `int`
        Which of the texts that were given it is from; the first is 0.
    """

    def __init__(
        self, sentence: Sentence, start: Optional[int] = None, text_index: int = 0
    ) -> None:
        self.sentence = sentence
        self.text_index = text_index
        size = len(sentence)
        places: list[tuple[Optional[int], Optional[int]]] = [(None, None)] * size
        if start is not None:
            places = [*spans(sentence, start)]
        columns: Iterable[Any] = zip(
            range(1, size + 1),
            sentence.forms,
            sentence.lemmas,
            sentence.upos,
            sentence.xpos,
            map(_feats, sentence.feats),
            (head_number(head, size) for head in sentence.heads),
            sentence.deprels,
            sentence.misc,
            *zip(*places),
        )
        self.words = [Word(*cells) for cells in columns]
        self._children: dict[int, list[Word]] = {}
        for word in self.words:
            word._sentence = self
            if word.head:
                self._children.setdefault(word.head, []).append(word)

    @property
    def root(self) -> Word:
        """`ValueError` where the model predicts no trees."""
        for word in self.words:
            if word.head == 0:
                return word
        raise ValueError("the model predicts no trees: it was trained without the decoder 'deps'.")

    @property
    def sent_id(self) -> Optional[str]:
        """The value of its comment `# sent_id = ...`; raw text is numbered from 1."""
        return comment(self.sentence, "sent_id") or None

    @property
    def lang(self) -> Optional[str]:
        """
        The code of its language, where its comment `# lang = ...` says it: raw text gets one, given
        or guessed, from models that read the language.
        """
        return lang_of(self.sentence) or None

    @property
    def text(self) -> str:
        """As it was written, without the white space around it."""
        return rebuild([self.sentence]).strip()

    @property
    def conllu(self) -> str:
        """The block of CoNLL-U, with the blank line behind it."""
        return self.sentence.text

    @property
    def tokens(self) -> list[SurfaceToken]:
        """What stands in the text, in its order: the words of a multiword token are one token."""
        found: list[SurfaceToken] = []
        ranges = {token.first: token for token in multiword_tokens(self.sentence)}
        next_word = 1
        while next_word <= len(self.words):
            token = ranges.get(next_word)
            words = tuple(self.words[next_word - 1 : token.last if token else next_word])
            text = token.form if token else words[0].form
            place = words[0].start, words[0].end
            found.append(SurfaceToken(text, words, *place, token is not None))
            next_word += len(words)
        return found

    @property
    def multiword_tokens(self) -> list[SurfaceToken]:
        """Those of `tokens` that are written as one and are several words."""
        return [token for token in self.tokens if token.is_multiword]

    @property
    def predicates(self) -> list[Predicate]:
        """
        The predicates and their semantic roles, in the order of the text; none where the model
        predicts no roles. Their words are ids: `sentence[predicate.word - 1]`.
        """
        return predicates_of(self.sentence)

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """
        The constituents in the order in which their brackets open, `TOP` first; none where the
        model predicts no phrase structure.
        """
        return tree_of(self.sentence).phrases if has_tree(self.sentence) else ()

    @property
    def brackets(self) -> str:
        """
        The phrase structure in a line, `(TOP (S (NP ...)))`. `ValueError` where there is none.
        """
        return tree_of(self.sentence).brackets()

    def to_dict(self) -> dict[str, Any]:
        """
        `sent_id`, `text`, `text_index`, `words` with their columns, and `multiword_tokens` with the
        ids of their words: nothing but what JSON has. A sentence whose language is known has `lang`
        as well, one with semantic roles `predicates`, one with phrase structure `brackets`.
        """
        found: dict[str, Any] = {
            "sent_id": self.sent_id,
            "text": self.text,
            "text_index": self.text_index,
            "words": [asdict(word) for word in self.words],
            "multiword_tokens": [
                {"text": token.text, "words": [word.id for word in token.words]}
                for token in self.multiword_tokens
            ],
        }
        if self.lang:
            found["lang"] = self.lang
        if self.predicates:
            found["predicates"] = list(map(_predicate, self.predicates))
        if self.phrases:
            found["brackets"] = self.brackets
        return found

    def to_json(self) -> str:
        """`to_dict` in one line."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_svg(self) -> str:
        """The tree as a picture: an SVG file by itself, or a part of a page."""
        return standalone(tree_svg(self.sentence))

    def to_tree(self) -> str:
        """
        The tree as text, a word a line: each under its head, dependents in their order. A
        `ValueError` as of `root`.
        """
        root = self.root
        others = [word for word in self.words if word.head == 0 and word is not root]
        return branches(
            [root, *others],
            lambda word: f"{word.form} {word.upos} {word.deprel}",
            lambda word: word.children,
        )

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        direction = "rtl" if runs_leftwards(self.sentence) else "ltr"  # where scrolling starts
        style = "overflow-x: auto; background: #fff; padding: .3em"
        return f'<div dir="{direction}" style="{style}">{self.to_svg()}</div>'

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    @overload
    def __getitem__(self, index: int) -> Word: ...

    @overload
    def __getitem__(self, index: slice) -> list[Word]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Word, list[Word]]:
        """The first word is 0, as in every sequence, though its id is 1."""
        return self.words[index]

    def __repr__(self) -> str:
        return f"<ParsedSentence {self.text!r}>"


def _predicate(predicate: Predicate) -> dict[str, Any]:
    """Each argument with the ids of its first and its last word."""
    return {
        "word": predicate.word,
        "lemma": predicate.lemma,
        "sense": predicate.sense,
        "spans": [each._asdict() for each in predicate.spans],
        "heads": [{"label": each.label, "word": each.start} for each in predicate.heads],
    }


def _feats(cell: str) -> dict[str, str]:
    if cell == "_":
        return {}
    return {name: value for name, _, value in (item.partition("=") for item in cell.split("|"))}
