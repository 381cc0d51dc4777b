"""Training that continues a model on more treebanks and keeps its predictions for others."""

from collections.abc import Sequence
from typing import Any, Optional, cast

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.models.archival import load_archive

from udify_allennlp.data.columns import TREEBANK
from udify_allennlp.models.batch_subset import BatchSubset
from udify_allennlp.models.from_archive import FromArchive
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.models.student import taught_losses


@Model.register("udify_keeping")
class KeepingModel(FromArchive):
    """
    A `udify_from_archive` model with all weights of a trained one, whose predictions it keeps while
    it learns: Learning without Forgetting (Li & Hoiem 2016). Their old task has no data; here the
    training data include the treebanks that the archive was trained on, so the loss of a batch is
    the mean, over its words, of

        loss of the gold labels                                      new treebanks
        (1 - keep_weight) * loss of the gold labels
            + keep_weight * cross-entropy with the archive's labels  treebanks of the archive

    and their "response" is that of the archive itself, at temperature 1 (theirs is 2). A sentence
    with a character that the archive lacks counts as new.

    # Parameters

    vocab : `Vocabulary`
        It must extend the archive's, as for `udify_from_archive`.
    archive : `Optional[str]`
        A model archive or a run folder whose model has the treebank as input (`model.origins`). Not
        needed to load a saved model.
    relearned : `Sequence[str]`
        Treebanks of the archive that count as new, because their annotation has changed.
    keep_weight : `float`
        From 0, for only the gold labels, to 1, for only the archive's.
    **kwargs :
        As for `udify_multitask`.

    # Raises

    The errors of `udify_from_archive`; `ConfigurationError` if one of the two models lacks the
    treebank as input, or `keep_weight` is outside its range.
    """

    _is_kept: torch.Tensor

    def __init__(
        self,
        vocab: Vocabulary,
        archive: Optional[str] = None,
        relearned: Sequence[str] = (),
        keep_weight: float = 0.5,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, archive, weights="all", **kwargs)
        if not 0 <= keep_weight <= 1:
            raise ConfigurationError(f"model.keep_weight is {keep_weight}. It must be from 0 to 1.")
        self._keep_weight = keep_weight
        # In a list, the archive's model is no part of this one: not saved or trained.
        self._archive: list[MultitaskModel] = []
        if archive is None:
            return
        model = load_archive(archive).model
        if self.origins is None or not isinstance(model, MultitaskModel) or model.origins is None:
            raise ConfigurationError(
                f"A udify_keeping model and its archive, {archive}, need the treebank as input. "
                "Add parts/origins.libsonnet to the configs of both, or use udify_from_archive."
            )
        self._archive.append(model.eval().requires_grad_(False))
        namespace = f"{TREEBANK}_labels"
        known = model.vocab.get_token_to_index_vocabulary(namespace).keys() - {*relearned}
        treebanks = vocab.get_index_to_token_vocabulary(namespace)
        kept = [treebanks[number] in known for number in range(len(treebanks))]
        # The last, -1, is an unknown treebank.
        self.register_buffer("_is_kept", torch.tensor([*kept, False]), persistent=False)

    def train(self, mode: bool = True) -> "KeepingModel":
        for model in self._archive:
            model.to(next(self.parameters()).device)
        return cast(KeepingModel, super().train(mode))

    def _forward(self, part: BatchSubset) -> dict[str, Any]:
        if not self.training or not self._archive:
            return super()._forward(part)
        kept = self._kept(part)
        share = kept.index_select(0, part.layout.sentence_of).float().mean()
        losses = []
        if not kept.all():
            losses.append((1 - share) * super()._forward(part.select(~kept))["loss"])
        if kept.any():
            ours, _, _ = taught_losses(
                self, self._archive[0], part.select(kept), 1 - self._keep_weight
            )
            losses.append(share * torch.stack(ours).sum())
        return {"loss": torch.stack(losses).sum()}

    def _kept(self, part: BatchSubset) -> torch.Tensor:
        """Returns the sentences to which the archive gives labels, `(batch,)`."""
        kept = self._is_kept[part.batch["inputs"][TREEBANK]]
        (model,) = self._archive
        if model.characters is not None:
            ids, words = part.batch["characters"]["ids"], part.batch["characters"]["words"]
            is_new = (ids >= model.characters.embedding.num_embeddings).any(1)[words]
            kept[part.layout.sentence_of[is_new]] = False
        return kept
