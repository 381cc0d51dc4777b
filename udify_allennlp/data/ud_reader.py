"""Treebank files to tables and instances."""

import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Optional, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance

from udify_allennlp.data import chosen_tasks
from udify_allennlp.data.cache import TableCache, table_key
from udify_allennlp.data.columns import LANG, TREEBANK
from udify_allennlp.data.instance import TableInstance
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.table import TreebankTable
from udify_allennlp.data.table_builder import TableBuilder, table_of
from udify_allennlp.data.tasks import Deps, Task
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.text.conllu import (
    check_tree,
    expand_paths,
    read_sentences,
    sentences_in,
)
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.files import fingerprint
from udify_allennlp.text.lemma_rules import make_rule
from udify_allennlp.text.sentence import Sentence

logger = logging.getLogger(__name__)

# Sentences whose new words are split into wordpieces in one call. More are a little faster, but
# leave more memory behind in the tokenizer's threads.
_CHUNK = 64


@DatasetReader.register("udify_universal_dependencies")
class UniversalDependenciesReader(DatasetReader):
    """
    A reader of CoNLL-U treebanks (thesis, sections 3.1.1 and 3.3.1), which makes tables of columns
    for the batches of the loader `udify` and the predictor; `read` yields AllenNLP's instances,
    which are rows of such tables. Paths are a file, a glob, or a list of files and globs.

    The task of a column defines it and its labels (`tasks.py`).

    # Parameters

    model_name : `Optional[str]`
        The encoder whose tokenizer splits the words: a folder or a hub name. `None` for an encoder
        that takes whole words.
    tasks : `Optional[List[Union[str, Task]]]`
        The tasks to learn: some of `upos`, `xpos`, `feats`, `lemma`, `deps`, and your own tasks; by
        default all of these except `xpos`, which differs from treebank to treebank.
    inputs : `Optional[List[Union[str, Task]]]`
        Tasks whose columns are inputs of the model, in training and in prediction, with the values
        in the file: gold, or predicted by another model. A task may be both input and target.
    characters : `bool`
        If true, batches have the characters of each word, for a model that has `characters`; see
        `Spellings`.
    forms : `bool`
        If true, batches have the words themselves, for an encoder that looks them up.
    word_of : `bool`
        If true, batches have the word of each wordpiece; see `Layout`.
    piece_nodes : `bool`
        If true, wordpieces are nodes, too, for a decoder whose unit they are; see `Layout`.
    treebanks, langs : `Union[bool, str]`
        Source of the treebank, or the language, of each sentence, for modules with a vector for it:
        `true` or `file` for the name of the file, `comment` for its comment `# treebank = ...` or
        `# lang = ...`, `=NAME` for all sentences; see `Origin`.
    lexicon : `Sequence[str]`
        Tasks with one label per word, such as `upos` and `lemma`: a word of the training data gets
        the most probable of the labels that its form has there. Our addition to the thesis, for one
        language: labels of a form in one language are of little use in another.
    own_labels : `bool`
        If true, the vocabulary has the labels of each language, so that decoders predict only these
        where the language is known, and a `lexicon` for each language. It needs `langs`.
    check_trees : `bool`
        False for data without trees, such as that of SIGMORPHON 2019: HEAD and DEPREL may be `_`,
        and `deps` is not among the tasks.
    skip_invalid : `bool`
        True to skip sentences with an error, count and report them, instead of stopping at the
        first.
    max_pieces : `Optional[int]`
        Number of wordpieces of a window; by default the tokenizer's limit for its encoder, and at
        most 512.
    root_piece : `bool`
        True to leave room in the default window for a piece that an encoder adds for ROOT.
    cache_dir : `Optional[str]`
        A folder for the tables of treebanks, so that they are read only once; see `cache.py`. By
        default the environment variable `UDIFY_CACHE`; nothing is kept without it.
    serialization_dir : `Optional[str]`
        The run folder, given by AllenNLP: it keeps a copy of the tokenizer.

    # Raises

    `ConlluError` with file, line and remedy at the first invalid sentence. `ConfigurationError` for
    an unknown task, for `deps` without `check_trees`, for a lexicon of a task that is not learned,
    for `own_labels` without `langs`, and for windows that are too small.
    """

    def __init__(
        self,
        model_name: Optional[str] = None,
        tasks: Optional[list[Union[str, Task]]] = None,
        characters: bool = False,
        treebanks: Union[bool, str] = False,
        check_trees: bool = True,
        skip_invalid: bool = False,
        max_pieces: Optional[int] = None,
        cache_dir: Optional[str] = None,
        serialization_dir: Optional[str] = None,
        inputs: Optional[list[Union[str, Task]]] = None,
        forms: bool = False,
        word_of: bool = False,
        langs: Union[bool, str] = False,
        root_piece: bool = False,
        lexicon: Sequence[str] = (),
        piece_nodes: bool = False,
        own_labels: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            manual_distributed_sharding=True, manual_multiprocess_sharding=True, **kwargs
        )
        targets = chosen_tasks.tasks("tasks", chosen_tasks.DEFAULT if tasks is None else tasks)
        if any(isinstance(task, Deps) for task in targets) and not check_trees:
            raise ConfigurationError(
                "dataset_reader has the task deps and check_trees false, but trees can be learned "
                "only if they are checked. Remove one of the two."
            )
        if max_pieces is not None and max_pieces < 4:
            raise ConfigurationError(
                f"dataset_reader.max_pieces is {max_pieces}. A window needs at least 4."
            )
        if model_name is None and (max_pieces is not None or word_of or piece_nodes):
            raise ConfigurationError(
                "dataset_reader has max_pieces, word_of or piece_nodes, but no model_name for the "
                "encoder of the wordpieces. Add one, or remove the others."
            )
        if own_labels and not langs:
            raise ConfigurationError(
                "dataset_reader has own_labels but no langs, whose labels these are. Set langs to "
                "true."
            )
        self.check_trees = check_trees
        self.skip_invalid = skip_invalid
        self._tokenizer: Optional[WordpieceTokenizer] = None
        framing = None
        if model_name is not None:
            self._tokenizer = WordpieceTokenizer(model_name, serialization_dir)
            framing = self._tokenizer.framing(
                max_pieces or self._tokenizer.max_pieces - int(root_piece)
            )
        origins = ((TREEBANK, treebanks), (LANG, langs))
        self.schema = Schema(
            targets=targets,
            inputs=chosen_tasks.tasks("inputs", inputs or []),
            origins=tuple(chosen_tasks.origin(name, source) for name, source in origins if source),
            framing=framing,
            characters=characters,
            forms=forms,
            word_of=word_of,
            lexicon=chosen_tasks.lexicon(lexicon, targets),
            piece_nodes=piece_nodes,
            own_labels=own_labels,
        )
        """The schema of an annotated sentence."""
        cache_dir = cache_dir or os.environ.get("UDIFY_CACHE")
        self._cache = TableCache(cache_dir) if cache_dir else None

    def table(self, path: str) -> TreebankTable:
        """
        Returns a table of the valid, annotated sentences of one file, from the cache if it has
        them.

        # Raises

        `ConlluError` and `OSError`, as in `read`.
        """
        if self._cache is None or not os.path.isfile(path):
            return self._read_file(path, [])
        kept = self.kept_table(path)
        if kept is not None:
            return kept
        key = self._key(path)
        errors: list[ConlluError] = []
        table = self._read_file(path, errors)
        # Skipped sentences are to be reported every time; and the file may just have been changed.
        if not errors and self._key(path) == key:
            self._cache.save(key, table)
            # What is mapped from the disk need not stay in memory.
            table = self._cache.load(key, path) or table
        return table

    def kept_table(self, path: str) -> Optional[TreebankTable]:
        """Returns the table of a file if the cache has it."""
        if self._cache is None or not os.path.isfile(path):
            return None
        return self._cache.load(self._key(path), path)

    def table_of(
        self,
        sentences: Sequence[Sentence],
        schema: Schema,
        **origins: Union[str, Sequence[str]],
    ) -> TreebankTable:
        """
        A table of sentences in memory, which are not checked.

        # Parameters

        sentences : `Sequence[Sentence]`
        schema : `Schema`
            The columns to read: `schema`, or in prediction `schema.unannotated()`.
        **origins : `Union[str, Sequence[str]]`
            The `treebank` or `lang` of all sentences or of each, which takes precedence over the
            reader's settings; ignored if the schema does not have it, or if it is empty.
        """
        return table_of(self._split(sentences), schema, self._pieces, origins)

    def sentences(self, paths: Union[str, Sequence[str]]) -> Iterator[Sentence]:
        """
        Yields the sentences of files, for prediction: trees are not checked.

        # Raises

        `ConlluError` at the first invalid sentence, unless the reader skips these.
        """
        sentences = (
            s for path in expand_paths(paths) for s in self._valid(path, [], annotated=False)
        )
        return islice(sentences, self.max_instances)

    def sentences_in(self, file: Iterable[bytes], path: str) -> Iterator[Sentence]:
        """
        Yields the sentences of an open CoNLL-U file, called `path` in messages, like `sentences`.
        """
        errors: list[ConlluError] = []
        sentences = sentences_in(file, path, errors.append if self.skip_invalid else None)
        yield from islice(sentences, self.max_instances)
        _report(path, errors)

    def text_to_instance(self, sentence: Sentence, annotated: bool = True) -> Instance:
        """Returns an instance of one `Sentence`; without targets unless it is `annotated`."""
        schema = self.schema if annotated else self.schema.unannotated()
        return TableInstance(self.table_of([sentence], schema), 0, schema)

    @property
    def last_piece(self) -> Optional[int]:
        """The highest possible number of a wordpiece; `None` without wordpieces."""
        return None if self._tokenizer is None else self._tokenizer.last_piece

    def count_pieces(self, sentence: Sentence) -> int:
        """Returns the number of wordpieces of a sentence, or of words without wordpieces."""
        pieces = self._pieces(sentence)
        return len(sentence) if pieces is None else sum(map(len, pieces))

    def forget(self) -> None:
        """Frees the memory of the words that were split."""
        if self._tokenizer is not None:
            self._tokenizer.forget()

    def _read(self, file_path: Union[str, os.PathLike, Sequence[str]]) -> Iterator[Instance]:
        paths = [os.fspath(file_path)] if isinstance(file_path, os.PathLike) else file_path
        sentences = self.shard_iterable(
            sentence for path in expand_paths(paths) for sentence in self._valid(path, [])
        )
        for sentence in self._split(sentences):
            yield self.text_to_instance(sentence)

    def _key(self, path: str) -> str:
        schema = self.schema
        unnamed = Sentence.from_words(["_"], path)  # of its origin only the file's name is known
        settings = (
            [(type(task).__qualname__, sorted(vars(task).items())) for task in schema.targets],
            [(type(task).__qualname__, sorted(vars(task).items())) for task in schema.inputs],
            [(origin.name, origin.source, origin.of(unnamed)) for origin in schema.origins],
            (schema.keeps_forms, self.check_trees),
        )
        pieces = b"" if self._tokenizer is None else self._tokenizer.fingerprint
        beside = [task.beside(path) for task in (*schema.targets, *schema.inputs)]
        others = [fingerprint([other]) for other in beside if other is not None]
        return table_key(path, pieces, repr(settings).encode(), *map(str.encode, others))

    def _read_file(self, path: str, errors: list[ConlluError]) -> TreebankTable:
        builder = TableBuilder(self.schema.specs, path)
        for sentence in self._split(self._valid(path, errors)):
            builder.add(sentence, self.schema.values(sentence, self._pieces(sentence)))
        # Known words and rules speed up reading; what is read is held for long, they need not be.
        self.forget()
        make_rule.cache_clear()
        return builder.table()

    def _pieces(self, sentence: Sentence) -> Optional[list[Sequence[int]]]:
        return None if self._tokenizer is None else list(self._tokenizer(sentence.forms))

    def _split(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yields the same sentences, after the tokenizer has learned their words."""
        if self._tokenizer is None:
            yield from sentences
            return
        iterator = iter(sentences)
        while chunk := list(islice(iterator, _CHUNK)):
            self._tokenizer.learn(form for sentence in chunk for form in sentence.forms)
            yield from chunk

    def _valid(
        self, path: str, errors: list[ConlluError], annotated: bool = True
    ) -> Iterator[Sentence]:
        """
        Yields the valid sentences of one file; with `skip_invalid`, the others go to `errors`.
        """
        for sentence in read_sentences(path, errors.append if self.skip_invalid else None):
            if annotated and self.check_trees:
                try:
                    check_tree(sentence)
                except ConlluError as error:
                    if not self.skip_invalid:
                        raise
                    errors.append(error)
                    continue
            yield sentence
        _report(path, errors)


def _report(path: str, errors: list[ConlluError]) -> None:
    if errors:
        logger.warning(
            "%s: skipped %d invalid sentences. The first: %s", path, len(errors), errors[0]
        )
