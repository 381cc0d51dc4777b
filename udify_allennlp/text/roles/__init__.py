"""Semantic roles in files: predicates in MISC, the columns of the shared tasks, their styles."""

from udify_allennlp.text.roles.predicates import Argument, Predicate

__all__ = ["Argument", "Predicate"]
