"""Corrections of predicted columns by the known words of a language or a treebank."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from udify_allennlp.text.sentence import Columns, Sentence


class Correction(ABC):
    """A correction of the predicted columns of each sentence; false if it changes nothing."""

    @abstractmethod
    def __bool__(self) -> bool: ...

    @abstractmethod
    def correct(self, own: Columns, sentence: Sentence, lang: str, treebank: str) -> None:
        """
        Corrects the predicted columns of a sentence, given its language and its treebank, `""` if
        that is unknown.
        """

    def apply(
        self,
        columns: Sequence[Columns],
        sentences: Sequence[Sentence],
        langs: Sequence[str],
        treebanks: Sequence[str] = (),
    ) -> None:
        """
        Corrects the predicted `columns` of sentences, given the language and, if it is known, the
        treebank of each.
        """
        if not self:
            return
        for each in zip(columns, sentences, langs, treebanks or [""] * len(langs)):
            self.correct(*each)
