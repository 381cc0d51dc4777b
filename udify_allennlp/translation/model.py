"""The translation model: SMaLL-100, its teachers, and smaller models of this kind."""

import copy
from collections.abc import Sequence
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.common.params import Params
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.models.archival import load_archive

from udify_allennlp.archives.checks import check_finite
from udify_allennlp.data import encoder_files
from udify_allennlp.translation.architecture import (
    CONFIG,
    is_ours,
    kept_config,
    network_with,
    new_config,
    new_network,
    pretrained,
    tied_names,
    weights_of,
    with_layers,
)
from udify_allennlp.translation.losses import distillation_loss, gold_loss
from udify_allennlp.translation.pairs import Pair
from udify_allennlp.translation.placement import PLACEMENTS, SMALL_100
from udify_allennlp.translation.scores import TranslationScores
from udify_allennlp.translation.search import Search, translate
from udify_allennlp.translation.subwords import Subwords, load_subwords
from udify_allennlp.translation.teacher import Teacher, piece_scores
from udify_allennlp.translation.teacher_cache import TeacherCache


@Model.register("udify_translation")
class TranslationModel(Model):
    """
    SMaLL-100 (Mohammadshahi 2023, chapter 6): an M2M-100 network with few decoder layers, the
    target's code in the encoder, and the loss `L_ce + alpha * L_kd` (Eq 6.3). Architecture and
    search are those of transformers.

    Departure: the thesis calls `alpha` a trainable parameter. Since `L_kd` is above 0, it would
    then decrease without limit; here it is a setting.

    With the trainer `udify_phased`, the first phase does not use the teacher and the later ones do
    (section 6.3.3: 150,000 updates, then 756,000).

    # Parameters

    vocab : `Vocabulary`
        Not used: `"vocabulary": {"type": "empty"}`.
    start : `Optional[str]`
        The initial weights: an M2M-100 or SMaLL-100 model, as a folder or a hub name, or an
        archive or a run folder of a model of this type. Not needed to load a saved model.
    encoder_layers, decoder_layers : `Optional[int]`
        Numbers of layers of `start` to use, the first ones (thesis: 12 and 3); by default all.
    architecture : `Optional[Dict[str, Any]]`
        Instead of `start`: settings of transformers' `M2M100Config`, such as `d_model`, for random
        initial weights.
    placement : `str`
        `small100` or `m2m100`: the placement of language codes.
    teacher : `Optional[str]`
        The teacher, in the form of `start`, with the same subwords. Not needed to load a saved
        model.
    teacher_placement : `str`
        Placement of a teacher that is a folder of transformers; our models contain theirs.
    teacher_device : `Optional[str]`
        Device of the teacher, such as `cuda:1`; by default the student's.
    teacher_top : `Optional[int]`
        See `distillation_loss`.
    teacher_cache : `Optional[str]`
        A file for the teacher's `teacher_top` best pieces, so that each pair is computed once, in
        this run and in later ones.
    alpha : `float`
        At least 0; with 0 the teacher is not used.
    label_smoothing : `float`
        Label smoothing of `L_ce`, from 0 and below 1 (Table 6.8).
    beam_size : `int`
        Beam size in prediction and evaluation (thesis: 5).
    dev_beam_size : `int`
        Beam size for development data during training; 0: it is not translated, and the loss is the
        only metric.
    max_length : `int`
        Maximum number of pieces of a translation.
    scores : `Optional[TranslationScores]`
        The scores of translations.
    serialization_dir : `Optional[str]`
        Given by AllenNLP.

    # Raises

    `ConfigurationError` if there are no subwords, `start` or `teacher` cannot be loaded or do not
    fit, or a number is out of range.
    """

    default_predictor = "udify_translation"
    reads_whole_tables = True  # the output is the embedding
    """See `update_large_embeddings_lazily`."""

    def __init__(
        self,
        vocab: Vocabulary,
        start: Optional[str] = None,
        encoder_layers: Optional[int] = None,
        decoder_layers: Optional[int] = None,
        architecture: Optional[dict[str, Any]] = None,
        placement: str = SMALL_100,
        teacher: Optional[str] = None,
        teacher_placement: str = "m2m100",
        teacher_device: Optional[str] = None,
        teacher_top: Optional[int] = None,
        teacher_cache: Optional[str] = None,
        alpha: float = 1.0,
        label_smoothing: float = 0.1,
        beam_size: int = 5,
        dev_beam_size: int = 1,
        max_length: int = 200,
        scores: Optional[TranslationScores] = None,
        serialization_dir: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, serialization_dir=serialization_dir, **kwargs)
        _check(placement, teacher_placement, alpha, label_smoothing, teacher_top)
        subwords = load_subwords(start, serialization_dir)
        if subwords is None:
            raise ConfigurationError(
                "The translation model has no subwords. Set model.start, or train with the data "
                "loader udify_translation, which trains some."
            )
        self.subwords = subwords
        self.placement = placement
        self.network = self._network(start, encoder_layers, decoder_layers, architecture)
        self.search = Search(beam_size, max_length)
        self._dev_search = Search(max(dev_beam_size, 1), max_length)
        self._translates_dev = dev_beam_size > 0
        self._alpha, self._smoothing, self._top = alpha, label_smoothing, teacher_top
        self._teacher: Optional[Teacher] = None
        if teacher is not None:
            encoder_files.check_may_leave(
                teacher, "weights for a part that its config loads from elsewhere"
            )
            cache = None
            if teacher_cache is not None:
                if teacher_top is None:
                    raise ConfigurationError(
                        "model.teacher_cache needs model.teacher_top, since whole distributions "
                        "would fill the disk. Set it to 32, for example."
                    )
                cache = TeacherCache(teacher_cache, teacher, teacher_top)
            self._teacher = load_teacher(
                teacher, subwords, teacher_placement, teacher_device, cache
            )
        self._is_taught = True
        self._was_trained = False
        if start is not None and is_ours(start):
            self.started_from = start
        self.scores = scores or TranslationScores()
        self.scores.pieces = subwords.pieces
        # The embedding has one name in files: each of its others would be packed as a copy.
        tied = [f"network.{name}" for name in tied_names(self.network)]
        self.register_state_dict_post_hook(_without(tied))
        self.register_load_state_dict_pre_hook(_with(tied))

    def _network(
        self,
        start: Optional[str],
        encoder_layers: Optional[int],
        decoder_layers: Optional[int],
        architecture: Optional[dict[str, Any]],
    ) -> Any:
        if start is not None:
            config, weights = weights_of(start)
            config = with_layers(copy.deepcopy(config), encoder_layers, decoder_layers)
            for name in ("encoder_layerdrop", "decoder_layerdrop"):
                setattr(config, name, 0.0)
            network = network_with(config, weights, start)
        else:
            found = kept_config(self.serialization_dir)
            network = new_network(found or new_config(architecture or {}, self.subwords.size))
        if network.config.vocab_size < self.subwords.size:
            raise ConfigurationError(
                f"The network has {network.config.vocab_size} pieces, but the subwords have "
                f"{self.subwords.size}. Use those of one model."
            )
        encoder_files.keep(network.config.save_pretrained, self.serialization_dir, CONFIG)
        return network

    def start_phase(self, number: int) -> None:
        """Prepares for a phase of `udify_phased`: the teacher is used from the second phase on."""
        self._is_taught = number > 1

    def forward(self, pairs: list[Pair]) -> dict[str, Any]:
        """
        Returns the loss of a batch (nats per target piece): Eq 6.3 in training, otherwise `L_ce`
        without smoothing, together with `translations`, which are scored against the targets.
        """
        device = self.network.device
        scores, labels = piece_scores(self.network, pairs, self.subwords, self.placement, device)
        if self.training:
            self._was_trained = True
            loss = gold_loss(scores, labels, self._smoothing)
            if self._teacher is not None and self._is_taught and self._alpha:
                taught = self._teacher.scores(pairs, device)
                loss = loss + self._alpha * distillation_loss(scores, taught, self._top)
            return {"loss": loss}
        output: dict[str, Any] = {"loss": gold_loss(scores, labels)}
        if self._translates_dev or not self._was_trained:
            search = self._dev_search if self._was_trained else self.search
            output["translations"] = self.translate(pairs, search)
            for pair, translation in zip(pairs, output["translations"]):
                self.scores.add(pair.direction, translation, pair.target_text)
        return output

    def translate(self, pairs: Sequence[Pair], search: Optional[Search] = None) -> list[str]:
        """Returns the translations of a batch of sources, ignoring the targets."""
        return translate(self.network, pairs, self.subwords, self.placement, search or self.search)

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        """
        Returns the metrics of `TranslationScores`; those of single directions only in evaluation.
        Corpus scores take time, so they are computed once, on reset after all translations.
        """
        return self.scores.metrics(by_direction=not self._was_trained) if reset else {}

    def predicts(self) -> list[str]:
        """Returns the tasks for the model card."""
        return ["translation"]

    def check_loaded(self, reader: Any) -> None:
        """Checks that reader and model have the same subwords, and that weights are finite."""
        if not self.subwords.same_as(reader.subwords):
            raise ConfigurationError("its reader and its model have different subwords.")
        check_finite(self)

    @classmethod
    def _load(cls, config: Params, *args: Any, **kwargs: Any) -> Model:
        # What was saved is complete: the others may be gone.
        for name in ("start", "teacher", "teacher_cache"):
            config["model"].pop(name, None)
        return super()._load(config, *args, **kwargs)


