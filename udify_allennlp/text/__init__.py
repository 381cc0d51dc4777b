"""Treebanks and raw text as strings: sentences, CoNLL-U, tree checks, lemma rules. No torch."""
