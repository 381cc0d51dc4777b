"""Training of a segmenter that starts from a trained one."""

from collections.abc import Iterable, Mapping
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import Params
from allennlp.data import Instance, Vocabulary
from allennlp.models import Model

from udify_allennlp.archives.run_folder import load_weights, model_folder, vocabulary_folder
from udify_allennlp.data.encoder_files import check_may_leave
from udify_allennlp.segmentation.multiword_rules import RULES
from udify_allennlp.segmentation.treebanks import LANGS
from udify_allennlp.segmenter.archive import segmenter_folder
from udify_allennlp.segmenter.model import Segmenter

_BY_LABEL = ("langs.", "guess.", "rules.")
"""The parts of the network that have a row for each label."""


@Vocabulary.register("udify_segmenter_from_archive", constructor="extended")
class ExtendedSegmenterVocabulary(Vocabulary):
    """
    The labels of a trained segmenter under their numbers, then those that only the new data has.

    # Parameters

    archive : `str`
        An archive or a run folder, of a segmenter or of a parser that contains one.
    min_count : `Optional[Dict[str, int]]`
        Minimum counts in the new data, by namespace.
    """

    @classmethod
    def extended(
        cls,
        instances: Iterable[Instance],
        archive: str,
        min_count: Optional[dict[str, int]] = None,
    ) -> Vocabulary:
        check_may_leave(archive, "vocabulary")
        with model_folder(archive) as folder:
            known = str(vocabulary_folder(segmenter_folder(folder)))
            return cls.from_files_and_instances(instances, known, min_count=min_count)


@Model.register("udify_segmenter_from_archive")
class SegmenterFromArchive(Segmenter):
    """
    A segmenter that starts with the weights of a trained one, and with its treebanks and rules for
    multiword tokens, to which those of the new data are added (our choice). A new treebank or rule
    starts as the mean of the known ones.

    The saved model is self-contained: it does not need the other archive.

    # Parameters

    archive : `Optional[str]`
        An archive or a run folder, of a segmenter or of a parser that contains one.
    **kwargs :
        As for `udify_segmenter`, with the same widths.

    # Raises

    `ConfigurationError` if the widths differ from the archive's, or the vocabulary does not extend
    its vocabulary.
    """

    def __init__(self, vocab: Vocabulary, archive: Optional[str] = None, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        if archive is None:
            return
        check_may_leave(archive, "weights")
        with model_folder(archive) as folder:
            part = segmenter_folder(folder)
            known = Vocabulary.from_files(str(vocabulary_folder(part)))
            self._check_extends(known, archive)
            self._take(load_weights(part), archive)

    @classmethod
    def _load(cls, config: Params, *args: Any, **kwargs: Any) -> Model:
        # What was saved is complete: the other archive may be gone.
        config["model"].pop("archive", None)
        return super()._load(config, *args, **kwargs)

    def _check_extends(self, known: Vocabulary, archive: str) -> None:
        for namespace in (LANGS, RULES):  # without multiword tokens there are no rules
            old, new = (v.get_index_to_token_vocabulary(namespace) for v in (known, self.vocab))
            lacks = namespace == LANGS and not old
            if lacks or any(new.get(index) != label for index, label in old.items()):
                raise ConfigurationError(
                    f"The labels of {namespace} do not extend those of a segmenter in {archive}. "
                    "Name an archive with a segmenter, and add to the config "
                    '"vocabulary": {"type": "udify_segmenter_from_archive", "archive": '
                    f'"{archive}"}}.'
                )

    @torch.no_grad()
    def _take(self, trained: Mapping[str, torch.Tensor], archive: str) -> None:
        for name, weight in self.state_dict().items():
            old = trained.get(name)
            rows = len(weight)
            if old is not None and name.startswith(_BY_LABEL):
                rows = min(rows, len(old))
            if old is None or old.shape != weight[:rows].shape:
                theirs = "no such weight" if old is None else f"shape {tuple(old.shape)}"
                raise ConfigurationError(
                    f"{name} has shape {tuple(weight.shape)} here; the segmenter of {archive} has "
                    f"{theirs}. Use its widths (model in its config.json)."
                )
            weight[:rows] = old
            weight[rows:] = old.mean(0)
