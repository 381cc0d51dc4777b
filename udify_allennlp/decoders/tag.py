"""Tasks with one label a word: UPOS, XPOS, UFeats and lemmas."""

from typing import Dict, Iterator, List, Sequence

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.decoders.decoder import Decoder
from udify_allennlp.modules.adaptive_softmax import AdaptiveSoftmax, LinearSoftmax
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.conllu import Sentence
from udify_allennlp.text.lemma_rules import apply_rule
from udify_allennlp.text.sentence import Columns

_COLUMNS = {"upos": "upos", "xpos": "xpos", "feats": "feats", "lemma": "lemmas"}


@Decoder.register("udify_tag_decoder")
class TagDecoder(Decoder):
    """
    A softmax over the whole strings of a column (thesis, section 3.3.1); for lemmas, over the
    scripts that edit the form into the lemma.

    # Parameters

    vocab : `Vocabulary`
    task : `str`
        `upos`, `xpos`, `feats` or `lemma`.
    input_dim : `int`
        Width of the word vectors.
    adaptive : `bool`
        An adaptive softmax, for the large label sets: the frequent labels are scored for every
        word, the rare ones only where they are needed. The released code does so for feats and
        lemmas; the thesis does not say.
    label_smoothing : `float`
        Thesis: 0.03.

    # Raises

    `ConfigurationError` if the task is none of these or the data has no label for it.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        task: str,
        input_dim: int,
        adaptive: bool = False,
        label_smoothing: float = 0.03,
    ) -> None:
        super().__init__()
        if task not in _COLUMNS:
            raise ConfigurationError(
                f"decoders has a udify_tag_decoder with task {task!r}. "
                f"Its tasks are {', '.join(_COLUMNS)}."
            )
        self.task = task
        self.targets = (task,)
        table = vocab.get_index_to_token_vocabulary(f"{task}_labels")
        if not table:
            raise ConfigurationError(
                f"decoders.{task} has no labels: the training data gave none. "
                f"Add {task!r} to dataset_reader.tasks, or take the decoder out."
            )
        self._labels = [table[index] for index in range(len(table))]
        layer = AdaptiveSoftmax if adaptive else LinearSoftmax
        self.output = layer(input_dim, len(table), label_smoothing=label_smoothing)

    def loss(
        self, words: torch.Tensor, layout: Layout, gold: Dict[str, torch.Tensor]
    ) -> torch.Tensor:
        """Cross-entropy; words whose label training has not seen are left out."""
        return self.output.loss(words, gold[self.task])

    def predict(
        self, words: torch.Tensor, layout: Layout, sentences: Sequence[Sentence]
    ) -> List[Columns]:
        indices = iter(self.best(words, sentences).tolist())
        column = _COLUMNS[self.task]
        return [{column: self._strings(sentence.forms, indices)} for sentence in sentences]

    def best(self, words: torch.Tensor, sentences: Sequence[Sentence]) -> torch.Tensor:
        """The most probable label of each word, `(words,)`."""
        return self.output.predict(words)

    def _strings(self, forms: Sequence[str], indices: Iterator[int]) -> List[str]:
        labels = [self._labels[next(indices)] for _ in forms]
        if self.task != "lemma":
            return labels
        # A script can leave nothing of a form that it has not met; a lemma is never empty.
        return [apply_rule(form, rule) or form for form, rule in zip(forms, labels)]
