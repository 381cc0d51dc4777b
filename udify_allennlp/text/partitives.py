"""
French `des` and `du` that are articles, and so one word: `Il mange des pommes et du pain`. Others
are `de les` and `de le`.

In training files `des` is an article in 461 of 465 places found here, and `du` in 22 of 29, where
most others are articles as well: `faire du surf`.
"""

import re
from collections.abc import Iterator

_PREPOSITIONS = (
    "à|avec|dans|par|pour|sur|sous|sans|en|chez|entre|vers|contre|depuis|pendant|selon|comme"
    "|parmi|malgré"
)
_HAVE = (
    "ai|as|a|avons|avez|ont|avai(?:s|t|ent)|aviez|(?<=nous )avions|aur(?:ai|as|a|ons|ez|ont)"
    "|aurai(?:s|t|ent)|auri(?:ons|ez)|aies?|ait|ayons|ayez|aient|eu|ayant|avoir"
)
_ENDS = "(?:er|e|es|ent|ons|ez|ais|ait|aient|ant|é|era|eront|erez|erai|erait)"
_VERBS = (
    "fai(?:re|s|t|tes|sons|sai[st]|saient|sant)|font|fer(?:ai|as|a|ons|ez|ont|ait)"
    rf"|(?:mang|achet|achèt|ajout|cherch)e?{_ENDS}|port(?:er|ent|ait|aient|ant|é)"
    "|boi(?:s|t|re|vent)|bu|buv(?:ons|ez|ai[st]|aient|ant)"
    "|veu(?:x|t|lent)|voul(?:ons|ez|oir|ai[st]|aient)|voudr(?:ais|ait|aient|ions|iez)"
    "|vend(?:s|re|ez|ons|ai[st]|aient|ant|ent)"
    "|prend(?:s|re)?|pren(?:ons|ez|nent|ai[st]|aient|ant)|pris"
    rf"|donn{_ENDS}|(?:(?<=je )|(?<=tu ))mets|met|mett(?:re|ons|ez|ent|ai[st]|aient|ant)|mis"
    "|faut|fallait|faudrait|faudra|contien(?:t|nent)|conten(?:ir|ait|aient|ant)"
)
_OF_DES = (
    rf"(?:trouv|utilis|propos|présent|pos|provoqu|organis|publi|apport|montr){_ENDS}"
    "|fourni(?:r|t|ssent|ssait|ssaient)?|offr(?:ir|ent|ait|aient|ant)|offert"
    "|vo(?:ir|is|it|ient|yons|yez)|vu|reçoi(?:s|t|vent)|recev(?:oir|ait|aient|ons|ez)"
    "|obt(?:enir|ient|iennent|enait)|lire|lisent|écri(?:re|t|vent|vait)|produi(?:re|sent|sait)"
    "|connaî(?:t|tre)|connaissent"
)
_DETERMINERS = "le la les un une ce cet cette son sa au du de mon ma"
_NO_NOUN = "".join(rf"(?<!\b{word} )" for word in _DETERMINERS.split())
_SUBJECT = (
    "(?:-(?:t-)?(?:ils?|elles?|on|je|tu|nous|vous|moi|toi|lui|leur))?"
    "(?: (?:aussi|toujours|déjà|également|souvent|parfois))?"
)
_AND = r"(?:(?:des|du|de la) \w{2,20}(?:,| et| ou) ){0,3}"
_ARTICLE = re.compile(r"\b(?:des|(du))\b", re.IGNORECASE)
_PARTITIVE = re.compile(
    rf"(?<![\w-])(?<!\bl['’])(?:{_NO_NOUN}(?:(?:{_PREPOSITIONS}) |(?:{_HAVE}|{_VERBS}){_SUBJECT} )"
    rf"{_AND}d(?:es|u)|{_NO_NOUN}(?:{_OF_DES}){_SUBJECT} {_AND}des)(?![\w'’-])",
    re.IGNORECASE,
)
_FIRST = re.compile(r"(?<![\w'’-])Des(?= [^\W\d_A-Z])")
_WIDEST = 150
"""Maximum number of characters of a match, and more."""


def partitive_ends(text: str, lang: str, start: int, stop: int) -> Iterator[int]:
    """
    Yields the ends of these articles in a part of a text: `start < end <= stop`.
    """
    if lang != "fr":
        return
    for match in _PARTITIVE.finditer(text, max(0, start - _WIDEST), stop + 1):
        for article in _ARTICLE.finditer(text, match.start(), match.end()):
            if start < article.end() <= stop:
                yield article.end()
    for match in _FIRST.finditer(text, max(0, start - _WIDEST), stop + 2):
        if start < match.end() <= stop:
            yield match.end()
