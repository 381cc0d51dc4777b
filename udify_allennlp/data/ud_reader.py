"""Treebank files to instances."""

import logging
import os
from itertools import islice
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Field, Instance
from allennlp.data.fields import MetadataField

from udify_allennlp.conllu import ConlluError, Sentence, check_tree, expand_paths, read_sentences
from udify_allennlp.data.fields import ColumnField, HeadsField, WordpieceField
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.lemma_rules import make_rule

logger = logging.getLogger(__name__)

TASKS = ("upos", "xpos", "feats", "lemma", "deps")
# Sentences whose new words are split into wordpieces in one call.
_CHUNK = 1024


@DatasetReader.register("udify_universal_dependencies")
class UniversalDependenciesReader(DatasetReader):
    """
    Reads CoNLL-U treebanks (thesis, sections 3.1.1 and 3.3.1).

    `read` takes a file, a glob, or a list of files and globs. Each instance holds the wordpieces,
    the labels of each task and the `Sentence` itself, with the file it came from. A label is the
    whole string of its column; the label of a lemma is the script that edits the form into it.

    # Parameters

    model_name : `str`
        The encoder whose tokenizer splits the words: a folder or a hub name.
    tasks : `Optional[List[str]]`
        Of `upos`, `xpos`, `feats`, `lemma`, `deps`; by default all but `xpos`, which differs from
        treebank to treebank.
    skip_invalid : `bool`
        Skip sentences with an error, count them and say so, instead of stopping at the first.
    max_pieces : `Optional[int]`
        Wordpieces of a window; by default what the tokenizer says its encoder takes, 512 at most.
    serialization_dir : `Optional[str]`
        The run's folder, given by AllenNLP: it keeps a copy of the tokenizer.

    # Raises

    `ConlluError` with file, line and remedy at the first invalid sentence.
    """

    def __init__(
        self,
        model_name: str,
        tasks: Optional[List[str]] = None,
        skip_invalid: bool = False,
        max_pieces: Optional[int] = None,
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
        self.skip_invalid = skip_invalid
        self.annotated = True
        """False for prediction: the gold columns are not read and may all be `_`."""
        self._tokenizer = WordpieceTokenizer(model_name, serialization_dir)
        self._max_pieces = max_pieces or self._tokenizer.max_pieces

    def _read(self, file_path: Union[str, os.PathLike, Sequence[str]]) -> Iterator[Instance]:
        paths = [os.fspath(file_path)] if isinstance(file_path, os.PathLike) else file_path
        sentences = self.shard_iterable(
            sentence for path in expand_paths(paths) for sentence in self._sentences(path)
        )
        iterator = iter(sentences)
        while chunk := list(islice(iterator, _CHUNK)):
            self._tokenizer.learn(form for sentence in chunk for form in sentence.forms)
            for sentence in chunk:
                yield self.text_to_instance(sentence)

    def _sentences(self, path: str) -> Iterator[Sentence]:
        """The valid sentences of one file."""
        errors: List[ConlluError] = []
        for sentence in read_sentences(path, errors.append if self.skip_invalid else None):
            if self.annotated:
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
        tokenizer = self._tokenizer
        fields: Dict[str, Field] = {
            "wordpieces": WordpieceField(
                tokenizer(sentence.forms),
                tokenizer.start_id,
                tokenizer.end_id,
                tokenizer.pad_id,
                self._max_pieces,
            ),
            "sentences": MetadataField(sentence),
        }
        if self.annotated:
            for task in self.tasks:
                fields.update(_labels(task, sentence))
        return Instance(fields)


def _labels(task: str, sentence: Sentence) -> Dict[str, Field]:
    if task == "deps":
        return {
            "heads": HeadsField([int(head) for head in sentence.heads]),
            "deprels": ColumnField(sentence.deprels, "deprel_labels"),
        }
    if task == "lemma":
        rules = [make_rule(form, lemma) for form, lemma in zip(sentence.forms, sentence.lemmas)]
        return {"lemma": ColumnField(rules, "lemma_labels")}
    return {task: ColumnField(getattr(sentence, task), f"{task}_labels")}


def instances_of_words(
    reader: UniversalDependenciesReader, sentences: Iterable[Sequence[str]]
) -> List[Instance]:
    """Instances of sentences given as lists of words, for prediction."""
    return [reader.text_to_instance(Sentence.from_words(words)) for words in sentences]
