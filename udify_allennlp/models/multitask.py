"""UDify: one encoder, and one layer mixture and one decoder per task."""

import logging
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union, cast

import torch
from allennlp.common import Lazy, Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.training.metrics import Metric

from udify_allennlp.archives.card import Card, read_card
from udify_allennlp.archives.checks import check_finite
from udify_allennlp.archives.old_weights import renamed
from udify_allennlp.data.columns import LANG, TREEBANK, origin_names
from udify_allennlp.data.everyday_features import EverydayFeatures
from udify_allennlp.data.imperatives import Imperatives
from udify_allennlp.data.inflections import Inflections
from udify_allennlp.data.lemma_lookup import LemmaLookup
from udify_allennlp.data.tasks import Task, in_order
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.decoders.decoder import Decoder, Encoded
from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.kernels import precision as precisions
from udify_allennlp.kernels.fresh_weights import FreshWeights
from udify_allennlp.kernels.no_init import NoRandomInit
from udify_allennlp.kernels.packed_embedding import packed_embeddings_if_asked
from udify_allennlp.kernels.products import speed_up
from udify_allennlp.models import confidence
from udify_allennlp.models.batch_subset import FIELDS, BatchSubset
from udify_allennlp.models.load_checks import check_given, check_labels, check_pieces
from udify_allennlp.models.parts import (
    make_characters,
    make_decoders,
    make_origins,
    without_pretrained,
)
from udify_allennlp.modules.characters import CharacterFeatures
from udify_allennlp.modules.layer_mix import TaskMixes
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.origin_vectors import OriginVectors
from udify_allennlp.modules.structure_integration import StructureLayer
from udify_allennlp.scoring.word_scores import WordScores
from udify_allennlp.text.conllu import Sentence
from udify_allennlp.text.relatives import nearest
from udify_allennlp.text.sentence import Columns, with_tags, with_trees

logger = logging.getLogger(__name__)


