"""
Training that starts from a trained model: from its encoder, or from all of it, including labels.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import Params
from allennlp.data import Instance, Vocabulary
from allennlp.models import Model

from udify_allennlp.archives.old_weights import renamed
from udify_allennlp.archives.run_folder import load_weights, model_folder, vocabulary_folder
from udify_allennlp.data import lemma_lookup, lexicon
from udify_allennlp.data import own_labels as labels_by_language
from udify_allennlp.data.agreement_odds import AGREEMENT
from udify_allennlp.data.attachments import ATTACHMENTS
from udify_allennlp.data.deprel_odds import DEPREL_WORDS
from udify_allennlp.data.encoder_files import check_may_leave
from udify_allennlp.data.known_words import KNOWN
from udify_allennlp.data.tasks import LabelTask, task_of
from udify_allennlp.decoders.tag import TagDecoder
from udify_allennlp.models.label_weights import State, keep_clusters, with_own_labels
from udify_allennlp.models.multitask import MultitaskModel

_ENCODER = "embedder."
_ORIGINS = "origins."
CORRECTIONS = (*lemma_lookup.NAMESPACES, KNOWN, ATTACHMENTS, AGREEMENT, DEPREL_WORDS)
"""Namespaces that correct a model by the words and trees of its training data."""
WEIGHTS = {"encoder": _ENCODER, "all": ""}
"""The parts that can be copied, and the prefixes of the names of their weights."""


@Vocabulary.register("udify_from_archive", constructor="extended")
class ExtendedVocabulary(Vocabulary):
    """
    The labels of a trained model under their numbers, then those that only the new data has, by
    falling frequency. The model's lemma lookup, known words and counts of arcs are left out, since
    they depend on its training data (`lemma_lookup.py`, `known_words.py`, `attachments.py`,
    `agreement.py`, `deprel_odds.py`).

    # Parameters

    archive : `str`
        A model archive or a run folder.
    extend : `bool`
        False for the archive's labels only.
    own_labels : `Sequence[str]`
        Tasks, with one label per word, that have only the labels of the new data, by falling
        frequency, then those that the archive has for its languages.
    extended : `Optional[Sequence[str]]`
        The namespaces that the new data extends, by default all. Other new labels are not learned.
    """

    @classmethod
    def extended(
        cls,
        instances: Iterable[Instance],
        archive: str,
        extend: bool = True,
        own_labels: Sequence[str] = (),
        extended: Optional[Sequence[str]] = None,
    ) -> Vocabulary:
        check_may_leave(archive, "vocabulary")
        with model_folder(archive) as folder:
            vocab_folder = str(vocabulary_folder(folder))
            if not extend:
                return cls.from_files(vocab_folder)
            vocab = cls.from_files(vocab_folder)
        old: dict[str, Iterable[str]] = {}
        for namespace in (*CORRECTIONS, *_namespaces(own_labels)):
            old[namespace] = vocab._token_to_index.pop(namespace, {})
            vocab._index_to_token.pop(namespace, None)
        if extended is None:
            vocab.extend_from_instances(instances)
        else:
            new = cls.from_instances(instances)
            for namespace in extended:
                for label in new.get_token_to_index_vocabulary(namespace):
                    vocab.add_token_to_namespace(label, namespace)
        for task in own_labels:
            _add_labels_of_languages(vocab, old, *_namespaces([task]))
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
    regardless of their frequency, because the clusters of the known labels stay as they are. That
    is narrow, so that a treebank learns its labels better with `own_labels`.

    The saved model is self-contained: it does not need the other archive.

    # Parameters

    archive : `Optional[str]`
        A model archive or a run folder with the same encoder; for `all`, of the same
        decoders and widths too.
    weights : `str`
        The part to copy: `encoder`, or `all`. Configs from before this setting existed mean `all`.
    own_labels : `Sequence[str]`
        The vocabulary's `own_labels`. Labels of these tasks that the archive has start from its
        weights.
    **kwargs :
        As for `udify_multitask`.

    # Raises

    `ConfigurationError` if `weights` is neither, or the encoder differs from the archive's; for
    `all`, if the vocabulary does not extend the archive's, or tasks or widths differ, or a task of
    `own_labels` has no decoder with one label per word.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        archive: Optional[str] = None,
        weights: str = "all",
        own_labels: Sequence[str] = (),
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
            trained: State = renamed(self, load_weights(folder))
            if weights == "all":
                old_vocab = Vocabulary.from_files(str(vocabulary_folder(folder)))
                _check_extends(vocab, old_vocab, archive, _namespaces(own_labels))
                for task in own_labels:
                    trained = self._with_own_labels(trained, task, old_vocab)
            take_weights(self, trained, archive, part=WEIGHTS[weights])

    def _with_own_labels(self, trained: State, task: str, old_vocab: Vocabulary) -> State:
        decoder = dict(self.decoders.items()).get(task)
        if not isinstance(decoder, TagDecoder):
            raise ConfigurationError(
                f"model.own_labels has {task!r}, which has no decoder with one label per word. "
                "Remove it, there and from vocabulary.own_labels."
            )
        (namespace, *_) = _namespaces([task])
        old = old_vocab.get_token_to_index_vocabulary(namespace)
        new = list(self.vocab.get_token_to_index_vocabulary(namespace))
        return with_own_labels(self, trained, f"decoders.{task}.output", old, new)

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


def _namespaces(tasks: Iterable[str]) -> list[str]:
    """
    Returns the namespaces of the labels of tasks, and those of entries with languages and these
    labels.
    """
    found: list[str] = []
    for name in tasks:
        task = task_of(name)
        if not isinstance(task, LabelTask):
            raise ConfigurationError(
                f"own_labels has {name!r}, which has not one label per word. Remove it."
            )
        found += [task.namespace, labels_by_language.namespace(task.namespace)]
        found.append(lexicon.namespace_by_language(name))
    return found


def _add_labels_of_languages(
    vocab: Vocabulary, old: Mapping[str, Iterable[str]], labels: str, pairs: str, *lexicons: str
) -> None:
    """
    Adds the labels that the `old` vocabulary has for the languages of the new one, and its entries
    of these languages.
    """
    if pairs not in vocab.get_namespaces():
        return
    langs = {pair.split("\t")[0] for pair in vocab.get_token_to_index_vocabulary(pairs)}
    for namespace in (pairs, *lexicons):
        for entry in old[namespace]:
            lang, label = entry.split("\t", 1)
            if lang in langs:
                vocab.add_token_to_namespace(entry, namespace)
                if namespace == pairs:
                    vocab.add_token_to_namespace(label, labels)


def _check_extends(
    vocab: Vocabulary, old_vocab: Vocabulary, archive: str, others: Container[str]
) -> None:
    for namespace in old_vocab.get_namespaces() - {*CORRECTIONS}:
        if namespace in others:
            continue
        old, new = (v.get_index_to_token_vocabulary(namespace) for v in (old_vocab, vocab))
        if any(new.get(index) != label for index, label in old.items()):
            raise ConfigurationError(
                f"The labels of {namespace} do not extend those of {archive}. Add to the config "
                f'"vocabulary": {{"type": "udify_from_archive", "archive": "{archive}"}}.'
            )
