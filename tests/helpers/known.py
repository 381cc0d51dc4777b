"""Known words of an archive: vocabularies of them, and any words."""

from allennlp.data import Vocabulary
from hypothesis import strategies as st

from udify_allennlp.data.known_words import KNOWN, Analysis, Treebank, Word, known_words_entry


def vocabulary(vocab: Vocabulary, *treebanks: Treebank) -> Vocabulary:
    """Returns the vocabulary with the words of treebanks, whose languages have two letters."""
    for lang in sorted({treebank.name[:2] for treebank in treebanks}):
        own = [treebank for treebank in treebanks if treebank.name.startswith(lang)]
        vocab.add_token_to_namespace(known_words_entry(lang, own), KNOWN)
    return vocab


def dictionaries(
    forms: st.SearchStrategy[str], analyses: st.SearchStrategy[Analysis]
) -> st.SearchStrategy[dict[str, Word]]:
    """Words by form."""
    some = st.lists(analyses, min_size=1, max_size=3, unique=True).map(tuple)
    return st.dictionaries(forms, st.builds(Word, some, st.booleans()))
