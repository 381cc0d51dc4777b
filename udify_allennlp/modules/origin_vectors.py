"""Vectors for the language and the treebank of a sentence."""

from collections.abc import Mapping
from typing import Any

import torch
from allennlp.common import FromParams
from allennlp.common.checks import ConfigurationError

PLACES = ("words", "start")


class OriginVectors(torch.nn.Module, FromParams):
    """
    The sum of a learned vector for the language and one for the treebank of each sentence (treebank
    embeddings: Stymne et al. 2018; the thesis suggests them in its conclusion).

    Our choices: all vectors start at zero, so that training starts from the model without them. In
    training a language or a treebank is sometimes replaced by the unknown one, whose vector is used
    for those that training has not seen; a sentence of unknown language has no treebank.

    # Parameters

    num_langs, num_treebanks : `int`
        Numbers of languages and treebanks in the vocabulary.
    dim : `int`
        The width of the encoder.
    enter : `str`
        The place where they are added: to the vectors of `words` before the decoders, or at the
        `start` to the first piece of each window, from which the encoder carries them to the words.
    unknown_lang, unknown_treebank : `float`
        Probabilities of the replacement, sentence by sentence, in [0, 1).

    # Raises

    `ConfigurationError` if a probability is out of range, or the place is unknown.
    """

    inputs = ("treebank", "lang")

    def __init__(
        self,
        num_langs: int,
        num_treebanks: int,
        dim: int,
        enter: str = "words",
        unknown_lang: float = 0.1,
        unknown_treebank: float = 0.3,
    ) -> None:
        super().__init__()
        if enter not in PLACES:
            raise ConfigurationError(
                f"model.origins.enter is {enter!r}. Use one of {', '.join(PLACES)}."
            )
        for name, rate in (("unknown_lang", unknown_lang), ("unknown_treebank", unknown_treebank)):
            if not 0 <= rate < 1:
                raise ConfigurationError(f"model.origins.{name} is {rate}. It must be in [0, 1).")
        self.enter = enter
        self.unknown_lang, self.unknown_treebank = unknown_lang, unknown_treebank
        # Number 0 is the unknown origin; in batches it is UNSEEN, -1.
        self.langs = torch.nn.Embedding(1 + num_langs, dim)
        self.treebanks = torch.nn.Embedding(1 + num_treebanks, dim)
        for table in (self.langs, self.treebanks):
            torch.nn.init.zeros_(table.weight)

    def forward(self, inputs: Mapping[str, Any]) -> torch.Tensor:
        """
        Returns the vectors `(batch, dim)` for the `inputs` of a batch, `treebank` and `lang`
        `(batch,)`.
        """
        langs, treebanks = inputs["lang"] + 1, inputs["treebank"] + 1
        if self.training:
            no_lang = _drawn(langs, self.unknown_lang)
            langs = langs.masked_fill(no_lang, 0)
            no_treebank = no_lang | _drawn(langs, self.unknown_treebank)
            treebanks = treebanks.masked_fill(no_treebank, 0)
        summed: torch.Tensor = self.langs(langs) + self.treebanks(treebanks)
        return summed


def _drawn(like: torch.Tensor, rate: float) -> torch.Tensor:
    return torch.rand(like.shape, device=like.device) < rate
