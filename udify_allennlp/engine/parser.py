"""The parser of an exported model."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy
import tokenizers

from udify_allennlp.data.array_batches import ArrayCollator
from udify_allennlp.data.buckets import cut
from udify_allennlp.data.columns import LANG, TREEBANK, origin_names
from udify_allennlp.data.everyday_features import EverydayFeatures
from udify_allennlp.data.imperatives import Imperatives
from udify_allennlp.data.inflections import Inflections
from udify_allennlp.data.known_words import KnownWords
from udify_allennlp.data.lemma_lookup import LemmaLookup
from udify_allennlp.data.seen_forms import SeenForms, as_written
from udify_allennlp.data.sentence_source import NAMES, origins_of
from udify_allennlp.data.standards import Standards
from udify_allennlp.data.table_builder import table_of
from udify_allennlp.data.tokenizer_growth import MAX_GROWTH, growth
from udify_allennlp.data.word_splitter import WordSplitter
from udify_allennlp.engine.folder import (
    SCORES,
    TAGS,
    TOKENIZER,
    VOCABULARY,
    Settings,
    check_labels,
    damaged,
)
from udify_allennlp.engine.scores import Graph, inputs_of
from udify_allennlp.engine.tags import Tags
from udify_allennlp.engine.trees import TreeSearch
from udify_allennlp.engine.vocabulary import VocabularyFolder
from udify_allennlp.text.cutting import bounded
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.languages import language_or_treebank
from udify_allennlp.text.sentence import Columns, Sentence, with_tags, with_trees

if TYPE_CHECKING:
    from udify_allennlp.engine.segmenter import OnnxSegmenter
    from udify_allennlp.text.raw_text import Tokenizer
    from udify_allennlp.text.unseen_languages import UnseenLanguages

GROUP = 512
"""Number of sentences that are sorted by length together."""
FIRST = 16
"""Number of sentences of the first group."""
# Small batches: they are as fast, and memory is bounded.
_BATCH_SIZE, _MAX_PIECES = 32, 500


class OnnxParser:
    """
    A parser of sentences with an exported model: it predicts what the model predicts.

    # Parameters

    folder : `Union[str, PathLike]`
        A folder that `allennlp ud-export MODEL --onnx FOLDER` has made.

    # Raises

    `InputError` if it is not such a folder, or damaged.
    """

    def __init__(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        self._folder = Path(folder)
        self.settings = Settings.read(self._folder)
        try:
            self._vocab = VocabularyFolder(self._folder / VOCABULARY)
            backend = tokenizers.Tokenizer.from_file(str(self._folder / TOKENIZER))
        except Exception as error:  # tokenizers raises any
            raise damaged(self._folder, error) from error
        check_growth(backend, self._folder / TOKENIZER)
        self._split = WordSplitter(backend, self.settings.unknown_id)
        self._schema = self.settings.schema
        self._seen = SeenForms(self._vocab, self._schema)
        self._standards = Standards(self._vocab, self._schema)
        tags = [task for task in TAGS if task in self.settings.tasks]
        names = [name for task in tags for name in (task, f"{task}_label", f"{task}_is_best")]
        if self.settings.trees is not None:
            names += ["arcs", "dependents", "heads"]
        if self.settings.own_labels:
            names.append("origins")
        self._scores = Graph(self._folder / f"{SCORES}.onnx", names)
        self._tags = [Tags(task, self._folder, self._vocab) for task in tags]
        trees = self.settings.trees
        self._trees = TreeSearch(trees, self._folder, self._vocab) if trees else None
        kinds = (LemmaLookup, Inflections, EverydayFeatures, Imperatives)
        self._corrections = [kind(self._vocab) for kind in kinds]
        self._reads_languages = bool(self.settings.origins) or bool(self._corrections[0])
        self._segmenter: Optional[OnnxSegmenter] = None
        self._unseen: Optional[UnseenLanguages] = None
        self._origins = {name: origin_names(self._vocab, name) for name in NAMES}

    def language(self, lang: Optional[str]) -> Optional[str]:
        """
        Returns the code of a language, or the name of a treebank; `None` for `None`.

        # Raises

        `InputError` if the language does not exist.
        """
        return None if lang is None else language_or_treebank(lang, self.settings.languages)

    def segment(
        self,
        lines: Iterable[str],
        lang: Optional[str] = None,
        tokenizer: Optional[str] = None,
        ids: Optional[Iterator[int]] = None,
        path: str = "<text>",
        name: Optional[str] = None,
    ) -> Iterator[Sentence]:
        """
        Yields the sentences of one raw text, to be parsed. If the model uses languages, the
        comment `# lang` gives the text's: `lang`, or a guess by py3langid, if it is installed; a
        warning is logged at the first text in a language that the model was not trained on.

        # Parameters

        lines, ids, path, name :
            See `read_text`.
        lang : `Optional[str]`
            The language, or a treebank.
        tokenizer : `Optional[str]`
            `rules`, `spaces`, or `lines`, each of which is then a sentence. By default the model's
            segmenter, or rules if it has none.

        # Raises

        `InputError` if the language or the tokenizer does not exist, a package is missing, or the
        segmenter is damaged.
        """
        # CoNLL-U, from which most starts are, needs none of these.
        from udify_allennlp.text.raw_text import read_text
        from udify_allennlp.text.unseen_languages import UnseenLanguages

        lang = self.language(lang)
        sentences = read_text(lines, self._tokenizer(lang, tokenizer), ids, path, name)
        if not self._reads_languages:
            return sentences
        self._unseen = self._unseen or UnseenLanguages(self.settings)
        told = origins_of(lang)
        return self._unseen.with_languages(sentences, told.get(LANG), told.get(TREEBANK))

    def _tokenizer(self, lang: Optional[str], chosen: Optional[str]) -> "Tokenizer":
        from udify_allennlp.engine.segmenter import PACKAGES, SEGMENTER, OnnxSegmenter
        from udify_allennlp.segmentation.tokenizer import tokenizer_or_rules
        from udify_allennlp.text import tokenizers as of_text

        for name in PACKAGES:
            of_text.needed_package(name, name)
        folder = self._folder / SEGMENTER
        if chosen not in (None, of_text.LINES) or not folder.is_dir():
            return of_text.make_tokenizer(chosen or of_text.DEFAULT, lang)
        self._segmenter = self._segmenter or OnnxSegmenter(folder, KnownWords(self._vocab).of)
        tokenizer = tokenizer_or_rules(self._segmenter, lang)
        return tokenizer if chosen is None else bounded(of_text.sentence_a_line(tokenizer))

    def parse(
        self, sentences: Iterable[Sentence], lang: Optional[str] = None
    ) -> Iterator[Sentence]:
        """
        Yields the sentences with the predicted columns filled in.

        # Parameters

        sentences : `Iterable[Sentence]`
        lang : `Optional[str]`
            Their language, or a treebank, which takes precedence over the names of files and
            comments.

        # Raises

        `InputError` if the language does not exist, or the model is damaged.
        """
        told = origins_of(self.language(lang))
        remaining, size = iter(sentences), FIRST
        while group := list(islice(remaining, size)):
            try:
                seen = self._seen.sentences(group, told)
                columns = self._columns(seen, told)
            except InputError:
                raise
            except (LookupError, ValueError, OverflowError) as error:  # labels that do not belong
                raise damaged(self._folder, error) from error
            as_written(columns, group, seen)
            for sentence, new in zip(group, columns):
                yield sentence.replace(**new)
            size = min(4 * size, GROUP)

    def _columns(self, sentences: Sequence[Sentence], told: dict[str, str]) -> list[Columns]:
        self._split.learn(form for sentence in sentences for form in sentence.forms)
        origins = self._standards.told(sentences, told)
        table = table_of(sentences, self._schema, lambda s: self._split(s.forms), origins)
        collate = ArrayCollator(table, self._schema)
        collate.index_with(self._vocab)
        sizes = collate.sizes()
        order = numpy.argsort(-sizes.pieces, kind="stable")
        results: dict[int, Columns] = {}
        for rows in cut(sizes, order, _BATCH_SIZE, _MAX_PIECES):
            batch = collate(rows)
            results.update(zip(rows, self._batch_columns(batch, [sentences[row] for row in rows])))
        self._split.forget()  # of a long text, words would fill the memory
        return [results[row] for row in range(len(sentences))]

    def _batch_columns(self, batch: dict[str, Any], sentences: Sequence[Sentence]) -> list[Columns]:
        scores = self._scores(**inputs_of(batch))
        columns: list[Columns] = [{} for _ in sentences]
        langs = self._of_words(LANG, batch, sentences)
        treebanks = self._of_words(TREEBANK, batch, sentences)
        tagged = sentences
        for tags in self._tags:
            new = tags.columns(scores, tagged, langs, treebanks)
            _add(columns, new)
            tagged = list(with_tags(tagged, new))
        if self._trees is not None:
            _add(columns, self._trees.columns(scores, batch["layout"], tagged, langs, treebanks))
            for tags in self._tags:
                if tags.follows_trees:
                    trees = list(with_trees(tagged, columns))
                    tags.follow(columns, scores, trees, langs, treebanks)
        names = self._of_sentences(TREEBANK, batch, sentences)
        for correction in self._corrections:
            correction.apply(columns, sentences, batch.get("langs", ()), names)
        for own in columns:
            check_labels(own.get("lemmas", ["_"]), self._folder / VOCABULARY)
        return columns

    def _of_words(
        self, origin: str, batch: dict[str, Any], sentences: Sequence[Sentence]
    ) -> list[str]:
        """
        Returns the language or treebank of each word, as in the vocabulary; empty if it is unknown.
        """
        names = self._of_sentences(origin, batch, sentences)
        return [name for name, sentence in zip(names, sentences) for _ in range(len(sentence))]

    def _of_sentences(
        self, origin: str, batch: dict[str, Any], sentences: Sequence[Sentence]
    ) -> list[str]:
        """The same for each sentence."""
        if origin not in batch["inputs"]:
            return [""] * len(sentences)
        return [self._origins[origin][number + 1] for number in batch["inputs"][origin].tolist()]


def _add(columns: Sequence[Columns], new: Sequence[Columns]) -> None:
    for own, more in zip(columns, new):
        own.update(more)


def check_growth(backend: tokenizers.Tokenizer, path: Path) -> None:
    """
    # Raises

    `InputError` if the replacements of a tokenizer exhaust memory.
    """
    normalizer: Any = backend.normalizer
    if normalizer is None:
        return
    most = growth(json.loads(normalizer.__getstate__()))
    if most > MAX_GROWTH:
        raise damaged(path, ValueError(f"its normalizer makes {most:.3g} characters of one"))
