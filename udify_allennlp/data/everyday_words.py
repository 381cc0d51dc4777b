"""
Words that everyone uses and training lacks. Its texts are news or debates: no word of the Ukrainian
treebank is `ти`, and no German one `bist` or `dir`. Or they are few: those of Kurmanji and Kazakh
lack most pronouns. Some words are of informal writing: German `nich`, Indonesian `nggak`.

They are annotated like their counterparts there: `bist` like `bin`, `nich` like `nicht`.
"""

from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from udify_allennlp.data.language_sections import lines_of_language

FILE = Path(__file__).with_name("everyday_words.txt")
"""
Sections `[language language ...]` or `[treebank]` of lines
`UPOS features lemma: form form, lemma: form form`, lower-cased; features `?` are left to the model.
A line that begins with `+` has further annotations of words that training has: Spanish `odio` is
there a noun alone. `benchmarks/japanese_words.py` writes the section of Japanese-GSD.
"""


class Everyday(NamedTuple):
    upos: str
    feats: str
    lemma: str
    is_further: bool = False
    """True if the annotations in training are right, too; otherwise these replace them."""


@lru_cache(maxsize=64)
def everyday_words(origin: str) -> dict[str, tuple[Everyday, ...]]:
    """
    Returns the words of a language or of a treebank by form, in small letters and with a capital,
    each with all its annotations.
    """
    found: defaultdict[str, list[Everyday]] = defaultdict(list)
    for line in lines_of_language(FILE, origin):
        is_further = line.startswith("+")
        upos, feats, words = line.removeprefix("+").split(" ", 2)
        for group in words.split(", "):
            lemma, forms = group.split(": ")
            for form in forms.split(" "):
                for each in {form, form.capitalize()}:
                    found[each].append(Everyday(upos, feats, lemma, is_further))
    return {form: tuple(words) for form, words in found.items()}
