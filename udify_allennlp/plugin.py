"""
The plugin that AllenNLP loads: importing this module fixes AllenNLP, makes it load archives safely,
and registers all our classes, some of them on demand (`config/rooms.py`). Once `udify_allennlp` is
imported, `import allennlp` does so by itself (`import_hook.py`).
"""

from udify_allennlp import compat

with compat.collector_paused():
    compat.install()  # first: the imports below reach AllenNLP

    from udify_allennlp.archives import loading
    from udify_allennlp.config import named, old_names, rooms

    named.apply()
    rooms.install()
    loading.install()
    old_names.install()

    # AllenNLP imports a plugin without its submodules; this registers what most runs need.
    from udify_allennlp import (  # noqa: F401
        decoders,
        encoders,
        models,
        predictors,
        scoring,
        segmenter,
        training,
    )
    from udify_allennlp.data import (  # noqa: F401
        bucket_sampler,
        loader,
        paired_loader,
        tasks,
        text_loader,
        text_source,
        ud_reader,
    )
    from udify_allennlp.modules import position_attention, recurrent  # noqa: F401
