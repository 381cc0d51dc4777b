"""Lemmas."""

from allennlp.data import Vocabulary

from udify_allennlp.data.tasks import Lemma
from udify_allennlp.decoders.decoder import Decoder
from udify_allennlp.decoders.tag import TagDecoder


@Decoder.register("udify_lemma_decoder")
class LemmaDecoder(TagDecoder):
    """
    A softmax over the scripts that edit a form into its lemma (thesis, section 3.3.1; the scripts:
    `lemma_rules.py`). There are thousands, so it is adaptive, as in the released code.

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
    adaptive, label_smoothing, min_labels :
        See `TagDecoder`.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        adaptive: bool = True,
        label_smoothing: float = 0.03,
        min_labels: int = 1000,
    ) -> None:
        super().__init__(vocab, Lemma(), input_dim, adaptive, label_smoothing, min_labels)
