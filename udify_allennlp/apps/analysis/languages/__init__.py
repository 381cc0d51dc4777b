"""Languages and treebanks beside each other: distances, neighbours, positions, vectors."""
