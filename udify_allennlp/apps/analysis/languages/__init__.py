"""Comparison of languages and treebanks: distances, neighbours, positions, vectors."""
