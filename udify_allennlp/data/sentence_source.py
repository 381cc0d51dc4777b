"""The treebank and the language of a sentence, as a declared source gives them."""

import re
from typing import Any, Union

from allennlp.common.checks import ConfigurationError

from udify_allennlp.data.tasks import LANG, TREEBANK, ColumnSpec
from udify_allennlp.text.conllu import treebank_language, treebank_name
from udify_allennlp.text.lang_comment import lang_of
from udify_allennlp.text.languages import LANGUAGES
from udify_allennlp.text.sentence import Sentence, fault

UNKNOWN = ""
"""The origin of a sentence that does not say it."""


class Origin:
    """
    The treebank or the language of sentences.

    # Parameters

    name : `str`
        `treebank` or `lang`.
    source : `Union[bool, str]`
        `file` or `True`: the name of the file, `en_ewt-ud-train.conllu` being of the treebank
        `en_ewt` and of the language `en`; `text.conllu` names none, but
        a comment `# lang` may. `comment`: the comment
        `# treebank = en_ewt` or `# lang = en` of each sentence. `=en_ewt`: that name, for all
        sentences.

    # Raises

    `ConfigurationError` if the source is none of these.
    """

    def __init__(self, name: str, source: Union[bool, str]) -> None:
        self.name = name
        self.source = "file" if source is True else source
        if self.source not in ("file", "comment") and not (
            isinstance(self.source, str) and re.fullmatch("=.+", self.source)
        ):
            raise ConfigurationError(
                f"dataset_reader.{name}s is {source!r}: it can be 'file', 'comment' or '=NAME'."
            )

    @property
    def spec(self) -> ColumnSpec:
        """The column of this origin in tables and batches."""
        return ColumnSpec(self.name, f"{self.name}_labels", "sentence")

    def of(self, sentence: Sentence, required: bool = False) -> str:
        """
        The origin of a sentence; `UNKNOWN` where it does not say.

        # Raises

        `ConlluError` if it does not say and is `required` to.
        """
        if str(self.source).startswith("="):
            return str(self.source)[1:]
        if self.source == "file":
            treebank = treebank_name(sentence.path)
            if self.name == TREEBANK:
                return treebank
            lang = treebank_language(treebank)
            # `en.conllu` and `en_ewt-ud-dev.conllu` name a language, `text.conllu` does not.
            return lang if lang != treebank or lang in LANGUAGES else lang_of(sentence)
        comment: Any = re.search(
            rf"^#\s*{self.name}\s*=\s*(\S+)\s*$", sentence.text, flags=re.MULTILINE
        )
        if comment is None and required:
            remedy = f"Add it, or set dataset_reader.{self.name}s to 'file'."
            what = f"the sentence has no comment `# {self.name} = ...`"
            raise fault(sentence.path, sentence.line, what, remedy)
        return UNKNOWN if comment is None else comment[1]


NAMES = (TREEBANK, LANG)
