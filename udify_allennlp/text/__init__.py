"""Treebanks, raw text and trees as strings: CoNLL-U, checks, lemma rules, drawing. No torch."""