def load_teacher(
    name: str,
    subwords: Subwords,
    placement: str,
    device: Optional[str],
    cache: Optional[TeacherCache] = None,
) -> Teacher:
    """
    Returns a teacher with the subwords of its student.

    # Parameters

    name : `str`
        An M2M-100 model, as a folder or a hub name; or one of our translation models, which
        contains its placement.

    # Raises

    `ConfigurationError` if it is not a translation model, or has other subwords.
    """
    theirs = load_subwords(name, None)
    if theirs is None or not subwords.same_as(theirs):
        raise ConfigurationError(
            f"The subwords of model.teacher, {name}, differ from the student's. Set "
            "dataset_reader.model_name to it."
        )
    if not is_ours(name):
        return Teacher(pretrained(name), subwords, placement, device, cache)
    model = load_archive(name).model
    if not isinstance(model, TranslationModel):
        raise ConfigurationError(
            f"model.teacher is {name}, which is not a translation model. Use another."
        )
    return Teacher(model.network, subwords, model.placement, device, cache)


def _check(
    placement: str, teacher_placement: str, alpha: float, smoothing: float, top: Optional[int]
) -> None:
    for name, value in (("placement", placement), ("teacher_placement", teacher_placement)):
        if value not in PLACEMENTS:
            raise ConfigurationError(f"model.{name} is {value!r}. Use {' or '.join(PLACEMENTS)}.")
    if not alpha >= 0 or not 0 <= smoothing < 1 or (top is not None and top < 1):
        raise ConfigurationError(
            f"model has alpha {alpha}, label_smoothing {smoothing} and teacher_top {top}. The "
            "first must be at least 0, the second from 0 and below 1, the third at least 1."
        )


def _without(names: Sequence[str]) -> Any:
    def hook(module: Any, state: dict[str, Any], prefix: str, metadata: Any) -> None:
        for name in names:
            state.pop(prefix + name, None)

    return hook


def _with(names: Sequence[str]) -> Any:
    def hook(module: Any, state: dict[str, Any], prefix: str, *_: Any) -> None:
        shared = state.get(f"{prefix}network.model.shared.weight")
        for name in names:
            if shared is not None:
                state.setdefault(prefix + name, shared)

    return hook
