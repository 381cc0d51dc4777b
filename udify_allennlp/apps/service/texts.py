"""Conversion of raw text to sentences, with the options of UDPipe's tokenizer."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Optional

from udify_allennlp.apps.service.formats import SOURCE
from udify_allennlp.text.raw_text import lines_of, read_text, rebuild, spans
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.tokenizers import DEFAULT, lines_with, make_tokenizer

_KEPT = 32  # tokenizers of languages asked for in turns; each has its rules and words in memory


class TextReader:
    """
    A reader of raw text for one thread: tokenizers remember words.

    # Parameters

    tokenizer : `str`
        See `make_tokenizer`.

    # Raises

    The errors of `make_tokenizer`.
    """

    def __init__(self, tokenizer: str = DEFAULT) -> None:
        self._name = tokenizer
        self._kept = lru_cache(maxsize=_KEPT)(make_tokenizer)
        self.expect([None])

    def expect(self, langs: Iterable[Optional[str]]) -> None:
        """Prepares for languages that are likely to come, which takes seconds for some."""
        for lang in langs:
            self._kept(self._name, lang)

    def read(self, text: str, lang: Optional[str] = None, options: str = "") -> Iterator[Sentence]:
        """
        Yields the sentences one at a time, each soon after the last.

        # Parameters

        text : `str`
        lang : `Optional[str]`
            Code of its language.
        options : `str`
            Options as in UDPipe, separated by `;`. `presegmented`: each line is a sentence.
            `ranges`: MISC has `TokenRange=start:end`, in characters. `normalized_spaces`: MISC has
            no white space but `SpaceAfter=No`. Other options have no effect, as in UDPipe.

        """
        chosen = {option.partition("=")[0].strip() for option in options.split(";")}
        name = lines_with(self._name) if "presegmented" in chosen else self._name
        tokenizer = self._kept(name, lang)
        sentences = read_text(lines_of(text), tokenizer, path=SOURCE)
        return (
            _with_misc(sentences, chosen) if chosen & {"ranges", "normalized_spaces"} else sentences
        )


def _with_misc(sentences: Iterable[Sentence], options: set[str]) -> Iterator[Sentence]:
    start = 0
    for sentence in sentences:
        places = spans(sentence, start)
        start += len(rebuild([sentence]))
        yield _changed(sentence, places, options)


def _changed(sentence: Sentence, places: list[tuple[int, int]], options: set[str]) -> Sentence:
    rows = sentence.text.split("\n")
    covered = 0  # the last word of the last multiword token: white space and range are the token's
    for index, row in enumerate(rows):
        cells = row.split("\t")
        first, _, last = cells[0].partition("-")
        if not first.isdigit() or int(first) <= covered:
            continue
        covered = int(last or first)
        items = [] if cells[9] == "_" else cells[9].split("|")
        if "normalized_spaces" in options:
            items = [item for item in items if not item.startswith("Spaces")]
        if "ranges" in options:
            items.append("TokenRange={}:{}".format(*places[covered - 1]))
        cells[9] = "|".join(items) or "_"
        rows[index] = "\t".join(cells)
    return Sentence("\n".join(rows), sentence.path, sentence.line)
