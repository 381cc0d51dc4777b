"""
A Hugging Face encoder, or the encoder of one of our models, as a plain transformers model: word
vectors by layer, and the attention between wordpieces.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.nn.util import move_to_device

from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.table_builder import TableBuilder
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.data.wordpieces import Framing, WordpieceTokenizer
from udify_allennlp.encoders.pretrained import in_float32
from udify_allennlp.encoders.structure_layer import load_layer
from udify_allennlp.models.extract_encoder import as_transformers, is_model, load_parser
from udify_allennlp.modules.structure_integration import StructureLayer
from udify_allennlp.text.sentence import Sentence


class PlainEncoder:
    """
    Word vectors and attention between wordpieces, without dropout and masking.

    Layers are numbered from 1, as in the thesis; 0 is the output of the embedding table.

    # Parameters

    name : `str`
        The encoder's name in messages and figures.
    transformer : `PreTrainedModel`
    tokenizer : `WordpieceTokenizer`
    framing : `Optional[Framing]`
        The layout of windows; by default they have the maximum length that the tokenizer states for
        its encoder, and at most 512 wordpieces.
    device : `torch.device`
    structure_layer : `Optional[StructureLayer]`
        A layer above those of the transformer; its attention is not available.

    # Attributes

    layer_weights : `Dict[str, List[float]]`
        For our models, the factor of each layer by task; otherwise empty.
    treebanks : `List[str]`
        For our models, the training treebanks in the card.
    train_files : `List[str]`
        For a model without a card, the files and globs that it was trained on.
    """

    def __init__(
        self,
        name: str,
        transformer: Any,
        tokenizer: WordpieceTokenizer,
        framing: Optional[Framing] = None,
        device: torch.device = torch.device("cpu"),
        structure_layer: Optional[StructureLayer] = None,
    ) -> None:
        self.name = name
        self.transformer = transformer.eval().to(device)
        self._structure_layer = structure_layer
        self.num_layers: int = transformer.config.num_hidden_layers
        if structure_layer is not None:
            structure_layer.eval().to(device)
            self.num_layers += 1
        self.num_heads: int = transformer.config.num_attention_heads
        self.dim: int = transformer.config.hidden_size
        self.layer_weights: dict[str, list[float]] = {}
        self.treebanks: list[str] = []
        self.train_files: list[str] = []
        self._device = device
        self._tokenizer = tokenizer
        self._piece_text = tokenizer.pretrained.convert_ids_to_tokens
        self._schema = Schema(framing=framing or tokenizer.framing(tokenizer.max_pieces))

    def check_layers(
        self, layers: Sequence[int], lowest: int = 0, option: str = "--layers"
    ) -> None:
        """Raises `ConfigurationError` for a layer that the encoder does not have."""
        for layer in layers:
            if not lowest <= layer <= self.num_layers:
                raise ConfigurationError(
                    f"{option} has {layer}, but {self.name} has layers {lowest} to "
                    f"{self.num_layers}. Name one of these."
                )

    @torch.inference_mode()
    def vectors(
        self, sentences: Sequence[Sequence[str]], layers: Sequence[int]
    ) -> Iterator[tuple[int, torch.Tensor]]:
        """
        Yields for each sentence, longest first, its index in `sentences` and the vectors of its
        words (of their first wordpieces) in `layers`: `(layers, words, dim)`, on the CPU.
        """
        collate = self._collator(sentences)
        for rows in BucketSampler(shuffle=False).batches(collate.sizes(), seed=0):
            pieces = move_to_device(collate(rows)["wordpieces"], self._device)
            states = self._states(pieces)
            chosen = [states[layer].flatten(0, 1)[pieces["first"]] for layer in layers]
            lengths = [len(sentences[row]) for row in rows]
            yield from zip(rows, torch.stack(chosen).cpu().split(lengths, dim=1))

    @torch.inference_mode()
    def word_means(self, words: Sequence[str], layer: int) -> torch.Tensor:
        """
        Returns the vectors of words encoded alone, the means of their wordpieces in a layer,
        special pieces left out: `(words, dim)`, on the CPU.
        """
        means = torch.zeros(len(words), self.dim)
        collate = self._collator([[word] for word in words], word_of=True)
        for rows in BucketSampler(shuffle=False).batches(collate.sizes(), seed=0):
            batch = move_to_device(collate(rows), self._device)
            states = self._states(batch["wordpieces"])[layer]
            word_of = batch["layout"]["word_of"].flatten()
            sums = states.new_zeros(len(rows) + 1, self.dim).index_add_(
                0, word_of, states.flatten(0, 1)
            )
            counts = word_of.bincount(minlength=len(rows) + 1).unsqueeze(1)
            means[rows] = (sums / counts)[1:].float().cpu()
        return means

    @torch.inference_mode()
    def attentions(self, words: Sequence[str]) -> tuple[list[str], torch.Tensor]:
        """
        Returns the wordpieces of a sentence, including special ones, and the share of its attention
        that each (second to last dimension) gives to each (last): `(layers, heads, pieces,
        pieces)`.

        # Raises

        `ConfigurationError` if the sentence does not fit into one window of the encoder.
        """
        texts, shares, _ = self._attentions(words)
        return texts, shares

    @torch.inference_mode()
    def word_attentions(self, words: Sequence[str]) -> torch.Tensor:
        """
        Returns the share of its attention that each word gives to each other word: `(layers, heads,
        words, words)`. Rows add up to less than 1: special pieces get the rest. Raises the errors
        of `attentions`.
        """
        _, shares, word_of = self._attentions(words)
        return between_words(shares, word_of, len(words))

    def _attentions(self, words: Sequence[str]) -> tuple[list[str], torch.Tensor, torch.Tensor]:
        batch = move_to_device(self._collator([words], word_of=True)([0]), self._device)
        pieces = batch["wordpieces"]
        if len(pieces["ids"]) > 1:
            assert self._schema.framing is not None
            raise ConfigurationError(
                f"The sentence takes {len(pieces['ids'])} windows of {self.name}, without "
                "attention between them. Choose one with fewer than "
                f"{self._schema.framing.max_pieces} wordpieces."
            )
        output = self._run(pieces, output_attentions=True)
        texts = self._piece_text(pieces["ids"][0].tolist())
        return texts, torch.cat(output.attentions).cpu(), batch["layout"]["word_of"][0].cpu()

    def _collator(self, sentences: Sequence[Sequence[str]], word_of: bool = False) -> Collator:
        schema = self._schema._replace(word_of=word_of)
        builder = TableBuilder(schema.specs)
        for words in sentences:
            sentence = Sentence.from_words(words)
            builder.add(sentence, schema.values(sentence, self._tokenizer(words)))
        return Collator(builder.table(), schema)

    def _states(self, pieces: Any) -> list[torch.Tensor]:
        """Returns each layer's vectors of all pieces, `(windows, pieces, dim)`."""
        states = [*self._run(pieces, output_hidden_states=True).hidden_states]
        if self._structure_layer is not None:
            states.append(self._structure_layer(states[-1], pieces["mask"]))
        return states

    def _run(self, pieces: Any, **wanted: bool) -> Any:
        mask = pieces["mask"].long()
        return self.transformer(input_ids=pieces["ids"], attention_mask=mask, **wanted)


