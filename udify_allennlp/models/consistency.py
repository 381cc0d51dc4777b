"""
Whether the parts of a model that was loaded belong together, as far as shapes of weights do not
tell. Found while it is loaded, not at the first sentence that needs what is wrong.
"""

import re

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Archive

from udify_allennlp.compat import archives
from udify_allennlp.data.segment_reader import RULES
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.models.segmenter import Segmenter
from udify_allennlp.text.lemma_rules import apply_rule
from udify_allennlp.text.multiwords import apply_split

# Labels that go into a cell of CoNLL-U as they are.
_CELLS = ("upos_labels", "xpos_labels", "feats_labels", "deprel_labels")
_NO_CELL = re.compile(r"[\t\n\r\ud800-\udfff]|^$")
# Nearly all rules are plain ones, without white space or control characters in them.
_PLAIN_RULE = re.compile(r"[lkcu](?:[=-]|\+[^\s\\])*\|(?:[=-]|\+[^\s\\])*|![^\s\\]+")


def check(archive: Archive) -> None:
    """
    # Raises

    `ConfigurationError` if a label cannot stand in CoNLL-U or is no rule, a weight is
    not a number, the tokenizer has pieces that the encoder has not, or the reader leaves out what
    the model needs.
    """
    if isinstance(archive.model, Segmenter):
        _check_splits(archive.model.vocab)
        _check_weights(archive.model)
    if not isinstance(archive.model, MultitaskModel):
        return
    _check_labels(archive.model.vocab)
    _check_weights(archive.model)
    reader = archive.validation_dataset_reader  # the one that predictors use
    if isinstance(reader, UniversalDependenciesReader):
        for encoder in archive.model.embedder.modules():
            if isinstance(encoder, HuggingFaceEncoder):
                _check_pieces(reader, encoder)
        schema = reader.schema
        given = {"forms": schema.forms, "characters": schema.characters}
        given.update(wordpieces=schema.framing is not None, word_of=schema.word_of)
        given.update(langs=schema.langs)
        archive.model.check_fields(
            [name for name, is_given in given.items() if is_given],
            [spec.name for spec in schema.input_specs],
        )


def _check_labels(vocab: Vocabulary) -> None:
    for namespace in _CELLS:
        for label in vocab.get_token_to_index_vocabulary(namespace):
            if _NO_CELL.search(label):
                raise _no_label(namespace, label)
    for rule in vocab.get_token_to_index_vocabulary("lemma_labels"):
        if _PLAIN_RULE.fullmatch(rule):
            continue
        try:
            lemma = apply_rule("a" * len(rule), rule)
        except (ValueError, OverflowError):
            raise _no_label("lemma_labels", rule) from None
        if _NO_CELL.search(lemma):
            raise _no_label("lemma_labels", rule)


def _check_splits(vocab: Vocabulary) -> None:
    for rule in vocab.get_token_to_index_vocabulary(RULES):
        try:
            words = apply_split("a" * len(rule), rule)
        except (ValueError, OverflowError):
            raise _no_label(RULES, rule) from None
        if any(_NO_CELL.search(word) for word in words):
            raise _no_label(RULES, rule)


def _no_label(namespace: str, label: str) -> ConfigurationError:
    return ConfigurationError(
        f"vocabulary/{namespace}.txt has {label!r:.60}, which is no label. Copy or train the model "
        "again."
    )


def _check_weights(model: torch.nn.Module) -> None:
    for name, parameter in model.named_parameters():
        weight = parameter.detach()
        # A sum is finite if all of it is, and quicker than asking of each; but it can overflow.
        if not torch.isfinite(weight.sum()) and not torch.isfinite(weight).all():
            raise ConfigurationError(
                f"the weight {name} has numbers that are not finite: training went wrong. "
                "Train again with a lower learning rate."
            )


def _check_pieces(reader: UniversalDependenciesReader, encoder: HuggingFaceEncoder) -> None:
    last = reader.last_piece
    known = encoder.transformer.get_input_embeddings().num_embeddings
    if last is not None and last >= known:
        raise ConfigurationError(
            f"its tokenizer has pieces up to number {last} but its encoder only {known}. They are "
            "not of one model: copy or train the model again."
        )


archives.checks.append(check)
