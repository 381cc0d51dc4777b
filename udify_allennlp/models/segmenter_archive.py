"""From a segmenter on disk to a tokenizer."""

import os
from functools import lru_cache
from typing import List, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import load_archive

from udify_allennlp.models.run_folder import weights_file
from udify_allennlp.models.segmenter import Segmenter
from udify_allennlp.text import tokenizers
from udify_allennlp.text.files import size_and_time
from udify_allennlp.text.raw_text import Tokenizer


def segmenter_tokenizer(path: str, lang: Optional[str] = None) -> Tokenizer:
    """
    The tokenizer of an archive (`model.tar.gz`) or of a training run's folder. A segmenter is
    loaded once for all languages.

    # Raises

    `ArchiveError` or `ConfigurationError` if it cannot be loaded, or is no segmenter.
    """
    stamp: List[int] = []
    if os.path.exists(path):
        stamp = size_and_time(weights_file(path))
    return _loaded(path, *stamp).tokenizer(lang)


@lru_cache(maxsize=2)
def _loaded(path: str, *stamp: int) -> Segmenter:
    model = load_archive(path).model
    if not isinstance(model, Segmenter):
        raise ConfigurationError(
            f"{path} is no segmenter, so it cannot tokenize text. Give one that was trained with "
            f"training_config/segmenter.jsonnet, or {', '.join(tokenizers.TOKENIZERS)}."
        )
    return model.eval()


tokenizers.archives.append(segmenter_tokenizer)
