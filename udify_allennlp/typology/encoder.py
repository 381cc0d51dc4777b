"""An encoder whose positions depend on the language of each sentence."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Optional

import torch
import torch.nn.functional as F
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.tasks import LANG
from udify_allennlp.encoders.kept_vectors import KeptVectors
from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.modules.layer_mix import LayerMix
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.node_encoder import NodeEncoder
from udify_allennlp.modules.position_attention import NONE, PositionAttention, PositionTables
from udify_allennlp.modules.position_generators import TYPOLOGY, PositionGenerator
from udify_allennlp.modules.value_vectors import ValueVectors
from udify_allennlp.typology import features as typology
from udify_allennlp.typology.language_inputs import LanguageInputs

ABSOLUTE, RELATIVE = "absolute", "relative"


@WordEncoder.register("udify_typology_positions")
class TypologyEncoder(WordEncoder):
    """
    Self-attention over the vectors of another encoder, which is not trained, with positions that a
    generator makes from the known syntax of each language, including languages that training has
    not seen (Ji et al. 2023, sections 4 and 5).

    Its positions are words, the first at position 0; ROOT is a vector that decoders learn. The
    language of a sentence comes from the reader's `langs`. A batch may have sentences of several
    languages, each with its own positions; `data_loader.one_language` makes batches as in the
    paper's training. In evaluation the positions of a language are generated once and cached.

    Departure: the layers have norms before each part and one after the last, while the paper
    specifies only "Transformer".

    # Parameters

    vocab : `Vocabulary`
    below : `WordEncoder`
        The encoder of the words (the paper: multilingual BERT, at the first wordpiece).
    layers : `Lazy[NodeEncoder]`
        `udify_position_attention` with `positions` `none`; its `clip` is the largest distance that
        relative positions distinguish (Table 5: 4).
    generator : `Lazy[PositionGenerator]`
        `universal`, `per_language`, `id`, `feat`, `mlp` or `attn`.
    features : `str`
        Features of a language: `wals6`, `wals19`, `uriel` or, as controls, `random`, and `same`,
        which are equal for all languages.
    value_dim : `int`
        Width of the trained vector of each value in WALS (section 4.1: 3).
    positions : `str`
        `absolute`: added to the vectors from below. `relative`: of distances, to the keys and the
        values of every layer and shared by the layers; each head has a part of them (Equation 2;
        our choice, Table 5 gives the width of all heads).
    num_positions : `int`
        Number of absolute positions (Table 5: 129, from 0 to 128). Our choice: further words all
        have the last.
    position_dim : `Optional[int]`
        Width of the generator's vectors, projected linearly without bias if it differs from the
        width needed. By default the width needed, as in Table 5; section 4.2 has 128.
    below_layers : `str`
        `last`: the topmost layer of the encoder below. `mix`: all layers in a trained mixture.
    languages : `Optional[List[str]]`
        Languages for which `per_language` and `id` have positions; by default those of training.
        `ud-pack --languages` writes those whose positions it keeps.
    freeze : `bool`
        True if the encoder below is not trained, and has no dropout.
    keep_below : `int`
        Megabytes of main memory for the vectors of a frozen encoder below in training, so that it
        runs only in the first epoch: 4 bytes per word, dimension and layer, 2 with autocast; `mix`
        needs all layers. Either all sentences fit or none is kept. Prediction keeps nothing.

    # Raises

    `ConfigurationError` if the parts do not match, a number is too small, there are no languages,
    or a training language lacks these features.
    """

    num_layers = 1

    def __init__(
        self,
        vocab: Vocabulary,
        below: WordEncoder,
        layers: Lazy[NodeEncoder],
        generator: Lazy[PositionGenerator],
        features: str = "uriel",
        value_dim: int = 3,
        positions: str = RELATIVE,
        num_positions: int = 129,
        position_dim: Optional[int] = None,
        below_layers: str = "last",
        freeze: bool = True,
        languages: Optional[list[str]] = None,
        keep_below: int = 0,
    ) -> None:
        super().__init__()
        if positions not in (ABSOLUTE, RELATIVE) or below_layers not in ("last", "mix"):
            raise ConfigurationError(
                f"embedder.positions is {positions!r} and below_layers is {below_layers!r}. The "
                "first must be absolute or relative, the second last or mix."
            )
        if below.encodes_root:
            raise ConfigurationError(
                "embedder.below gives ROOT a vector, but ROOT has no position. Set its root to "
                "'learned', or encode_root to false."
            )
        if keep_below and (not freeze or below.reads != ("wordpieces",) or below.inputs):
            raise ConfigurationError(
                "embedder.keep_below is for a frozen encoder below that reads only wordpieces. "
                "Set it to 0."
            )
        if min(num_positions, value_dim, 1 if position_dim is None else position_dim) < 1:
            raise ConfigurationError(
                f"embedder.num_positions is {num_positions}, value_dim {value_dim} and "
                f"position_dim {position_dim}. Each must be at least 1."
            )
        self.below = below
        self.model_name = below.model_name
        self.reads = (*below.reads, "langs")
        self.inputs = below.inputs
        self.unit = below.unit
        self.freeze = freeze
        self._keep_below = keep_below
        self._below_kept: Optional[KeptVectors] = None
        below.requires_grad_(not freeze)
        self.mix: Optional[LayerMix] = None
        if below_layers == "mix":
            self.mix = LayerMix(below.num_layers, layer_dropout=0.0, dropout=0.0)
        self._dim = below.get_output_dim()
        made = layers.construct(input_dim=self._dim)
        if not isinstance(made, PositionAttention) or made.positions != NONE:
            raise ConfigurationError(
                "embedder.layers have their own positions. Use udify_position_attention with "
                "positions 'none', since the generator makes them."
            )
        self.layers = made
        self.positions = positions
        self.features = features
        self.languages = vocab.get_token_to_index_vocabulary(f"{LANG}_labels")
        """The number of each training language, or of `languages`."""
        if languages is not None:
            self.languages = {lang: number for number, lang in enumerate(languages)}
        language_features = typology.features_of(features)
        self.value_vectors: Optional[ValueVectors] = None
        if not typology.is_bits(features):
            self.value_vectors = ValueVectors([len(f.values) for f in language_features], value_dim)
        width = len(language_features) * (value_dim if self.value_vectors else 1)
        places, needed = torch.arange(num_positions), [self._dim]
        if positions == RELATIVE:
            places = torch.arange(-made.clip, made.clip + 1)
            needed = [made.num_heads * made.head_dim, made.num_heads * made.value_dim]
        self.generators = torch.nn.ModuleList(
            generator.construct(
                places=places,
                output_dim=position_dim or dim,
                typology_dim=width,
                num_languages=len(self.languages),
            )
            for dim in needed
        )
        """
        The generator of absolute positions; for relative ones, that of keys, then that of values.
        """
        generators: Any = self.generators
        if generators[0].sees != TYPOLOGY:
            self.value_vectors = None
        self.maps = torch.nn.ModuleList(
            (
                torch.nn.Identity()
                if (position_dim or dim) == dim
                else torch.nn.Linear(position_dim or dim, dim, bias=False)
            )
            for dim in needed
        )
        if not self.languages:
            raise ConfigurationError(
                "embedder has positions for languages, but the data has no languages. Set "
                "dataset_reader.langs to true."
            )
        self._language_inputs = LanguageInputs(features, generators[0].sees, self.languages)
        self._kept: dict[str, list[torch.Tensor]] = {}
        self.values_of(list(self.languages))

    def language_codes(self) -> Collection[str]:
        return typology.iso_codes()

    def check_languages(self, langs: Sequence[str]) -> None:
        self.values_of(list(langs))
        self.numbers_of(list(langs))

    def get_output_dim(self) -> int:
        return self.layers.get_output_dim()

    def forward(self, batch: Mapping[str, Any], layout: Layout) -> torch.Tensor:
        words = self._words(batch, layout)
        nodes = layout.to_nodes(F.pad(words, (0, 0, 1, 0)))[:, 1:]
        langs: Sequence[str] = batch["langs"]
        distinct = list(dict.fromkeys(langs))
        tables = self.position_vectors(distinct)
        if len(distinct) > 1:
            places = {lang: place for place, lang in enumerate(distinct)}
            language_rows = torch.tensor([places[lang] for lang in langs], device=nodes.device)
            tables = [table.index_select(0, language_rows) for table in tables]
        relative: Optional[PositionTables] = None
        if self.positions == RELATIVE:
            # Each head has a part of each vector.
            heads = self.layers.num_heads
            relative = PositionTables(
                *(t.unflatten(2, (heads, -1)).transpose(1, 2) for t in tables)
            )
        else:
            last = tables[0].shape[1] - 1
            numbers = torch.arange(nodes.shape[1], device=nodes.device).clamp(max=last)
            nodes = nodes + tables[0][:, numbers]
        nodes = self.layers(nodes, layout.mask[:, 1:], relative)
        return layout.to_words(F.pad(nodes, (0, 0, 1, 0))).unsqueeze(0)

    def _words(self, batch: Mapping[str, Any], layout: Layout) -> torch.Tensor:
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.freeze):
            layers = (self._below_kept or self.below)(batch, layout)
        if self.mix is None:
            return layers[-1]
        mixed: torch.Tensor = self.mix(layers)
        return mixed

    def position_vectors(self, langs: Sequence[str]) -> list[torch.Tensor]:
        """
        Returns the vectors of positions for languages, `(languages, positions, width)`: the
        absolute ones, or those that are added to keys and those that are added to values.

        # Raises

        `ConfigurationError` if the generator needs the language, and it has no features or is not
        given.
        """
        keep = not self.training and not torch.is_grad_enabled()
        if not keep:
            return self.generate(self.values_of(langs), self.numbers_of(langs))
        new = [lang for lang in langs if lang not in self._kept]
        if new:
            made = self.generate(self.values_of(new), self.numbers_of(new))
            self._kept.update((lang, list(tables)) for lang, *tables in zip(new, *made))
        return [torch.stack(tables) for tables in zip(*(self._kept[lang] for lang in langs))]

    def generate(self, values: torch.Tensor, numbers: torch.Tensor) -> list[torch.Tensor]:
        """Returns `position_vectors` of languages, given their `values_of` and numbers
        `(languages,)`."""
        vectors = self.language_vectors(values)
        made = [generator(vectors, numbers) for generator in self.generators]
        return [linear(table) for linear, table in zip(self.maps, made)]

    def language_vectors(self, values: torch.Tensor) -> torch.Tensor:
        """
        Returns the typology vectors `l`, `(languages, width)`, for values `(languages, features)`.
        """
        if self.value_vectors is None:
            return values.to(self.layers.norm.weight.dtype)
        vectors: torch.Tensor = self.value_vectors(values)
        return vectors

    def values_of(self, langs: Sequence[str]) -> torch.Tensor:
        """See `LanguageInputs.values`."""
        return self._language_inputs.values(langs, self.layers.norm.weight.device)

    def numbers_of(self, langs: Sequence[str]) -> torch.Tensor:
        """See `LanguageInputs.numbers`."""
        return self._language_inputs.numbers(langs, self.layers.norm.weight.device)

    def train(self, mode: bool = True) -> "TypologyEncoder":
        self._kept.clear()
        super().train(mode)
        if self.freeze:
            self.below.eval()
        if mode and self._keep_below and self._below_kept is None:
            lowest = 0 if self.mix is not None else self.below.num_layers - 1
            self._below_kept = KeptVectors(self.below, lowest, self._keep_below)
        return self

    def _apply(self, *args: Any, **kwargs: Any) -> Any:
        self._forget()  # the weights go to another device
        return super()._apply(*args, **kwargs)

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        self._forget()
        super()._load_from_state_dict(*args, **kwargs)

    def _forget(self) -> None:
        self._kept.clear()
        self._below_kept = None
