"""
UDify: one multilingual model that tags, lemmatizes and parses Universal Dependencies treebanks
(Kondratyuk and Straka 2019), as a plugin of AllenNLP 2.10.1.

Import this package before `allennlp` in code: AllenNLP 2.10.1 cannot be imported beside current
releases of its dependencies until the mends in `compat.py` have run.
"""

from udify_allennlp import compat

with compat.collector_paused():
    compat.apply()  # first: the imports below reach AllenNLP

    from udify_allennlp import archives

    archives.install()

    # AllenNLP imports a plugin without its submodules; this registers all that is ours.
    from udify_allennlp import commands, data, models, predictors, training  # noqa: F401
    from udify_allennlp.parser import Parser  # noqa: F401

__version__ = "0.1.0"
