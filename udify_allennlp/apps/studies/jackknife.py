"""Training files, parsed by models that have not seen them."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.studies.runs import parse
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import Sentence, read_sentences, write_sentences

Train = Callable[[list[str], Path], Path]
"""Returns the run of a model of training files; its folder is inside the named one."""


def jackknife(
    files: Sequence[str], folder: Path, folds: int, train: Train, cuda_device: int = -1
) -> None:
    """
    Cuts each of `files` into the same number of parts, and parses each part with a model trained on
    the others. The parsed files are in `folder` under their own names, and the models in
    `folder/folds`. Models that exist already are not trained again.

    # Raises

    `ConfigurationError` if a file has fewer sentences than `folds`, or `folder` holds the parses of
    other files.
    """
    check_folds(folds, files)
    golds = [list(read_sentences(path)) for path in files]
    parsed: list[list[Sentence]] = [[] for _ in files]
    for fold, parts in enumerate(zip(*(_parts(gold, folds) for gold in golds))):
        own_folder = folder / "folds" / str(fold)
        paths = [str(own_folder / Path(path).name) for path in files]
        for path, (others, _) in zip(paths, parts):
            _write(others, Path(path), folder)
        predictor = load_predictor(train(paths, own_folder), cuda_device)
        for path, sentences, (_, held_out) in zip(paths, parsed, parts):
            sentences += parse(predictor, held_out, Path(path).name)
    for path, sentences in zip(files, parsed):
        write_sentences(sentences, folder / Path(path).name)


def check_folds(folds: int, files: Sequence[str]) -> None:
    """Raises `ConfigurationError` if a file cannot be cut into this many parts."""
    for path in files:
        count = sum(1 for _ in islice(read_sentences(path), max(folds, 2)))
        if not 2 <= folds <= count:
            raise ConfigurationError(
                f"{path} cannot be cut into {folds} folds. Use from 2 up to its number of "
                "sentences."
            )


def _parts(
    sentences: list[Sentence], folds: int
) -> Iterator[tuple[list[Sentence], list[Sentence]]]:
    """Yields for each fold the other sentences, and its own."""
    # Neighbours stay together: sentences of one document are alike.
    borders = [len(sentences) * fold // folds for fold in range(folds + 1)]
    for start, end in zip(borders, borders[1:]):
        yield sentences[:start] + sentences[end:], sentences[start:end]


def _write(sentences: list[Sentence], path: Path, out: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        texts = [sentence.text for sentence in read_sentences(path)]
        if texts != [sentence.text for sentence in sentences]:
            raise ConfigurationError(
                f"{path} belongs to another treebank, or to other folds. Remove {out}, or name "
                "another --out."
            )
        return
    write_sentences(sentences, path)
