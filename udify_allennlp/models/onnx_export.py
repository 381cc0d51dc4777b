"""
The scores of a trained parser as graphs of ONNX, for `engine/`: each graph is exported from the
model's own modules.
"""

from collections.abc import Iterator
from pathlib import Path

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.archives.registered import registered_name
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.own_labels import namespace as own_namespace
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.decoders.dependency import LABELS, DependencyDecoder
from udify_allennlp.decoders.lemma import LemmaDecoder
from udify_allennlp.decoders.tag import TagDecoder
from udify_allennlp.encoders.bert import Bert
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.engine.folder import (
    DEPRELS,
    SCORES,
    TAGS,
    TOKENIZER,
    VOCABULARY,
    Settings,
    Trees,
)
from udify_allennlp.engine.scores import inputs_of
from udify_allennlp.models.from_archive import FromArchive
from udify_allennlp.models.keeping import KeepingModel
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.models.onnx_graphs import (
    ARCS,
    AXES,
    WORDS,
    AllLabels,
    ArcLabels,
    BatchScores,
    exportable,
    write_graph,
)
from udify_allennlp.models.student import StudentModel
from udify_allennlp.modules.pooling import FIRST
from udify_allennlp.text.sentence import Sentence

_MODELS = (MultitaskModel, FromArchive, KeepingModel, StudentModel)
"""Types that differ in training only."""
_EXAMPLE = ("The dog that slept here woke up .", "It barked loudly at strangers .")


def check(model: MultitaskModel, name: str) -> None:
    """
    # Raises

    `ConfigurationError` if a model has a part that cannot be exported.
    """
    embedder = model.embedder
    for part, fits in (
        (model, type(model) in _MODELS),
        (embedder, type(embedder) is HuggingFaceEncoder),
        *((decoder, _fits(decoder)) for _, decoder in model.decoders.items()),
    ):
        if not fits:
            raise ConfigurationError(
                f"{name}: {registered_name(part)} cannot be exported to ONNX. Use a UDify of the "
                "tasks upos, xpos, feats, lemma and deps."
            )
    assert isinstance(embedder, HuggingFaceEncoder)
    plain = isinstance(embedder.transformer, Bert) and embedder.pooling == FIRST
    if not plain or embedder.encodes_root or embedder.structure_layer is not None:
        raise ConfigurationError(
            f"{name}: its encoder cannot be exported to ONNX. Use a BERT with root 'learned' and "
            "pooling 'first', without a structure layer."
        )


def _fits(decoder: torch.nn.Module) -> bool:
    if isinstance(decoder, TagDecoder):
        return type(decoder) in (TagDecoder, LemmaDecoder) and decoder.task.name in TAGS
    return type(decoder) is DependencyDecoder


def export(
    model: MultitaskModel,
    reader: UniversalDependenciesReader,
    folder: Path,
    name: str,
    precision: str,
) -> None:
    """
    Saves a parser for `OnnxParser`. `name` is the user's name for the model.

    # Parameters

    model : `MultitaskModel`
    reader : `UniversalDependenciesReader`
        Its reader.
    folder : `Path`
        An empty folder.
    name : `str`
    precision : `str`
        See `store`.

    # Raises

    `ConfigurationError` if it cannot be exported.
    """
    check(model, name)
    model.eval()
    schema = reader.schema.unannotated()
    sentences = [Sentence.from_words(text.split()) for text in _EXAMPLE]
    collate = Collator(reader.table_of(sentences, schema), schema)
    collate.index_with(model.vocab)
    given = inputs_of(collate(range(len(sentences))))
    names = [n for n in AXES if n in given]
    example = [torch.as_tensor(given[n]) for n in names]
    scores = BatchScores(model, names)
    with torch.no_grad(), exportable(model):
        outputs = scores.named(*example)
        path = folder / f"{SCORES}.onnx"
        write_graph(scores, example, names, list(outputs), path, precision)
        for task, decoder in model.decoders.items():
            of_words = [outputs["origins"]] if getattr(decoder, "own", None) is not None else []
            if isinstance(decoder, TagDecoder):
                inputs = [outputs[task], *of_words]
                path = folder / f"{task}.onnx"
                write_graph(AllLabels(decoder), inputs, WORDS, ["log_prob"], path, precision)
            elif isinstance(decoder, DependencyDecoder):
                inputs = [outputs["dependents"], outputs["heads"][1:], *of_words]
                inputs.insert(2, torch.zeros(len(inputs[0]), dtype=torch.bool))
                if decoder.known_arcs and of_words:
                    shape = (len(inputs[0]), len(decoder.deprels.bilinear.bias))
                    inputs.append(torch.zeros(shape))
                path = folder / f"{DEPRELS}.onnx"
                write_graph(
                    ArcLabels(decoder), inputs, ARCS, ["log_prob", "label"], path, precision
                )
    tokenizer, framing = model.embedder.tokenizer, schema.framing
    assert tokenizer is not None and framing is not None
    tokenizer.save_splitter(folder / TOKENIZER)
    model.vocab.save_to_files(str(folder / VOCABULARY))
    _remove_unread(model, folder / VOCABULARY)
    Settings(
        name,
        list(model.decoders),
        framing,
        tokenizer.unknown_id,
        model.characters is not None,
        {origin.name: str(origin.source) for origin in schema.origins},
        "origins" in outputs,
        next((t for d in model.decoders.values() for t in _trees(d)), None),
        list(model.card.languages),
    ).save(folder)


def _trees(decoder: torch.nn.Module) -> Iterator[Trees]:
    if isinstance(decoder, DependencyDecoder):
        yield Trees(decoder.best_tree == LABELS, decoder.single_root, decoder.label_margin)


def _remove_unread(model: MultitaskModel, vocabulary: Path) -> None:
    """Removes the labels of each language, which are part of the graphs, and of the data."""
    (vocabulary / ".lock").unlink(missing_ok=True)
    for decoder in model.decoders.values():
        for spec in decoder.task.specs:  # type: ignore[union-attr]
            if spec.namespace is not None:
                (vocabulary / f"{own_namespace(spec.namespace)}.txt").unlink(missing_ok=True)
