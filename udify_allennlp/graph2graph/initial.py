"""The source of the first graph of a refinement (Mohammadshahi 2023, section 3.4)."""

import os
import shutil
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import torch
from allennlp.common import Lazy, Registrable
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from udify_allennlp.archives.loading import archive_in
from udify_allennlp.archives.run_folder import INITIAL
from udify_allennlp.data.collate import UNSEEN
from udify_allennlp.data.encoder_files import check_may_leave
from udify_allennlp.data.tasks import Deps, Task, Upos
from udify_allennlp.graph2graph.predicted_trees import DEPRELS, HEADS, UPOS
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.relation_ids import NO_ARC, Graph
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.files import whole_file
from udify_allennlp.text.sentence import Columns, Sentence


class Initial(NamedTuple):
    """The starting point of the refinement of a batch."""

    graph: Optional[Graph]
    """
    The graph. Labels are numbers of deprels; their number stands for a label that training lacks.
    """
    columns: Sequence[Columns] = ()
    """Further columns that the initial parser predicts for each sentence."""
    inputs: dict[str, torch.Tensor] = {}
    """Inputs of encoders for the batch, which replace those of the reader."""


class InitialGraph(torch.nn.Module, Registrable):
    """
    Base class of sources of the first graph of each sentence of a batch. `model.initial` of a
    config names one.

    # Parameters

    vocab : `Vocabulary`
    """

    inputs: tuple[str, ...] = ()
    """The names of the batch's `inputs` that it needs."""
    gives: tuple[str, ...] = ()
    """The names of the inputs that it replaces."""
    least = 1
    """
    Minimum number of passes after it: 0 if a parser makes the graph, whose trees can be requested.
    """

    def __init__(self, vocab: Vocabulary) -> None:
        super().__init__()
        self.labels = vocab.get_token_to_index_vocabulary(Deps.NAMESPACE)

    def forward(
        self, batch: Mapping[str, Any], layout: Layout, sentences: Sequence[Sentence]
    ) -> Initial:
        raise NotImplementedError

    def parsers(self) -> list[MultitaskModel]:
        """The models that make the graph."""
        return []

    def predicts(self) -> dict[str, tuple[Task, Vocabulary]]:
        """
        Returns the tasks whose columns it predicts in addition to the graph; see `MultitaskModel`.
        """
        return {}

    def check(self, inputs: Container[str]) -> None:
        """Raises `ConfigurationError` if a batch with these `inputs` lacks one that it needs."""
        for name in self.inputs:
            if name not in inputs:
                raise ConfigurationError(
                    f"model.initial needs {name}, which the reader lacks. Add "
                    f'{{"type": "predicted_deps", "folder": ...}} to dataset_reader.inputs; '
                    "without a folder they are the trees of the file itself."
                )


@InitialGraph.register("empty")
class EmptyGraph(InitialGraph):
    """
    No graph: the first pass is the plain encoder's, as in the released code (Empty+RNGTr). The
    second attends to the best head of each word by the first, as between any passes (section
    3.3.3); in the released code to the best trees.
    """

    def forward(
        self, batch: Mapping[str, Any], layout: Layout, sentences: Sequence[Sentence]
    ) -> Initial:
        return Initial(None)


@InitialGraph.register("file")
class FileGraph(InitialGraph):
    """
    The trees that the reader reads from files: its input `predicted_deps`.

    # Parameters

    vocab : `Vocabulary`
    upos : `bool`
        True if encoders receive the UPOS of those files, too, instead of the reader's.
    """

    inputs: tuple[str, ...] = (HEADS, DEPRELS, UPOS)

    def __init__(self, vocab: Vocabulary, upos: bool = False) -> None:
        super().__init__(vocab)
        self.gives = ("upos",) if upos else ()

    def forward(
        self, batch: Mapping[str, Any], layout: Layout, sentences: Sequence[Sentence]
    ) -> Initial:
        heads, labels, upos = (batch["inputs"][name] for name in (HEADS, DEPRELS, UPOS))
        graph = _graph(layout, heads, labels, len(self.labels))
        return Initial(graph, inputs=dict.fromkeys(self.gives, upos))


