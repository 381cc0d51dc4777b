"""
UDify: one multilingual model that tags, lemmatizes and parses Universal Dependencies treebanks
(Kondratyuk and Straka 2019), as a plugin of AllenNLP 2.10.1.

A treebank file flows down one street: read (`text/`), laid out as tables and batches (`data/`),
encoded (`encoders/`), scored (`modules/`), decoded (`decoders/`, wired by `models/`) and written.
`training/`, `scoring/` and `predictors/` run it, `apps/` uses it, `kernels/` makes it cheaper.

Import this package before `allennlp` in code: AllenNLP 2.10.1 cannot be imported beside current
releases of its dependencies until the mends in `compat/` have run.
"""

import os

# PyTorch reads it when it is first imported. A thread that waits for another then sleeps after a
# moment; spinning, it takes the other's core as soon as another process wants one.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

from udify_allennlp import compat  # noqa: E402

with compat.collector_paused():
    compat.install()  # first: the imports below reach AllenNLP

    # AllenNLP imports a plugin without its submodules; this registers all that is ours.
    from udify_allennlp import (  # noqa: F401
        data,
        decoders,
        encoders,
        graph2graph,
        models,
        predictors,
        scoring,
        training,
        typology,
    )
    from udify_allennlp.apps import commands  # noqa: F401
    from udify_allennlp.parser import Parser  # noqa: F401
    from udify_allennlp.text.conllu import Sentence, read_sentences, write_sentences  # noqa: F401

__version__ = "0.1.0"
