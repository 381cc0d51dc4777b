"""The comment `# lang = CODE`, which says in which language a sentence is."""

from udify_allennlp.text.non_word_rows import comment
from udify_allennlp.text.sentence import Sentence

NAME = "lang"


def lang_of(sentence: Sentence) -> str:
    """The code of the language that a sentence's comment names; empty where none does."""
    return comment(sentence, NAME)


def with_lang(sentence: Sentence, code: str) -> Sentence:
    """The sentence of a raw text with that comment behind its others."""
    lines = sentence.text.split("\n")
    end = next(place for place, line in enumerate(lines) if not line.startswith("#"))
    lines.insert(end, f"# {NAME} = {code}")
    return Sentence("\n".join(lines), sentence.path, sentence.line)
