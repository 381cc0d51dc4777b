"""
Serbian in Cyrillic, shown to models in Latin letters, which alone the treebanks of Serbian and
Croatian have: each Cyrillic letter is one in Latin, or a pair (`љ` is `lj`).
"""

import re
from collections.abc import Iterable, Iterator

from udify_allennlp.text.places import Places, places_of
from udify_allennlp.text.raw_text import Token, Tokenizer, respelled

LANGUAGES = frozenset(["bs", "hr", "sh", "sr"])
"""Codes of the languages with this alphabet, if they are written in Cyrillic."""
TREEBANKS = frozenset(["hr_set", "sr_set"])
"""Their treebanks, in Latin letters."""
_PAIRS = {"љ": "lj", "њ": "nj", "џ": "dž"}
_LATIN = {**dict(zip("абвгдђежзијклмнопрстћуфхцчш", "abvgdđežzijklmnoprstćufhcčš")), **_PAIRS}
_LATIN |= {letter.upper(): latin.capitalize() for letter, latin in _LATIN.items()}
_CYRILLIC = {latin: letter for letter, latin in _LATIN.items()}
_CYRILLIC |= {latin.upper(): letter for latin, letter in _CYRILLIC.items() if len(latin) > 1}
_LETTERS = re.compile(r"[^\W\d_]+")
_CYRILLIC_LETTER = re.compile("[Ѐ-ӿ]")
_LATIN_LETTER = re.compile("(?i:lj|nj|dž)|.", re.DOTALL)


def in_cyrillic(text: str) -> bool:
    """Returns whether there is a Cyrillic letter in a text."""
    return _CYRILLIC_LETTER.search(text) is not None


def latin(text: str) -> str:
    """Returns a text in Latin letters, except words with letters that Serbian lacks."""
    if not in_cyrillic(text):
        return text
    return "".join(spelling for _, spelling in _parts(text))


def cyrillic(lemma: str, form: str) -> str:
    """
    Returns a lemma in Latin letters in Cyrillic, if its form as written is: `инјекција` from
    `injekcija` for `инјекције`, where `nj` is not `њ`.
    """
    if latin(form) == form:
        return lemma
    # What it shares with the form is written as there; the last letter of that may become another.
    size = 0
    letters: list[str] = []
    for letter in form:
        spelling = _LATIN.get(letter, letter)
        if lemma[size : size + len(spelling)].lower() != spelling.lower():
            break
        is_upper = lemma[size].isupper()
        letters.append(letter.upper() if is_upper else letter.lower())
        size += len(spelling)
    if size < len(lemma) and letters:
        size -= len(_LATIN.get(letters[-1], letters.pop()))
    rest = (match[0] for match in _LATIN_LETTER.finditer(lemma, size))
    return "".join([*letters, *(_CYRILLIC.get(pair, pair) for pair in rest)])


def latin_tokenizer(tokenizer: Tokenizer) -> Tokenizer:
    """Returns a tokenizer of Serbian that sees Latin letters."""
    return _LatinTokenizer(tokenizer)


class _LatinTokenizer:
    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def __call__(self, paragraph: str) -> Iterator[list[Token]]:
        for _, sentences in self.together([paragraph]):
            yield from sentences

    def together(self, paragraphs: Iterable[str]) -> Iterator[tuple[str, Iterable[list[Token]]]]:
        """Yields each paragraph with its sentences."""
        for text, sentences in respelled(self._tokenizer, paragraphs, latin, _places):
            yield text, ([_in_cyrillic(token, text) for token in tokens] for tokens in sentences)


def _in_cyrillic(token: Token, text: str) -> Token:
    surface = text[token.start : token.end]
    return token._replace(words=tuple(cyrillic(word, surface) for word in token.words))


def _places(text: str) -> Places:
    return places_of(_parts(text))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yields each character of a text, or each word that stays, with its spelling."""
    end = 0
    for match in _LETTERS.finditer(text):
        yield from zip(text[end : match.start()], text[end : match.start()])
        word, end = match[0], match.end()
        spellings = [*map(_LATIN.get, word)]
        is_capital = len(word) > 1 and word.isupper()
        for letter, spelling in zip(word, spellings if all(spellings) else word):
            yield letter, (spelling or letter).upper() if is_capital else spelling or letter
    yield from zip(text[end:], text[end:])
