"""
The one door into and out of a trained model: loading, checks, unpacking, registered names, the
shipped model, the folder of a run, rewriting, the card.
"""

from udify_allennlp.archives.card_callback import WriteCard

__all__ = ["WriteCard"]
