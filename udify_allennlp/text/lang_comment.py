"""The comment `# lang = CODE`, which gives the language of a sentence."""

from udify_allennlp.text.non_word_rows import comment
from udify_allennlp.text.sentence import Sentence

NAME = "lang"


def lang_of(sentence: Sentence) -> str:
    """Returns the code of the language in a sentence's comment; empty if there is none."""
    return comment(sentence, NAME)


def with_lang(sentence: Sentence, code: str) -> Sentence:
    """Returns the sentence of a raw text with that comment after its others."""
    lines = sentence.text.split("\n")
    end = next(place for place, line in enumerate(lines) if not line.startswith("#"))
    lines.insert(end, f"# {NAME} = {code}")
    return Sentence("\n".join(lines), sentence.path, sentence.line)
