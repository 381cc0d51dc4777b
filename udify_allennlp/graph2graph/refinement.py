"""RNGTr: each pass attends to the graph that the previous pass predicted."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional, cast

import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from udify_allennlp.decoders.decoder import Decoder
from udify_allennlp.decoders.dependency import DependencyDecoder
from udify_allennlp.encoders.graph_encoder import GRAPH, GraphEncoder
from udify_allennlp.graph2graph.initial import InitialGraph, SynTrGraph
from udify_allennlp.graph2graph.stepwise import Pass, StepwiseModel
from udify_allennlp.graph2graph.with_initial import WithInitial
from udify_allennlp.models.batch_subset import BatchSubset
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.models.parts import without_pretrained
from udify_allennlp.modules.relation_ids import Graph
from udify_allennlp.text.sentence import Columns


@Model.register("udify_refinement")
class RefinementModel(WithInitial, StepwiseModel):
    """
    Recursive Non-autoregressive Graph-to-Graph Transformer (Mohammadshahi 2023, Equation 3.1):
    `Z^t = E(W, P, G^{t-1})`, `G^t = D(Z^t)` for `t = 1..T`, with the same weights. Between passes
    each word takes its best head; after the last one the best tree is taken (section 3.3.3). No
    gradient goes from pass to pass: a graph is numbers.

    With the trainer `udify_refining`, it learns in each pass, as the released code does; with any
    other, once per batch from the sum of the losses of all passes.

    # Parameters

    vocab : `Vocabulary`
    initial : `InitialGraph`
        `empty`, `file`, `archive` or `syntr`.
    iterations : `int`
        `T` (thesis: 3, and 4 for an empty initial graph). 0, for prediction, returns the trees of
        the initial parser.
    stop : `bool`
        True if a sentence is finished when a pass predicts its input graph, including labels. The
        trees are the same without it; training then also learns to repeat a graph. The released
        code compares graphs only if neither consists of trees, never after the first pass of a
        parse, and keeps the scores of the pass before the one that stops.
    **kwargs :
        As for `udify_multitask`, whose embedder is a `udify_graph_encoder` and whose `deps` a
        `udify_dependency_decoder`. Other tasks are predicted from the last pass.

    # Raises

    `ConfigurationError` if they are of other types, or there are too few iterations.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        initial: InitialGraph,
        iterations: int = 3,
        stop: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, initial, **kwargs)
        if iterations < initial.least:
            raise ConfigurationError(
                f"model.iterations is {iterations}. It must be at least {initial.least}."
            )
        if not isinstance(self.embedder, GraphEncoder) or self.embedder.graph is None:
            raise ConfigurationError(
                "model.embedder must be a udify_graph_encoder with relations, since refinement "
                "attends to graphs."
            )
        if "deps" not in self.decoders:
            raise ConfigurationError(
                "model.decoders has no deps, so there is no graph to refine. Add it."
            )
        self.iterations = iterations
        self.stop = stop
        for parser in initial.parsers():
            can = all(cast(Decoder, decoder).entries for decoder in parser.decoders.values())
            parser.probabilities = self.probabilities and can

    def check_training(self) -> None:
        if not self.iterations:
            raise ConfigurationError(
                "model.iterations is 0, so no pass learns. Set it to at least 1."
            )

    def passes(self, part: BatchSubset) -> Iterator[Pass]:
        places = list(range(len(part.sentences)))
        misc: list[list[str]] = []
        if self.training:
            self.check_training()
        if isinstance(self.initial, SynTrGraph):
            one_pass, graph = self._pass(self.initial.parser, part, None, trees=True)
            yield one_pass._replace(places=places)
        else:
            with torch.no_grad():
                first = self.initial(part.batch, part.layout, part.sentences)
            graph = first.graph
            part.batch["inputs"].update(first.inputs)
            if first.columns and not self.training:
                yield Pass(places=places, columns=first.columns)
                # How sure the first parser is of what it says; passes add what they are.
                misc = [columns["misc"] for columns in first.columns if "misc" in columns]
        for iteration in range(1, self.iterations + 1):
            pass_misc = [misc[place] for place in places] if misc else []
            one_pass, new = self._pass(self, part, graph, trees=False, misc=pass_misc)
            is_done = iteration == self.iterations
            keep: Optional[torch.Tensor] = None
            if self.stop and not is_done and graph is not None:
                keep = ~new.same(graph)
                is_done = not bool(keep.any())
            yield one_pass._replace(places=places, is_last=is_done)
            if is_done:
                return
            graph = new
            if keep is not None and not bool(keep.all()):
                places = [place for place, kept in zip(places, keep.tolist()) if kept]
                part = part.select(keep)
                graph = Graph(*(x[keep, : part.layout.nodes.shape[1]] for x in graph))

    def _pass(
        self,
        model: MultitaskModel,
        part: BatchSubset,
        graph: Optional[Graph],
        trees: bool,
        misc: Sequence[list[str]] = (),
    ) -> tuple[Pass, Graph]:
        """
        Returns a pass of `model` over the sentences with `graph` as its input, and the next graph.
        """
        batch = {**part.batch, "inputs": {**part.batch["inputs"], GRAPH: graph}}
        columns: list[Columns] = [{"misc": cells} for cells in misc] or [{} for _ in part.sentences]
        new: Optional[Graph] = None

        def scored() -> Iterator[tuple[str, Decoder, Any]]:
            nonlocal new
            for task, decoder, scores in model.scored(batch, part.layout):
                if task == "deps":
                    with torch.no_grad():
                        new = cast(DependencyDecoder, decoder).graph(scores, trees)
                yield task, decoder, scores

        loss = model.use(scored(), part, columns)
        assert new is not None  # there is a decoder of deps
        return Pass(loss, columns=[] if self.training else columns), new

    @classmethod
    def _load(cls, config: Params, *args: Any, **kwargs: Any) -> Model:
        # Its weights are in the archive, too.
        beside: Mapping[str, Any] = config["model"].get("initial", {})
        if "parser" in beside:
            without_pretrained(beside["parser"]["embedder"])
        return super()._load(config, *args, **kwargs)
