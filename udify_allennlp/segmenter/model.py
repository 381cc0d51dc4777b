"""The segmenter: sentences, tokens and words of raw text, by labels of characters."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model
from torch.nn import functional

from udify_allennlp.archives.checks import check_finite, no_label
from udify_allennlp.kernels.fresh_weights import FreshWeights
from udify_allennlp.kernels.no_init import NoRandomInit
from udify_allennlp.kernels.packed_embedding import packed_embeddings_if_asked
from udify_allennlp.scoring.official import SEGMENTATION, scores_of, segmentation_counts
from udify_allennlp.segmentation.character_features import (
    CLASSES,
    KINDS,
)
from udify_allennlp.segmentation.labels import MULTIWORD, SENTENCE, TOKEN
from udify_allennlp.segmentation.multiword_rules import RULES, MultiwordRules, first_fault
from udify_allennlp.segmentation.row import GAP
from udify_allennlp.segmentation.tokenizer import SegmenterTokenizer
from udify_allennlp.segmentation.treebanks import LANGS, Treebanks
from udify_allennlp.segmenter.network import CharacterNetwork
from udify_allennlp.segmenter.reader import Document
from udify_allennlp.segmenter.torch_scores import TorchScores
from udify_allennlp.segmenter.windows import REACH, UNKNOWN
from udify_allennlp.text.raw_text import Tokenizer, lines_of, read_text
from udify_allennlp.text.sentence import Sentence

_FLAGS = (TOKEN, SENTENCE, MULTIWORD)
_BUCKETS = (4096, 16384, 16384, 32768, 65536, 16384, 16384)
_NOISE = (0.02, 0.1, 0.1, 0.2, 0.3, 0.3, 0.3)


@Model.register("udify_segmenter")
class Segmenter(Model):
    """
    A model that finds sentences, tokens and the words of multiword tokens in raw text of many
    languages: it predicts three yes-or-no labels for each character (`labels.py`), and for the last
    character of a multiword token the rule that makes its words (`MultiwordRules`).

    The rules in `floor.py` override the network: nothing ends inside addresses and the like, and no
    sentence ends after titles.

    Each treebank has a vector, with a part for each layer of the network. If only the language is
    given, the vector is the mean over its treebanks, or those of its nearest relatives if the
    training data lack it; without a language, it is the mean over all treebanks. Means are weighted
    by the probabilities of treebanks given the first thousand characters of a paragraph
    (`LanguageInput`).

    # Parameters

    vocab : `Vocabulary`
    buckets, dim, class_dim, hidden_dim, dilations, dropout, noise :
        See `CharacterNetwork`; `buckets` and `noise` for each kind in `character_features.py`. The
        defaults are our choice.
    guessed : `float`
        Share of training texts without their language as input.
    standards : `Optional[Mapping[str, Sequence[str]]]`
        The treebanks that represent a language whose treebanks disagree on words, such as Japanese
        with its short and long units; by default all treebanks of a language.

    # Raises

    `ConfigurationError` if the network depends on more than `REACH` characters on either side, or
    `GAP` in one step, and the errors of `CharacterNetwork`.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        buckets: Sequence[int] = _BUCKETS,
        dim: int = 16,
        class_dim: int = 16,
        hidden_dim: int = 64,
        dilations: Sequence[int] = (1, 2, 4, 8, 16, 1),
        dropout: float = 0.1,
        noise: Sequence[float] = _NOISE,
        guessed: float = 0.3,
        standards: Optional[Mapping[str, Sequence[str]]] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        if len(noise) != KINDS:
            raise ConfigurationError(f"model.noise has {len(noise)} shares. It needs {KINDS}.")
        self.network = CharacterNetwork(
            buckets, CLASSES, noise, dim, class_dim, hidden_dim, dilations, dropout
        )
        if self.network.reach > REACH or self.network.step > GAP:
            raise ConfigurationError(
                f"model.dilations are {list(dilations)}. None may exceed {GAP}, nor their sum "
                f"{REACH}."
            )
        self.guessed = guessed
        self.treebanks = Treebanks(vocab, standards)
        self.flags = torch.nn.Linear(hidden_dim, len(_FLAGS))
        self.langs = torch.nn.Embedding(
            max(1, vocab.get_vocab_size(LANGS)), hidden_dim * self.network.layers
        )
        # Only the first layer is told languages apart to begin with.
        torch.nn.init.zeros_(self.langs.weight[:, hidden_dim:])
        self.guess = torch.nn.Linear(self.network.features_dim, self.langs.num_embeddings)
        self.rules = torch.nn.Linear(hidden_dim, max(1, vocab.get_vocab_size(RULES)))
        self.multiwords = MultiwordRules(vocab)
        self._counts: list[numpy.ndarray] = []

    def forward(
        self, documents: Optional[Sequence[Document]] = None, **batch: torch.Tensor
    ) -> dict[str, Any]:
        """
        Returns the `loss` of a batch of `batch_of`. For `documents` it returns the `sentences`
        found in the raw text of each, whose scores count for the metrics.
        """
        if documents is None:
            return {"loss": self._loss(**batch)}
        predicted: list[list[Sentence]] = []
        for document in documents:
            lines, tokenizer = lines_of(document.text), self.tokenizer(document.label)
            predicted.append(list(read_text(lines, tokenizer, path=document.path)))
            counts = segmentation_counts(document.sentences, predicted[-1], document.path)
            self._counts.append(counts.sum(0, keepdims=True))
        return {"sentences": predicted}

    def gold_and_new(
        self, batch: Mapping[str, Any], output: Mapping[str, Any]
    ) -> Iterator[tuple[str, tuple[Sequence[Sentence], Sequence[Sentence]]]]:
        """Yields the pairs to score for whole files, like `MultitaskModel`."""
        for document, predicted in zip(batch["documents"], output["sentences"]):
            yield document.path, (document.sentences, predicted)

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        """
        Returns the mean F1 of tokens, sentences and words over the documents so far, in percent.
        """
        rows = [scores_of(counts) for counts in self._counts]
        if reset:
            self._counts = []
        if not rows:
            return {}
        return {name: sum(row[name] for row in rows) / len(rows) for name in SEGMENTATION}

    def tokenizer(self, lang: Optional[str] = None) -> Tokenizer:
        """
        Returns the tokenizer for texts in a language, or with the conventions of a treebank; with
        `None`, the language is guessed.
        """
        return SegmenterTokenizer(TorchScores(self), self.treebanks, self.multiwords, lang)

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Any:
        if isinstance(state_dict, FreshWeights):
            return state_dict.load_into(self, state_dict, strict)
        return super().load_state_dict(state_dict, strict)

    @classmethod
    def _load(cls, *args: Any, **kwargs: Any) -> Model:
        # A parameter that the archive lacks is refused by the call below.
        with NoRandomInit(), packed_embeddings_if_asked():
            return super()._load(*args, **kwargs)

    def check_loaded(self, reader: DatasetReader) -> None:
        """
        # Raises

        `ConfigurationError` if a rule for multiword tokens is invalid, or a weight is not a number.
        """
        check_finite(self)
        fault = first_fault(self.vocab.get_token_to_index_vocabulary(RULES))
        if fault is not None:
            raise no_label(RULES, fault)

    def _loss(
        self,
        hashes: torch.Tensor,
        classes: torch.Tensor,
        mask: torch.Tensor,
        langs: torch.Tensor,
        labels: torch.Tensor,
        rules: torch.Tensor,
        scored: torch.Tensor,
    ) -> torch.Tensor:
        character_vectors = self.network.features(hashes, classes)
        guess = self.guess(
            (character_vectors * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True)
        )
        is_known = langs != UNKNOWN
        is_told = is_known & (torch.rand(len(langs), device=langs.device) >= self.guessed)
        told = self.langs(langs.clamp(min=0))
        bias = torch.where(is_told.unsqueeze(1), told, guess.softmax(-1) @ self.langs.weight)
        vectors = self.network(character_vectors, mask, self.layered(bias))
        logits = self.flags(vectors)
        losses = [guess.new_zeros(())]
        if is_known.any():
            losses.append(0.1 * functional.cross_entropy(guess[is_known], langs[is_known]))
        is_end = scored & ((labels & TOKEN) > 0)
        tokens = is_end.sum().clamp(min=1)
        for number, (flag, where) in enumerate(zip(_FLAGS, (scored, scored, is_end))):
            target = (labels[where] & flag > 0).to(logits.dtype)
            loss = functional.binary_cross_entropy_with_logits(
                logits[..., number][where], target, reduction="sum"
            )
            losses.append(loss / tokens)
        is_split = scored & (rules != UNKNOWN)
        chosen = self.rules(vectors[is_split])
        losses.append(functional.cross_entropy(chosen, rules[is_split], reduction="sum") / tokens)
        return torch.stack(losses).sum()

    def guesses(
        self,
        hashes: torch.Tensor,
        classes: torch.Tensor,
        text_of: torch.Tensor,
        counts: torch.Tensor,
    ) -> torch.Tensor:
        """Returns the logits of treebanks, as `NetworkScores.guess` does."""
        vectors = self.network.features(hashes.unsqueeze(0), classes.unsqueeze(0))[0]
        sums = vectors.new_zeros(len(counts), vectors.shape[1]).index_add(0, text_of, vectors)
        return self.guess(sums / counts.unsqueeze(1))

    def flagged(
        self,
        hashes: torch.Tensor,
        classes: torch.Tensor,
        text_of: Optional[torch.Tensor],
        mask: Optional[torch.Tensor],
        shares: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        Returns the logits of labels, and the vectors, as `NetworkScores.flags` does. Without
        `text_of` there is one text, without `mask` nothing beside it.
        """
        character_vectors = self.network.features(hashes.unsqueeze(0), classes.unsqueeze(0))
        bias = self.layered(shares.to(self.langs.weight.dtype) @ self.langs.weight)
        mask = None if mask is None else mask.unsqueeze(0)
        text_of = None if text_of is None else text_of.unsqueeze(0)
        vectors = self.network(character_vectors, mask, bias, text_of)[0]
        return self.flags(vectors), vectors

    def layered(self, langs: torch.Tensor) -> torch.Tensor:
        """Returns the language vectors for the layers, `(texts, layers, hidden_dim)`."""
        return langs.unflatten(1, (self.network.layers, -1))
