"""The parse of one or more texts: a sequence of sentences."""

import json
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Any, NamedTuple, NoReturn, Optional, Union, overload

from udify_allennlp.text import word_table
from udify_allennlp.text.conllu import missing_end
from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.search import Query
from udify_allennlp.text.sentence import BOM
from udify_allennlp.text.word import Word

SHOWN = 10
"""Maximum number of trees that a notebook shows of a document."""


class Match(NamedTuple):
    """A sentence with matches, and the matching words."""

    sentence: ParsedSentence
    words: list[Word]


class Document(Sequence[ParsedSentence]):
    """
    The parse of a text, a sequence of `ParsedSentence`s: `document[0]`, `len(document)`, `for
    sentence in document`.

    # Parameters

    sentences : `Sequence[ParsedSentence]`
    texts : `int`
        Number of texts that they come from; a text may have no sentence.
    """

    def __init__(self, sentences: Sequence[ParsedSentence], texts: int = 1) -> None:
        self.sentences = list(sentences)
        self._texts = texts

    @property
    def words(self) -> list[Word]:
        """The words of all sentences."""
        return [word for sentence in self.sentences for word in sentence]

    @property
    def text(self) -> str:
        """The exact text; for words, with a space between them; for several texts, joined."""
        return rebuild(sentence.sentence for sentence in self.sentences)

    @property
    def conllu(self) -> str:
        """The contents of a CoNLL-U file of these sentences."""
        blocks = (sentence.conllu.removeprefix(BOM) for sentence in self.sentences)
        return "".join(block + missing_end(block) for block in blocks)

    @property
    def lang(self) -> Optional[str]:
        """The code of the language of all its sentences; `None` if they differ or have none."""
        langs = {sentence.lang for sentence in self.sentences}
        return langs.pop() if len(langs) == 1 else None

    def by_text(self) -> list["Document"]:
        """Returns a document for each text, in order."""
        groups: dict[int, list[ParsedSentence]] = {
            index: list(group)
            for index, group in groupby(self, lambda sentence: sentence.text_index)
        }
        return [Document(groups.get(index, [])) for index in range(self._texts)]

    def to_dict(self) -> list[dict[str, Any]]:
        """Returns `ParsedSentence.to_dict` of each sentence."""
        return [sentence.to_dict() for sentence in self.sentences]

    def to_json(self) -> str:
        """Returns `to_dict` in one line."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_pandas(self, heads: bool = False, feats: bool = False) -> Any:
        """
        Returns a `pandas.DataFrame` with a row for each word and always the same columns: `file`
        (for sentences from a file), `text_index`, `sentence` (from 0), `sent_id`, and the columns
        of `Word`; `feats` is the cell of CoNLL-U.

        # Parameters

        heads : `bool`
            True to add `head_form`, `head_lemma` and `head_upos`, missing for the root.
        feats : `bool`
            True to add a column for each feature that occurs, such as `feats_Number`.

        # Raises

        `ImportError`, with the command to install it, without the extra `pandas`.
        """
        try:
            import pandas
        except ImportError:
            raise ImportError(
                "to_pandas needs pandas. Install it: pip install 'udify_allennlp[pandas]'"
            ) from None
        rows = list(word_table.rows(self.sentences, heads))
        names = word_table.columns(heads)
        if feats:
            for row, word in zip(rows, self.words):
                row.update({f"feats_{name}": value for name, value in word.feats.items()})
            names += sorted({f"feats_{name}" for word in self.words for name in word.feats})
        whole = dict.fromkeys(word_table.NUMBERS, "int64")
        gappy = dict.fromkeys(word_table.GAPPY_NUMBERS, "Int64")  # also where some are missing
        return pandas.DataFrame(rows, columns=names).astype({**whole, **gappy})

    def search(self, xpath: str) -> list[Match]:
        """
        Returns the sentences with words that an XPath expression finds; see `text/search.py` for
        their form.

        # Raises

        `InputError` if it is not XPath or does not select words, or a sentence has no tree;
        `ImportError`, with the command to install it, without the extra `search`.
        """
        query = Query(xpath)
        ids_of_sentences = ((sentence, query.ids(sentence.sentence)) for sentence in self)
        return [
            Match(sentence, [sentence[number - 1] for number in ids])
            for sentence, ids in ids_of_sentences
            if ids
        ]

    def _repr_html_(self) -> str:
        """Returns the HTML that a notebook shows."""
        parts = [
            f'<p dir="auto">{escape(sentence.text)}</p>{sentence._repr_html_()}'
            for sentence in self.sentences[:SHOWN]
        ]
        if len(self) > SHOWN:
            parts.append(f"<p>and {len(self) - SHOWN} more sentences</p>")
        return "".join(parts)

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[ParsedSentence]:
        return iter(self.sentences)

    def __next__(self) -> NoReturn:
        # What the parser gave was an iterator once.
        raise TypeError(
            "a document is not an iterator. Use document[0] for its first sentence, or "
            "parser.stream(...) for one sentence at a time."
        )

    @overload
    def __getitem__(self, index: int) -> ParsedSentence: ...

    @overload
    def __getitem__(self, index: slice) -> "Document": ...

    def __getitem__(self, index: Union[int, slice]) -> Union[ParsedSentence, "Document"]:
        chosen = self.sentences[index]
        return chosen if isinstance(chosen, ParsedSentence) else Document(chosen, self._texts)

    def __repr__(self) -> str:
        return f"<Document of {len(self)} sentences>"