def between_words(shares: torch.Tensor, word_of: torch.Tensor, words: int) -> torch.Tensor:
    """
    Converts attention between wordpieces to attention between words (Clark et al. 2019, "What Does
    BERT Look At?", section 4.1): attention from a word is the mean over its pieces, attention to a
    word their sum.

    # Parameters

    shares : `torch.Tensor`
        `(..., pieces, pieces)`; a row is the attention from a piece.
    word_of : `torch.Tensor`
        `(pieces,)`, the word of each piece, from 1; 0 for special pieces.
    words : `int`
    """
    of_word = torch.nn.functional.one_hot(word_of, words + 1)[:, 1:].to(shares.dtype)
    return (of_word / of_word.sum(0)).T @ shares @ of_word


def load_encoder(
    name: str, attentions: bool = False, device: torch.device = torch.device("cpu")
) -> PlainEncoder:
    """
    Returns the encoder `name`: one of our models (an archive or a run folder), or anything
    else that `AutoModel` loads (a folder or a hub name). With `attentions`, its attention is
    available, too.

    # Raises

    `ConfigurationError` or `ArchiveError` if it does not exist, or cannot be loaded safely.
    """
    attention = "eager" if attentions else None
    if not is_model(name):
        transformer = pretrained(name, attention)
        layer = load_layer(name, transformer.config.hidden_size, True, None)
        tokenizer = WordpieceTokenizer(name)
        return PlainEncoder(name, transformer, tokenizer, device=device, structure_layer=layer)
    archive = load_parser(name)
    model, reader = archive.model, archive.dataset_reader
    transformer = as_transformers(model, name, attention)
    framing = reader.schema.framing if isinstance(reader, UniversalDependenciesReader) else None
    parts = (transformer, model.embedder.tokenizer, framing, device, model.structure_layer())
    encoder = PlainEncoder(name, *parts)
    encoder.layer_weights = model.layer_weights()
    encoder.treebanks = list(model.card.treebanks)
    files = archive.config.get("train_data_path") or []
    encoder.train_files = [files] if isinstance(files, str) else list(files)
    return encoder


def pretrained(name: str, attention: Optional[str] = None) -> Any:
    """Returns the encoder in a folder of transformers, or with a hub name, in float32."""
    from transformers import AutoModel

    build = functools.partial(AutoModel.from_pretrained, name, trust_remote_code=False)
    try:
        return in_float32(build, attention)
    except UNLOADABLE as error:
        raise not_loaded(f"No encoder could be loaded from {name!r}", error) from None


UNLOADABLE = (OSError, ValueError, RuntimeError)
"""The errors of transformers for a name that it cannot load."""


def not_loaded(fault: str, error: Exception) -> ConfigurationError:
    """Returns the one-line error for one of `UNLOADABLE`, which begins with `fault`."""
    reason = " ".join(str(error).split())[:200]
    return ConfigurationError(
        f"{fault}: {reason} Name the archive or the folder of a trained model, a folder saved with "
        "save_pretrained, or a name on the Hugging Face hub."
    )
