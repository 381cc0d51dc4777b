"""
The table of tasks: the one place that says what is predicted of a word, which columns of CoNLL-U
hold it, how a column becomes labels and labels a column again, the vocabulary of these labels, and
how they are scored.

A task of your own is one class here or in a plugin, registered under its name; `TagDecoder` then
predicts it, and the reader, the tables, the batches and the scores know it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

from allennlp.common import Registrable
from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.lemma_rules import WHOLE, added, apply_rule, make_rule
from udify_allennlp.text.scripts import scripts_of
from udify_allennlp.text.sentence import Columns, Sentence
from udify_allennlp.text.universal_labels import attached, universal_deprel, universal_feats

Counter = dict[str, dict[str, int]]
"""How often each string of each namespace was met, as AllenNLP's vocabulary is made of it."""
UNLABELLED = ""
"""In a column of labels: there is none, so that nothing is learned; the vocabulary lacks it."""


class ColumnSpec(NamedTuple):
    """One named column of a table and of a batch."""

    name: str
    namespace: Optional[str] = None
    """Of the vocabulary that numbers the values; `None`: they are numbers themselves."""
    unit: str = "word"
    """What has a value: each `word`, each `sentence`, or `row`: any number in a sentence, such as
    its spans."""


class Task(Registrable):
    """
    A word-level prediction task.

    # Parameters

    name : `str`
        As in `dataset_reader.tasks`.
    columns : `Sequence[str]`
        The columns that it fills, named as `Sentence` names them.
    specs : `Sequence[ColumnSpec]`
        What tables and batches hold of it.
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
        """A file that the values of a treebank's sentences are taken from, too, if there is one."""
        return None

    def count(self, counter: Counter, values: Mapping[str, Sequence[Any]]) -> None:
        """Count what the vocabulary is to number; `values` are those of all columns, by name."""
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
    One label a word.

    # Parameters

    name : `str`
    column : `str`
        The column of `Sentence` that it fills.
    metric : `str`
    """

    missing: Optional[str] = None
    """The label of a cell that says that nothing is known: not learned, not predicted."""
    optional = False
    """Whether treebanks leave the whole column out, though words have a value; see
    `unannotated_columns.py`."""

    def __init__(self, name: str, column: str, metric: str) -> None:
        super().__init__(name, [column], [ColumnSpec(name, f"{name}_labels")], [metric])

    @property
    def namespace(self) -> str:
        """The vocabulary namespace of the labels."""
        return f"{self.name}_labels"

    def values(self, sentence: Sentence) -> list[Sequence[str]]:
        return [self.labels(sentence)]

    def labels(self, sentence: Sentence) -> list[str]:
        """The label of each word; by default, its cell."""
        column: list[str] = getattr(sentence, self.columns[0])
        return column

    def cells(self, sentence: Sentence, labels: Sequence[str]) -> list[str]:
        """Returns the cell of each word with a label, from which `labels` derives its labels."""
        return list(labels)

    def cells_in(self, lang: str, sentence: Sentence, labels: Sequence[str]) -> list[str]:
        """The same in a language, by its code, empty where it is not known: for its casing."""
        return self.cells(sentence, labels)

    def scripts(self, label: str) -> frozenset[str]:
        """The scripts of which a word must have letters to get a label, if it has letters."""
        return frozenset()

    def right(self, gold: Sentence, predicted: Columns) -> dict[str, int]:
        (column,), (metric,) = self.columns, self.metrics
        pairs = zip(self.labels(gold), self.labels(gold.replace(**{column: predicted[column]})))
        return {metric: sum(label == guess for label, guess in pairs)}


class _CellTask(LabelTask):
    """The label is the whole cell, and scores compare cells."""

    def right(self, gold: Sentence, predicted: Columns) -> dict[str, int]:
        (column,), (metric,) = self.columns, self.metrics
        pairs = zip(getattr(gold, column), predicted[column])
        return {metric: sum(map(self.same, *zip(*pairs)))}

    @staticmethod
    def same(gold: str, predicted: str) -> bool:
        """Returns whether a cell counts as right."""
        return gold == predicted


@Task.register("upos")
class Upos(_CellTask):
    """Universal part of speech."""

    def __init__(self) -> None:
        super().__init__("upos", "upos", "UPOS")


@Task.register("xpos")
class Xpos(_CellTask):
    """
    Part of speech of a treebank of its own. Where treebanks are read too, the vocabulary knows the
    tags of each: the namespace `treebank_xpos_labels` has entries `treebank<tab>tag`.
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
    The label of a lemma is the script that edits the form into it (`lemma_rules.py`). A gold lemma
    `_` of another form stands for none: whatever is predicted is right.

    A lemma takes no letter of a script that its form has not: no Hebrew letter in Arabic.
    """

    missing = WHOLE + "_"

    def __init__(self) -> None:
        super().__init__("lemma", "lemmas", "Lemmas")

    def labels(self, sentence: Sentence) -> list[str]:
        return [make_rule(form, lemma) for form, lemma in zip(sentence.forms, sentence.lemmas)]

    def scripts(self, label: str) -> frozenset[str]:
        return scripts_of(added(label)) if label != self.missing else frozenset()

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
        Whether only these are learned: `nsubj` of `nsubj:pass` (Ahmad et al. 2019, section 4.1).
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
    namespace `form_labels` of the vocabulary has those of training, with `min_count` of it the
    frequent ones.
    """

    NAMESPACE = "form_labels"

    def __init__(self) -> None:
        super().__init__("form", [], [ColumnSpec("form", self.NAMESPACE)])

    def values(self, sentence: Sentence) -> list[Sequence[Any]]:
        return [sentence.forms]


TREEBANK, LANG = "treebank", "lang"
"""The columns of where a sentence comes from; see `sentence_source.py`."""
STANDARD = ("upos", "xpos", "feats", "lemma", "deps")
"""The tasks of CoNLL-U that we predict, in the order in which scores are shown."""


def task_of(task: Union[str, Task]) -> Task:
    """
    Returns the task of a name, or the task itself.

    # Raises

    `ConfigurationError` if there is no task of that name.
    """
    if isinstance(task, Task):
        return task
    if task not in Task.list_available():
        raise ConfigurationError(
            f"There is no task {task!r}. The tasks are {', '.join(Task.list_available())}."
        )
    cls: Any = Task.by_name(task)
    made: Task = cls()
    return made


def in_order(tasks: Iterable[Task]) -> list[Task]:
    """Standard tasks first, in their order; then others, in the order given."""
    place = {name: number for number, name in enumerate(STANDARD)}
    return sorted(tasks, key=lambda task: place.get(task.name, len(place)))


def specs_of(tasks: Iterable[Task]) -> tuple[ColumnSpec, ...]:
    """Returns the columns that tables and batches hold for some tasks, each name once."""
    return tuple({spec.name: spec for task in tasks for spec in task.specs}.values())
