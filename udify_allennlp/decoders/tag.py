"""Tasks with one label per word."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Optional, Union

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.agreement import CANDIDATES, Agreement, Candidates
from udify_allennlp.data.columns import LANG, TREEBANK, origin_names
from udify_allennlp.data.label_limits import LabelLimits
from udify_allennlp.data.label_scores import LabelScores
from udify_allennlp.data.tasks import LabelTask, Task, task_of
from udify_allennlp.decoders import own_labels
from udify_allennlp.decoders.decoder import Decoder, Encoded, untaught
from udify_allennlp.modules.adaptive_softmax import (
    CHUNK_SIZE,
    IGNORED,
    AdaptiveSoftmax,
    LinearSoftmax,
)
from udify_allennlp.modules.soft_labels import learnable, soft_loss
from udify_allennlp.text.sentence import Columns, Sentence, by_sentence


class TagScores(NamedTuple):
    """
    The input of the softmax: an adaptive one computes only the scores needed for its loss, or for
    its best label.
    """

    words: torch.Tensor
    """`(words, input_dim)`, or `(words, hidden_dim)`"""
    origins: Optional[torch.Tensor] = None
    """The language or treebank of each word, 0 is unknown, if labels depend on it."""
    treebanks: Optional[torch.Tensor] = None
    """The treebank of each word, 0 is unknown, if its known words limit the labels."""


@Decoder.register("udify_tag_decoder")
class TagDecoder(Decoder):
    """
    A softmax over the labels of a task: for the columns of CoNLL-U, over the whole strings (thesis,
    section 3.3.1). The released decoder takes a `dropout` and does not use it; there is none here.

    Our addition: if the vocabulary has the labels of each language (the reader's `own_labels`), a
    word of a known language gets one of these.

    # Parameters

    vocab : `Vocabulary`
    task : `Union[str, Task]`
        Any task with one label per word: `upos`, `xpos`, `feats`, `lemma`, or your own.
    input_dim : `int`
        Width of the word vectors.
    adaptive : `bool`
        True for an adaptive softmax, for large label sets: frequent labels are scored for every
        word, rare ones only where they are needed. The released code uses it for feats and lemmas;
        the thesis does not mention it.
    label_smoothing : `float`
        Thesis: 0.03.
    min_labels : `int`
        Minimum number of labels for clusters in an adaptive softmax; with fewer labels it is a
        plain softmax, which small treebanks learn better.
    hidden_dim : `Optional[int]`
        Width of a layer with a ReLU between the words and the softmax (Mohammadshahi 2023, Table
        4.4: 250); by default there is none, as in UDify.

    # Raises

    `ConfigurationError` if the task is unknown, the data has no label for it, or `hidden_dim` is
    below 1.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        task: Union[str, Task],
        input_dim: int,
        adaptive: bool = False,
        label_smoothing: float = 0.03,
        min_labels: int = 1000,
        hidden_dim: Optional[int] = None,
    ) -> None:
        label_task = _label_task(task)
        super().__init__(label_task)
        self._label_task = label_task
        label_of = vocab.get_index_to_token_vocabulary(label_task.namespace)
        if not label_of:
            raise ConfigurationError(
                f"decoders.{label_task.name} has no labels: the training data has none. Add "
                f"{label_task.name!r} to dataset_reader.tasks, or remove the decoder."
            )
        self._labels = [label_of[index] for index in range(len(label_of))]
        # With no other label there is nothing else to predict.
        others = len(label_of) > 1 and label_task.missing in self._labels
        self._missing = self._labels.index(label_task.missing) if others else None
        self.own = own_labels.of_languages(vocab, label_task.namespace, self._labels)
        if self.own is not None:
            self.inputs = (self.own.origin,)
        self._at_once = max(1, CHUNK_SIZE // len(label_of))  # words, where all labels are scored
        has_scripts = type(label_task).scripts is not LabelTask.scripts
        scripts = label_task.scripts if has_scripts else None
        self._limits = LabelLimits(vocab, label_task.name, self._labels, scripts)
        if self._limits.by_treebank:
            self.inputs = (*self.inputs, TREEBANK)
        self._treebanks = origin_names(vocab, TREEBANK)
        self._agreement = Agreement(vocab, self._labels) if label_task.name == "feats" else None
        self.follows_trees = bool(self._agreement)
        self.hidden: Optional[torch.nn.Linear] = None
        if hidden_dim is not None:
            if hidden_dim < 1:
                raise ConfigurationError(
                    f"decoders.{label_task.name}.hidden_dim is {hidden_dim}. Use 1 or more, or "
                    "omit it."
                )
            self.hidden = torch.nn.Linear(input_dim, hidden_dim)
        size = (hidden_dim or input_dim, len(label_of))
        self.output: Union[LinearSoftmax, AdaptiveSoftmax]
        if adaptive:
            self.output = AdaptiveSoftmax(
                *size, label_smoothing=label_smoothing, min_labels=min_labels
            )
        else:
            self.output = LinearSoftmax(*size, label_smoothing)

    def scores(self, encoded: Encoded) -> TagScores:
        words = encoded.words if self.hidden is None else self.hidden(encoded.words).relu()
        origins = treebanks = None
        if self.own is not None:
            origins = self.own.of_words(encoded.inputs, encoded.layout.sentence_of)
        if self._limits.by_treebank:
            sentence_of = encoded.layout.sentence_of
            treebanks = own_labels.origin_of_words(encoded.inputs, TREEBANK, sentence_of)
        return TagScores(words, origins, treebanks)

    def loss(self, scores: TagScores, gold: dict[str, torch.Tensor]) -> torch.Tensor:
        """
        Returns the cross-entropy, averaged over the words of the batch; words whose label training
        has not seen are left out, and so are words without annotation (`LabelTask.missing`), which
        the thesis and the released code learn like any other. The thesis states only "softmax cross
        entropy". The released code averages over the words of each sentence, then over sentences,
        so that a word of a short sentence counts more.
        """
        labels = gold[self._label_task.name]
        if self._missing is not None:
            labels = labels.masked_fill(labels == self._missing, IGNORED)
        return self.output.loss(scores.words, labels)

    def soft_loss(self, scores: TagScores, teacher: Decoder, taught: TagScores) -> torch.Tensor:
        if not isinstance(teacher, TagDecoder) or not learnable(self.output, teacher.output):
            raise untaught(self)
        return soft_loss(self.output, scores.words, teacher.output, taught.words)

    def decode(self, scores: TagScores, sentences: Sequence[Sentence]) -> list[Columns]:
        langs, treebanks = self._origins(scores, sum(map(len, sentences)))
        of_labels = self.label_scores(scores)
        best = self.best(scores, of_labels)
        self._limits.apply(best, self._limits.words(sentences, langs, treebanks), of_labels)
        labels = (self._labels[index] for index in best.tolist())
        (column,), columns, start = self._label_task.columns, [], 0
        for sentence, words in zip(sentences, by_sentence(labels, sentences)):
            cells = self._label_task.cells_in(langs[start], sentence, words)
            columns.append({column: cells})
            start += len(sentence)
        return columns

    def follow(
        self, scores: TagScores, sentences: Sequence[Sentence], columns: Sequence[Columns]
    ) -> None:
        """Chooses features that agree along the arcs of the trees; see `Agreement`."""
        assert self._agreement is not None  # `follows_trees` is False otherwise
        langs, treebanks = self._origins(scores, sum(map(len, sentences)))
        words = self._limits.words(sentences, langs, treebanks)
        of_labels = self.label_scores(scores)

        def likely(places: Sequence[int]) -> Sequence[Candidates]:
            return self._limits.likely(words, of_labels, places, CANDIDATES)

        self._agreement.apply(columns, sentences, langs, likely)

    def label_scores(self, scores: TagScores) -> LabelScores:
        """Returns the log-probabilities of the labels of the languages of a batch."""
        possible = self._possible(scores)

        def log_prob(places: numpy.ndarray) -> numpy.ndarray:
            some = torch.from_numpy(places).to(scores.words.device)
            return self.log_prob(scores, some, possible).detach().cpu().numpy()

        labels = None if possible is None else possible.cpu().numpy()
        return LabelScores(log_prob, self._at_once, labels)

    @property
    def entries(self) -> tuple[str, ...]:  # type: ignore[override]
        return (f"{self.task.name.capitalize()}Prob",)

    def probabilities(
        self,
        scores: TagScores,
        sentences: Sequence[Sentence],
        columns: Sequence[Columns],
        temperatures: Mapping[str, float],
    ) -> dict[str, torch.Tensor]:
        (entry,), probabilities = self.entries, []
        origins = self._origins(scores, sum(map(len, sentences)))
        of_all = self._limits.words(sentences, *origins)
        followed = numpy.array(self._agreement.numbers_of(columns)) if self._agreement else None
        for start in range(0, len(of_all), self._at_once):
            words = slice(start, start + self._at_once)
            log_prob = self.log_prob(scores, words)
            top, best = log_prob.max(-1)
            labels = best.cpu().numpy()
            if followed is None:
                rows = LabelScores(partial(_rows, log_prob), self._at_once)
                self._limits.apply(labels, of_all[words], rows)
            else:
                labels = followed[words]
            decoded = log_prob.gather(-1, torch.from_numpy(labels).to(top.device)[:, None])[:, 0]
            temperature = temperatures.get(entry, 1.0)
            normalizer = ((log_prob - top.unsqueeze(-1)) / temperature).logsumexp(-1)
            probabilities.append(((decoded - top) / temperature - normalizer).exp())
        return {entry: torch.cat(probabilities)}

    def log_prob(
        self,
        scores: TagScores,
        words: Union[slice, torch.Tensor],
        labels: Optional[torch.Tensor] = None,
    ) -> torch.Tensor:
        """
        Returns log-probabilities (nats, float32) for some words, `(words, labels)`, of all labels,
        or of those with these numbers, ascending; -inf for labels that are never predicted for
        them.
        """
        log_prob = self.output.log_prob(scores.words[words], labels)
        if self.own is not None and scores.origins is not None:
            log_prob = self.own.mask_others(log_prob, scores.origins[words], labels)
        if self._missing is not None:
            missing = self._missing if labels is None else labels == self._missing
            log_prob[:, missing] = -torch.inf
        return log_prob

    def best(self, scores: TagScores, of_labels: LabelScores) -> numpy.ndarray:
        """
        Returns the most probable label of each word, `(words,)`, among those of its language or
        treebank, without the label for missing annotation, given its `label_scores`.
        """
        possible: Optional[torch.Tensor] = None
        if of_labels.labels is not None:
            possible = torch.from_numpy(of_labels.labels).to(scores.words.device)
        found, is_best = self.likely(scores, possible)
        best: numpy.ndarray = found.cpu().numpy()
        for place, row in of_labels.rows((~is_best).nonzero().flatten().tolist()):
            best[place] = of_labels.best(row)
        return best

    def likely(
        self, scores: TagScores, possible: Optional[torch.Tensor] = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        Returns a label of each word that costs little to find, and whether it is the `best` one, as
        nearly always, `(words,)` each. If the numbers of the `possible` labels are given, only
        these are scored.
        """
        labels, is_best = self.output.likely(scores.words, possible)
        if self._missing is not None:  # a model that learned it, as ours once did
            is_best = is_best & (labels != self._missing)
        if self.own is not None and scores.origins is not None:
            is_best = is_best & self.own.has(scores.origins, labels)
        return labels, is_best

    def _possible(self, scores: TagScores) -> Optional[torch.Tensor]:
        """
        Returns the labels of the languages of a batch, `None` if they may be all: for a word of one
        language, a tenth of the scores are enough.
        """
        if self.own is None or scores.origins is None:
            return None
        labels = self.own.possible(scores.origins)
        # The most frequent label is scored in any case, so that there is one.
        return None if labels[0] > 0 else labels

    def _origins(self, scores: TagScores, count: int) -> tuple[list[str], list[str]]:
        """
        Returns the languages and the treebanks of words, by their number, empty if the decoder does
        not receive them or they are unknown.
        """
        langs = [""] * count
        if self.own is not None and self.own.origin == LANG:
            langs = own_labels.names_of_words(self.own.names, scores.origins, count)
        return langs, own_labels.names_of_words(self._treebanks, scores.treebanks, count)


def _rows(log_prob: torch.Tensor, places: numpy.ndarray) -> numpy.ndarray:
    return log_prob[torch.from_numpy(places).to(log_prob.device)].detach().cpu().numpy()


def _label_task(task: Union[str, Task]) -> LabelTask:
    try:
        chosen: Optional[Task] = task_of(task)
    except ConfigurationError:
        chosen = None
    if not isinstance(chosen, LabelTask):
        names = [name for name in Task.list_available() if issubclass(_class(name), LabelTask)]
        raise ConfigurationError(
            f"decoders has a udify_tag_decoder with task {task!r}. Use one of {', '.join(names)}."
        )
    return chosen


def _class(name: str) -> Any:
    return Task.by_name(name)
