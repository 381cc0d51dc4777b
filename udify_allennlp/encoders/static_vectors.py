"""Frozen vectors of whole words through a stacked LSTM."""

import os
from typing import Any, Mapping, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data import encoder_files
from udify_allennlp.data.static_vectors import StaticVectors
from udify_allennlp.data.tasks import LabelTask, task_of
from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.recurrent import StackedLstm

_FILE = "vectors.npz"


@WordEncoder.register("udify_static_vectors")
class StaticVectorEncoder(WordEncoder):
    """
    A word is its vector in a file, which is not trained, beside a trained vector of its UPOS if
    that is given; ROOT, a learned vector, and the words go through bidirectional LSTMs, whose
    topmost layer is what this encoder gives (Ahmad et al. 2019, sections 3 and 4.1: RNN).

    The file goes into the run's folder and its archive. Words that it lacks are 0 (its code); a
    language whose vectors are aligned to those of training needs no vocabulary.

    # Parameters

    vocab : `Vocabulary`
    vectors : `str`
        A file; see `StaticVectors.load`.
    hidden_dim : `int`
        Of each direction (Table 7: 300).
    num_layers : `int`
        Of the LSTM (Table 7: 3).
    dropout : `float`
        On what each of its layers reads (Table 7: 0.33).
    upos_dim : `int`
        Width of the vector of the UPOS, which the reader has to give as an input (Table 7: 50); 0
        for none.
    serialization_dir : `Optional[str]`
        The run's folder, given by AllenNLP.

    # Raises

    `ConfigurationError` if the file cannot be read, or UPOS are wanted that the data has not.
    """

    reads = ("forms",)
    unit = "words"
    encodes_root = True
    num_layers = 1

    def __init__(
        self,
        vocab: Vocabulary,
        vectors: str,
        hidden_dim: int = 300,
        num_layers: int = 3,
        dropout: float = 0.33,
        upos_dim: int = 0,
        serialization_dir: Optional[str] = None,
    ) -> None:
        super().__init__()
        path = encoder_files.source(vectors, serialization_dir, _FILE)
        if path != vectors:  # the run's own copy
            path = os.path.join(path, _FILE)
        try:
            self._vectors = StaticVectors.load(path)
        except OSError as error:
            raise ConfigurationError(
                f"embedder.vectors: {path} cannot be read ({error.strerror}). Name a file of word "
                "vectors, text or .npz."
            ) from None
        encoder_files.keep_file(self._vectors.save, serialization_dir, _FILE)
        self.upos: Optional[torch.nn.Embedding] = None
        if upos_dim:
            task = task_of("upos")
            assert isinstance(task, LabelTask)
            known = vocab.get_index_to_token_vocabulary(task.namespace)
            if not known:
                raise ConfigurationError(
                    f"embedder.upos_dim is {upos_dim}, and the data has no UPOS. Add 'upos' to "
                    "dataset_reader.inputs."
                )
            # 0 is a UPOS that training has not seen.
            self.upos = torch.nn.Embedding(1 + len(known), upos_dim)
            self.inputs = (task.name,)
        width = self._vectors.dim + upos_dim
        self.root = torch.nn.Parameter(torch.randn(width) / width**0.5)
        self.lstm = StackedLstm(width, hidden_dim, num_layers, dropout)
        self._dim = 2 * hidden_dim

    def get_output_dim(self) -> int:
        return self._dim

    def forward(self, batch: Mapping[str, Any], layout: Layout) -> torch.Tensor:
        forms = batch["forms"]
        device = self.root.device
        vectors = torch.from_numpy(self._vectors.of(forms["strings"])).to(device)
        words = vectors.index_select(0, forms["words"])
        if self.upos is not None:
            words = torch.cat([words, self.upos(batch["inputs"]["upos"] + 1)], 1)
        nodes = layout.to_nodes(torch.cat([self.root.unsqueeze(0), words]))
        nodes = self.lstm(nodes, layout.mask)
        return torch.cat([nodes[:, 0], layout.to_words(nodes)]).unsqueeze(0)
