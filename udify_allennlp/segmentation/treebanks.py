"""The treebanks that a segmenter was trained on, by language."""

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from udify_allennlp.text import japanese
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.languages import UD_CODES
from udify_allennlp.text.relatives import all_nearest

LANGS = "lang_labels"
"""
Namespace of the languages, in the form of treebank names: `en_ewt`; `en` if a file names none.
"""


class Treebanks:
    """
    The labels in `LANGS`.

    # Parameters

    vocab : `Any`
        A vocabulary, of AllenNLP or of an exported model.
    standards : `Optional[Mapping[str, Sequence[str]]]`
        See `Segmenter`. If `japanese.TREEBANK` is among those of Japanese, it alone counts.
    """

    def __init__(self, vocab: Any, standards: Optional[Mapping[str, Sequence[str]]] = None) -> None:
        self.numbers: Mapping[str, int] = vocab.get_token_to_index_vocabulary(LANGS)
        kept = {
            lang: [name for name in names if name in self.numbers]
            for lang, names in (standards or {}).items()
        }
        self.standards = {lang: names for lang, names in kept.items() if names}
        if japanese.TREEBANK in self.standards.get(japanese.LANGUAGE, ()):
            self.standards[japanese.LANGUAGE] = [japanese.TREEBANK]

    def of(self, lang: str) -> list[str]:
        """
        Returns the labels of a treebank or of a language, by its standards; for a treebank outside
        the training data those of its language, and for such a language those of its nearest
        relatives (`relatives.py`), if there are any.
        """
        ud_lang = UD_CODES.get(lang, lang)  # Bokmål is `nb` to users, `no` in UD
        if ud_lang in self.numbers:
            return [ud_lang]
        langs = dict.fromkeys(map(treebank_language, self.numbers))
        chosen = all_nearest(treebank_language(ud_lang), langs)
        return [name for name in self.standard() if treebank_language(name) in chosen]

    def standard(self) -> list[str]:
        """Returns all labels; of languages with standards, only these."""
        return [
            name
            for name in self.numbers
            if name in self.standards.get(treebank_language(name), [name])
        ]
