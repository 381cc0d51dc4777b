"""Past forms that the verbs `ser` and `ir` share, such as Spanish `fue`: "was" and "went"."""

from collections.abc import Iterator

from udify_allennlp.text.sentence import Sentence

GOING, LEMMA = ("VERB",), "ir"
"""The UPOS and the lemma of forms of `ir`."""
_FORMS = {
    "es": "fui fuiste fue fuimos fuisteis fueron",
    "gl": "fun fuches foi fomos fostes foron",
    "pt": "fui foste foi fomos fostes foram",
}
_OF = {lang: frozenset(forms.split()) for lang, forms in _FORMS.items()}
_TO = {
    "es": frozenset(["a", "hacia", "hasta"]),
    "gl": frozenset(["ata", "cara", "para"]),
    "pt": frozenset(["até", "para"]),
}
_ARTICLES = frozenset(["a", "as", "o", "os"])


def forms_of_ir(sentence: Sentence, lang: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """
    Yields the places of these forms before a preposition of motion, where they are those of `ir`,
    each with the UPOS that it has then. In training files, 45 of 46 Portuguese and all but one of
    16 Spanish ones are; of the latter, 5 are annotated as the copula by mistake.
    """
    forms = _OF.get(lang)
    if not forms:
        return
    words = [word.lower() for word in sentence.forms]
    for place, (word, second, third) in enumerate(zip(words, words[1:], [*words[2:], ""])):
        # Galician and Portuguese `a` is a preposition before an article, otherwise one itself.
        is_contracted = lang != "es" and second == "a" and third in _ARTICLES
        if word in forms and (second in _TO[lang] or is_contracted):
            yield place, GOING
