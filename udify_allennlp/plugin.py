"""
The plugin that AllenNLP loads: importing this module fixes AllenNLP, makes it load archives safely,
and registers all our classes. Once `udify_allennlp` is imported, `import allennlp` does so by
itself (`import_hook.py`).
"""

from udify_allennlp import compat

with compat.collector_paused():
    compat.install()  # first: the imports below reach AllenNLP

    from udify_allennlp.archives import loading
    from udify_allennlp.config import named, old_names

    named.apply()
    loading.install()
    old_names.install()

    # AllenNLP imports a plugin without its submodules; this registers all that is ours.
    from udify_allennlp import (  # noqa: F401
        constituency,
        data,
        decoders,
        encoders,
        graph2graph,
        models,
        predictors,
        pretraining,
        scoring,
        segmenter,
        srl,
        training,
        translation,
        typology,
    )
    from udify_allennlp.apps import commands  # noqa: F401
