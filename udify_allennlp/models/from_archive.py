"""
Training that starts from a trained model: from its encoder, or from all of it, including labels.
"""

from collections.abc import Iterable, Mapping
from itertools import accumulate, count, takewhile
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import Params
from allennlp.data import Instance, Vocabulary
from allennlp.models import Model

from udify_allennlp.archives.old_weights import renamed
from udify_allennlp.archives.run_folder import load_weights, model_folder, vocabulary_folder
from udify_allennlp.data import lemma_lookup
from udify_allennlp.data.encoder_files import check_may_leave
from udify_allennlp.data.known_words import KNOWN
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.modules.adaptive_softmax import AdaptiveSoftmax

State = Mapping[str, torch.Tensor]

_ENCODER = "embedder."
_ORIGINS = "origins."
_CORRECTIONS = (*lemma_lookup.NAMESPACES, KNOWN)
"""Namespaces that correct a model on the words of its training data."""
WEIGHTS = {"encoder": _ENCODER, "all": ""}
"""The parts that can be copied, and the prefixes of the names of their weights."""


@Vocabulary.register("udify_from_archive", constructor="extended")
class ExtendedVocabulary(Vocabulary):
    """
    The labels of a trained model under their numbers, then those that only the new data has, by
    falling frequency. The model's lemma lookup and known words are left out, since they depend on
    its training data (`lemma_lookup.py`, `known_words.py`).

    # Parameters

    archive : `str`
        A model archive or a run folder.
    extend : `bool`
        False for the archive's labels only.
    """

    @classmethod
    def extended(
        cls, instances: Iterable[Instance], archive: str, extend: bool = True
    ) -> Vocabulary:
        check_may_leave(archive, "vocabulary")
        with model_folder(archive) as folder:
            vocab_folder = str(vocabulary_folder(folder))
            if not extend:
                return cls.from_files(vocab_folder)
            vocab = cls.from_files_and_instances(instances, vocab_folder)
        for namespace in _CORRECTIONS:
            for table in (vocab._token_to_index, vocab._index_to_token):
                table.pop(namespace, None)
        return vocab