@Model.register("udify_multitask")
class MultitaskModel(Model):
    """
    Sends every layer of the encoder through a mixture to each task's decoder, and sums the losses
    (thesis, section 3.3; layer attention, Eq 3.1).

    # Parameters

    vocab : `Vocabulary`
    embedder : `WordEncoder`
        Such as `udify_encoder`.
    decoders : `Dict[str, Decoder]`
        Decoders by task: any of `upos`, `xpos`, `feats`, `lemma`, `deps`, or your own tasks. Their
        `input_dim` is the encoder's width.
    layer_attention : `str`
        `task`: a mixture for each task; `global`: one for all; `sum`: the plain sum of the layers
        (thesis, Table 4.3); `last`: only the topmost layer; from Table 3.2, `second_to_last`,
        `sum_last_four`, and `concat_last_four`, whose vectors are four times as wide.
    layer_dropout : `float`
        Probability of leaving a layer out of a mixture in training (thesis: 0.1).
    dropout : `float`
        Dropout rate on every layer before the mixture (thesis: 0.5).
    initial_beta : `float`
        Initial scale of each mixture: 1 for the mean of the layers or, for instance, their number
        for the sum. `sum` and `last` have none.
    characters : `Optional[CharacterFeatures]`
        Features of the spelling of words, which are added to their vectors for some tasks.
    origins : `Optional[OriginVectors]`
        Vectors for the language and the treebank of each sentence, which the reader's `langs` and
        `treebanks` provide.
    scores : `Optional[Metric]`
        The counter of correct words; by default `WordScores`.
    precision : `str`
        Precision of prediction with a saved model: `float32`; `bfloat16`, for GPUs and for CPUs
        that multiply it in hardware; `float16`, for GPUs; `int8`, for CPUs.
    probabilities : `bool`
        If true, prediction writes the probability of each value to MISC (`UposProb=0.98`).
    temperatures : `Optional[Dict[str, float]]`
        For these entries, the divisor of the scores before the softmax; `ud-calibrate` finds them.

    # Raises

    `ConfigurationError` if there is no decoder, a decoder's `input_dim` differs from the encoder's
    width, a decoder needs wordpieces and the encoder has none, `characters` names a task without a
    word decoder, or a model is trained in another precision than `float32`.
    """

    default_predictor = "udify"
    started_from: Optional[str] = None
    """The model whose weights training starts from, if any."""
    teacher: Optional[str] = None
    """The model that training learns from, if any."""

    def __init__(
        self,
        vocab: Vocabulary,
        embedder: WordEncoder,
        decoders: dict[str, Lazy[Decoder]],
        layer_attention: str = "task",
        layer_dropout: float = 0.1,
        dropout: float = 0.5,
        initial_beta: float = 1.0,
        characters: Optional[Lazy[CharacterFeatures]] = None,
        scores: Optional[Metric] = None,
        precision: str = "float32",
        serialization_dir: Optional[str] = None,
        probabilities: bool = False,
        temperatures: Optional[dict[str, float]] = None,
        origins: Optional[Lazy[OriginVectors]] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, serialization_dir=serialization_dir, **kwargs)
        if not decoders:
            raise ConfigurationError("model.decoders is empty. Name at least one task.")
        precisions.check(precision)
        self.precision = precision
        self.card = Card()
        self.embedder = embedder
        rates = {"layer_dropout": layer_dropout, "dropout": dropout, "initial_beta": initial_beta}
        mixes = TaskMixes(decoders, embedder.num_layers, layer_attention, **rates)
        width = embedder.get_output_dim() * mixes.widening
        self.decoders = torch.nn.ModuleDict(make_decoders(decoders, vocab, embedder, width))
        self._pieces = any(decoder.unit == "wordpieces" for _, decoder in self._decoders())
        self.probabilities = probabilities
        self.temperatures = dict(temperatures or {})
        confidence.check(dict(self._decoders()), probabilities, self.temperatures)
        self.mixes = mixes
        self.characters: Optional[CharacterFeatures] = None
        if characters is not None:
            self.characters = make_characters(characters, vocab, dict(self._decoders()), width)
        self.origins: Optional[OriginVectors] = None
        if origins is not None:
            is_concatenated = mixes.widening > 1
            self.origins = make_origins(origins, vocab, embedder, width, is_concatenated)
        self.lookup = LemmaLookup(vocab)
        further = (Inflections(vocab), EverydayFeatures(vocab), Imperatives(vocab))
        self._corrections = (self.lookup, *further)
        self._treebanks = origin_names(vocab, TREEBANK)
        self.scores: Metric = scores or WordScores(
            in_order(decoder.task for _, decoder in self._decoders())
        )

    def forward(
        self,
        layout: dict[str, torch.Tensor],
        sentences: Sequence[Sentence],
        inputs: Optional[dict[str, Any]] = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """
        Takes a batch of `Collator`. Returns `loss`, a scalar, if the batch has the targets of all
        decoders, and outside training `columns`, one dict of new columns per sentence.
        """
        part = self.part(layout, sentences, inputs, **fields)
        with precisions.context(self.precision, part.layout.nodes.device, self.training):
            return self._forward(part)

    def part(
        self,
        layout: dict[str, torch.Tensor],
        sentences: Sequence[Sentence],
        inputs: Optional[dict[str, Any]] = None,
        **fields: Any,
    ) -> BatchSubset:
        """
        Returns the parts of a batch as `forward` takes it: the inputs of encoders and decoders, and
        the targets.

        # Raises

        The errors of `check_fields`.
        """
        read = {name: fields.pop(name, None) for name in FIELDS}
        batch = {name: field for name, field in read.items() if field is not None}
        self.check_fields([*batch, *layout], inputs or {})
        batch["inputs"] = dict(inputs or {})
        return BatchSubset(batch, Layout(**layout), sentences, fields)

    def _forward(self, part: BatchSubset) -> dict[str, Any]:
        # Not by iterating: that makes each sentence, which training does not need.
        columns: list[Columns] = [{} for _ in range(len(part.sentences))]
        loss = self.use(self.scored(part.batch, part.layout), part, columns)
        return self.output(loss, columns, part)

    def use(
        self,
        scored: Iterable[tuple[str, Decoder, Any]],
        part: BatchSubset,
        columns: Sequence[Columns],
    ) -> Optional[torch.Tensor]:
        """
        Adds, outside training, the predictions of all decoders to the `columns` of each sentence,
        given the results of `scored`. UPOS and features are known to the decoders that come after
        those that predict them; predictions that depend on trees change last. Returns the sum of
        the losses, `None` without gold.
        """
        losses: list[torch.Tensor] = []
        followers: list[tuple[Decoder, Any]] = []
        sentences = part.sentences
        for _, decoder, scores in scored:
            if self.learns(decoder, part.gold):
                losses.append(decoder.loss(scores, part.gold))
            if self.training:
                continue
            sentences = list(sentences)
            decoded = decoder.decode(scores, sentences)
            for sentence_columns, new in zip(columns, decoded):
                sentence_columns.update(new)
            if decoder.follows_trees:
                followers.append((decoder, scores))
            elif self.probabilities:
                self._add_probabilities(decoder, scores, sentences, columns)
            sentences = list(with_tags(sentences, decoded))
        for decoder, scores in followers:
            if all("heads" in own for own in columns):
                decoder.follow(scores, list(with_trees(sentences, columns)), columns)
            if self.probabilities:
                self._add_probabilities(decoder, scores, sentences, columns)
        return torch.stack(losses).sum() if losses else None

    def _add_probabilities(
        self,
        decoder: Decoder,
        scores: Any,
        sentences: Sequence[Sentence],
        columns: Sequence[Columns],
    ) -> None:
        probabilities = decoder.probabilities(scores, sentences, columns, self.temperatures)
        confidence.add(columns, sentences, probabilities)

    def output(
        self, loss: Optional[torch.Tensor], columns: list[Columns], part: BatchSubset
    ) -> dict[str, Any]:
        """
        Returns the output of `forward`; outside training, if there is gold, `columns` are scored.
        """
        output: dict[str, Any] = {} if loss is None else {"loss": loss}
        if not self.training:
            numbers = part.batch["inputs"].get(TREEBANK)
            known = () if numbers is None else (numbers + 1).tolist()
            treebanks = [self._treebanks[number] for number in known]
            langs = part.batch.get("langs", ())
            for correction in self._corrections:
                correction.apply(columns, part.sentences, langs, treebanks)
            output["columns"] = columns
            if part.gold:
                self.scores(part.sentences, columns)
        return output

    def scored(
        self, batch: Mapping[str, Any], layout: Layout
    ) -> Iterator[tuple[str, Decoder, Any]]:
        """Yields each task, its decoder, and the decoder's scores for a batch."""
        pieces = Layout(**batch["piece_nodes"]) if self._pieces else None
        return self.scores_of(self.encode(batch, layout, pieces), batch, layout, pieces)

    def encode(
        self, batch: Mapping[str, Any], layout: Layout, pieces: Optional[Layout] = None
    ) -> torch.Tensor:
        """
        Returns the output of the encoder, `(layers, words, dim)`; with `pieces`, that of all
        wordpieces.
        """
        if self.origins is not None and self.origins.enter == "start":
            batch = {**batch, "start": self.origins(batch["inputs"])}
        with precisions.encoder_context(self.precision, layout.nodes.device):
            if pieces is None:
                layers = self.embedder(batch, layout)
            else:
                layers = self.embedder.encode_pieces(batch, layout, pieces)
        return precisions.raised(layers)

    def scores_of(
        self,
        layers: torch.Tensor,
        batch: Mapping[str, Any],
        layout: Layout,
        pieces: Optional[Layout] = None,
    ) -> Iterator[tuple[str, Decoder, Any]]:
        """
        Yields the same from the encoder's vectors, `(layers, words, dim)`; with `pieces`, the
        layout of wordpieces, `(layers, pieces, dim)`.

        # Raises

        `ConfigurationError` if a decoder is of wordpieces, and the encoder gave words.
        """
        if self._pieces and pieces is None:
            raise ConfigurationError(
                f"A {type(self).__name__} has only word vectors. Remove the decoders of wordpieces."
            )
        mixed: dict[str, torch.Tensor] = {}
        spelled = {} if self.characters is None else self.characters(**batch["characters"])
        told = None
        if self.origins is not None and self.origins.enter == "words":
            told = self.origins(batch["inputs"])
        roots = len(layout.nodes) if self.embedder.encodes_root else 0
        for task, decoder in self._in_order():
            mix = self.mixes.name_of[task]
            if mix not in mixed:
                mixed[mix] = self.mix(task, layers)
            rows, units = mixed[mix][roots:], layout
            if decoder.unit == "wordpieces":
                assert pieces is not None
                units = pieces
            elif pieces is not None:
                assert pieces.first_of is not None
                rows = rows.index_select(0, pieces.first_of)
            if task in spelled:
                rows = rows + spelled[task]
            if told is not None:
                rows = rows + told.index_select(0, units.sentence_of)
            own_roots = mixed[mix][:roots] if roots else None
            yield task, decoder, decoder.scores(Encoded(rows, units, own_roots, batch["inputs"]))

    def mix(self, task: str, layers: torch.Tensor) -> torch.Tensor:
        """Returns a task's mixture `(...)` of all layers of the encoder, `(layers, ...)`."""
        return self.mixes.mix_layers(task, layers)

    def learns(self, decoder: Decoder, gold: Container[str]) -> bool:
        """
        Returns whether a batch has the targets of a decoder.

        # Raises

        `ConfigurationError` if it lacks them in training.
        """
        there = all(target in gold for target in decoder.targets)
        if self.training and not there:
            raise ConfigurationError(
                f"decoders.{decoder.task.name} needs the labels {', '.join(decoder.targets)}, "
                f"which the reader does not provide. Add {decoder.task.name!r} to "
                "dataset_reader.tasks."
            )
        return there

    def check_fields(self, batch: Container[str], inputs: Container[str]) -> None:
        """
        Checks that batches with these fields, and these `inputs`, have everything that the model
        reads.

        # Raises

        `ConfigurationError` if one is missing, with the setting of the reader that provides it.
        """
        check_given("model.embedder", self.embedder.reads, batch)
        check_given("model.embedder", self.embedder.inputs, inputs)
        if self.characters is not None:
            check_given("model.characters", ("characters",), batch)
        if self.origins is not None:
            check_given("model.origins", self.origins.inputs, inputs)
        for task, decoder in self._decoders():
            if decoder.unit == "wordpieces":
                check_given(f"decoders.{task}", ("piece_nodes",), batch)
        for task, decoder in self._decoders():
            check_given(f"decoders.{task}", decoder.inputs, inputs)

    def check_loaded(self, reader: DatasetReader, trusted: bool = False) -> None:
        """
        Checks that the parts of a loaded model belong together; `reader` is the reader of
        prediction. Labels of a `trusted` archive are not checked, which takes a while.

        # Raises

        `ConfigurationError` if CoNLL-U cannot hold a label or it is not a rule, a weight is not a
        number, the tokenizer has pieces that the encoder lacks, or the reader omits fields that the
        model needs.
        """
        if not trusted:
            check_labels(self.vocab)
        check_finite(self)
        if isinstance(reader, UniversalDependenciesReader):
            check_pieces(reader, self.embedder)
            schema = reader.schema
            self.check_fields(schema.fields, [spec.name for spec in schema.input_specs])

    def _decoders(self) -> Iterator[tuple[str, Decoder]]:
        for task, decoder in self.decoders.items():
            yield task, cast(Decoder, decoder)

    def _in_order(self) -> list[tuple[str, Decoder]]:
        """
        Returns, except in training, UPOS first, on which others depend (`endings.py`), and then
        features that follow trees, on which these depend before (`deprel_odds.py`).
        """
        decoders = list(self._decoders())
        if not self.training:
            decoders.sort(key=lambda pair: (pair[1].task.name != "upos", not pair[1].follows_trees))
        return decoders

    def predicts(self) -> dict[str, tuple[Task, Vocabulary]]:
        """
        Returns by name the tasks whose columns it predicts, with the vocabularies of their labels.
        """
        return {decoder.task.name: (decoder.task, self.vocab) for _, decoder in self._decoders()}

    @property
    def reads_languages(self) -> bool:
        """
        True if parsing depends on the language of a sentence: by vectors or by lexicons of
        languages.
        """
        return self.origins is not None or bool(self.lookup)

    def relative(self, lang: str) -> Optional[str]:
        """Returns the training language that replaces one absent from training, or `None`."""
        if not self.reads_languages:
            return None
        return nearest(lang, self.vocab.get_token_to_index_vocabulary(f"{LANG}_labels"))

    def structure_layer(self) -> Optional[StructureLayer]:
        """The layer above its encoder that reads soft trees, if there is one: see `ud-export`."""
        return getattr(self.embedder, "structure_layer", None)

    def gold_and_new(
        self, batch: Mapping[str, Any], output: Mapping[str, Any]
    ) -> Iterator[tuple[str, tuple[list[Sentence], list[Sentence]]]]:
        """
        Yields the pairs to score for a batch and its `output`: the path of a file, with its gold
        sentences and their predictions.
        """
        for gold, columns in zip(batch["sentences"], output["columns"]):
            yield gold.path, ([gold], [gold.replace(**columns)])

    def check_validation_data(self, loader: Any) -> None:
        """
        Checks that the model can be validated on the data of a loader.

        # Raises

        `ConfigurationError` if the encoder cannot read sentences of one of its languages.
        """
        self.embedder.check_languages(getattr(loader, "languages", list)())

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        return self.scores.get_metric(reset)

    @property
    def shares_layers(self) -> bool:
        """True if all tasks share one mixture of layers."""
        return self.mixes.are_shared

    def layer_weights(self) -> dict[str, list[float]]:
        """
        Returns the weight of each layer of the encoder for each task, first layer first (thesis,
        Figures 4.1 and 4.2).
        """
        return self.mixes.layer_weights()

    def layer_alphas(self) -> dict[str, Optional[list[float]]]:
        """
        Returns the same before the softmax, unscaled; `None` for `layer_attention` `sum` and
        `last`, which have none.
        """
        return self.mixes.layer_alphas()

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Any:
        weights = renamed(self, state_dict)
        if isinstance(state_dict, FreshWeights):
            return state_dict.load_into(self, weights, strict)
        return super().load_state_dict(weights, strict)

    @classmethod
    def _load(
        cls,
        config: Params,
        serialization_dir: Union[str, os.PathLike],
        weights_file: Optional[Union[str, os.PathLike]] = None,
        cuda_device: int = -1,
    ) -> Model:
        # The archive's weights replace the pretrained ones: they are neither needed nor looked for.
        without_pretrained(config["model"]["embedder"])
        # A parameter that the archive lacks is refused by the call below.
        with NoRandomInit(), packed_embeddings_if_asked():
            model = super()._load(config, serialization_dir, weights_file, cuda_device)
        model = cast(MultitaskModel, model)
        model.card = read_card(serialization_dir)
        if model.card.unfinished:
            logger.warning(
                "The training of this model did not finish: it stopped at %s. To finish it, "
                "repeat the command with --recover.",
                model.card.unfinished,
            )
        model.lower(model.precision)
        return model

    def lower(self, precision: str) -> None:
        """Lowers the precision of parsing, after the weights are loaded; see `precisions`."""
        self.precision = precision
        precisions.lower(self.embedder, precision)
        speed_up(self)
