"""Treebank files as raw text with known words and sentences."""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Union

from allennlp.data import DatasetReader, Instance
from allennlp.data.fields import MetadataField

from udify_allennlp.data.chosen_tasks import origin
from udify_allennlp.data.columns import LANG
from udify_allennlp.data.tasks import Counter
from udify_allennlp.segmentation.multiword_rules import FORMS, RULES
from udify_allennlp.segmentation.treebanks import LANGS
from udify_allennlp.text.conllu import (
    ConlluError,
    expand_paths,
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.gold_text import PARAGRAPH, Paragraph, paragraphs
from udify_allennlp.text.lemma_rules import escape
from udify_allennlp.text.multiwords import make_split
from udify_allennlp.text.sentence import Sentence


class Document:
    """
    The sentences of one file.

    # Parameters

    path : `str`
    lang : `str`
        Language; empty if it is unknown.
    sentences : `Sequence[Sentence]`
    """

    def __init__(self, path: str, lang: str, sentences: Sequence[Sentence]) -> None:
        self.path = path
        self.lang = lang
        self.sentences = sentences

    @property
    def treebank(self) -> str:
        return treebank_name(self.path)

    @property
    def label(self) -> str:
        """
        The document's label in `LANGS`: treebanks of one language differ in their definition of a
        sentence.
        """
        is_named = self.treebank != self.lang == treebank_language(self.treebank)
        return self.treebank if is_named else self.lang

    @cached_property
    def paragraphs(self) -> list[Paragraph]:
        return list(paragraphs(self.sentences))

    @property
    def text(self) -> str:
        """The whole text, as a file of raw text."""
        return PARAGRAPH.join(paragraph.text for paragraph in self.paragraphs)

    def count_vocab_items(self, counter: Counter) -> None:
        counter[LANGS][self.label] += 1
        # Even without multiword tokens both are there: AllenNLP refuses a min_count of others.
        rules, forms = counter[RULES], counter[FORMS]
        for paragraph in self.paragraphs:
            for tokens in paragraph.sentences:
                for token in tokens:
                    if token.words:
                        form = paragraph.text[token.start : token.end]
                        rule = make_split(form, token.words)
                        rules[rule] += 1
                        forms[form_entry(self.lang, form, rule)] += 1


def form_entry(lang: str, form: str, rule: str) -> str:
    """Returns the entry in `FORMS` for a token that is split by this rule."""
    return f"{lang} {escape(form.lower())} {rule}"


class DocumentInstance(Instance):
    """A file as an instance, for AllenNLP code that reads instances."""

    def __init__(self, document: Document) -> None:
        super().__init__({"documents": MetadataField(document)})

    def count_vocab_items(self, counter: dict[str, dict[str, int]]) -> None:
        self["documents"].metadata.count_vocab_items(counter)


@DatasetReader.register("udify_segmenter")
class SegmenterReader(DatasetReader):
    """
    A reader of CoNLL-U treebanks as raw text; see `paragraphs`. Trees and tags are ignored. The
    data loader of the same name makes batches of its output.

    # Parameters

    langs : `Union[bool, str]`
        Source of the language of a file, as for `udify_universal_dependencies`: `file`, its name;
        `comment`, a comment of its first sentence; `=NAME`, for all.
    skip_invalid : `bool`
        True to skip sentences with an error instead of stopping at the first.

    # Raises

    `ConlluError` with file, line and remedy for invalid CoNLL-U.
    """

    def __init__(
        self, langs: Union[bool, str] = True, skip_invalid: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._origin = origin(LANG, langs)
        self._skip_invalid = skip_invalid

    def documents(self, paths: Union[str, Sequence[str]]) -> Iterator[Document]:
        """Yields the named files, without empty ones."""
        for path in expand_paths(paths):
            errors: list[ConlluError] = []
            readable = read_sentences(path, errors.append if self._skip_invalid else None)
            sentences = list(readable)
            if sentences:
                yield Document(path, self._origin.of(sentences[0]), sentences)

    def _read(self, file_path: Union[str, os.PathLike, Sequence[str]]) -> Iterable[Instance]:
        paths = [os.fspath(file_path)] if isinstance(file_path, os.PathLike) else file_path
        return map(DocumentInstance, self.documents(paths))
