"""Tasks with one label a word."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Optional, Union

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.lexicon import Lexicon
from udify_allennlp.data.tasks import LabelTask, Task, task_of
from udify_allennlp.decoders.decoder import Decoder, Encoded, untaught
from udify_allennlp.modules.adaptive_softmax import (
    CHUNK_SIZE,
    IGNORED,
    AdaptiveSoftmax,
    LinearSoftmax,
)
from udify_allennlp.modules.soft_labels import same_labels, soft_loss
from udify_allennlp.text.sentence import Columns, Sentence


@Decoder.register("udify_tag_decoder")
class TagDecoder(Decoder):
    """
    A softmax over the labels of a task: for the columns of CoNLL-U, over the whole strings (thesis,
    section 3.3.1). The released decoder takes a `dropout` and does not use it; there is none here.

    # Parameters

    vocab : `Vocabulary`
    task : `Union[str, Task]`
        Any that has one label a word: `upos`, `xpos`, `feats`, `lemma`, or one of your own.
    input_dim : `int`
        Width of the word vectors.
    adaptive : `bool`
        An adaptive softmax, for the large label sets: the frequent labels are scored for every
        word, the rare ones only where they are needed. The released code does so for feats and
        lemmas; the thesis does not say.
    label_smoothing : `float`
        Thesis: 0.03.
    min_labels : `int`
        From which an adaptive softmax has clusters; with fewer labels it is a plain one, which
        small treebanks learn better.
    hidden_dim : `Optional[int]`
        Width of a layer with a ReLU between the words and the softmax (Mohammadshahi 2023, Table
        4.4: 250); by default there is none, as in UDify.

    # Raises

    `ConfigurationError` if the task is none of these, the data has no label for it, or `hidden_dim`
    is below 1.
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
        known = vocab.get_index_to_token_vocabulary(label_task.namespace)
        if not known:
            raise ConfigurationError(
                f"decoders.{label_task.name} has no labels: the training data gave none. "
                f"Add {label_task.name!r} to dataset_reader.tasks, or take the decoder out."
            )
        self._labels = [known[index] for index in range(len(known))]
        # With no other label there is nothing else to predict.
        others = len(known) > 1 and label_task.missing in self._labels
        self._missing = self._labels.index(label_task.missing) if others else None
        self._lexicon = Lexicon(vocab, label_task.name, self._labels)
        self._at_once = max(1, CHUNK_SIZE // len(known))  # words, where all labels are scored
        self.hidden: Optional[torch.nn.Linear] = None
        if hidden_dim is not None:
            if hidden_dim < 1:
                raise ConfigurationError(
                    f"decoders.{label_task.name}.hidden_dim is {hidden_dim}. Take 1 or more, or "
                    "leave it out."
                )
            self.hidden = torch.nn.Linear(input_dim, hidden_dim)
        size = (hidden_dim or input_dim, len(known))
        self.output: Union[LinearSoftmax, AdaptiveSoftmax]
        if adaptive:
            self.output = AdaptiveSoftmax(
                *size, label_smoothing=label_smoothing, min_labels=min_labels
            )
        else:
            self.output = LinearSoftmax(*size, label_smoothing)

    def scores(self, encoded: Encoded) -> Any:
        """
        What the softmax is taken of, `(words, input_dim)` or `(words, hidden_dim)`: an adaptive one
        works out only the scores that its loss, or its best label, asks for.
        """
        return encoded.words if self.hidden is None else self.hidden(encoded.words).relu()

    def loss(self, scores: Any, gold: dict[str, torch.Tensor]) -> torch.Tensor:
        """
        Cross-entropy, the mean over the words of the batch; words whose label training has not seen
        are left out, and those without annotation (`LabelTask.missing`), which the thesis and the
        released code learn like any other. The thesis says no more than "softmax cross entropy".
        The released code takes the mean over the words of each sentence, then over sentences, so
        that a word of a short sentence counts for more.
        """
        labels = gold[self._label_task.name]
        if self._missing is not None:
            labels = labels.masked_fill(labels == self._missing, IGNORED)
        return self.output.loss(scores, labels)

    def soft_loss(self, scores: Any, teacher: Decoder, taught: Any) -> torch.Tensor:
        if not isinstance(teacher, TagDecoder) or not same_labels(self.output, teacher.output):
            raise untaught(self)
        return soft_loss(self.output, scores, teacher.output, taught)

    def decode(self, scores: Any, sentences: Sequence[Sentence]) -> list[Columns]:
        best = self.best(scores)
        forms = [form for sentence in sentences for form in sentence.forms]
        places, excluded = self._excluded(best, forms)
        for some, others in zip(places.split(self._at_once), excluded.split(self._at_once)):
            best[some] = self.log_prob(scores, some).masked_fill_(others, -torch.inf).argmax(-1)
        labels = iter([self._labels[index] for index in best.tolist()])
        (column,) = self._label_task.columns
        return [
            {column: self._label_task.cells(sentence, list(islice(labels, len(sentence))))}
            for sentence in sentences
        ]

    @property
    def entries(self) -> tuple[str, ...]:  # type: ignore[override]
        return (f"{self.task.name.capitalize()}Prob",)

    def probabilities(
        self,
        scores: Any,
        sentences: Sequence[Sentence],
        columns: Sequence[Columns],
        temperatures: Mapping[str, float],
    ) -> dict[str, torch.Tensor]:
        (entry,), found = self.entries, []
        forms = [form for sentence in sentences for form in sentence.forms]
        for start in range(0, len(forms), self._at_once):
            words = slice(start, start + self._at_once)
            log_prob = self.log_prob(scores, words)
            top, best = log_prob.max(-1)
            log_prob = (log_prob - top.unsqueeze(-1)) / temperatures.get(entry, 1.0)
            decoded = torch.zeros_like(top)  # of the largest
            places, excluded = self._excluded(best, forms[words])
            decoded[places] = log_prob[places].masked_fill_(excluded, -torch.inf).amax(-1)
            found.append(decoded.sub_(log_prob.logsumexp(-1)).exp_())
        return {entry: torch.cat(found)}

    def log_prob(self, scores: Any, words: Union[slice, torch.Tensor]) -> torch.Tensor:
        """Of some words, log-probabilities (nats, float32) of all labels, `(words, labels)`."""
        log_prob = self.output.log_prob(scores[words])
        if self._missing is not None:
            log_prob[:, self._missing] = -torch.inf
        return log_prob

    def best(self, scores: Any) -> torch.Tensor:
        """The most probable label of each word, `(words,)`, but none that says nothing."""
        best = self.output.predict(scores)
        if self._missing is not None:  # a model that learned it, as ours once did
            self._choose_again(best, best == self._missing, scores)
        return best

    def _excluded(
        self, best: torch.Tensor, forms: Sequence[str]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """`Lexicon.excluded`, where the scores are."""
        # Without a lexicon nothing waits for the GPU.
        labels = best.tolist() if len(self._lexicon) else []
        places, excluded = self._lexicon.excluded(forms, labels)
        return places.to(best.device), excluded.to(best.device)

    def _choose_again(self, best: torch.Tensor, wrong: torch.Tensor, scores: Any) -> None:
        """Replaces labels that are `wrong` by the best that `log_prob` allows."""
        for some in wrong.nonzero().flatten().split(self._at_once):
            best[some] = self.log_prob(scores, some).argmax(-1)


def _label_task(task: Union[str, Task]) -> LabelTask:
    try:
        found: Optional[Task] = task_of(task)
    except ConfigurationError:
        found = None
    if not isinstance(found, LabelTask):
        known = [name for name in Task.list_available() if issubclass(_class(name), LabelTask)]
        raise ConfigurationError(
            f"decoders has a udify_tag_decoder with task {task!r}. "
            f"Its tasks are {', '.join(known)}."
        )
    return found


def _class(name: str) -> Any:
    return Task.by_name(name)
