"""
The parts of a multi-task model, made from their settings, and the conditions that they must meet.
"""

from collections.abc import Mapping
from typing import Any

from allennlp.common import Lazy, Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.columns import LANG, TREEBANK
from udify_allennlp.data.spellings import NAMESPACE
from udify_allennlp.decoders.decoder import Decoder
from udify_allennlp.encoders.word_encoder import WordEncoder, no_pieces
from udify_allennlp.modules.characters import CharacterFeatures
from udify_allennlp.modules.origin_vectors import OriginVectors
from udify_allennlp.modules.pooling import FIRST


def make_decoders(
    settings: Mapping[str, Lazy[Decoder]], vocab: Vocabulary, embedder: WordEncoder, width: int
) -> dict[str, Decoder]:
    """
    Returns a decoder for each task, for vectors of this `width`.

    # Raises

    `ConfigurationError` if a decoder is for another width, or for units that the encoder lacks.
    """
    decoders = {task: _decoder(task, decoder, vocab, width) for task, decoder in settings.items()}
    for decoder in decoders.values():
        if decoder.unit not in embedder.gives:
            raise no_pieces(embedder)
        if decoder.unit == "wordpieces" and embedder.pooling != FIRST:
            raise ConfigurationError(
                f"embedder.pooling is {embedder.pooling!r}, but the decoder of {decoder.task.name} "
                "is for wordpieces. Remove it."
            )
        if embedder.encodes_root:
            decoder.use_encoded_root()
    return decoders


def _decoder(task: str, decoder: Lazy[Decoder], vocab: Vocabulary, width: int) -> Decoder:
    params = decoder._params  # a string where the config has but a name
    input_dim = params.get("input_dim", None) if isinstance(params, Params) else None
    if input_dim is not None and input_dim != width:
        raise ConfigurationError(
            f"decoders.{task}.input_dim is {input_dim}, but the encoder's width is {width}. Remove "
            "it: the default is the encoder's width."
        )
    return decoder.construct(vocab=vocab, input_dim=width)


def make_characters(
    settings: Lazy[CharacterFeatures],
    vocab: Vocabulary,
    decoders: Mapping[str, Decoder],
    width: int,
) -> CharacterFeatures:
    """
    Returns features that are added to vectors of this `width`.

    # Raises

    `ConfigurationError` if they are for a task without a decoder of words.
    """
    characters = settings.construct(
        num_characters=vocab.get_vocab_size(NAMESPACE), output_dim=width
    )
    for task in characters.outputs:
        if task not in decoders:
            raise ConfigurationError(
                f"model.characters.tasks has {task!r}, which has no decoder. Remove it, or add a "
                "decoder."
            )
        if decoders[task].unit != "words":
            raise ConfigurationError(
                f"model.characters.tasks has {task!r}, whose decoder is for wordpieces, but "
                "spellings belong to words. Remove it."
            )
    return characters


def make_origins(
    settings: Lazy[OriginVectors],
    vocab: Vocabulary,
    embedder: WordEncoder,
    width: int,
    is_concatenated: bool,
) -> OriginVectors:
    """
    Returns vectors for languages and treebanks of this `width`; `is_concatenated` is true if layers
    of the encoder are concatenated.

    # Raises

    `ConfigurationError` if the data has no origins, or the encoder cannot add them there.
    """
    counts = [vocab.get_vocab_size(f"{name}_labels") for name in (LANG, TREEBANK)]
    if not all(counts):
        raise ConfigurationError(
            "model.origins needs languages and treebanks, and the training data has none. Set "
            "dataset_reader.langs and dataset_reader.treebanks to true."
        )
    origins = settings.construct(num_langs=counts[0], num_treebanks=counts[1], dim=width)
    if origins.enter == "start" and (is_concatenated or not embedder.takes_start):
        raise ConfigurationError(
            f"model.origins.enter is 'start', which a {type(embedder).__name__}, or concatenated "
            "layers, do not support. Use 'words'."
        )
    return origins


def without_pretrained(embedder: Any) -> None:
    """
    Changes the config of an encoder, and of the encoders below it, so that it loads no other
    weights.
    """
    while embedder is not None:
        kind = embedder.get("type")
        if kind in WordEncoder.list_available() and _class(kind).pretrained:
            embedder["load_weights"] = False
        embedder = embedder.get("below")


def _class(kind: str) -> Any:
    return WordEncoder.by_name(kind)
