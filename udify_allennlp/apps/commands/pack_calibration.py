"""Running a model on data to measure the inputs of its linear layers: `ud-pack --calibrate`."""

from collections.abc import Sequence

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import Archive
from allennlp.predictors import Predictor

from udify_allennlp.compression.calibration import recorded_inputs
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.predictors.loading import no_parser
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.named_files import files_of
from udify_allennlp.translation.model import TranslationModel
from udify_allennlp.translation.reader import TranslationReader
from udify_allennlp.translation.teacher import piece_scores

_BATCH = 32  # pairs


def measured_scales(archive: Archive, path: str, files: Sequence[str]) -> dict[str, torch.Tensor]:
    """
    The scales of the inputs of a model's linear layers, by the names of their weights.

    # Parameters

    archive : `Archive`
        A parser or a translation model, loaded.
    path : `str`
        Its path, for messages.
    files : `Sequence[str]`
        Treebanks, or aligned texts, as words of a command line.

    # Raises

    `ConfigurationError` if it is another kind of model, or no layer was used.
    """
    with torch.no_grad(), recorded_inputs(archive.model) as recorded:
        if isinstance(archive.model, TranslationModel):
            _translate(archive.model, archive.validation_dataset_reader, files)
        else:
            _parse(archive, path, files)
    scales = recorded.scales()
    if not scales:
        raise ConfigurationError(
            f"{path} has no float32 linear layer that the --calibrate files use. Name files with "
            "sentences, and a model that is not calibrated yet."
        )
    return scales


def _parse(archive: Archive, path: str, files: Sequence[str]) -> None:
    predictor = Predictor.from_archive(archive)
    if not isinstance(predictor, ConlluPredictor):
        raise no_parser(path, archive.model)
    for name in files_of(files):
        for _, batch in predictor.batches(list(read_sentences(name))):
            predictor.model(**batch)


def _translate(model: TranslationModel, reader: TranslationReader, files: Sequence[str]) -> None:
    """Runs the model on gold translations, which are typical of good ones."""
    table = reader.table(list(files), train=False)
    for start in range(0, len(table), _BATCH):
        pairs = [table[row] for row in range(start, min(start + _BATCH, len(table)))]
        piece_scores(model.network, pairs, model.subwords, model.placement, model.network.device)
