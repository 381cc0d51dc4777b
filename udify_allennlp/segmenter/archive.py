"""Loading of a segmenter as a tokenizer, also if it is part of a parser."""

import os
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Optional

from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import load_archive

from udify_allennlp.archives.load_errors import told_in_one_line
from udify_allennlp.archives.loading import archive_in, extracted_archive
from udify_allennlp.archives.run_folder import fetched, model_folder, weights_file
from udify_allennlp.archives.unpacking import holds, unpack
from udify_allennlp.data.columns import LANG
from udify_allennlp.data.known_words import KNOWN, KnownWords
from udify_allennlp.engine.folder import VOCABULARY
from udify_allennlp.engine.vocabulary import VocabularyFolder
from udify_allennlp.kernels.packed_embedding import packed_embeddings
from udify_allennlp.segmentation.tokenizer import tokenizer_or_rules
from udify_allennlp.segmenter.model import Segmenter
from udify_allennlp.text import tokenizers
from udify_allennlp.text.files import AnyPath, size_and_time
from udify_allennlp.text.raw_text import Tokenizer

FOLDER = "segmenter"
"""
Folder of a parser's run, and of its archive, with a segmenter: its `config.json`, `weights.th` and
`vocabulary`.
"""


@tokenizers.ARCHIVE_TOKENIZERS.add
def segmenter_tokenizer(path: str, lang: Optional[str] = None) -> Tokenizer:
    """
    Returns the tokenizer of an archive (`model.tar.gz`) or of a run folder: of a segmenter, or of a
    parser that contains one; see `tokenizer_or_rules`.

    # Raises

    `ArchiveError` or `ConfigurationError` if it cannot be loaded, or has no segmenter.
    """
    return tokenizer_or_rules(load_segmenter(path), lang)


def own_tokenizer(path: AnyPath, chosen: Optional[str] = None) -> str:
    """
    Returns the name of a parser's tokenizer for raw text: `chosen`, or by default its own
    segmenter, or rules. With `lines`, words are also those of its segmenter if it has one.

    # Raises

    `ArchiveError` if the parser's archive is damaged, or not safe to load.
    """
    if chosen not in (None, tokenizers.LINES):
        return str(chosen)
    path = os.fspath(archive_in(path))
    tokenizer = path if _holds_segmenter(path) else tokenizers.DEFAULT
    return tokenizer if chosen is None else tokenizers.lines_with(tokenizer)


def segmenter_of(path: AnyPath) -> Optional[Segmenter]:
    """
    Returns the segmenter of a parser, from its archive or run folder, or `None` without one.

    # Raises

    `ArchiveError` if the archive is damaged, or not safe to load.
    """
    path = os.fspath(archive_in(path))
    return load_segmenter(path) if _holds_segmenter(path) else None


def load_segmenter(path: str) -> Segmenter:
    """
    Loads a segmenter, once for all languages, from an archive or a run folder: of a segmenter, or
    of a parser that contains one.

    # Raises

    `ArchiveError` or `ConfigurationError` if it cannot be loaded, or has no segmenter.
    """
    stamp: list[int] = []
    if os.path.exists(path):
        stamp = size_and_time(weights_file(path))
    return _loaded(path, *stamp)


def _holds_segmenter(path: str) -> bool:
    if os.path.isdir(path):
        return os.path.isfile(os.path.join(path, FOLDER, "config.json"))
    return os.path.isfile(path) and _archive_holds(path, *size_and_time(path))


@lru_cache(maxsize=2)
def _archive_holds(path: str, *stamp: int) -> bool:
    return holds(path, f"{FOLDER}/config.json")


def segmenter_folder(folder: Path) -> Path:
    """
    Returns the folder of the segmenter in a model's folder: the folder itself, or a part of a
    parser's.
    """
    return folder / FOLDER if (folder / FOLDER).is_dir() else folder


@lru_cache(maxsize=2)
def _loaded(path: str, *stamp: int) -> Segmenter:
    archive = fetched(path)
    if os.path.isfile(archive) and _holds_segmenter(archive):
        with extracted_archive(archive, part=FOLDER) as unpacked, packed_embeddings():
            model = load_archive(os.path.join(unpacked, FOLDER)).model
    else:
        with model_folder(path) as folder, packed_embeddings():
            model = load_archive(segmenter_folder(folder)).model
    if not isinstance(model, Segmenter):
        raise ConfigurationError(
            f"{path} has no segmenter, so it cannot tokenize text. Train one with "
            f"training_config/segmenter.jsonnet, or use {', '.join(tokenizers.TOKENIZERS)}."
        )
    model.multiwords.known_words = lambda lang: _known_words(path, *stamp).of(lang)
    return model.eval()


@lru_cache(maxsize=2)
def _known_words(path: str, *stamp: int) -> KnownWords:
    """
    Returns the known words of a parser, which languages with multiword tokens need for segmentation
    (`MultiwordRules`); none for a segmenter.
    """
    archive = fetched(path)
    with told_in_one_line(path), TemporaryDirectory() as directory:
        folder = Path(archive if os.path.isdir(archive) else directory)
        if os.path.isfile(archive):
            unpack(archive, directory, VOCABULARY)
        vocab = VocabularyFolder(folder / VOCABULARY)
        for namespace in (KNOWN, f"{LANG}_labels"):
            vocab.get_token_to_index_vocabulary(namespace)  # keeps the table
    return KnownWords(vocab)
