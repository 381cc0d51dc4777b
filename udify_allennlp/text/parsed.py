"""A parsed sentence as objects: words with their tree, instead of columns of strings."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
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
from udify_allennlp.text.drawing.elements import standalone
from udify_allennlp.text.drawing.svg import runs_leftwards, tree_svg
from udify_allennlp.text.lang_comment import lang_of
from udify_allennlp.text.misc_column import entries
from udify_allennlp.text.non_word_rows import comment, multiword_tokens
from udify_allennlp.text.raw_text import rebuild, spans
from udify_allennlp.text.roles.predicates import Predicate, predicates_of
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.tree_check import head_number
from udify_allennlp.text.word import Word, connect

__all__ = ["ParsedSentence", "SurfaceToken", "Word"]


class SurfaceToken(NamedTuple):
    """A token of the text: a word, or the several words of a multiword token."""

    text: str
    """The text, such as `du`; for a word, its form."""
    words: tuple[Word, ...]
    """The words, such as `de` and `le`."""
    start: Optional[int]
    end: Optional[int]
    """Like that of its words."""
    is_multiword: bool


class ParsedSentence(Sequence[Word]):
    """
    A parsed sentence: a sequence of `Word`s, drawn as a tree in notebooks.

    # Parameters

    sentence : `Sentence`
        The sentence with the predicted columns.
    start : `Optional[int]`
        Its start in the raw text that it comes from, including the spaces before it.
    text_index : `int`
        The number of its text in the input, from 0.
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
            map(entries, sentence.feats),
            (head_number(head, size) for head in sentence.heads),
            sentence.deprels,
            sentence.misc,
            *zip(*places),
        )
        self.words = [Word(*cells) for cells in columns]
        connect(self.words)

    @property
    def root(self) -> Word:
        """The root; raises `ValueError` if the model does not predict trees."""
        for word in self.words:
            if word.head == 0:
                return word
        raise ValueError(
            "the model does not predict trees, since it was trained without the decoder 'deps'. "
            "Use another model."
        )

    @property
    def sent_id(self) -> Optional[str]:
        """The value of its comment `# sent_id = ...`; raw text is numbered from 1."""
        return comment(self.sentence, "sent_id") or None

    @property
    def lang(self) -> Optional[str]:
        """
        The code of its language in its comment `# lang = ...`: models with the language as input
        add one, given or guessed, to raw text.
        """
        return lang_of(self.sentence) or None

    @property
    def text(self) -> str:
        """The original text, without the white space around it."""
        return rebuild([self.sentence]).strip()

    @property
    def conllu(self) -> str:
        """The block of CoNLL-U, including the blank line after it."""
        return self.sentence.text

    @property
    def tokens(self) -> list[SurfaceToken]:
        """The tokens of the text, in order: the words of a multiword token are one token."""
        tokens: list[SurfaceToken] = []
        ranges = {token.first: token for token in multiword_tokens(self.sentence)}
        next_word = 1
        while next_word <= len(self.words):
            token = ranges.get(next_word)
            words = tuple(self.words[next_word - 1 : token.last if token else next_word])
            text = token.form if token else words[0].form
            place = words[0].start, words[0].end
            tokens.append(SurfaceToken(text, words, *place, token is not None))
            next_word += len(words)
        return tokens

    @property
    def multiword_tokens(self) -> list[SurfaceToken]:
        """The tokens that consist of several words."""
        return [token for token in self.tokens if token.is_multiword]

    @property
    def predicates(self) -> list[Predicate]:
        """
        The predicates and their semantic roles, in the order of the text; empty if the model does
        not predict roles. Their words are ids: `sentence[predicate.word - 1]`.
        """
        return predicates_of(self.sentence)

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """
        The constituents in the order in which their brackets open, `TOP` first; empty if the model
        does not predict phrase structure.
        """
        return tree_of(self.sentence).phrases if has_tree(self.sentence) else ()

    @property
    def brackets(self) -> str:
        """
        The phrase structure in a line, `(TOP (S (NP ...)))`; raises `ValueError` if there is none.
        """
        return tree_of(self.sentence).brackets()

    def to_dict(self) -> dict[str, Any]:
        """
        Returns `sent_id`, `text`, `text_index`, `words` with their columns, and `multiword_tokens`
        with the ids of their words, in JSON types only. A sentence with a known language also has
        `lang`, one with semantic roles `predicates`, one with phrase structure `brackets`.
        """
        fields: dict[str, Any] = {
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
            fields["lang"] = self.lang
        if self.predicates:
            fields["predicates"] = list(map(_predicate, self.predicates))
        if self.phrases:
            fields["brackets"] = self.brackets
        return fields

    def to_json(self) -> str:
        """Returns `to_dict` in one line."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_svg(self) -> str:
        """Returns the tree as a picture: a separate SVG file, or a part of a page."""
        return standalone(tree_svg(self.sentence))

    def to_tree(self) -> str:
        """
        Returns the tree as text, one word per line: each under its head, dependents in order.
        Raises `ValueError` like `root`.
        """
        root = self.root
        others = [word for word in self.words if word.head == 0 and word is not root]
        return branches(
            [root, *others],
            lambda word: f"{word.form} {word.upos} {word.deprel}",
            lambda word: word.children,
        )

    def _repr_html_(self) -> str:
        """Returns the HTML that a notebook shows."""
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
        """Returns a word; the first is 0, as in every sequence, though its id is 1."""
        return self.words[index]

    def __repr__(self) -> str:
        return f"<ParsedSentence {self.text!r}>"


def _predicate(predicate: Predicate) -> dict[str, Any]:
    """Returns each argument with the ids of its first and its last word."""
    return {
        "word": predicate.word,
        "lemma": predicate.lemma,
        "sense": predicate.sense,
        "spans": [span._asdict() for span in predicate.spans],
        "heads": [
            {"label": argument.label, "word": argument.start} for argument in predicate.heads
        ],
    }
