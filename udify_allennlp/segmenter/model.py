"""The segmenter: sentences, tokens and words of raw text, by labels of characters."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model
from torch.nn import functional

from udify_allennlp.archives.checks import NO_CELL, check_finite, no_label
from udify_allennlp.data.character_features import (
    CLASSES,
    KINDS,
)
from udify_allennlp.kernels.fresh_weights import FreshWeights
from udify_allennlp.kernels.no_init import NoRandomInit
from udify_allennlp.kernels.packed_embedding import packed_embeddings_if_asked
from udify_allennlp.scoring.official import SEGMENTATION, scores_of, segmentation_counts
from udify_allennlp.segmenter.labels import MULTIWORD, SENTENCE, TOKEN
from udify_allennlp.segmenter.multiword_rules import MultiwordRules
from udify_allennlp.segmenter.network import CharacterNetwork
from udify_allennlp.segmenter.reader import LANGS, RULES, Document
from udify_allennlp.segmenter.row import Row
from udify_allennlp.segmenter.tokenizer import SegmenterTokenizer
from udify_allennlp.segmenter.windows import GAP, REACH, UNKNOWN
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.languages import UD_CODES
from udify_allennlp.text.multiwords import apply_split
from udify_allennlp.text.raw_text import Tokenizer, lines_of, read_text
from udify_allennlp.text.relatives import all_nearest
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
        known = vocab.get_token_to_index_vocabulary(LANGS)
        kept = {
            lang: [name for name in names if name in known]
            for lang, names in (standards or {}).items()
        }
        self.standards = {lang: names for lang, names in kept.items() if names}
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
        return SegmenterTokenizer(self, lang)

    def labels_of(self, lang: str) -> list[str]:
        """
        Returns the labels in `LANGS` of a treebank or of a language, by its standards; for a
        treebank outside the training data those of its language, and for such a language those of
        its nearest relatives (`relatives.py`), if there are any.
        """
        ud_lang = UD_CODES.get(lang, lang)  # Bokmål is `nb` to users, `no` in UD
        labels = self.vocab.get_token_to_index_vocabulary(LANGS)
        if ud_lang in labels:
            return [ud_lang]
        langs = dict.fromkeys(map(treebank_language, labels))
        chosen = all_nearest(treebank_language(ud_lang), langs)
        return [name for name in self.standard_labels() if treebank_language(name) in chosen]

    def standard_labels(self) -> list[str]:
        """Returns the labels in `LANGS`; of languages with standards, only these."""
        labels = self.vocab.get_token_to_index_vocabulary(LANGS)
        return [
            name for name in labels if name in self.standards.get(treebank_language(name), [name])
        ]

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
        for rule in self.vocab.get_token_to_index_vocabulary(RULES):
            try:
                words = apply_split("a" * len(rule), rule)
            except (ValueError, OverflowError):
                raise no_label(RULES, rule) from None
            if any(NO_CELL.search(word) for word in words):
                raise no_label(RULES, rule)

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

    def features(self, row: Row, part: slice, padding: int = 0) -> torch.Tensor:
        """
        Returns the vectors of a part's characters, and of padding behind it,
        `(1, characters, features_dim)`.
        """
        hashes, classes = (
            self.tensor(values).unsqueeze(0) for values in row.features(part, padding)
        )
        return self.network.features(hashes, classes)

    def tensor(self, values: numpy.ndarray) -> torch.Tensor:
        """Returns a tensor on the model's device."""
        return torch.from_numpy(values).to(self.flags.weight.device)

    def layered(self, langs: torch.Tensor) -> torch.Tensor:
        """Returns the language vectors for the layers, `(texts, layers, hidden_dim)`."""
        return langs.unflatten(1, (self.network.layers, -1))
