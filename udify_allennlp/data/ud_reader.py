"""Treebank files to instances."""

import logging
import os
from itertools import islice
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Field, Instance
from allennlp.data.fields import MetadataField

from udify_allennlp.data.cache import TableCache, table_key
from udify_allennlp.data.fields import ColumnField, HeadsField, TreebankField, WordpieceField
from udify_allennlp.data.spellings import CharactersField
from udify_allennlp.data.table import FORMS, TREEBANK, TreebankTable, namespace
from udify_allennlp.data.table_builder import TableBuilder
from udify_allennlp.data.wordpieces import Framing, WordpieceTokenizer
from udify_allennlp.text.conllu import (
    ConlluError,
    Sentence,
    check_tree,
    expand_paths,
    read_sentences,
    treebank_name,
)
from udify_allennlp.text.lemma_rules import make_rule

logger = logging.getLogger(__name__)

TASKS = ("upos", "xpos", "feats", "lemma", "deps")
# Sentences whose new words are split into wordpieces in one call. More are a little faster, but
# leave more memory behind in the tokenizer's threads.
_CHUNK = 64


@DatasetReader.register("udify_universal_dependencies")
class UniversalDependenciesReader(DatasetReader):
    """
    Reads CoNLL-U treebanks (thesis, sections 3.1.1 and 3.3.1).

    `read` takes a file, a glob, or a list of files and globs. Each instance holds the wordpieces,
    the labels of each task and the `Sentence` itself, with the file it came from. A label is the
    whole string of its column; the label of a lemma is the script that edits the form into it.
    `table` gives the same as columns of numbers, which the loader `udify` makes its batches of.

    # Parameters

    model_name : `str`
        The encoder whose tokenizer splits the words: a folder or a hub name.
    tasks : `Optional[List[str]]`
        Of `upos`, `xpos`, `feats`, `lemma`, `deps`; by default all but `xpos`, which differs from
        treebank to treebank.
    characters : `bool`
        Give the characters of each word too, for a model that has `characters`; see `Spellings`.
    treebanks : `bool`
        Give the treebank of each word too, by the name of its file, for a decoder that has a vector
        for it.
    check_trees : `bool`
        False for data that has no trees, such as that of SIGMORPHON 2019: HEAD and DEPREL may be
        `_`, and `deps` is none of the tasks.
    skip_invalid : `bool`
        Skip sentences with an error, count them and say so, instead of stopping at the first.
    max_pieces : `Optional[int]`
        Wordpieces of a window; by default what the tokenizer says its encoder takes, 512 at most.
    cache_dir : `Optional[str]`
        A folder where the tables of treebanks are kept, so that they are read only once; see
        `cache.py`. By default the environment variable `UDIFY_CACHE`; nothing is kept without it.
    serialization_dir : `Optional[str]`
        The run's folder, given by AllenNLP: it keeps a copy of the tokenizer.

    # Raises

    `ConlluError` with file, line and remedy at the first invalid sentence. `ConfigurationError` for
    an unknown task, for `deps` without `check_trees` and for windows that are too small.
    """

    def __init__(
        self,
        model_name: str,
        tasks: Optional[List[str]] = None,
        characters: bool = False,
        treebanks: bool = False,
        check_trees: bool = True,
        skip_invalid: bool = False,
        max_pieces: Optional[int] = None,
        cache_dir: Optional[str] = None,
        serialization_dir: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            manual_distributed_sharding=True, manual_multiprocess_sharding=True, **kwargs
        )
        self.tasks = list(tasks) if tasks is not None else [t for t in TASKS if t != "xpos"]
        unknown = [task for task in self.tasks if task not in TASKS]
        if unknown:
            raise ConfigurationError(
                f"dataset_reader.tasks has {unknown[0]!r}. The tasks are {', '.join(TASKS)}."
            )
        if "deps" in self.tasks and not check_trees:
            raise ConfigurationError(
                "dataset_reader has the task deps and check_trees false: trees that are learned "
                "are checked. Take one of the two out."
            )
        if max_pieces is not None and max_pieces < 4:
            raise ConfigurationError(
                f"dataset_reader.max_pieces is {max_pieces}. A window needs at least 4."
            )
        self.characters = characters
        self.treebanks = treebanks
        self.check_trees = check_trees
        self.skip_invalid = skip_invalid
        self.annotated = True
        """False for prediction: the gold columns are not read and may all be `_`."""
        self._tokenizer = WordpieceTokenizer(model_name, serialization_dir)
        tokenizer = self._tokenizer
        self.framing = Framing(
            tokenizer.start_id,
            tokenizer.end_id,
            tokenizer.pad_id,
            max_pieces or tokenizer.max_pieces,
        )
        cache_dir = cache_dir or os.environ.get("UDIFY_CACHE")
        self._cache = TableCache(cache_dir) if cache_dir else None

    def _read(self, file_path: Union[str, os.PathLike, Sequence[str]]) -> Iterator[Instance]:
        paths = [os.fspath(file_path)] if isinstance(file_path, os.PathLike) else file_path
        sentences = self.shard_iterable(
            sentence for path in expand_paths(paths) for sentence in self._sentences(path, [])
        )
        for sentence in self._learned(sentences):
            yield self.text_to_instance(sentence)

    def table(self, path: str) -> TreebankTable:
        """
        The valid sentences of one file as columns of numbers, from the cache where it has them.

        # Raises

        `ConlluError` and `OSError` as `read` does.
        """
        table = self.cached(path)
        return self._named(self._read_table(path)) if table is None else table

    def _read_table(self, path: str) -> TreebankTable:
        if self._cache is None:
            return self._table(path, [])
        key = self._key(path)
        errors: List[ConlluError] = []
        table = self._table(path, errors)
        # Skipped sentences are to be reported every time; and the file may just have been changed.
        if not errors and self._key(path) == key:
            self._cache.save(key, table)
            # What is mapped from the disk need not stay in memory.
            table = self._cache.load(key, path) or table
        return table

    def cached(self, path: str) -> Optional[TreebankTable]:
        """The table of a file if the cache has it."""
        table = None if self._cache is None else self._cache.load(self._key(path), path)
        return None if table is None else self._named(table)

    def _named(self, table: TreebankTable) -> TreebankTable:
        # Not in the cache: there a table is found by what its file holds, not by its name.
        return table.with_treebanks() if self.treebanks and self.annotated else table

    def _key(self, path: str) -> str:
        columns = self.tasks + ([FORMS] if self.characters else [])
        conditions = [repr((self.annotated, columns)).encode()]
        if not self.check_trees:
            conditions.append(b"unchecked trees")
        return table_key(path, self._tokenizer.fingerprint, *conditions)

    def _table(self, path: str, errors: List[ConlluError]) -> TreebankTable:
        tasks = self.tasks if self.annotated else []
        columns = [_column(task) for task in tasks] + ([FORMS] if self.characters else [])
        builder = TableBuilder(path, columns, "deps" in tasks)
        for sentence in self._learned(self._sentences(path, errors)):
            builder.add(
                sentence,
                self._tokenizer(sentence.forms),
                [int(head) for head in sentence.heads] if "deps" in tasks else [],
                {column: _labels(column, sentence) for column in columns},
            )
        # Known words and rules speed up reading; what is read is held for long, they need not be.
        self._tokenizer.forget()
        make_rule.cache_clear()
        return builder.table()

    def _learned(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """The same sentences, once the tokenizer knows their words."""
        iterator = iter(sentences)
        while chunk := list(islice(iterator, _CHUNK)):
            self._tokenizer.learn(form for sentence in chunk for form in sentence.forms)
            yield from chunk

    def _sentences(self, path: str, errors: List[ConlluError]) -> Iterator[Sentence]:
        """The valid sentences of one file; with `skip_invalid`, the others go to `errors`."""
        for sentence in read_sentences(path, errors.append if self.skip_invalid else None):
            if self.annotated and self.check_trees:
                try:
                    check_tree(sentence)
                except ConlluError as error:
                    if not self.skip_invalid:
                        raise
                    errors.append(error)
                    continue
            yield sentence
        if errors:
            logger.warning(
                "%s: skipped %d invalid sentences. The first: %s", path, len(errors), errors[0]
            )

    def text_to_instance(self, sentence: Sentence) -> Instance:  # type: ignore[override]
        """An instance of one `Sentence`; without labels where the reader is not `annotated`."""
        fields: Dict[str, Field] = {
            "wordpieces": WordpieceField(self._tokenizer(sentence.forms), *self.framing),
            "sentences": MetadataField(sentence),
        }
        for task in self.tasks if self.annotated else []:
            if task == "deps":
                fields["heads"] = HeadsField([int(head) for head in sentence.heads])
            column = _column(task)
            fields[column] = ColumnField(_labels(column, sentence), namespace(column))
        if self.treebanks and self.annotated:
            names = [treebank_name(sentence.path)] * len(sentence)
            fields[TREEBANK] = TreebankField(names, sentence.xpos if "xpos" in self.tasks else [])
        if self.characters:
            fields["characters"] = CharactersField(sentence.forms)
        return Instance(fields)


def _column(task: str) -> str:
    """The column that holds the labels of a task; the task `deps` has heads besides."""
    return "deprels" if task == "deps" else task


def _labels(column: str, sentence: Sentence) -> List[str]:
    """The label of each word; in the column of forms, the word."""
    if column == "lemma":
        return [make_rule(form, lemma) for form, lemma in zip(sentence.forms, sentence.lemmas)]
    return getattr(sentence, column)


def instances_of_words(
    reader: UniversalDependenciesReader, sentences: Iterable[Sequence[str]]
) -> List[Instance]:
    """Instances of sentences given as lists of words, for prediction."""
    return [reader.text_to_instance(Sentence.from_words(words)) for words in sentences]
