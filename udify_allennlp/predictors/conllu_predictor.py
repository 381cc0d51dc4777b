"""The predictor, from CoNLL-U or JSON lines to CoNLL-U."""

import copy
import logging
import math
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import (
    Any,
    Optional,
    Union,
)

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.nn.util import move_to_device
from allennlp.predictors import Predictor

from udify_allennlp.archives.card import Card
from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.data.buckets import Sizes
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.columns import LANG, TREEBANK
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.seen_forms import SeenForms, as_written
from udify_allennlp.data.sentence_source import origins_of
from udify_allennlp.data.standards import Standards
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.kernels import parallel_batches
from udify_allennlp.kernels.memory import give_back
from udify_allennlp.text.conllu import separate_block, treebank_language
from udify_allennlp.text.json_lines import json_line
from udify_allennlp.text.languages import language_or_treebank
from udify_allennlp.text.sentence import Columns, Sentence
from udify_allennlp.text.unseen_languages import UnseenLanguages

logger = logging.getLogger(__name__)

BATCH_SIZE = 1024
"""
Number of sentences that are sorted by length together. Larger groups need more memory, but have
less padding.
"""
FIRST = 16
"""Number of sentences in the first batch if someone waits for results."""
# Wordpieces below which a batch is not worth a thread of its own.
_LEAST = 256


