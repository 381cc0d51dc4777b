"""
The table of tasks. Each task defines the annotation that is predicted, its CoNLL-U columns, the
conversion of columns to labels and back, the vocabulary of these labels, and their scores.

To add a task, register one class under its name, here or in a plugin; `TagDecoder` then predicts
it, and the reader, the tables, the batches and the scores support it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

from allennlp.common import Registrable
from allennlp.common.checks import ConfigurationError

from udify_allennlp.data.columns import TREEBANK, UNLABELLED, ColumnSpec
from udify_allennlp.data.label_limits import MISSING_LEMMA, scripts_of_rule
from udify_allennlp.text.lemma_rules import apply_rule, make_rule
from udify_allennlp.text.sentence import Columns, Sentence
from udify_allennlp.text.universal_labels import attached, universal_deprel, universal_feats

Counter = dict[str, dict[str, int]]
"""Counts of the strings of each namespace, from which AllenNLP's vocabulary is made."""


class Task(Registrable):
    """
    A word-level prediction task.

    # Parameters

    name : `str`
        The name in `dataset_reader.tasks`.
    columns : `Sequence[str]`
        The columns that it fills, named as `Sentence` names them.
    specs : `Sequence[ColumnSpec]`
        The columns of tables and batches for it.
    metrics : `Sequence[str]`
        The names of its scores.
    """

    def __init__(
        self,
        name: str,
        columns: Sequence[str],
        specs: Sequence[ColumnSpec],
        metrics: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.columns = tuple(columns)
        self.specs = tuple(specs)
        self.metrics = tuple(metrics)

    def values(self, sentence: Sentence) -> list[Sequence[Any]]:
        """Returns a sentence's values for each of the `specs`, from its gold columns."""
        raise NotImplementedError

    def beside(self, path: str) -> Optional[str]:
        """Returns an additional file for the values of a treebank's sentences, if there is one."""
        return None

    def count(self, counter: Counter, values: Mapping[str, Sequence[Any]]) -> None:
        """
        Counts the strings that the vocabulary numbers; `values` are those of all columns, by name.
        """
        for spec in self.specs:
            if spec.namespace is not None:
                counts = counter[spec.namespace]
                for value in values[spec.name]:
                    counts[value] += 1
                counts.pop(UNLABELLED, None)

    def right(self, gold: Sentence, predicted: Columns) -> dict[str, int]:
        """
        Returns the number of correct words of a sentence, by `metrics`; the columns are predicted.
        """
        raise NotImplementedError


class LabelTask(Task):
    """
    A task with one label per word.

    # Parameters

    name : `str`
    column : `str`
        The column of `Sentence` that it fills.
    metric : `str`
    """

    missing: Optional[str] = None
    """The label of a cell without annotation: not learned, not predicted."""
    optional = False
    """
    True if treebanks may leave the whole column out although words have a value; see
    `unannotated_columns.py`.
    """

    def __init__(self, name: str, column: str, metric: str) -> None:
        super().__init__(name, [column], [ColumnSpec(name, f"{name}_labels")], [metric])

    @property
    def namespace(self) -> str:
        """The vocabulary namespace of the labels."""
        return f"{self.name}_labels"

    def values(self, sentence: Sentence) -> list[Sequence[str]]:
        return [self.labels(sentence)]

    def labels(self, sentence: Sentence) -> list[str]:
        """Returns the label of each word; by default, its cell."""
        column: list[str] = getattr(sentence, self.columns[0])
        return column

    def cells(self, sentence: Sentence, labels: Sequence[str]) -> list[str]:
        """Returns the cell of each word with a label, from which `labels` derives its labels."""
        return list(labels)

    def cells_in(self, lang: str, sentence: Sentence, labels: Sequence[str]) -> list[str]:
        """Returns the cells in a language, by its code (empty if unknown), for its casing."""
        return self.cells(sentence, labels)

    def scripts(self, label: str) -> frozenset[str]:
        """
        Returns the scripts of which a word must have letters to get a label, if it has letters.
        """
        return frozenset()

    def right(self, gold: Sentence, predicted: Columns) -> dict[str, int]:
        (column,), (metric,) = self.columns, self.metrics
        pairs = zip(self.labels(gold), self.labels(gold.replace(**{column: predicted[column]})))
        return {metric: sum(label == guess for label, guess in pairs)}


class _CellTask(LabelTask):
    """A task whose label is the whole cell, and whose scores compare cells."""

    def right(self, gold: Sentence, predicted: Columns) -> dict[str, int]:
        (column,), (metric,) = self.columns, self.metrics
        pairs = zip(getattr(gold, column), predicted[column])
        return {metric: sum(map(self.same, *zip(*pairs)))}

    @staticmethod
    def same(gold: str, predicted: str) -> bool:
        """Returns whether a cell counts as correct."""
        return gold == predicted


@Task.register("upos")
class Upos(_CellTask):
    """Universal part of speech."""

    def __init__(self) -> None:
        super().__init__("upos", "upos", "UPOS")


@Task.register("xpos")
class Xpos(_CellTask):
    """
    Treebank-specific part of speech. If treebanks are read too, the vocabulary has the tags of
    each: the namespace `treebank_xpos_labels` has entries `treebank<tab>tag`.
    """

    PAIRS = "treebank_xpos_labels"

    def __init__(self) -> None:
        super().__init__("xpos", "xpos", "XPOS")

    def count(self, counter: Counter, values: Mapping[str, Sequence[Any]]) -> None:
        super().count(counter, values)
        for treebank in values.get(TREEBANK, ()):
            for tag in values[self.name]:
                counter[self.PAIRS][f"{treebank}\t{tag}"] += 1


@Task.register("feats")
class Feats(_CellTask):
    """Morphological features, as one label; only universal ones are scored."""

    optional = True

    def __init__(self) -> None:
        super().__init__("feats", "feats", "UFeats")

    @staticmethod
    def same(gold: str, predicted: str) -> bool:
        return universal_feats(gold) == universal_feats(predicted)


@Task.register("lemma")
class Lemma(_CellTask):
    """
    Lemmas, whose label is the script that edits the form into the lemma (`lemma_rules.py`). A gold
    lemma `_` of another form is missing: any prediction counts as correct.

    A lemma has no letters of a script that its form lacks: no Hebrew letter in Arabic.
    """

    missing = MISSING_LEMMA

    def __init__(self) -> None:
        super().__init__("lemma", "lemmas", "Lemmas")

    def labels(self, sentence: Sentence) -> list[str]:
        return [make_rule(form, lemma) for form, lemma in zip(sentence.forms, sentence.lemmas)]

    def scripts(self, label: str) -> frozenset[str]:
        return scripts_of_rule(label)

    def cells(self, sentence: Sentence, labels: Sequence[str]) -> list[str]:
        return self.cells_in("", sentence, labels)

    def cells_in(self, lang: str, sentence: Sentence, labels: Sequence[str]) -> list[str]:
        return [apply_rule(form, rule, lang) for form, rule in zip(sentence.forms, labels)]

    @staticmethod
    def same(gold: str, predicted: str) -> bool:
        return gold in ("_", predicted)


@Task.register("deps")
class Deps(Task):
    """
    The head of each word, 0 is ROOT, and its relation; only universal relations are scored.

    # Parameters

    universal : `bool`
        True if only universal relations are learned: `nsubj` for `nsubj:pass` (Ahmad et al. 2019,
        section 4.1).
    """

    NAMESPACE = "deprel_labels"

    def __init__(self, universal: bool = False) -> None:
        self.universal = universal
        specs = [ColumnSpec("heads"), ColumnSpec("deprels", self.NAMESPACE)]
        super().__init__("deps", ["heads", "deprels"], specs, ["UAS", "LAS"])

    def values(self, sentence: Sentence) -> list[Sequence[Any]]:
        deprels = sentence.deprels
        if self.universal:
            deprels = [universal_deprel(deprel) for deprel in deprels]
        return [[int(head) for head in sentence.heads], deprels]

    def right(self, gold: Sentence, predicted: Columns) -> dict[str, int]:
        heads, both = attached(gold, predicted["heads"], predicted["deprels"])
        return {"UAS": sum(heads), "LAS": sum(both)}


@Task.register("form")
class Form(Task):
    """
    The word itself, numbered for models that learn a vector for it: an input, never predicted. The
    namespace `form_labels` of the vocabulary has the words of training, or with its `min_count` the
    frequent ones.
    """

    NAMESPACE = "form_labels"

    def __init__(self) -> None:
        super().__init__("form", [], [ColumnSpec("form", self.NAMESPACE)])

    def values(self, sentence: Sentence) -> list[Sequence[Any]]:
        return [sentence.forms]


STANDARD = ("upos", "xpos", "feats", "lemma", "deps")
"""The tasks of CoNLL-U that we predict, in the order in which scores are shown."""


def task_of(task: Union[str, Task]) -> Task:
    """
    Returns the task of a name, or the task itself.

    # Raises

    `ConfigurationError` if the task does not exist.
    """
    if isinstance(task, Task):
        return task
    if task not in Task.list_available():
        raise ConfigurationError(
            f"Unknown task {task!r}. The tasks are {', '.join(Task.list_available())}."
        )
    cls: Any = Task.by_name(task)
    made: Task = cls()
    return made


def in_order(tasks: Iterable[Task]) -> list[Task]:
    """Returns standard tasks first, in their order; then others, in the order given."""
    place = {name: number for number, name in enumerate(STANDARD)}
    return sorted(tasks, key=lambda task: place.get(task.name, len(place)))
