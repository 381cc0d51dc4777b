"""Checks of a model: the fields of its batches and, after loading, its labels and pieces."""

from collections.abc import Container, Iterable

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.archives.checks import no_label
from udify_allennlp.data import lemma_lookup
from udify_allennlp.data.columns import LANG, TREEBANK
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.data.vocabulary_entries import entries
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.encoders.pretrained import too_long
from udify_allennlp.text.lemma_rules import check_rule
from udify_allennlp.text.sentence import NO_CELL

# Labels that go into a cell of CoNLL-U as they are.
_CELLS = ("upos_labels", "xpos_labels", "feats_labels", "deprel_labels")

_REMEDIES = {
    "wordpieces": "Set dataset_reader.model_name.",
    "word_of": "Set dataset_reader.word_of to true.",
    "piece_nodes": "Set dataset_reader.piece_nodes to true.",
    "forms": "Set dataset_reader.forms to true.",
    "characters": "Set dataset_reader.characters to true.",
    TREEBANK: "Set dataset_reader.treebanks to true.",
    LANG: "Set dataset_reader.langs to true.",
    "langs": "Set dataset_reader.langs to true.",
}
"""Remedies for missing fields of a batch."""


def check_given(part: str, needed: Iterable[str], given: Container[str]) -> None:
    """
    Raises `ConfigurationError` if a `part` of a model needs fields that are not among those
    `given`.
    """
    for name in needed:
        if name not in given:
            remedy = _REMEDIES.get(name, f"Add {name!r} to dataset_reader.inputs.")
            raise ConfigurationError(
                f"{part} needs {name}, which the reader does not provide. {remedy}"
            )


def check_labels(vocab: Vocabulary) -> None:
    """
    Raises `ConfigurationError` if CoNLL-U cannot hold a label, or it is not a lemma rule, or an
    entry of `LemmaLookup` is invalid. `KnownWords` are checked where they are read.
    """
    for namespace in _CELLS:
        for label in entries(vocab, namespace):
            if NO_CELL.search(label):
                raise no_label(namespace, label)
    for rule in entries(vocab, "lemma_labels"):
        _check_rule(rule, "lemma_labels", rule)
    for namespace in lemma_lookup.NAMESPACES:
        for entry in entries(vocab, namespace):
            try:
                of_entry = lemma_lookup.checked_rule(namespace, entry)
            except (ValueError, OverflowError):
                raise no_label(namespace, entry) from None
            if of_entry is not None:
                _check_rule(of_entry, namespace, entry)


def _check_rule(rule: str, namespace: str, entry: str) -> None:
    try:
        check_rule(rule)
    except (ValueError, OverflowError):
        raise no_label(namespace, entry) from None


def check_pieces(reader: UniversalDependenciesReader, embedder: torch.nn.Module) -> None:
    """
    Raises `ConfigurationError` if the reader's tokenizer has pieces that an encoder lacks, or its
    windows are longer than an encoder takes.
    """
    last, framing = reader.last_piece, reader.schema.framing
    for encoder in embedder.modules():
        if not isinstance(encoder, HuggingFaceEncoder):
            continue
        pieces = 0 if framing is None else framing.max_pieces
        if encoder.positions is not None and pieces > encoder.positions:
            raise too_long(pieces, encoder.positions)
        num_pieces = encoder.transformer.get_input_embeddings().num_embeddings
        if last is not None and last >= num_pieces:
            raise ConfigurationError(
                f"its tokenizer has pieces up to number {last} but its encoder only {num_pieces}, "
                "so they do not belong together. Copy or train the model again."
            )
