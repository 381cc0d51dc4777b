"""
Reading and writing of trained models: loading, checks, unpacking, registered names, the shipped
model, a run folder, rewriting, the card.
"""

from udify_allennlp.archives.card_callback import WriteCard

__all__ = ["WriteCard"]
