"""
UDify: one multilingual model that tags, lemmatizes and parses Universal Dependencies treebanks
(Kondratyuk and Straka 2019), as a plugin of AllenNLP 2.10.1.

A treebank file takes one path: it is read (`text/`), turned into tables and batches (`data/`),
encoded (`encoders/`), scored (`modules/`), decoded (`decoders/`, combined by `models/`) and
written. `training/`, `scoring/` and `predictors/` run this path, `apps/` uses it, `kernels/` speeds
it up.

Importing this package is cheap: `udify_allennlp.text` needs neither PyTorch nor AllenNLP. Import it
before `allennlp` in code; the first import of AllenNLP then runs `plugin.py`, which fixes AllenNLP
for current releases of its dependencies and registers our classes.
"""

import importlib
import os
from typing import TYPE_CHECKING, Any

from udify_allennlp import import_hook

if TYPE_CHECKING:
    from udify_allennlp.parser import Parser
    from udify_allennlp.text.conllu import Sentence, read_sentences, write_sentences

__all__ = ["Parser", "Sentence", "read_sentences", "write_sentences"]
__version__ = "0.2.0.dev0"

# PyTorch reads it when it is first imported. A thread that waits for another then sleeps after a
# moment; spinning, it takes the other's core as soon as another process wants one.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

_HOMES = {
    "Parser": "parser",
    "Sentence": "text.conllu",
    "read_sentences": "text.conllu",
    "write_sentences": "text.conllu",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


import_hook.install()
