"""A smaller model that learns from a trained one, the teacher, in addition to the treebanks."""

import re
from collections.abc import Sequence
from typing import Any, Optional, cast

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import Params
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.models.archival import load_archive

from udify_allennlp.archives.run_folder import load_weights, model_folder, vocabulary_folder
from udify_allennlp.data import lexicon
from udify_allennlp.data.encoder_files import check_may_leave
from udify_allennlp.models.batch_subset import BatchSubset
from udify_allennlp.models.from_archive import CORRECTIONS, take_weights
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.modules.soft_labels import hidden_loss

_LAYER = re.compile(r"^(embedder\.transformer\..*?\blayers?\.)(\d+)(\..*)$")
"""A pattern for the weights of an encoder layer, in any architecture."""
_MIXTURE = re.compile(r"^mixes\..*\.alpha$")
"""A pattern for the weights of layers in a mixture, before the softmax."""


@Model.register("udify_student")
class StudentModel(MultitaskModel):
    """
    A `udify_multitask` model trained by knowledge distillation (Hinton et al. 2015). The loss of a
    batch is

        hard_weight * loss of the gold labels
        + (1 - hard_weight) * cross-entropy with the teacher's distributions of the same words
        + hidden_weight * difference of each layer from the teacher's that it stands for.

    It starts from the teacher's weights: each layer is a copy of its teacher layer (DistilBERT's
    start; Sanh et al. 2019), decoders and characters are copies as far as their widths are the
    same. In a mixture of layers it has the weight of its teacher layer and of those above it
    without a student layer. The saved model does not need the teacher.

    # Parameters

    vocab : `Vocabulary`
        The teacher's:
        `"vocabulary": {"type": "udify_from_archive", "archive": TEACHER, "extend": false}`.
    teacher : `Optional[str]`
        An archive or a run folder of a `udify_multitask` model with an encoder of the same
        tokenizer and width. Not needed to load a saved model.
    taught_by : `Optional[List[int]]`
        The teacher layer of each student layer, from 1 for the lowest; by default spread as evenly
        as possible, the last for the last.
    start : `Optional[str]`
        An archive or a run folder of an older student of this size: training continues
        from its weights instead of the teacher's. Not needed to load a saved model.
    hard_weight : `float`
        From 0, for only the teacher, to 1, for only the gold labels.
    hidden_weight : `float`
        At least 0.
    **kwargs :
        As for `udify_multitask`.

    # Raises

    `ConfigurationError` if the teacher has other labels, tasks or encoder, `start` is of another
    size, or a number is outside its range.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        teacher: Optional[str] = None,
        taught_by: Optional[list[int]] = None,
        start: Optional[str] = None,
        hard_weight: float = 0.5,
        hidden_weight: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        if not 0 <= hard_weight <= 1 or hidden_weight < 0:
            raise ConfigurationError(
                f"model.hard_weight is {hard_weight} and hidden_weight {hidden_weight}. The first "
                "must be from 0 to 1, the second at least 0."
            )
        self._hard, self._hidden = hard_weight, hidden_weight
        # In a list, the teacher is no part of the model: not saved, trained or set to training.
        self._teacher: list[MultitaskModel] = []
        if teacher is None:
            return
        for name in (teacher, start):
            if name is not None:
                check_may_leave(name, "weights for a part that its config loads from elsewhere")
        model = load_archive(teacher).model
        if not isinstance(model, MultitaskModel):
            raise ConfigurationError(
                f"model.teacher is {teacher}, a {type(model).__name__}. Use a udify_multitask."
            )
        self.teacher = teacher
        self._teacher.append(model.eval().requires_grad_(False))
        self._taught_by = taught_by or _spread(self.embedder.num_layers, model.embedder.num_layers)
        self._check(model, teacher)
        if start is None:
            self._start_from(model)
        else:
            self._go_on_from(start)

    def train(self, mode: bool = True) -> "StudentModel":
        for teacher in self._teacher:
            teacher.to(next(self.parameters()).device)
        return cast(StudentModel, super().train(mode))

    def _forward(self, part: BatchSubset) -> dict[str, Any]:
        if not self.training or not self._teacher:
            return super()._forward(part)
        losses, layers, shown = taught_losses(self, self._teacher[0], part, self._hard)
        hidden = hidden_loss(layers, shown[[i - 1 for i in self._taught_by]])
        return {"loss": torch.stack([*losses, self._hidden * hidden]).sum()}

    def _check(self, model: MultitaskModel, teacher: str) -> None:
        ours, theirs = self.embedder.get_output_dim(), model.embedder.get_output_dim()
        if ours != theirs:
            raise ConfigurationError(
                f"The student's encoder is {ours} wide, but that of {teacher} is {theirs}. Use the "
                "teacher's encoder, with fewer layers."
            )
        count = model.embedder.num_layers
        wrong = [layer for layer in self._taught_by if not 1 <= layer <= count]
        if wrong or len(self._taught_by) != self.embedder.num_layers:
            raise ConfigurationError(
                f"model.taught_by is {self._taught_by}. For each of the student's "
                f"{self.embedder.num_layers} layers, name one of 1 to {count}."
            )
        for task in self.decoders:
            if task not in model.decoders:
                raise ConfigurationError(f"{teacher} has no decoder {task!r}. Remove it here.")
        other = self._other_labels(model.vocab)
        if other:
            raise ConfigurationError(
                f"The labels of {other} are not those of {teacher}. Add to the config "
                f'"vocabulary": {{"type": "udify_from_archive", "archive": "{teacher}", '
                '"extend": false}.'
            )

    def _other_labels(self, vocab: Vocabulary) -> Optional[str]:
        """Returns a kind of labels that differs from a trained model's, or `None`."""
        # Lexicons are no labels.
        lexicons = {*CORRECTIONS, *map(lexicon.namespace, self.decoders)}
        for namespace in vocab.get_namespaces() - lexicons:
            labels = vocab.get_index_to_token_vocabulary(namespace)
            if self.vocab.get_index_to_token_vocabulary(namespace) != labels:
                return str(namespace)
        return None

    def _start_from(self, model: MultitaskModel) -> None:
        """Copies the weights whose name and shape match."""
        theirs = model.state_dict()
        for name, weight in self.state_dict().items():
            their_weight = theirs.get(_their_name(name, self._taught_by))
            if their_weight is not None and _MIXTURE.match(name):
                their_weight = _gathered(their_weight, self._taught_by)
            if their_weight is not None and their_weight.shape == weight.shape:
                weight.copy_(their_weight)

    def _go_on_from(self, start: str) -> None:
        with model_folder(start) as folder:
            labels = self._other_labels(Vocabulary.from_files(str(vocabulary_folder(folder))))
            if labels:
                raise ConfigurationError(
                    f"model.start is {start}, whose labels of {labels} differ from the teacher's. "
                    "Use another student."
                )
            try:
                take_weights(self, load_weights(folder), start)
            except ConfigurationError as error:
                message = f"model.start is {start}, whose size differs. {error}"
                raise ConfigurationError(message) from None

    @classmethod
    def _load(cls, config: Params, *args: Any, **kwargs: Any) -> Model:
        # What was saved is complete: the teacher may be gone.
        for name in ("teacher", "start"):
            config["model"].pop(name, None)
        return super()._load(config, *args, **kwargs)


