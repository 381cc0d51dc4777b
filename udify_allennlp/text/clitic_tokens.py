"""
Words with clitics that are several tokens of one word each, if their spelling leaves no doubt.
French, German, Catalan and Romanian verbs have pronouns at their ends (`donne -le -moi`, `geht 's`,
as well as `wenn 's`), or Romanian pronouns auxiliaries; Arabic prepositions, conjunctions and
everyday words have pronouns (`مع ك`), verbs a sign of the future (`س نذهب`), and all `و` before it.

Of the tokens of treebanks that match, about 97 in 100 or more are split into the same words
(`benchmarks/certain_splits.py`). Of German words few are in treebanks, and `Zettel's`, a genitive,
is one token, so the words before `'s` are listed. Of Arabic pronouns of the second person training
has a dozen.
"""

import re
from collections.abc import Iterator

from udify_allennlp.text.contractions import WORD_END, WORD_START
from udify_allennlp.text.cutting import ending_in

_FRENCH = re.compile(
    r"(?<![\w‐‑.@#-])(?!(?:chez|hors|rendez|t)-)[^\W\d]{1,30}"
    r"(?:(-(?:t-)?(?:il|elle|on)s?|-(?:je|tu|nous|vous|ce))"
    r"|(-(?:moi|toi|le|la|les|lui|leur|nous|vous|y|en))"
    r"(-(?:moi|toi|le|la|les|lui|leur|nous|vous|y|en))?"
    rf"|(-[mtl]')(en|y)){WORD_END}",
    re.IGNORECASE,
)
_GERMAN = re.compile(
    r"(?<![\w‐‑.@#'-])(?:bin|bist|ist|sind|war|warst|wär|wäre|hab|habe|hast|hat|haben|hatte|hätte"
    r"|wird|werd|werde|wurde|würd|würde|kann|kannst|können|konnte|könnte|muss|musst|müssen|musste"
    r"|soll|sollte|will|willst|wollte|darf|mag|möchte|geht|ging|gibt|gib|gab|gäbe|kommt|kam|macht"
    r"|mach|machen|tut|tun|tat|bleibt|steht|stand|liegt|lag|sieht|seh|sehe|weiß|sagt|sag|nimm"
    r"|lass|lasst|lassen|glaub|glaube|find|finde|fand|braucht|heißt|hieß|hört|läuft|scheint|schien"
    r"|reicht|stimmt|ich|du|er|sie|wir|ihr|man|mir|dir|ihm|uns|euch|sich|wie|wo|was|wer|wenn|ob|als"
    rf"|bis|dass|daß|weil|so|jetzt|wann|warum)('s){WORD_END}",
    re.IGNORECASE,
)
_CATALAN = re.compile(rf"{WORD_START}(?:me|te|se|li)('(?:ls?|ns?|m|t)){WORD_END}", re.IGNORECASE)
_ROMANIAN = re.compile(
    rf"{WORD_START}(?:[^\W\d]{{2,30}}(-(?:[mțţv]i|i|[nl]e|li))(-(?:l|o|le|se))"
    rf"|(?:ori)?(?:care|cine)(-(?:a[imru]?|ați|i|o))){WORD_END}",
    re.IGNORECASE,
)
_AFTER_AR = "ها?|هما?|هن|كما?|كن?|نا"
_NOUNS_AR = (
    "اسم|أصدقاء|أصدقائ|أطفال|إمكان|بيت|جانب|حال|حبيب|حيات|دراجت|رأي|رسالت|زوج|زوجت|سيارت|صديق|صديقت"
    "|صوت|ظن|عائلت|عمر|عمل|غرفت|فضل|فكرت|قلب|كتاب|كلام|كلب|لغت|مدينت|مساعدت|مكان|منزل|نفس|هاتف|والد"
    "|والدت|والدي|وقت"
)
_VERBS_AR = (
    "[أتني](?:حب|خبر|ريد|ساعد|سأل|سمع|شكر|صدق|عرف|عطي|فهم|كره|نتظر)"
    "|[أن]را|ر[أا]يت|أحببت|أخبرت|أخبر|ساعدت|سألت|سمعت|عرفت"
)
_FUTURE_AR = (
    "[أتني](?:أتي|أخذ|أكل|بدأ|بقى|تحدث|تزوج|تكلم|تم|جد|حاول|حب|حتاج|حدث|حصل|حضر|خبر|خرج|درس|دفع|ذهب"
    "|رجع|رى|ريد|زور|ساعد|سافر|سأل|ستخدم|ستطيع|ستمر|شتري|شرب|صبح|صل|ظل|عرف|عطي|عمل|عود|عيش|غادر|فعل"
    "|فهم|فوز|قابل|قول|قوم|كتب|كون|لتقي|لعب|مكن|موت|نام|نتظر|نتهي|ندم|هطل)|آ(?:تي|خذ|كل)"
)
_ARABIC = re.compile(
    rf"{WORD_START}و?(?:(ب|في|علي|إلي|فوق|تحت|أمام|حول|دون|بعد|قبل|كل)({_AFTER_AR})"
    rf"|(ل|مع|لدي|عند|بين)({_AFTER_AR}|ي)|(من|عن)(?!نا)({_AFTER_AR}|ي)"
    rf"|(ل?)(كأن|أن|إن)({_AFTER_AR}|ن?ي)|({_NOUNS_AR}|{_VERBS_AR})(كم?)"
    rf"|(س)({_FUTURE_AR})(ها?|هم|كم?|ني)?){WORD_END}"
    "(?<!لكن)(?<!ولي)"
)
_TOKENS = {"ar": _ARABIC, "ca": _CATALAN, "de": _GERMAN, "fr": _FRENCH, "ro": _ROMANIAN}
"""By language: a group for each token but the first, or for all."""
_LONGEST = 50
"""No word that matches is longer."""


def token_ends(text: str, lang: str, start: int, stop: int) -> Iterator[tuple[int, list[int]]]:
    """
    Yields the start of each of these words of a language in a part of a text, and the ends of its
    tokens, in order, of which the last one is in this part: `start < end <= stop`.
    """
    if lang in _TOKENS:
        for match in ending_in(_TOKENS[lang], text, start, stop, _LONGEST):
            groups = [group for group, found in enumerate(match.groups(), 1) if found]
            first, *others = sorted({match.start(), *map(match.start, groups)})
            yield first, [*others, match.end()]
