"""
Phrase structure as text: trees, bracketed files (Penn Treebank style), and MISC of CoNLL-U, which
holds a tree wherever sentences go. Labels, scores and search are in `constituency/`.
"""
