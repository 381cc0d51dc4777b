"""The parser as Python sees it: raw text, words or sentences in, words with their trees out."""

import itertools
import os
from typing import Any, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm
from allennlp.common.util import lazy_groups_of

from udify_allennlp.data.tasks import Task, in_order
from udify_allennlp.models.segmenter_archive import own_tokenizer
from udify_allennlp.predictors import BATCH_SIZE, ConlluPredictor, load_predictor
from udify_allennlp.text.conllu import expand_paths, read_sentences, write_sentences
from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.raw_text import (
    Tokenizer,
    is_text,
    lines_of,
    read_lines,
    read_text,
    rebuild,
)
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.tokenizers import DEFAULT, make_tokenizer

Input = Union[str, Sentence, Sequence[str]]
"""A raw text, a sentence, or the words of one."""


class Parser:
    """
    Parses what it is called with, in constant memory and in the order given:

        parser = Parser.load("model.tar.gz", lang="en")
        for sentence in parser("The dog sleeps. It snores."):
            print([(word.form, word.upos, word.head, word.deprel) for word in sentence])

    # Parameters

    predictor : `ConlluPredictor`
    batch_size : `int`
        Sentences that are read before the first result, and sorted by length for speed. It has no
        effect on the results.
    tokenizer : `str`
        For raw text; see `make_tokenizer`. It is made when raw text first comes.
    lang : `Optional[str]`
        Language of raw text.
    """

    def __init__(
        self,
        predictor: ConlluPredictor,
        batch_size: int = BATCH_SIZE,
        tokenizer: str = DEFAULT,
        lang: Optional[str] = None,
    ) -> None:
        if batch_size < 1:
            raise ConfigurationError(f"batch_size is {batch_size}: it must be at least 1.")
        self._predictor = predictor
        self._batch_size = batch_size
        self._tokenizer_name = tokenizer
        self._lang = lang
        self._tokenizer: Optional[Tokenizer] = None

    @classmethod
    def load(
        cls,
        path: Union[str, "os.PathLike[str]"],
        precision: Optional[str] = None,
        cuda_device: int = -1,
        batch_size: int = BATCH_SIZE,
        tokenizer: Optional[str] = None,
        lang: Optional[str] = None,
    ) -> "Parser":
        """
        The parser of an archive (`model.tar.gz`) or of a training run's folder.

        # Parameters

        path : `Union[str, PathLike]`
        precision : `Optional[str]`
            `float32`, `bfloat16`, `float16` or `int8`; by default what the model's config says.
        cuda_device : `int`
            The GPU's number; -1 for the processor.
        batch_size, tokenizer, lang
            As above; the tokenizer is by default the model's own segmenter if it holds one.

        # Raises

        `ArchiveError` or `ConfigurationError` if the model cannot be loaded.
        """
        predictor = load_predictor(path, cuda_device, precision)
        return cls(predictor, batch_size, tokenizer or own_tokenizer(path), lang)

    @property
    def tasks(self) -> List[Task]:
        """What the model predicts."""
        return in_order(decoder.task for decoder in self._predictor.model.decoders.values())

    def __call__(self, source: Union[Input, Iterable[Input]]) -> Iterator[ParsedSentence]:
        """
        Of each sentence its parse, as soon as its batch is done.

        # Parameters

        source : `Union[Input, Iterable[Input]]`
            A string is raw text, which may hold many sentences; a list of strings is the words of
            one sentence; a `Sentence` is parsed anew and keeps its other columns. Or any iterable
            of these, such as a list of lists of words, a generator of texts, `read_sentences(path)`
            or an open file, whose lines are then texts by themselves.

        # Raises

        `ConfigurationError` for anything else, and what `make_tokenizer` raises. `ValueError` for
        words that cannot stand in CoNLL-U, and for a sentence without words.
        """
        pairs = self._sentences(_inputs(source))
        for batch in lazy_groups_of(pairs, self._batch_size):
            parsed = self.parse([sentence for sentence, _ in batch])
            for sentence, (_, start) in zip(parsed, batch):
                yield ParsedSentence(sentence, start)

    def parse(
        self, sentences: Iterable[Sentence], **origins: Union[str, Sequence[str]]
    ) -> Iterator[Sentence]:
        """
        The same sentences with the predicted columns in them, without objects for words; see
        `ConlluPredictor.parse`.
        """
        return self._predictor.parse(sentences, self._batch_size, **origins)

    def parse_file(
        self,
        source: Union[str, "os.PathLike[str]"],
        target: Union[str, "os.PathLike[str]"],
        silent: bool = False,
    ) -> None:
        """
        Parse files, with a progress bar unless `silent`. `target` is CoNLL-U (plain, `.gz` or
        `.xz`) and appears whole or not at all.

        # Parameters

        source : `Union[str, PathLike]`
            A file or a glob. Names in `.txt` (or `.txt.gz`, `.txt.xz`) hold raw text, all others
            CoNLL-U, of which only the predicted columns change.

        # Raises

        `FileNotFoundError`, and `ConlluError` with file, line and remedy for what cannot be read.
        """
        sentences = self.parse(self._read(expand_paths(os.fspath(source))))
        bar = Tqdm.tqdm(sentences, unit=" sentences", smoothing=0, disable=silent)
        write_sentences(bar, target)

    def _sentences(self, items: Iterable[Input]) -> Iterator[Tuple[Sentence, Optional[int]]]:
        """Each sentence, with its place in the raw text if it comes from one."""
        ids = itertools.count(1)
        for item in items:
            if isinstance(item, Sentence):
                yield item, None
            elif isinstance(item, str):
                start = 0
                for sentence in read_text(lines_of(item), self._tokenize, ids):
                    yield sentence, start
                    start += len(rebuild([sentence]))
            elif isinstance(item, (list, tuple)):
                yield Sentence.from_words(item), None
            else:
                raise ConfigurationError(
                    f"The parser was given {item!r:.60}. Give it raw text as a string, a list of "
                    "words, a Sentence, or an iterable of these."
                )

    def _read(self, paths: List[str]) -> Iterator[Sentence]:
        ids = itertools.count(1)
        for path in paths:
            if is_text(path):
                yield from read_text(read_lines(path), self._tokenize, ids, path)
            else:
                yield from read_sentences(path)

    def _tokenize(self, paragraph: str) -> Iterable[list]:
        if self._tokenizer is None:
            self._tokenizer = make_tokenizer(self._tokenizer_name, self._lang)
        return self._tokenizer(paragraph)


def _inputs(source: Any) -> Iterable[Input]:
    """`source` itself if it holds several inputs."""
    if isinstance(source, (list, tuple)):
        return [source] if source and isinstance(source[0], str) else source
    is_one = isinstance(source, (str, Sentence)) or not isinstance(source, Iterable)
    return [source] if is_one else source
