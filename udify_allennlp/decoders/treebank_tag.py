"""XPOS, whose tags differ from treebank to treebank."""

from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.columns import TREEBANK
from udify_allennlp.data.tasks import Xpos
from udify_allennlp.decoders.decoder import Decoder, Encoded
from udify_allennlp.decoders.own_labels import OwnLabels
from udify_allennlp.decoders.tag import TagDecoder, TagScores

UNKNOWN = "unknown"
"""Name for any treebank that training has not seen."""


@Decoder.register("udify_treebank_tag_decoder")
class TreebankTagDecoder(TagDecoder):
    """
    One softmax over the XPOS of all treebanks, with a treebank identifier as the thesis suggests
    (conclusion, future work): a vector learned for each treebank is added to the words' vectors
    (treebank embeddings: Stymne et al. 2018).

    Our choices: the vectors start at zero, so training starts from the decoder without them; in
    training a word's treebank is sometimes replaced by the unknown one, whose vector is used for
    treebanks that training has not seen; a word of a treebank gets one of its tags.

    The treebank of each sentence comes from the reader's `treebanks`, unless `treebank` names
    another.

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
        Width of the word vectors.
    adaptive, label_smoothing :
        See `TagDecoder`.
    unknown_probability : `float`
        Probability of the replacement, word by word.
    own_tags : `bool`
        True to predict only tags that the treebank has in the training data; for the unknown one,
        all.
    treebank : `Optional[str]`
        The treebank whose tags are predicted, regardless of the reader: one of the training data,
        or `unknown`.

    # Raises

    `ConfigurationError` if the data has no XPOS or no treebanks, or `treebank` is unknown.
    """

    inputs = (TREEBANK,)

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        adaptive: bool = True,
        label_smoothing: float = 0.03,
        unknown_probability: float = 0.1,
        own_tags: bool = True,
        treebank: Optional[str] = None,
    ) -> None:
        super().__init__(vocab, "xpos", input_dim, adaptive, label_smoothing)
        treebanks = vocab.get_token_to_index_vocabulary(f"{TREEBANK}_labels")
        if not treebanks:
            raise ConfigurationError(
                "decoders.xpos has no treebanks: the training data has none. Set "
                "dataset_reader.treebanks to true."
            )
        # Number 0 is the unknown one; in batches it is UNSEEN, -1.
        self._numbers = {name: index + 1 for name, index in treebanks.items()}
        if treebank not in (None, UNKNOWN, *self._numbers):
            raise ConfigurationError(
                f"decoders.xpos.treebank is {treebank!r}. Use {UNKNOWN} or one of "
                f"{', '.join(sorted(self._numbers))}."
            )
        self.treebank = treebank
        self.unknown_probability = unknown_probability
        self.embedding = torch.nn.Embedding(1 + len(self._numbers), input_dim)
        torch.nn.init.zeros_(self.embedding.weight)
        self.own = OwnLabels(vocab, TREEBANK, Xpos.PAIRS, self._labels) if own_tags else None

    def scores(self, encoded: Encoded) -> TagScores:
        numbers = encoded.inputs[TREEBANK]
        if self.treebank is not None and not self.training:
            numbers = torch.full_like(numbers, self._numbers.get(self.treebank, 0) - 1)
        treebanks = numbers[encoded.layout.sentence_of] + 1
        if self.training:
            drawn = torch.rand(treebanks.shape, device=treebanks.device) < self.unknown_probability
            treebanks = treebanks.masked_fill(drawn, 0)
        return TagScores(encoded.words + self.embedding(treebanks), treebanks)
