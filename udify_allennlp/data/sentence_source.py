"""The treebank and the language of a sentence, from a declared source."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from udify_allennlp.data.columns import LANG, TREEBANK, ColumnSpec
from udify_allennlp.text.conllu import treebank_language, treebank_name
from udify_allennlp.text.lang_comment import lang_of
from udify_allennlp.text.languages import LANGUAGES, STANDARDS, UD_CODES
from udify_allennlp.text.sentence import Sentence, fault

UNKNOWN = ""
"""The origin of a sentence without one."""
Told = Mapping[str, Union[str, Sequence[str]]]
"""Origins by name, of all sentences or of each, that take precedence over their own."""


def told_of(told: Told, name: str, place: int) -> str:
    """Returns the origin of a sentence among these; `UNKNOWN` if they have none."""
    origins = told.get(name, UNKNOWN)
    return origins if isinstance(origins, str) else origins[place]


class Origin:
    """
    The treebank or the language of sentences.

    # Parameters

    name : `str`
        `treebank` or `lang`.
    source : `Union[bool, str]`
        `file` or `True`: the name of the file, where `en_ewt-ud-train.conllu` belongs to the
        treebank `en_ewt` and the language `en`; `text.conllu` names none, but a comment `# lang`
        may. `comment`: the comment `# treebank = en_ewt` or `# lang = en` of each sentence.
        `=en_ewt`: that name, for all sentences.
    """

    def __init__(self, name: str, source: Union[bool, str]) -> None:
        self.name = name
        self.source = "file" if source is True else source

    @property
    def spec(self) -> ColumnSpec:
        """The column of this origin in tables and batches."""
        return ColumnSpec(self.name, f"{self.name}_labels", "sentence")

    def of(self, sentence: Sentence, required: bool = False) -> str:
        """
        Returns the origin of a sentence; `UNKNOWN` if it has none.

        # Raises

        `ConlluError` if it has none and one is `required`.
        """
        if str(self.source).startswith("="):
            return str(self.source)[1:]
        if self.source == "file":
            treebank = treebank_name(sentence.path)
            if self.name == TREEBANK:
                return treebank
            lang = treebank_language(treebank)
            if lang != treebank:
                return lang
            # `en.conllu` names a language, `text.conllu` does not.
            code = lang if lang in LANGUAGES else lang_of(sentence)
            return UD_CODES.get(code, code)
        comment: Any = re.search(
            rf"^#\s*{self.name}\s*=\s*(\S+)\s*$", sentence.text, flags=re.MULTILINE
        )
        if comment is None and required:
            remedy = f"Add it, or set dataset_reader.{self.name}s to 'file'."
            what = f"the sentence has no comment `# {self.name} = ...`"
            raise fault(sentence.path, sentence.line, what, remedy)
        return UNKNOWN if comment is None else comment[1]


NAMES = (TREEBANK, LANG)


def origins_of(lang: Optional[str]) -> dict[str, str]:
    """
    Returns the origins of sentences for which a language is given: the treebanks' code for it, and
    the treebank if `lang` is the name of one, such as `fr_gsd`, or a standard of the language, such
    as `nn`: else lemmas would be a mixture of Bokmål and Nynorsk.
    """
    if lang is None:
        return {}
    code = treebank_language(lang)
    told = {LANG: UD_CODES.get(code, code)}
    treebank = STANDARDS.get(lang, "" if code == lang else lang)
    return {**told, TREEBANK: treebank} if treebank else told
