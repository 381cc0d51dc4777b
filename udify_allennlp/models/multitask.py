"""UDify: one encoder, one layer mixture and one decoder a task."""

import os
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union, cast

import torch
from allennlp.common import Lazy, Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.modules.token_embedders import TokenEmbedder
from allennlp.training.metrics import Metric

from udify_allennlp.data.spellings import NAMESPACE
from udify_allennlp.decoders.decoder import Decoder
from udify_allennlp.encoders.hugging_face import Encoder
from udify_allennlp.kernels import precision as precisions
from udify_allennlp.kernels.no_init import NoRandomInit
from udify_allennlp.modules.characters import CharacterFeatures
from udify_allennlp.modules.layer_mix import LayerMix
from udify_allennlp.modules.layout import Layout
from udify_allennlp.scoring.word_scores import WordScores
from udify_allennlp.text.conllu import Sentence
from udify_allennlp.text.sentence import Columns

LAYER_ATTENTION = ("task", "global", "sum")


@Model.register("udify_multitask")
class MultitaskModel(Model):
    """
    Sends every layer of the encoder through a mixture to each task's decoder, and sums the losses
    (thesis, section 3.3; layer attention, Eq 3.1).

    # Parameters

    vocab : `Vocabulary`
    embedder : `TokenEmbedder`
        A `udify_encoder`.
    decoders : `Dict[str, Decoder]`
        By task: any of `upos`, `xpos`, `feats`, `lemma`, `deps`, or tasks of your own.
    layer_attention : `str`
        `task`: a mixture for each task; `global`: one for all; `sum`: the plain sum of the layers
        (thesis, Table 4.3).
    layer_dropout : `float`
        Probability with which a layer is left out of a mixture in training (thesis: 0.1).
    dropout : `float`
        On every layer before the mixture (thesis: 0.5).
    characters : `Optional[CharacterFeatures]`
        For some tasks, features of the spelling of words are added to their vectors.
    scores : `Optional[Metric]`
        What counts the words that are right; by default `WordScores`.
    precision : `str`
        Of prediction with a saved model: `float32`; `bfloat16`, for GPUs and for processors that
        multiply it in hardware; `float16`, for GPUs; `int8`, for processors.

    # Raises

    `ConfigurationError` if there is no decoder, a decoder's `input_dim` is not the encoder's
    width, `characters` names a task without a decoder, or a model is trained in another precision
    than `float32`.
    """

    default_predictor = "udify"

    def __init__(
        self,
        vocab: Vocabulary,
        embedder: TokenEmbedder,
        decoders: Dict[str, Lazy[Decoder]],
        layer_attention: str = "task",
        layer_dropout: float = 0.1,
        dropout: float = 0.5,
        characters: Optional[Lazy[CharacterFeatures]] = None,
        scores: Optional[Metric] = None,
        precision: str = "float32",
        serialization_dir: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, serialization_dir=serialization_dir, **kwargs)
        if not isinstance(embedder, Encoder):
            raise ConfigurationError("model.embedder must have type 'udify_encoder'.")
        if not decoders:
            raise ConfigurationError("model.decoders names no task. Name at least one.")
        if layer_attention not in LAYER_ATTENTION:
            raise ConfigurationError(
                f"model.layer_attention is {layer_attention!r}; it can be one of "
                f"{', '.join(LAYER_ATTENTION)}."
            )
        precisions.check(precision)
        self.precision = precision
        self.embedder = embedder
        width = embedder.get_output_dim()
        self.decoders = torch.nn.ModuleDict(
            {
                task: decoder.construct(vocab=vocab, input_dim=width)
                for task, decoder in decoders.items()
            }
        )
        mode = "sum" if layer_attention == "sum" else "attention"
        shared = layer_attention != "task"
        self.mixes = torch.nn.ModuleDict(
            {
                name: LayerMix(embedder.num_layers, mode, layer_dropout, dropout)
                for name in (["all"] if shared else self.decoders)
            }
        )
        self._mix_of = {task: "all" if shared else task for task in self.decoders}
        self.characters: Optional[CharacterFeatures] = None
        if characters is not None:
            self.characters = characters.construct(
                num_characters=vocab.get_vocab_size(NAMESPACE), output_dim=width
            )
            for task in self.characters.outputs:
                if task not in self.decoders:
                    raise ConfigurationError(
                        f"model.characters.tasks has {task!r}, which has no decoder. Take it out, "
                        "or add a decoder."
                    )
        self.scores: Metric = scores or WordScores()

    def forward(  # type: ignore[override]
        self,
        wordpieces: Dict[str, torch.Tensor],
        sentences: Sequence[Sentence],
        characters: Optional[Dict[str, torch.Tensor]] = None,
        **gold: torch.Tensor,
    ) -> Dict[str, Any]:
        """
        The fields that `udify_universal_dependencies` makes. Gives `loss`, a scalar, where the
        batch is annotated, and outside training `columns`, one dict of new columns a sentence.
        """
        device = wordpieces["ids"].device
        with precisions.context(self.precision, device, self.training):
            return self._forward(wordpieces, sentences, characters, gold)

    def _forward(
        self,
        wordpieces: Dict[str, torch.Tensor],
        sentences: Sequence[Sentence],
        characters: Optional[Dict[str, torch.Tensor]],
        gold: Dict[str, torch.Tensor],
    ) -> Dict[str, Any]:
        layers = self.embedder(*(wordpieces[name] for name in ("ids", "mask", "first")))
        layout = Layout(wordpieces["nodes"], wordpieces["places"])
        mixed: Dict[str, torch.Tensor] = {}
        spelled = self._spelled(characters)
        output: Dict[str, Any] = {}
        columns: List[Columns] = [{} for _ in sentences]
        losses: List[torch.Tensor] = []
        for task, decoder in self._decoders():
            mix = self._mix_of[task]
            if mix not in mixed:
                mixed[mix] = self.mixes[mix](layers)
            words = mixed[mix] + spelled[task] if task in spelled else mixed[mix]
            if all(target in gold for target in decoder.targets):
                losses.append(decoder.loss(words, layout, gold))
            elif self.training:
                raise ConfigurationError(
                    f"decoders.{task} needs the labels {', '.join(decoder.targets)}, which the "
                    f"reader does not give. Add {task!r} to dataset_reader.tasks."
                )
            if not self.training:
                for known, new in zip(columns, decoder.predict(words, layout, sentences)):
                    known.update(new)
        if losses:
            output["loss"] = torch.stack(losses).sum()
        if not self.training:
            output["columns"] = columns
            if gold:
                self.scores(sentences, columns)
        return output

    def _spelled(self, characters: Optional[Dict[str, torch.Tensor]]) -> Dict[str, torch.Tensor]:
        """By task, what the spelling of words adds to their vectors."""
        if self.characters is None:
            return {}
        if characters is None:
            raise ConfigurationError(
                "The model has characters, which the reader does not give. "
                "Set dataset_reader.characters to true."
            )
        return self.characters(**characters)

    def _decoders(self) -> Iterator[Tuple[str, Decoder]]:
        for task, decoder in self.decoders.items():
            yield task, cast(Decoder, decoder)

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        return self.scores.get_metric(reset)

    def layer_weights(self) -> Dict[str, List[float]]:
        """The mixture weights of each task, first layer first (thesis, Figures 4.1 and 4.2)."""
        mixes = {name: cast(LayerMix, mix) for name, mix in self.mixes.items()}
        return {task: mixes[mix].weights.tolist() for task, mix in self._mix_of.items()}

    @classmethod
    def _load(
        cls,
        config: Params,
        serialization_dir: Union[str, os.PathLike],
        weights_file: Optional[Union[str, os.PathLike]] = None,
        cuda_device: int = -1,
    ) -> Model:
        # The archive's weights replace the pretrained ones: they are neither needed nor looked for.
        config["model"]["embedder"]["load_weights"] = False
        with NoRandomInit():  # a parameter that the archive lacks is refused by the call below
            model = super()._load(config, serialization_dir, weights_file, cuda_device)
        model = cast(MultitaskModel, model)
        precisions.lower(model.embedder, model.precision)
        return model