def taught_losses(
    model: MultitaskModel, teacher: MultitaskModel, part: BatchSubset, hard_weight: float
) -> tuple[list[torch.Tensor], torch.Tensor, torch.Tensor]:
    """
    Returns for each task `hard_weight` times the loss of the gold labels plus the rest times the
    cross-entropy with the teacher's distributions, and the layers `(layers, words, dim)` of model
    and teacher.
    """
    batch, layout = part.batch, part.layout
    with torch.no_grad():
        shown = teacher.encode(batch, layout)
        taught = {
            task: (decoder, scores)
            for task, decoder, scores in teacher.scores_of(shown, batch, layout)
        }
    layers = model.encode(batch, layout)
    losses = []
    for task, decoder, scores in model.scores_of(layers, batch, layout):
        if hard_weight < 1:
            losses.append((1 - hard_weight) * decoder.soft_loss(scores, *taught[task]))
        if hard_weight and model.learns(decoder, part.gold):
            losses.append(hard_weight * decoder.loss(scores, part.gold))
    return losses, layers, shown


def _spread(layers: int, taught: int) -> list[int]:
    return [round(taught * (number + 1) / layers) for number in range(layers)]


def _gathered(alpha: torch.Tensor, taught_by: Sequence[int]) -> torch.Tensor:
    """
    Returns weights in which each layer's weight is added to the highest in `taught_by` that is not
    above it, else to the lowest.
    """
    stands = torch.tensor(
        [
            max((t for t in taught_by if t <= layer), default=min(taught_by))
            for layer in range(1, len(alpha) + 1)
        ]
    )
    return torch.stack([alpha[stands == t].logsumexp(0) for t in taught_by])


def _their_name(name: str, taught_by: Sequence[int]) -> str:
    match = _LAYER.match(name)
    if match is None:
        return name
    return f"{match[1]}{taught_by[int(match[2])] - 1}{match[3]}"
