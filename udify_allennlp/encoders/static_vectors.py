"""Frozen vectors of whole words, put into context by an LSTM or by self-attention."""

from collections.abc import Mapping
from typing import Any, Optional

import torch
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data import encoder_files
from udify_allennlp.data.aligned_vectors import AlignedVectors, find_vectors
from udify_allennlp.data.tasks import LANG, Upos
from udify_allennlp.encoders.context_encoder import ContextEncoder
from udify_allennlp.encoders.word_encoder import WordEncoder, num_labels
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.node_encoder import NodeEncoder

_FOLDER = "vectors"


@WordEncoder.register("udify_static_vectors")
class StaticVectorEncoder(ContextEncoder):
    """
    A word is represented by its vector in a file, which is not trained, and a trained vector of its
    UPOS if that is given (Ahmad et al. 2019, sections 3 and 4.1). ROOT, a learned vector, and the
    words pass through `layers`, an LSTM or self-attention.

    The files are copied into the run folder and its archive. A language whose vectors are aligned
    with those of training is parsed without retraining: its vectors are in the archive, or given as
    `more_vectors`. Words without a vector are 0 (the released code).

    Departure: the released code also replaces words that training has seen once by the unknown
    word, each time with probability 0.5.

    # Parameters

    vocab : `Vocabulary`
    layers : `Lazy[NodeEncoder]`
        `udify_lstm` or `udify_position_attention`.
    vectors : `Optional[str]`
        A file, for all languages, or a folder of files named after languages, such as `fi.vec`; see
        `StaticVectors.load` for their content, `AlignedVectors` for the choice of a word's vector.
        With several files, the reader must provide the `langs`. `None` for a delexicalized parser,
        which uses UPOS and no words.
    more_vectors : `Optional[str]`
        Such a file or folder for further languages, which takes precedence over the vectors in the
        archive. Not kept in the archive.
    fallback : `str`
        The language whose vectors other languages fall back to; for one file, its own.
    max_words : `Optional[int]`
        Maximum number of words to read per file.
    upos_dim : `int`
        Width of the vector of the UPOS, which must be an input of the reader (Table 7: 50); 0 for
        none.
    word_dropout : `float`
        Probability of dropping a word's whole vector in training, not that of its UPOS (the
        released code: 0.33 below an LSTM, 0.2 below self-attention).
    output_dropout : `float`
        Probability of setting a dimension of the vectors to 0 in training, for all words of a
        sentence (the released code: as `word_dropout`).
    encode_root : `bool`
        True if ROOT is before the words in `layers`, as in the released code. The distance to ROOT
        reveals a word's position in the sentence for any `positions`: with `false`, self-attention
        with undirected positions does not depend on word order at all; the ROOT of decoders is then
        a learned vector.
    serialization_dir : `Optional[str]`
        The run folder, given by AllenNLP.

    # Raises

    `ConfigurationError` if a file cannot be read, the data lacks needed UPOS, or there are neither
    vectors nor UPOS.
    """

    unit = "words"

    def __init__(
        self,
        vocab: Vocabulary,
        layers: Lazy[NodeEncoder],
        vectors: Optional[str] = None,
        more_vectors: Optional[str] = None,
        fallback: str = "en",
        max_words: Optional[int] = None,
        upos_dim: int = 0,
        word_dropout: float = 0.0,
        output_dropout: float = 0.0,
        encode_root: bool = True,
        serialization_dir: Optional[str] = None,
    ) -> None:
        super().__init__(word_dropout, output_dropout)
        if vectors is None and not upos_dim:
            raise ConfigurationError(
                "embedder has no vectors and upos_dim 0, so words have no input. Set one of the "
                "two."
            )
        self.vectors: Optional[AlignedVectors] = None
        if vectors is not None:
            self.vectors = _vectors(vectors, more_vectors, fallback, max_words, serialization_dir)
            self.reads = ("forms",)
            if len(self.vectors.langs) > 1:
                self.inputs = (LANG,)
        self.upos: Optional[torch.nn.Embedding] = None
        if upos_dim:
            missing = (
                f"embedder.upos_dim is {upos_dim}, but the data has no UPOS. Add 'upos' to "
                "dataset_reader.inputs, or set it to 0."
            )
            num_upos = num_labels(vocab, Upos(), missing, "inputs")
            # 0 is a UPOS that training has not seen.
            self.upos = torch.nn.Embedding(1 + num_upos, upos_dim)
            self.inputs = (*self.inputs, "upos")
        width = (0 if self.vectors is None else self.vectors.dim) + upos_dim
        self.build(width, layers, encode_root)

    def words(self, batch: Mapping[str, Any], layout: Layout) -> torch.Tensor:
        parts = []
        if self.vectors is not None:
            forms = batch["forms"]
            strings = forms["strings"]
            langs = forms.get("langs", [self.vectors.fallback] * len(strings))
            vectors = torch.from_numpy(self.vectors.of(langs, strings)).to(layout.nodes.device)
            parts.append(self.without_some(vectors.index_select(0, forms["words"])))
        if self.upos is not None:
            parts.append(self.upos(batch["inputs"]["upos"] + 1))
        return torch.cat(parts, 1)


def _vectors(
    path: str,
    more: Optional[str],
    fallback: str,
    max_words: Optional[int],
    serialization_dir: Optional[str],
) -> AlignedVectors:
    """
    Returns the vectors of the run's own folder if it has some, else those of `path`, which are
    copied there.
    """
    run_folder = encoder_files.folder(serialization_dir, _FOLDER)
    if run_folder is None:
        encoder_files.check_may_leave(path, f"{encoder_files.FOLDER}/{_FOLDER}")
    paths = find_vectors(str(run_folder)) if run_folder else find_vectors(path, fallback)
    if len(paths) == 1:
        (fallback,) = paths
    more_paths = {} if more is None else find_vectors(more)
    vectors = AlignedVectors({**paths, **more_paths}, fallback, max_words)
    if run_folder is None:
        encoder_files.keep_folder(vectors.keep, serialization_dir, _FOLDER)
    else:
        vectors.read_all()  # an archive's folder goes when the model is loaded
    return vectors