@Model.register("udify_from_archive")
class FromArchive(MultitaskModel):
    """
    A `udify_multitask` model with weights of a trained one: UDify+Lang (thesis, section 4.2; Tables
    4.1 and 4.2).

    The thesis fine-tunes the treebank "using BERT weights saved from fine-tuning on all UD
    treebanks" (captions of both tables): `encoder`. Decoders and layer attention are then new, and
    so are the labels, which are those of the new data alone.

    Our choice: `all`, for which the vocabulary must extend the archive's:
    `"vocabulary": {"type": "udify_from_archive", "archive": ...}`. Labels that only the new data
    has start as in a new model. In an adaptive softmax they join the last cluster,
    regardless of their frequency, because the clusters of the known labels stay as they are.

    The saved model is self-contained: it does not need the other archive.

    # Parameters

    archive : `Optional[str]`
        A model archive or a run folder with the same encoder; for `all`, of the same
        decoders and widths too.
    weights : `str`
        The part to copy: `encoder`, or `all`. Configs from before this setting existed mean `all`.
    **kwargs :
        As for `udify_multitask`.

    # Raises

    `ConfigurationError` if `weights` is neither, or the encoder differs from the archive's; for
    `all`, if the vocabulary does not extend the archive's, or tasks or widths differ.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        archive: Optional[str] = None,
        weights: str = "all",
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        if weights not in WEIGHTS:
            raise ConfigurationError(
                f"model.weights is {weights!r}. Use one of {', '.join(WEIGHTS)}."
            )
        if archive is None:
            return
        check_may_leave(archive, "weights for a part that its config loads from elsewhere")
        self.started_from = archive
        with model_folder(archive) as folder:
            if weights == "all":
                old_vocab = Vocabulary.from_files(str(vocabulary_folder(folder)))
                _check_extends(vocab, old_vocab, archive)
            take_weights(self, load_weights(folder), archive, part=WEIGHTS[weights])

    def load_state_dict(self, state_dict: State, *args: Any, **kwargs: Any) -> Any:
        keep_clusters(self, renamed(self, state_dict))
        return super().load_state_dict(state_dict, *args, **kwargs)

    @classmethod
    def _load(cls, config: Params, *args: Any, **kwargs: Any) -> Model:
        # What was saved is complete: the other archive may be gone.
        config["model"].pop("archive", None)
        return super()._load(config, *args, **kwargs)


def take_weights(model: torch.nn.Module, trained: State, source: str, part: str = "") -> None:
    """
    Copies the weights `trained`, from the file `source`, into `model`, which may have more labels;
    only those whose names begin with `part`.

    # Raises

    `ConfigurationError` if a weight is missing on either side or has another shape, apart from
    labels.
    """
    trained = renamed(model, trained)
    trained = {name: weight for name, weight in trained.items() if name.startswith(part)}
    keep_clusters(model, trained)
    ours = {name: w for name, w in model.state_dict().items() if name.startswith(part)}
    # Vectors of languages start at zero: without them the model is the archive's.
    new = {name for name in ours.keys() - trained.keys() if name.startswith(_ORIGINS)}
    ours = {name: weight for name, weight in ours.items() if name not in new}
    for name in [*(ours.keys() - trained.keys()), *(trained.keys() - ours.keys())]:
        raise ConfigurationError(
            f"{source} and this model differ in {name}: only one of them has it. Use the encoder "
            "and decoders that the archive was trained with."
        )
    for name, weight in ours.items():
        old = trained[name]
        grown = [new - old_size for new, old_size in zip(weight.shape, old.shape)]
        # Labels are along one axis of a weight; the encoder has none.
        fits = weight.dim() == old.dim() and min(grown, default=0) >= 0
        if not fits or sum(map(bool, grown)) > (not name.startswith(_ENCODER)):
            raise ConfigurationError(
                f"{name} has shape {tuple(old.shape)} in {source} and {tuple(weight.shape)} here. "
                "Use the encoder and the widths that the archive was trained with."
            )
        # New labels are numbered after the known ones, so along every axis the old come first.
        weight[tuple(slice(size) for size in old.shape)] = old


def keep_clusters(model: torch.nn.Module, state: State) -> None:
    """
    Gives each adaptive softmax of `model` the clusters that it has in `state`: their borders are
    fractions of the number of labels, which may have grown. Labels beyond these belong to the last
    cluster.
    """
    for name, module in list(model.named_modules()):
        if not isinstance(module, AdaptiveSoftmax) or f"{name}.head.weight" not in state:
            continue
        starts = _cluster_starts(state, name)
        if starts != module.bounds[:-1]:
            parent = model.get_submodule(name.rpartition(".")[0])
            new = AdaptiveSoftmax(
                module.head.in_features,
                module.num_labels,
                cutoffs=[start / module.num_labels for start in starts],
                label_smoothing=module.label_smoothing,
                min_labels=1,
            )
            setattr(parent, name.rpartition(".")[2], new.to(module.head.weight.device))


def _cluster_starts(state: State, name: str) -> list[int]:
    """Returns the first label of each cluster, derived from the shapes of the weights."""
    keys = (f"{name}.clusters.{i}.1.weight" for i in count())
    sizes = [len(state[key]) for key in takewhile(state.__contains__, keys)]
    shortlist = len(state[f"{name}.head.weight"]) - len(sizes)
    return list(accumulate(sizes, initial=shortlist))[:-1]


def _check_extends(vocab: Vocabulary, old_vocab: Vocabulary, archive: str) -> None:
    for namespace in old_vocab.get_namespaces() - {*_CORRECTIONS}:
        old, new = (v.get_index_to_token_vocabulary(namespace) for v in (old_vocab, vocab))
        if any(new.get(index) != label for index, label in old.items()):
            raise ConfigurationError(
                f"The labels of {namespace} do not extend those of {archive}. Add to the config "
                f'"vocabulary": {{"type": "udify_from_archive", "archive": "{archive}"}}.'
            )
