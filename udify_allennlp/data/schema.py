"""The parts of a sentence that are read, and the parts that a batch holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from udify_allennlp.data import lexicon, own_labels
from udify_allennlp.data.columns import LANG, ColumnSpec, specs_of
from udify_allennlp.data.framing import Framing
from udify_allennlp.data.sentence_source import Origin
from udify_allennlp.data.spellings import NAMESPACE, visible
from udify_allennlp.data.table import FIRST, FORMS, PIECES
from udify_allennlp.text.sentence import Sentence

if TYPE_CHECKING:
    from udify_allennlp.data.tasks import Counter, LabelTask, Task


class Schema(NamedTuple):
    """
    The columns of a reader's settings, which tables, batches and vocabularies follow.

    # Parameters

    targets : `Tuple[Task, ...]`
        The tasks to learn, read from annotated sentences only.
    inputs : `Tuple[Task, ...]`
        Columns that are inputs of a model, in prediction too.
    origins : `Tuple[Origin, ...]`
    framing : `Optional[Framing]`
        The layout of wordpieces for an encoder; `None` without wordpieces.
    characters, forms, word_of, piece_nodes : `bool`
        True if batches hold the characters of words, the words themselves, the word of each
        wordpiece, and a layout of wordpieces, respectively.
    lexicon : `Tuple[LabelTask, ...]`
        Targets for which the vocabulary keeps the labels of each form.
    own_labels : `bool`
        True if the vocabulary keeps the labels of each language, and the lexicon is by language.
    """

    targets: tuple[Task, ...] = ()
    inputs: tuple[Task, ...] = ()
    origins: tuple[Origin, ...] = ()
    framing: Optional[Framing] = None
    characters: bool = False
    forms: bool = False
    word_of: bool = False
    lexicon: tuple[LabelTask, ...] = ()
    piece_nodes: bool = False
    own_labels: bool = False

    @property
    def keeps_forms(self) -> bool:
        """True if tables hold the words themselves."""
        return self.characters or self.forms or bool(self.lexicon)

    @property
    def langs(self) -> bool:
        """True if batches hold the language of each sentence."""
        return any(origin.name == LANG for origin in self.origins)

    @property
    def fields(self) -> list[str]:
        """The names of the fields of batches in addition to targets, inputs and the layout."""
        has_field = {"forms": self.forms, "characters": self.characters, "langs": self.langs}
        has_field.update(wordpieces=self.framing is not None, word_of=self.word_of)
        has_field.update(piece_nodes=self.piece_nodes)
        return [name for name, is_given in has_field.items() if is_given]

    def unannotated(self) -> Schema:
        """Returns the schema without targets, for sentences without gold annotation."""
        return self._replace(targets=(), lexicon=())

    @property
    def target_specs(self) -> tuple[ColumnSpec, ...]:
        return specs_of(self.targets)

    @property
    def input_specs(self) -> tuple[ColumnSpec, ...]:
        """The specs of the input columns, and of the origins."""
        return (*specs_of(self.inputs), *(origin.spec for origin in self.origins))

    @property
    def specs(self) -> list[ColumnSpec]:
        """The specs of all columns of a table, each once."""
        specs: list[ColumnSpec] = []
        if self.framing is not None:
            specs += [ColumnSpec(PIECES, unit="row"), ColumnSpec(FIRST)]
        if self.keeps_forms:
            specs.append(ColumnSpec(FORMS, FORMS))
        specs += [*self.target_specs, *self.input_specs]
        return list({spec.name: spec for spec in specs}.values())

    def values(
        self, sentence: Sentence, pieces: Optional[Iterable[Sequence[int]]] = None
    ) -> dict[str, Sequence[Any]]:
        """
        Returns the values of a sentence for each column.

        # Parameters

        sentence : `Sentence`
        pieces : `Optional[Iterable[Sequence[int]]]`
            The wordpieces of each word, if there is a `framing`.

        # Raises

        `ConlluError` if an annotated sentence lacks its origin.
        """
        columns: dict[str, Sequence[Any]] = {}
        if pieces is not None:
            words = list(pieces)
            ends = list(accumulate(map(len, words)))
            columns = {PIECES: list(chain.from_iterable(words)), FIRST: [0, *ends[:-1]]}
        if self.keeps_forms:
            columns[FORMS] = sentence.forms
        for task in _once(self.targets, self.inputs):
            for spec, values in zip(task.specs, task.values(sentence)):
                columns[spec.name] = values
        for origin in self.origins:
            columns[origin.name] = [origin.of(sentence, required=bool(self.targets))]
        return columns

    def count_vocab(
        self, counter: Counter, values: Mapping[str, Sequence[Any]], words: int
    ) -> None:
        """Counts the entries of the vocabulary in a sentence of this many words; see `values`."""
        for task in _once(self.targets, self.inputs):
            task.count(counter, values)
        lang = values[LANG][0] if self.own_labels else ""
        for task in self.lexicon:
            name = lexicon.namespace_by_language if self.own_labels else lexicon.namespace
            if lang or not self.own_labels:
                counts = counter[name(task.name)]
                lexicon.count(counts, task.missing, values[FORMS], values[task.name], lang)
        if lang:
            for task in self.targets:
                for spec in task.specs:
                    if spec.namespace is not None:
                        counts = counter[own_labels.namespace(spec.namespace)]
                        missing = getattr(task, "missing", None)
                        own_labels.count(counts, lang, values[spec.name], missing)
        for origin in self.origins:
            counter[str(origin.spec.namespace)][values[origin.name][0]] += words
        if self.characters:
            counts = counter[NAMESPACE]
            for form in values[FORMS]:
                for character in visible(form):
                    counts[character] += 1


@lru_cache(maxsize=4)  # asked for each sentence
def _once(targets: tuple[Task, ...], inputs: tuple[Task, ...]) -> tuple[Task, ...]:
    """Returns the tasks of both, each once."""
    names = {task.name for task in targets}
    return (*targets, *(task for task in inputs if task.name not in names))
