"""
The parser as a Python object: it takes raw text, words or sentences, and returns words with trees.
"""

import itertools
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Optional, Union

from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm

from udify_allennlp.archives.card import Card
from udify_allennlp.archives.shipped import MULTILINGUAL
from udify_allennlp.data.tasks import Task, in_order
from udify_allennlp.predictors.conllu_predictor import BATCH_SIZE, FIRST, ConlluPredictor
from udify_allennlp.predictors.loading import gpu_number, load_predictor
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.document import Document
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.input_kinds import is_text
from udify_allennlp.text.inputs import (
    Input,
    check_characters,
    check_collection,
    check_input,
    inputs_of,
    only_sentences,
    sentence_of_words,
)
from udify_allennlp.text.newdoc import document, document_names
from udify_allennlp.text.output_checks import check_keeps_texts, check_writable
from udify_allennlp.text.output_kinds import check_output, write_output
from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.raw_text import lines_of, read_lines, read_text, rebuild
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.tokenizers import DEFAULT, check_tokenizer, make_tokenizer

AnyPath = Union[str, "os.PathLike[str]"]
_TOKENIZERS = 32  # of languages asked for in turns; each has its rules and words in memory


class Parser:
    """
    A parser, which is called with its input:

        parser = Parser.load()
        for sentence in parser("The dog sleeps. It snores."):
            print([(word.text, word.upos, word.head, word.deprel) for word in sentence])

    # Parameters

    model : `Union[ConlluPredictor, str, PathLike]`
        The argument of `Parser.load`, or a predictor.
    batch_size : `int`
        Number of sentences that are read before a result, and sorted by length for speed; `stream`
        begins with fewer. It has no effect on the results.
    tokenizer : `str`
        Tokenizer for raw text; see `make_tokenizer`. It is made at the first raw text.
    lang : `Optional[str]`
        Language of the input, an ISO code or an English name: it determines how raw text is
        tokenized, and is an input of models that use it. Or a treebank, such as `fr_gsd`: a
        segmenter that was trained on it then follows its conventions for words and sentences.
    device : `Union[str, int, None]`
        Device to load a model on: `cpu`, the default, `cuda` or `cuda:1`.
    precision : `Optional[str]`
        Precision to load a model in; see `load`.
    probabilities : `bool`
        If true, a model that is loaded also gives probabilities; see `Word.probabilities`.
    iterations : `Optional[int]`
        Refinement passes of a model that is loaded; see `load`.

    # Raises

    `ConfigurationError` if `batch_size` is below 1, or `device` does not exist. `InputError` if
    `lang` or `tokenizer` does not exist.
    """

    def __init__(
        self,
        model: Union[ConlluPredictor, AnyPath],
        batch_size: int = BATCH_SIZE,
        tokenizer: str = DEFAULT,
        lang: Optional[str] = None,
        device: Union[str, int, None] = None,
        precision: Optional[str] = None,
        probabilities: bool = False,
        iterations: Optional[int] = None,
    ) -> None:
        if batch_size < 1:
            raise ConfigurationError(f"batch_size is {batch_size}: it must be at least 1.")
        if isinstance(model, ConlluPredictor):
            if probabilities or (device, precision, iterations) != (None, None, None):
                raise ConfigurationError(
                    "device, precision, probabilities and iterations apply only when a model is "
                    "loaded. Use Parser.load(path, device=..., precision=...)."
                )
            self._predictor = model
        else:
            tokenizer = own_tokenizer(model, tokenizer)
            self._predictor = load_predictor(
                model, gpu_number(device), precision, (), probabilities, iterations, packed=True
            )
        check_tokenizer(tokenizer)
        self._batch_size = batch_size
        self._tokenizer_name = tokenizer
        self._lang = self._predictor.language(lang)
        self._tokenizer = lru_cache(_TOKENIZERS)(make_tokenizer)

    @classmethod
    def load(
        cls,
        path: AnyPath = MULTILINGUAL,
        precision: Optional[str] = None,
        cuda_device: int = -1,
        batch_size: int = BATCH_SIZE,
        tokenizer: Optional[str] = None,
        lang: Optional[str] = None,
        device: Union[str, int, None] = None,
        probabilities: bool = False,
        iterations: Optional[int] = None,
    ) -> "Parser":
        """
        Returns the parser of an archive (`model.tar.gz`) or of a run folder; without a
        path, that of the shipped model.

        # Parameters

        path : `Union[str, PathLike]`
        precision : `Optional[str]`
            `float32`, `bfloat16`, `float16` or `int8`; by default as in the model's config.
        cuda_device : `int`
            The GPU's number, -1 for the CPU; ignored if `device` is given.
        batch_size, tokenizer, lang :
            As for the class; the default tokenizer is the model's own segmenter if it has one.
        device : `Union[str, int, None]`
            `cpu`, `cuda` or `cuda:1`.
        probabilities : `bool`
            As for the class.
        iterations : `Optional[int]`
            Number of passes of a model that refines its trees (`udify_refinement`); by default as
            in its config.

        # Raises

        `ArchiveError` or `ConfigurationError` if the model cannot be loaded.
        """
        device = cuda_device if device is None else device
        tokenizer = own_tokenizer(path, tokenizer)
        return cls(path, batch_size, tokenizer, lang, device, precision, probabilities, iterations)

    def __getstate__(self) -> dict[str, Any]:
        """
        Returns the state without tokenizers: another process makes its own. The predictor is
        pickled by its path.
        """
        return {name: value for name, value in vars(self).items() if name != "_tokenizer"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._tokenizer = lru_cache(_TOKENIZERS)(make_tokenizer)

    @property
    def predictor(self) -> ConlluPredictor:
        """The predictor of this parser."""
        return self._predictor

    @property
    def tasks(self) -> list[Task]:
        """The tasks that the model predicts."""
        return in_order(task for task, _ in self._predictor.model.predicts().values())

    @property
    def labels(self) -> dict[str, list[str]]:
        """
        The labels that the model can predict, by column (`upos`, `deprels`, ...); for lemmas, the
        edit rules of forms.
        """
        labels = {}
        predicts = self._predictor.model.predicts()
        for task in self.tasks:
            vocab = predicts[task.name][1]
            for spec in (spec for spec in task.specs if spec.namespace):
                label_of = vocab.get_index_to_token_vocabulary(spec.namespace)
                labels[spec.name] = [label_of[index] for index in range(len(label_of))]
        return labels

    @property
    def card(self) -> Card:
        """
        The treebanks, scores, date and versions of the model's training, as far as they are known.
        """
        return self._predictor.card

    @property
    def languages(self) -> list[str]:
        """The codes of the languages that the model was trained on; empty if they are unknown."""
        return list(self.card.languages)

    def code_of(self, lang: str) -> str:
        """
        Returns the code of a language to parse, given by an ISO code or an English name.

        # Raises

        `InputError` if the language does not exist.
        """
        return str(self._predictor.language(lang))

    def __call__(
        self,
        source: Union[Input, Iterable[Input]],
        tokenized: Optional[bool] = None,
        lang: Optional[str] = None,
    ) -> Document:
        """
        Parses all of the source. The result can be indexed, counted and iterated over.

        # Parameters

        source : `Union[Input, Iterable[Input]]`
            A string is a text, which may hold many sentences, and a list of strings is texts; a
            list of lists of strings is the words of sentences. A `Sentence` is parsed again and
            keeps its other columns. Where a text comes from an iterator, such as an open file, use
            `stream`.
        tokenized : `Optional[bool]`
            True if a list of strings is the words of one sentence. By default it is a list of
            texts.
        lang : `Optional[str]`
            The language of this source, instead of the parser's.

        # Raises

        `InputError` for any other source, for words that CoNLL-U cannot hold, and for a sentence
        without words; also the errors of `make_tokenizer`.
        """
        inputs = inputs_of(source, tokenized)
        return Document(list(self.stream(inputs, lang)), len(inputs))

    def stream(
        self, sources: Iterable[Input], lang: Optional[str] = None
    ) -> Iterator[ParsedSentence]:
        """
        Yields the sentences of many texts, in constant memory and in order, each as soon as its
        batch is done; `sentence.text_index` is the number of its text, from 0.

        # Parameters

        sources : `Iterable[Input]`
            Texts, lists of words or `Sentence`s, even infinitely many: a generator,
            `read_sentences(path)`, or an open file, each line of which is a text.
        lang : `Optional[str]`
            Their language, instead of the parser's.

        # Raises

        The errors of a call.
        """
        if isinstance(sources, (str, Sentence)) or not isinstance(sources, Iterable):
            raise InputError(
                f"stream takes many texts, not {sources!r:.60}. Use parser.stream([text]), or "
                "parser(text) for one text."
            )
        check_collection(sources)
        return self._stream(sources, self._predictor.language(lang) or self._lang)

    def parse(
        self, sentences: Iterable[Sentence], **origins: Union[str, Sequence[str]]
    ) -> Iterator[Sentence]:
        """
        Yields the same sentences with the predicted columns filled in, without objects for words;
        see `ConlluPredictor.parse`.

        # Raises

        `InputError` if they are not `Sentence`s.
        """
        return self._predictor.parse(only_sentences(sentences), self._batch_size, None, **origins)

    def parse_file(
        self, source: AnyPath, target: AnyPath, silent: bool = False, lang: Optional[str] = None
    ) -> None:
        """
        Parses files, with a progress bar unless `silent`. The name of `target` determines its
        format, as with `allennlp predict`: CoNLL-U (`.conllu`), lines of JSON (`.jsonl`) or a table
        of words (`.csv`, `.tsv`, `.parquet`). It appears only when it is complete.

        # Parameters

        source : `Union[str, PathLike]`
            A file or a glob, of raw text (`.txt`, `.md`) or CoNLL-U (`.conllu`), perhaps
            compressed; for other names, the beginning of the content decides. In CoNLL-U, only the
            predicted columns change.
        lang : `Optional[str]`
            The language of raw text, instead of the parser's. Models with the language of a
            sentence as input receive it, for CoNLL-U too.

        # Raises

        `FileNotFoundError`, `ConlluError` with file, line and remedy for invalid CoNLL-U, and
        `InputError` if `target` has another ending or is one of the files, unless that is CoNLL-U.
        """
        paths, target = expand_paths(os.fspath(source)), os.fspath(target)
        tasks = self._predictor.model.decoders
        check_writable(target)
        check_output(target, tasks)
        check_keeps_texts(target, paths)
        are_texts = all(map(is_text, paths))
        chosen_lang = self._predictor.language(lang)
        told = chosen_lang or (self._lang if are_texts else None)
        origins = self._predictor.origins_of(told)
        sentences = self.parse(self._read(paths, chosen_lang or self._lang), **origins)
        bar = Tqdm.tqdm(sentences, unit=" sentences", smoothing=0, disable=silent)
        write_output(bar, target, tasks, are_texts)

    def _stream(self, items: Iterable[Input], lang: Optional[str]) -> Iterator[ParsedSentence]:
        origins = self._predictor.origins_of(lang)
        places: deque[tuple[Optional[int], int]] = deque()

        def sentences() -> Iterator[Sentence]:
            for sentence, start, number in self._sentences(items, lang):
                places.append((start, number))
                yield sentence

        for sentence in self._predictor.parse(sentences(), self._batch_size, FIRST, **origins):
            yield ParsedSentence(sentence, *places.popleft())

    def _sentences(
        self, items: Iterable[Input], lang: Optional[str]
    ) -> Iterator[tuple[Sentence, Optional[int], int]]:
        """
        Yields each sentence, with its place in the raw text if it comes from one, and the number of
        its text.
        """
        ids = itertools.count(1)
        for number, item in enumerate(items):
            check_input(item, number)
            if isinstance(item, Sentence):
                yield item, None, number
            elif isinstance(item, str):
                check_characters(item, number)
                start = 0
                read = read_text(lines_of(item), self._tokens(lang), ids)
                for sentence in self._predictor.of_text(read, lang):
                    yield sentence, start, number
                    start += len(rebuild([sentence]))
            else:
                yield sentence_of_words(item, number), None, number

    def _read(self, paths: list[str], lang: Optional[str]) -> Iterator[Sentence]:
        ids = itertools.count(1)
        # As `predict` does: in one output each document has a name.
        names = document_names(paths) if len(paths) > 1 else [None]
        for path, name in zip(paths, names):
            if is_text(path):
                read = read_text(read_lines(path), self._tokens(lang), ids, path, name)
                yield from self._predictor.of_text(read, lang)
            else:
                yield from document(read_sentences(path), name)

    def _tokens(self, lang: Optional[str]) -> Any:
        return self._tokenizer(self._tokenizer_name, lang)
