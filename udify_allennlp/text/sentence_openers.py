"""
Ends of sentences after a single capital letter, a number, or an answer of one word: `Plan B. Then`,
`in 2019. Then`, Croatian `Da. Ana`. The letter looks like an initial (`B. Smith`), the number like
an ordinal and the answer like an abbreviation, after which networks and rules rarely end a
sentence. But the words listed here open sentences and are not names.

The words are frequent at the beginning of sentences of treebanks and hardly ever part of a name
there, without particles of names (`Van`, `De`) and short words that are surnames elsewhere (`He`,
`So`). In all of UD 2.17 at hand they follow such a letter 9 times, always in a new sentence; in
47 MB of Wikipedia 8 times, as often.

They follow a number in 162 places of 600 sentences of each test and development file: 159 are ends,
of which networks missed 5, and the others are inside messages that are one sentence each.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Optional

from udify_allennlp.text.cutting import ending_in

_NORWEGIAN = (
    "alle da de denne deretter derfor dessuten det dette disse etter før hvis ikke men når også"
)
_OPENERS = {
    "af": "daar daarna dan dit hierdie hulle indien maar omdat ons terwyl toe wanneer",
    "be": "аднак але гэта гэты затым калі пасля потым таксама таму яна яны",
    "bg": "ако всички защото като когато обаче освен след според тази така тези това тогава този",
    "cs": (
        "ale dále jestliže když která které který pak pokud potom proto protože také tato tedy "
        "tento to"
    ),
    "da": "alle da denne derefter derfor desuden det dette disse efter hvis ikke men når også",
    "de": (
        "aber also auch außerdem bei dabei dadurch daher danach dann daraufhin das deshalb die "
        "dies diese dieser dieses doch ein eine er es hier ihr im in jedoch mit nach nun obwohl "
        "seit sie trotzdem weil wenn wie wir während zuerst"
    ),
    "el": (
        "έτσι αλλά αυτή αυτό αυτός επίσης επομένως η μετά ο στη στο τα τη την το τον τότε ωστόσο "
        "όμως όταν"
    ),
    "en": (
        "after all also although and are as at because before both but by during each even every "
        "for from here how however if in instead is it its later many next now once only other "
        "our since some such that the their then there therefore these they this those though "
        "thus until was we were what when where which while who why with you your"
    ),
    "es": (
        "además así aunque cada como cuando desde después durante ella ellos en entonces es esta "
        "este esto estos la luego mientras no para pero por según si también todos un una"
    ),
    "et": (
        "aga ent hiljem ka kas kui kuid nad need nii pärast samas sealt see seega seejärel siis "
        "tema"
    ),
    "fi": (
        "he hän jos koska kuitenkin kun lisäksi mutta myös ne nyt näin se sen siis sitten tämä "
        "tämän vaikka"
    ),
    "fr": (
        "ainsi alors après aussi avec cela cependant ces cet cette chaque comme dans depuis elle "
        "elles en enfin ensuite et il ils je leur lorsque mais même nous on où par pendant plus "
        "pour pourtant puis quand selon si son tous toutefois un une vous"
    ),
    "hr": (
        "ako ali iako kada kako međutim nakon ova ovaj ovo potom prema tada također to zatim zato"
    ),
    "hu": (
        "akkor az azonban aztán bár de ekkor ez ezek ezt ezért ha majd mert miután mivel míg nem "
        "pedig utána és így"
    ),
    "id": (
        "akan akhirnya dalam dan dengan di ini jika karena kemudian ketika lalu mereka namun pada "
        "selain setelah tetapi untuk"
    ),
    "it": (
        "anche ciò come dopo dunque gli il in infine inoltre la ma mentre nel non ogni per perché "
        "pertanto però poi quando questa questi questo quindi se secondo si sono tuttavia un una"
    ),
    "lt": "bet jei ji jie jis kai nors po tada tai taip tačiau todėl tuo vėliau",
    "lv": "bet gan ja kad pēc tad tas taču tie tomēr turklāt viņa viņš šis",
    "nb": _NORWEGIAN,
    "nl": (
        "als daarna daarom dan dat deze dit door een en er het hier hij hoewel in maar met na "
        "omdat ook op sinds terwijl tijdens toen vanaf vervolgens volgens wanneer we ze zij"
    ),
    "pl": (
        "ale bo choć co czy dlatego gdy jednak jednakże jego jej jeśli już kiedy która które "
        "którego który następnie natomiast nie o po potem poza przez są ta tak także teraz też to "
        "tu tylko w więc wtedy z"
    ),
    "pt": (
        "ainda além após assim com como depois durante ela ele eles em embora entre então esta "
        "este isso mas na no não o para por porém quando que se segundo também um uma"
    ),
    "ro": (
        "aceasta acest aceste acești apoi astfel ca cu când dacă dar deși după este iar nu pe "
        "pentru prin totuși un în"
    ),
    "ru": (
        "в для если затем здесь и из их когда которая которое который на не но однако он она они "
        "от по после поэтому при с так также там тогда только у хотя через что эта эти это этот"
    ),
    "sk": "ale hoci keď keďže ktorý neskôr podľa potom počas preto pretože tak tento toto táto",
    "sl": (
        "in kasneje ker ko nato nekaj pa po pri tako tam tega ti to toda torej tudi vendar zaradi "
        "zato če"
    ),
    "sr": (
        "ako ali iako kada međutim nakon ovaj potom prema tada takođe zatim zato ако али затим "
        "међутим након овај ово потом тада такође"
    ),
    "sv": (
        "alla den denna dessa dessutom det detta därefter därför då efter eftersom en ett från "
        "för han hon hur här i inte men när och också om på sedan senare så under vi"
    ),
    "tr": (
        "ama ancak ardından bu bunlar böylece daha eğer fakat her hiç ise onlar onun sonra çünkü "
        "şimdi"
    ),
    "uk": (
        "аби але вона вони він для до з за зокрема коли крім на однак однієї потім при проте "
        "після сьогодні та так тим тоді тому у це цей ця через що якщо"
    ),
    "vi": (
        "chúng các còn có của do khi không mặc một ngoài nhưng những nếu sau theo trong trước tuy "
        "từ và vì với đây đó được"
    ),
}
"""By language, lower-cased."""
_WITH_LETTERS = (
    "anexo annexe bac classe clase class categoría categoria catégorie grup grupo gruppo groupe "
    "hepatitis hepatite hépatite letra lettera lettre lletra línea linea ligne linha liña opción "
    "opció opção opzione option pla plan piano plano punto ponto point serie série sèrie sector "
    "tipo tipus type vitamina vitamine zona zone"
)
"""Romance nouns with letters behind them, which are not initials: `plan B. El`."""
_ROMANCE = frozenset(["ca", "es", "fr", "gl", "it", "pt"])
_FOLLOWED = r"(?=[ \u00a0](?P<following>[^\W\d_])[^.])"
_LETTER = rf"\b(?i:{'|'.join(_WITH_LETTERS.split())})[ \u00a0][A-Z]\.{_FOLLOWED}"
_ANSWERS = {
    "be": "не так",
    "bg": "да не",
    "cs": "ano já ne",
    "hr": "da ne",
    "lt": "aš ne taip",
    "lv": "es jā nē",
    "mk": "да не",
    "pl": "ja nie tak",
    "ru": "да мы нет",
    "sk": "ja nie áno",
    "sl": "da ne",
    "sr": "da ne",
    "uk": "ні так",
}
"""By language, lower-cased: words that are sentences by themselves, before any capital."""
_OTHER_NAMES = {"bs": "hr", "nn": "nb", "no": "nb", "sh": "hr"}
_BEGINS = r"(?:(?<![^\n\0])|(?<=[.!?][ \u00a0]))"
"""At the beginning of a line or behind a sentence."""
_CLOCKS = frozenset(["da", "is", "nb", "nn", "no"])
"""Languages in which `kl. 5. Det` has the end of a sentence, for the time is not an ordinal."""
_WIDEST = 40
"""Maximum number of characters of a match, and of a listed word behind it."""


def letter_ends(
    text: str, lang: Optional[str], start: int = 0, stop: Optional[int] = None
) -> Iterator[int]:
    """
    Yields the ends of sentences after the period of a single capital letter inside a line, or of a
    number, perhaps with a unit, behind a word (Polish `w 2019 r.`), where a listed word of the
    language (`None`: English) follows: `start < end <= stop`; and behind answers, letters that
    belong to Romance nouns, and times of day (Danish `kl. 5.`), before any word with a capital.
    """
    pattern = _pattern(lang or "en")
    stop = len(text) if stop is None else stop
    if pattern is not None:
        for match in ending_in(pattern, text, start, stop, _WIDEST, _WIDEST):
            is_start = match[0][0].isupper() or match[0][0].isdecimal()
            is_start |= bool(match.groupdict().get("following"))
            if is_start and text[match.end() + 1].isupper():
                yield match.end()


@lru_cache(maxsize=64)
def openers(lang: Optional[str]) -> frozenset[str]:
    """Returns the words that open sentences in a language (`None`: English), with a capital."""
    return frozenset(_capitalized(_OPENERS, lang or "en"))


def _capitalized(table: dict[str, str], lang: str) -> Iterator[str]:
    """Yields the words of a language in a table."""
    return map(str.capitalize, table.get(_OTHER_NAMES.get(lang, lang), "").split())


@lru_cache(maxsize=64)
def _pattern(lang: str) -> Optional[re.Pattern[str]]:
    openings, answers = "|".join(sorted(openers(lang))), "|".join(_capitalized(_ANSWERS, lang))
    # `A. The` at the beginning of a line or of a sentence is an item of a list.
    behind = r"(?:(?<=[^\W_][ \u00a0])|(?<=,[ \u00a0])|(?<=°)|(?<=°[ \u00a0]))"
    letter = rf"(?:{behind}[^\W\d_]|{_BEGINS}Я)\."
    number = r"(?<=[^\W\d_][ \u00a0])\d{1,4}(?:[ \u00a0][^\W\d_]{1,3})?\."
    # `Я. Гашек` may be a name; behind a question, it is not.
    answer = rf"(?:{_BEGINS}(?:{answers})|(?<=\?[ \u00a0])Я)\."
    clock = r"(?<=\bkl\.[ \u00a0])\d{1,2}(?:[.:]\d\d)?\.(?=[ \u00a0][A-ZÁÅÆÉÍÐÓÖØÚÝÞ])"
    patterns = [_LETTER] * (lang in _ROMANCE) + [clock] * (lang in _CLOCKS)
    patterns += [rf"(?:{letter}|{number})(?=[ \u00a0](?:{openings})\b(?!\.))"] * bool(openings)
    patterns += [rf"{answer}(?=[ \u00a0][^\W\d_])"] * bool(answers)
    return re.compile("|".join(patterns)) if patterns else None