@Predictor.register("udify")
class ConlluPredictor(Predictor):
    """
    A predictor that parses sentences with a loaded model: the only way to do so. `allennlp predict`
    also passes it lines of `{"sentence": "words between spaces"}`.

    In a CoNLL-U file, only the predicted columns change. A batch of any size is parsed in buckets
    of similar length that fit in memory, and keeps its order. On a CPU, as many buckets are parsed
    in parallel as PyTorch has threads; see `at_once`.
    """

    def __init__(self, model: Model, dataset_reader: DatasetReader, frozen: bool = True) -> None:
        super().__init__(model, dataset_reader, frozen)
        if not isinstance(dataset_reader, UniversalDependenciesReader):
            raise ConfigurationError(
                "The predictor 'udify' needs a model whose dataset_reader is "
                "udify_universal_dependencies."
            )
        self.reader = dataset_reader
        self._sampler = BucketSampler(shuffle=False)
        self._seen = SeenForms(model.vocab, dataset_reader.schema)
        self._standards = Standards(model.vocab, dataset_reader.schema)
        self.at_once: Optional[int] = None
        """
        Number of batches that are parsed in parallel; by default, on a CPU, the number of PyTorch's
        threads, and at most 12. A model whose `forward` changes it, for example by a hook, needs 1.
        """
        self._met: set[str] = set()
        self.unseen = UnseenLanguages(self.card, self._relative)
        """The object that warns of the languages of texts."""
        self._untagged = False
        self.reload: Optional[tuple[Callable[..., ConlluPredictor], tuple[Any, ...]]] = None
        """
        The arguments that make it again in another process, which receives a path, not the weights.
        """
        self.predicted: set[str] = set()
        """The columns that it has predicted so far; others are unchanged."""

    def __reduce__(self) -> tuple[Callable[..., "ConlluPredictor"], tuple[Any, ...]]:
        if self.reload is None:
            raise pickle.PicklingError(
                "A predictor is pickled as the path of its model, but this model exists only in "
                "memory. Load it by path, with Parser.load(path)."
            )
        return self.reload

    def __copy__(self) -> "ConlluPredictor":
        return self._copied(dict(self.__dict__))

    def __deepcopy__(self, memo: dict[int, Any]) -> "ConlluPredictor":
        return self._copied(copy.deepcopy(self.__dict__, memo))

    def _copied(self, attributes: dict[str, Any]) -> "ConlluPredictor":
        """Returns a copy with its own weights, unlike copies made by `__reduce__`."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(attributes)
        return copied

    @property
    def model(self) -> Any:
        return self._model

    @property
    def card(self) -> Card:
        """The card of the model: its training data, as far as they are known."""
        card: Card = getattr(self._model, "card", Card())
        return card

    def language(self, lang: Optional[str]) -> Optional[str]:
        """
        Returns the code of a language to parse, after `meet`, or the name of a treebank, such as
        `fr_gsd`, if one is given; `None` for `None`.

        # Raises

        `ConfigurationError` if the language does not exist; see `language_code`.
        """
        if lang is None:
            return None
        more = {*self.card.languages, *self.model.embedder.language_codes()}
        code = language_or_treebank(lang, more)
        self.meet(treebank_language(code))
        return code

    @staticmethod
    def origins_of(lang: Optional[str]) -> dict[str, str]:
        """
        Returns the fields that `parse` passes to a model with languages or treebanks as input: the
        treebanks' code for the language, and the treebank if `lang` is the name of one.
        """
        return origins_of(lang)

    def meet(self, code: str) -> None:
        """
        Notes that a language, by its code, will be parsed. At the first text in a language that the
        model was not trained on, a warning is logged.
        """
        if code not in self._met and not self.card.has_seen(code):
            logger.warning(self.card.warning(code, self._relative(code)))
        self._met.add(code)

    def _relative(self, code: str) -> Optional[str]:
        """Returns the training language that replaces another one in the model, or `None`."""
        relative = getattr(self._model, "relative", None)
        return relative(code) if relative is not None else None

    @property
    def reads_languages(self) -> bool:
        """True if the model uses the language of a sentence, so that a guess of it helps."""
        return bool(getattr(self._model, "reads_languages", False))

    def of_text(self, sentences: Iterable[Sentence], lang: Optional[str]) -> Iterator[Sentence]:
        """
        Yields the sentences of one raw text, to be parsed. If its language is not given, it is
        guessed, and a warning is logged if the model was not trained on it. For a model that uses
        languages, each sentence gets the comment `# lang`.
        """
        if not self.reads_languages:
            return iter(sentences if lang else self.unseen.watch(sentences))
        told = self.origins_of(lang)
        return self.unseen.with_languages(sentences, told.get(LANG), told.get(TREEBANK))

    def parse(
        self,
        sentences: Iterable[Sentence],
        batch_size: int = BATCH_SIZE,
        first: Optional[int] = None,
        **origins: Union[str, Sequence[str]],
    ) -> Iterator[Sentence]:
        """
        Yields the sentences with the predicted columns filled in, as soon as their batch is done.

        # Parameters

        sentences : `Iterable[Sentence]`
        batch_size : `int`
            Number of sentences that are read before a result, and sorted by length for speed.
        first : `Optional[int]`
            Number of sentences that are read before the first result, by default `batch_size`; it
            then grows fourfold up to `batch_size`.
        **origins : `Union[str, Sequence[str]]`
            Their origins, `treebank="en_ewt"` or `lang="en"`, for all or for each, which take
            precedence over the settings of the model's reader; ignored if the model does not use
            them.
        """
        start = 0
        for batch in _groups(sentences, first or batch_size, batch_size):
            batch_origins = {
                name: origin if isinstance(origin, str) else origin[start : start + len(batch)]
                for name, origin in origins.items()
            }
            start += len(batch)
            for sentence, columns in zip(batch, self.columns(batch, **batch_origins)):
                yield sentence.replace(**columns)

    def columns(
        self, sentences: Sequence[Sentence], **origins: Union[str, Sequence[str]]
    ) -> list[Columns]:
        """
        Returns the predicted columns of each sentence, of which the model sees the
        `SeenForms`; for `origins` of all or of each, see `parse`.
        """
        written = sentences
        sentences = self._seen.sentences(written, origins)
        told = self._standards.told(sentences, origins)
        results: dict[int, Columns] = {}
        count = 0
        at_once = self._at_once()
        batches = self._batches(sentences, at_once, **told)
        for rows, columns in parallel_batches.side_by_side(self._parsed, batches, at_once):
            results.update(zip(rows, columns))
            count += 1
        self.predicted.update(name for columns in results.values() for name in columns)
        if count > 1:  # each had its own shapes; in bfloat16 a tenth of a gigabyte
            give_back()
        ordered = [results[row] for row in range(len(sentences))]
        as_written(ordered, written, sentences)
        return ordered

    def batches(
        self, sentences: Sequence[Sentence], **origins: Union[str, Sequence[str]]
    ) -> Iterator[tuple[Sequence[int], dict[str, Any]]]:
        """Yields the model's input on its device, with the sentences that each batch holds."""
        return self._batches(sentences, 1, **origins)

    @property
    def can_run_side_by_side(self) -> bool:
        """True if parsing in parallel threads is faster: on a processor, with most encoders."""
        on_processor = next(self._model.parameters()).device.type == "cpu"
        return on_processor and parallel_batches.models_can()

    def _at_once(self) -> int:
        if self.at_once is not None:
            return self.at_once
        if not self.can_run_side_by_side:
            return 1
        threads = torch.get_num_threads()
        # Of very many threads several share a batch: together batches are no larger than one was.
        return max(1, threads // math.ceil(threads * _LEAST / self._sampler.max_wordpieces))

    def _parsed(
        self, rows_and_batch: tuple[Sequence[int], dict[str, Any]]
    ) -> tuple[Sequence[int], list[Columns]]:
        rows, batch = rows_and_batch
        with torch.no_grad():
            return rows, self._model(**batch)["columns"]

    def _batches(
        self, sentences: Sequence[Sentence], at_once: int, **origins: Union[str, Sequence[str]]
    ) -> Iterator[tuple[Sequence[int], dict[str, Any]]]:
        schema = self.reader.schema.unannotated()
        self._check_upos(sentences, schema)
        collate = Collator(self.reader.table_of(sentences, schema, **origins), schema)
        collate.index_with(self._model.vocab)
        device = next(self._model.parameters()).device
        sizes = collate.sizes()
        most = self._most_wordpieces(sizes, at_once)
        for rows in self._sampler.batches(sizes, self._sampler.draw(), most):
            yield rows, move_to_device(collate(rows), device)

    def _most_wordpieces(self, sizes: Sizes, at_once: int) -> int:
        """
        Returns the maximum number of wordpieces in a batch such that each of `at_once` has a batch,
        and together they use no more memory.
        """
        most = self._sampler.max_wordpieces
        together = min(int(sizes.pieces.sum()), most)
        parts = min(at_once, together // _LEAST)
        return together // parts if parts > 1 else most

    def _check_upos(self, sentences: Sequence[Sentence], schema: Schema) -> None:
        """Warns once if the model needs UPOS and the text, such as raw text, has none."""
        wanted = any(task.name == "upos" for task in schema.inputs)
        if (
            wanted
            and not self._untagged
            and any(set(sentence.upos) == {"_"} for sentence in sentences)
        ):
            self._untagged = True
            logger.warning(
                "The model needs UPOS, and some sentences have none: expect errors in these. Tag "
                "them first (allennlp predict multilingual FILE --output-file tagged.conllu), and "
                "parse the result."
            )

    def load_line(self, line: str) -> JsonDict:
        """Parses a line of JSON; raises `ConfigurationError` if it has no text under `sentence`."""
        try:
            return json_line(line)
        except ValueError as error:
            raise ConfigurationError(str(error)) from None

    def sentence_of(self, values: JsonDict) -> Sentence:
        """
        Returns the sentence of a line of JSON; raises `ConfigurationError` if it has no words.
        """
        words = values["sentence"].split()
        if not words:
            raise ConfigurationError('A line has an empty "sentence". Remove the line.')
        return Sentence.from_words(words)

    def dump_line(self, outputs: JsonDict) -> str:
        """Returns a CoNLL-U block followed by a blank line."""
        return str(outputs["conllu"])

    def predict(self, sentence: str) -> JsonDict:
        """Parses words separated by spaces; the CoNLL-U is under `conllu`."""
        return self.predict_json({"sentence": sentence})

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        return self.reader.text_to_instance(self.sentence_of(json_dict), annotated=False)

    def predict_instance(self, instance: Instance) -> JsonDict:
        return self.predict_batch_instance([instance])[0]

    def predict_batch_instance(self, instances: list[Instance]) -> list[JsonDict]:
        """
        Returns for each sentence its `words`, its predicted columns, and its CoNLL-U as `conllu`.
        """
        fields: list[Any] = [instance["sentences"] for instance in instances]
        sentences: list[Sentence] = [field.metadata for field in fields]
        return [
            {
                "words": sentence.forms,
                **columns,
                "conllu": separate_block(sentence.replace(**columns)),
            }
            for sentence, columns in zip(sentences, self.columns(sentences))
        ]


def _groups(sentences: Iterable[Sentence], size: int, most: int) -> Iterator[list[Sentence]]:
    """
    Yields groups of `size` sentences, each four times as large as the one before, up to `most`.
    """
    remaining = iter(sentences)
    while group := list(islice(remaining, min(size, most))):
        yield group
        size *= 4
