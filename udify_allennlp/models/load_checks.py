"""
Whether the parts of a model that was loaded belong together, as far as shapes of weights do not
tell. Found while it is loaded, not at the first sentence that needs what is wrong.
"""

import re

from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Archive

from udify_allennlp.archives import loading
from udify_allennlp.archives.checks import NO_CELL, check_finite, no_label
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.text.lemma_rules import apply_rule

# Labels that go into a cell of CoNLL-U as they are.
_CELLS = ("upos_labels", "xpos_labels", "feats_labels", "deprel_labels")
# Nearly all rules are plain ones, without white space or control characters in them.
_PLAIN_RULE = re.compile(r"[lkcu](?:[=-]|\+[^\s\\])*\|(?:[=-]|\+[^\s\\])*|![^\s\\]+")


@loading.ARCHIVE_CHECKS.add
def check(archive: Archive) -> None:
    """
    # Raises

    `ConfigurationError` if a label cannot stand in CoNLL-U or is no rule, a weight is
    not a number, the tokenizer has pieces that the encoder has not, or the reader leaves out what
    the model needs.
    """
    if not isinstance(archive.model, MultitaskModel):
        return
    _check_labels(archive.model.vocab)
    check_finite(archive.model)
    reader = archive.validation_dataset_reader  # the one that predictors use
    if isinstance(reader, UniversalDependenciesReader):
        for encoder in archive.model.embedder.modules():
            if isinstance(encoder, HuggingFaceEncoder):
                _check_pieces(reader, encoder)
        schema = reader.schema
        given = {"forms": schema.forms, "characters": schema.characters}
        given.update(wordpieces=schema.framing is not None, word_of=schema.word_of)
        given.update(langs=schema.langs, piece_nodes=schema.piece_nodes)
        archive.model.check_fields(
            [name for name, is_given in given.items() if is_given],
            [spec.name for spec in schema.input_specs],
        )


def _check_labels(vocab: Vocabulary) -> None:
    for namespace in _CELLS:
        for label in vocab.get_token_to_index_vocabulary(namespace):
            if NO_CELL.search(label):
                raise no_label(namespace, label)
    for rule in vocab.get_token_to_index_vocabulary("lemma_labels"):
        if _PLAIN_RULE.fullmatch(rule):
            continue
        try:
            lemma = apply_rule("a" * len(rule), rule)
        except (ValueError, OverflowError):
            raise no_label("lemma_labels", rule) from None
        if NO_CELL.search(lemma):
            raise no_label("lemma_labels", rule)


def _check_pieces(reader: UniversalDependenciesReader, encoder: HuggingFaceEncoder) -> None:
    last = reader.last_piece
    known = encoder.transformer.get_input_embeddings().num_embeddings
    if last is not None and last >= known:
        raise ConfigurationError(
            f"its tokenizer has pieces up to number {last} but its encoder only {known}. They are "
            "not of one model: copy or train the model again."
        )
