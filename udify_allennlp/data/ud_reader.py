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
from udify_allennlp.data.instance import TableInstance
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.sentence_source import Origin
from udify_allennlp.data.table import TreebankTable
from udify_allennlp.data.table_builder import TableBuilder
from udify_allennlp.data.tasks import LANG, TREEBANK, Deps, Task
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
    Reads CoNLL-U treebanks (thesis, sections 3.1.1 and 3.3.1) into tables of columns, of which the
    loader `udify` and the predictor make their batches; `read` gives AllenNLP's instances, which
    are rows of such tables. Paths are a file, a glob, or a list of files and globs.

    What a column is, and how it becomes labels, is said by its task (`tasks.py`).

    # Parameters

    model_name : `Optional[str]`
        The encoder whose tokenizer splits the words: a folder or a hub name. `None` for an encoder
        that takes whole words.
    tasks : `Optional[List[Union[str, Task]]]`
        What is learned: of `upos`, `xpos`, `feats`, `lemma`, `deps`, and tasks of your own; by
        default all of these but `xpos`, which differs from treebank to treebank.
    inputs : `Optional[List[Union[str, Task]]]`
        Tasks whose columns the model is given, in training and in prediction, as the file has them:
        gold, or predicted by another model. One may be learned as well.
    characters : `bool`
        Give the characters of each word too, for a model that has `characters`; see `Spellings`.
    forms : `bool`
        Give the words themselves, for an encoder that looks them up.
    word_of : `bool`
        Give of each wordpiece its word; see `Layout`.
    piece_nodes : `bool`
        Lay out wordpieces as nodes, too, for a decoder whose unit they are; see `Layout`.
    treebanks, langs : `Union[bool, str]`
        Give the treebank, or the language, of each sentence, for what has a vector for it: `true`
        or `file` by the name of the file, `comment` by its comment `# treebank = ...` or `# lang =
        ...`, `=NAME` for all; see `Origin`.
    lexicon : `Sequence[str]`
        Tasks with one label a word, such as `upos` and `lemma`: a word of the training data gets
        one of the labels that its form has there, the most probable of them. Our addition, not the
        thesis's, for one language: what a form is in one says little of another.
    own_labels : `bool`
        Keep in the vocabulary which labels each language has, so that decoders predict these alone
        where the language is known, and a `lexicon` of each language. It takes `langs`.
    check_trees : `bool`
        False for data that has no trees, such as that of SIGMORPHON 2019: HEAD and DEPREL may be
        `_`, and `deps` is none of the tasks.
    skip_invalid : `bool`
        Skip sentences with an error, count them and say so, instead of stopping at the first.
    max_pieces : `Optional[int]`
        Wordpieces of a window; by default what the tokenizer says its encoder takes, 512 at most.
    root_piece : `bool`
        By default leave room in each window for a piece that an encoder adds for ROOT.
    cache_dir : `Optional[str]`
        A folder where the tables of treebanks are kept, so that they are read only once; see
        `cache.py`. By default the environment variable `UDIFY_CACHE`; nothing is kept without it.
    serialization_dir : `Optional[str]`
        The run's folder, given by AllenNLP: it keeps a copy of the tokenizer.

    # Raises

    `ConlluError` with file, line and remedy at the first invalid sentence. `ConfigurationError` for
    an unknown task, for `deps` without `check_trees`, for a lexicon of what is not learned, for
    `own_labels` without `langs`, and for windows that are too small.
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
                "dataset_reader has the task deps and check_trees false: trees that are learned "
                "are checked. Take one of the two out."
            )
        if max_pieces is not None and max_pieces < 4:
            raise ConfigurationError(
                f"dataset_reader.max_pieces is {max_pieces}. A window needs at least 4."
            )
        if model_name is None and (max_pieces is not None or word_of or piece_nodes):
            raise ConfigurationError(
                "dataset_reader has max_pieces, word_of or piece_nodes and no model_name: "
                "wordpieces are those of an encoder. Name one, or take the other out."
            )
        if own_labels and not langs:
            raise ConfigurationError(
                "dataset_reader has own_labels and no langs: they are labels of languages. Set "
                "langs to true."
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
            origins=tuple(Origin(name, source) for name, source in origins if source),
            framing=framing,
            characters=characters,
            forms=forms,
            word_of=word_of,
            lexicon=chosen_tasks.lexicon(lexicon, targets),
            piece_nodes=piece_nodes,
            own_labels=own_labels,
        )
        """What is read of an annotated sentence."""
        cache_dir = cache_dir or os.environ.get("UDIFY_CACHE")
        self._cache = TableCache(cache_dir) if cache_dir else None

    def table(self, path: str) -> TreebankTable:
        """
        The valid, annotated sentences of one file, from the cache where it has them.

        # Raises

        `ConlluError` and `OSError` as `read` does.
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
        """The table of a file if the cache has it."""
        if self._cache is None or not os.path.isfile(path):
            return None
        return self._cache.load(self._key(path), path)

    def table_of(
        self, sentences: Sequence[Sentence], schema: Schema, **origins: Sequence[str]
    ) -> TreebankTable:
        """
        A table of sentences in memory, which are not checked.

        # Parameters

        sentences : `Sequence[Sentence]`
        schema : `Schema`
            What is read of them: `schema`, or in prediction `schema.unannotated()`.
        **origins : `Sequence[str]`
            The `treebank` or `lang` of each sentence, whatever the reader is told to take; of no
            effect where the schema does not have it, or where it is empty.
        """
        builder = TableBuilder(schema.specs)
        for number, sentence in enumerate(self._split(sentences)):
            values = schema.values(sentence, self._pieces(sentence))
            told = {name: labels[number] for name, labels in origins.items()}
            values.update({name: [origin] for name, origin in told.items() if origin})
            builder.add(sentence, values)
        return builder.table()

    def sentences(self, paths: Union[str, Sequence[str]]) -> Iterator[Sentence]:
        """
        The sentences of files, for prediction: trees are not checked.

        # Raises

        `ConlluError` at the first invalid one, unless the reader skips these.
        """
        sentences = (
            s for path in expand_paths(paths) for s in self._valid(path, [], annotated=False)
        )
        return islice(sentences, self.max_instances)

    def sentences_in(self, file: Iterable[bytes], path: str) -> Iterator[Sentence]:
        """Reads an open file of CoNLL-U, called `path` in messages, as `sentences` does."""
        errors: list[ConlluError] = []
        sentences = sentences_in(file, path, errors.append if self.skip_invalid else None)
        yield from islice(sentences, self.max_instances)
        _report(path, errors)

    def text_to_instance(self, sentence: Sentence, annotated: bool = True) -> Instance:
        """An instance of one `Sentence`; without targets where it is not `annotated`."""
        schema = self.schema if annotated else self.schema.unannotated()
        return TableInstance(self.table_of([sentence], schema), 0, schema)

    @property
    def last_piece(self) -> Optional[int]:
        """The highest number that a wordpiece can have; `None` without wordpieces."""
        return None if self._tokenizer is None else self._tokenizer.last_piece

    def count_pieces(self, sentence: Sentence) -> int:
        """Returns the number of wordpieces of a sentence, or of words without wordpieces."""
        pieces = self._pieces(sentence)
        return len(sentence) if pieces is None else sum(map(len, pieces))

    def forget(self) -> None:
        """Give back the memory of the words that were split."""
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
        """The same sentences, once the tokenizer knows their words."""
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
        """The valid sentences of one file; with `skip_invalid`, the others go to `errors`."""
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