@InitialGraph.register("archive")
class ArchiveGraph(FileGraph):
    """
    The trees of one of our parsers, or trees from files if the reader has them: in training, the
    parser would otherwise parse each batch again in each epoch. Its other columns are kept, for
    tasks without a decoder in the refinement model.

    The run folder gets a copy of the archive. With `"include_in_archive": ["initial"]` the
    refinement's own archive has one, too, and needs nothing else.

    # Parameters

    archive : `str`
        A `model.tar.gz`, a run folder that has one, or the name of a shipped model.
    upos : `bool`
        True if encoders receive the parser's UPOS instead of the reader's: text has none.

    # Raises

    `ConfigurationError` or `ArchiveError` if it does not exist, or lacks a needed task.
    """

    inputs = ()
    least = 0

    def __init__(
        self,
        vocab: Vocabulary,
        archive: str,
        upos: bool = False,
        serialization_dir: Optional[str] = None,
    ) -> None:
        super().__init__(vocab, upos)
        path = _own_copy(archive, serialization_dir)
        # In a list, so that its weights are not among those of the refinement.
        self._parsers = [load_predictor(path)]
        self._parsers[0].at_once = 1  # it parses a batch, beside which others may be parsed
        for task in ("deps", *self.gives):
            if task not in self._parsers[0].model.decoders:
                raise ConfigurationError(
                    f"model.initial.archive: {archive} does not predict {task}. Use one that does."
                )
        self._upos = vocab.get_token_to_index_vocabulary(Upos().namespace)

    def parsers(self) -> list[MultitaskModel]:
        return [parser.model for parser in self._parsers]

    def predicts(self) -> dict[str, tuple[Task, Vocabulary]]:
        return self._parsers[0].model.predicts()

    def forward(
        self, batch: Mapping[str, Any], layout: Layout, sentences: Sequence[Sentence]
    ) -> Initial:
        if HEADS in batch["inputs"]:
            return super().forward(batch, layout, sentences)
        (parser,) = self._parsers
        device = layout.nodes.device
        if next(parser.model.parameters()).device != device:
            parser.model.to(device)  # alone: nothing is parsed beside it on a GPU
        columns = parser.columns(list(sentences))

        def numbers(name: str, number_of: Mapping[str, int]) -> torch.Tensor:
            cells = [number_of.get(cell, UNSEEN) for new in columns for cell in new[name]]
            return torch.tensor(cells, device=device)

        heads = [int(head) for new in columns for head in new["heads"]]
        labels = numbers("deprels", self.labels)
        graph = _graph(layout, torch.tensor(heads, device=device), labels, len(self.labels))
        inputs = {name: numbers(name, self._upos) for name in self.gives}
        return Initial(graph, columns, inputs)


@InitialGraph.register("syntr")
class SynTrGraph(InitialGraph):
    """
    The trees of a model that is trained together with the refinement, on the same batches, one step
    ahead of it (SynTr, Equation 3.7; released code).

    # Parameters

    parser : `Lazy[MultitaskModel]`
        A `udify_multitask` with the task `deps`, with a separate encoder, as in the thesis.
    """

    least = 0

    def __init__(self, vocab: Vocabulary, parser: Lazy[Model]) -> None:
        super().__init__(vocab)
        made = parser.construct(vocab=vocab)
        if not isinstance(made, MultitaskModel) or "deps" not in made.decoders:
            raise ConfigurationError(
                "model.initial.parser must be of type udify_multitask and have decoders.deps."
            )
        self.parser = made
        self.inputs = made.embedder.inputs

    def parsers(self) -> list[MultitaskModel]:
        return [self.parser]


def _graph(layout: Layout, heads: torch.Tensor, labels: torch.Tensor, unknown: int) -> Graph:
    """Returns the graph of words, `(words,)` each; a label that training lacks is `UNSEEN`."""
    nodes = torch.zeros_like(layout.nodes)
    nodes.view(-1)[layout.places] = heads
    of_nodes = torch.full_like(nodes, NO_ARC)
    of_nodes.view(-1)[layout.places] = torch.where(labels == UNSEEN, unknown, labels)
    return Graph(nodes, of_nodes)


def _own_copy(archive: str, serialization_dir: Optional[str]) -> str:
    """Returns the run's copy of an archive, which is made if it does not exist."""
    has_folder = serialization_dir is not None and os.path.isdir(serialization_dir)
    copy = Path(serialization_dir or "") / INITIAL
    if has_folder and copy.is_file():
        return str(copy)
    check_may_leave(archive, str(INITIAL))
    source_archive = Path(archive_in(archive))
    if not source_archive.is_file():
        source_archive = source_archive / INITIAL.name
    if not has_folder:
        return os.fspath(source_archive)
    if not os.path.isfile(source_archive):
        raise ConfigurationError(
            f"model.initial.archive: {archive} is not an archive. Name a model.tar.gz."
        )
    copy.parent.mkdir(exist_ok=True)
    with open(source_archive, "rb") as source, whole_file(copy, how="") as target:
        shutil.copyfileobj(source, target)
    return str(copy)
