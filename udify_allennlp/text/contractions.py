"""
Multiword tokens that are certain by their spelling: closed classes of a language.

A form is listed if about 97 in 100 of its tokens are split in the treebanks that split such forms
(`benchmarks/certain_splits.py`), or if it is inflected like one. French `du` is, without
French-ALTS, which has it as one word before mass nouns. French `des`, Italian `dei`, also articles,
Portuguese and Galician `nos`, also a pronoun, and Galician `daquela`, also an adverb, are not.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Optional

from udify_allennlp.text.cutting import ending_in

_ARTICLES_IT = "il lo la l' i gli le"
_ENDINGS_IT = "l llo lla ll' i gli lle"
_AFTER_GL = (
    "un unha uns unhas ela eles elas isto iso aquilo este esta estes estas ese esa eses esas"
    " aquel aqueles aquelas outro outra outros outras algún algunha algúns algunhas"
)
_AFTER_PT = (
    "o a as um uma uns umas ele ela eles elas isto isso aquilo este esta estes estas esse essa"
    " esses essas aquele aquela aqueles aquelas outro outra outros outras algum alguma alguns"
    " algumas"
)
_VERBS_EN = "are could did does had has have is should was were would"
_BEFORE_HAVE_EN = "could might must should would"
_SUBJECTS_EN = "he i it she that there they we you"
_BEFORE_KAH_ID = (
    "ada akan apa bagaimana benar berapa bisa boleh bukan dapat harus ini itu juga kapan mana"
    " mau mengapa mungkin perlu sanggup siapa sudah tidak"
)
_BEFORE_NE_LA = (
    "audis audisti audistis dixisti ego es est estis fecisti habes ita potes potest scis scit sum"
    " sunt tu vides vidisti vidistis vis vult"
)
_BEFORE_ARTICLES_LIJ = (("à", "a"), ("co", "co"), ("da", "da"), ("pe", "pe"), ("tra", "tra"))
_BEFORE_PERSON_PL = "aby ażeby by chociażby choćby czyżby gdyby jakby jakoby oby żeby"
_BEFORE_N_PL = "dla do na nade przeze we za ze"
_PREPOSITIONS_ID = "bagi bersama dari dengan kepada oleh pada terhadap untuk"


def _with_each(word: str, clitics: str) -> str:
    """Returns the entries of a word with clitics at its end: `apakah=apa+kah`."""
    return " ".join(f"{word}{clitic}={word}+{clitic}" for clitic in clitics.split())


def _joined(first: str, start: str, seconds: str, endings: str = "") -> str:
    """
    Returns the entries of a word with each of several: `no=em+o na=em+a` for `em`, `n`, `o a`. If
    these are contracted themselves, `endings` are their ends: `nel=in+il` for `in`, `ne`, `il`, and
    `l`.
    """
    pairs = zip(seconds.split(), (endings or seconds).split(), strict=True)
    return " ".join(f"{start}{ending}={first}+{second}" for second, ending in pairs)


_LISTED = {
    "ca": ["al=a+el als=a+els del=de+el dels=de+els"],
    "cs": [
        _joined("aby", "a", "by bych bys bychom byste"),
        _joined("když", "kdy", "by bych bys bychom byste"),
        *(_joined(word, word, "něj", "ň") for word in ("do", "na", "o", "pode", "pro", "ve", "za")),
        "ses=jsi+se sis=jsi+si tys=ty+jsi žes=že+jsi",
    ],
    "de": [
        _joined("an", "a", "dem das", "m ns"),
        _joined("bei", "bei", "dem", "m"),
        _joined("in", "i", "dem das", "m ns"),
        _joined("von", "vo", "dem", "m"),
        _joined("zu", "zu", "dem der", "m r"),
        *(_joined(word, word, "dem das", "m s") for word in ("hinter", "unter", "vor", "über")),
        "aufs=auf+das durchs=durch+das fürs=für+das ums=um+das",
    ],
    "el": [_joined("σ", "σ", "τον την τη το του της τους τις τα των")],
    "en": [
        "cannot=can+not dunno=du+n+no gonna=gon+na gotta=got+ta hafta=haf+ta lemme=lem+me",
        "outta=out+ta wanna=wan+na cant=ca+nt dont=do+nt wont=wo+nt",
        *(f"{verb}nt={verb}+nt" for verb in _VERBS_EN.split()),
        "aint=ai+nt heres=here+s hes=he+s im=i+m itll=it+ll ive=i+ve shes=she+s thats=that+s",
        "theres=there+s theyll=they+ll theyre=they+re theyve=they+ve weve=we+ve youll=you+ll",
        "youre=you+re youve=you+ve",
        *(f"{verb}n't've={verb}+n't+'ve" for verb in _BEFORE_HAVE_EN.split()),
        *(f"{word}'d've={word}+'d+'ve" for word in _SUBJECTS_EN.split()),
    ],
    "es": ["al=a+el del=de+el"],
    "fi": [
        _joined(word, start, "en et ei emme ette eivät")
        for word, start in (
            ("että", "ett"),
            ("jos", "ell"),
            ("jos", "joll"),
            ("miksi", "miks"),
            ("vaikka", "vaikk"),
        )
    ],
    "fr": [
        "au=à+le aux=à+les auquel=à+lequel auxquels=à+lesquels auxquelles=à+lesquelles",
        "du=de+le duquel=de+lequel desquels=de+lesquels desquelles=de+lesquelles",
    ],
    "gl": [
        "ao=a+o aos=a+os á=a+a ás=a+as co=con+o cos=con+os",
        "ó=a+o ós=a+os tódolos=todos+os tódalas=todas+as",
        _joined("con", "c", "un unha uns unhas"),
        _joined("de", "d", f"o a os as el {_AFTER_GL}"),
        _joined("en", "n", f"o a as el {_AFTER_GL}"),
    ],
    "id": [
        *(_with_each(word, "kah") for word in _BEFORE_KAH_ID.split()),
        *(_with_each(word, "ku mu nya") for word in _PREPOSITIONS_ID.split()),
    ],
    "it": [
        _joined("a", "a", _ARTICLES_IT, _ENDINGS_IT),
        _joined("da", "da", "il lo la l' gli le", "l llo lla ll' gli lle"),
        _joined("di", "de", "il lo la l'", "l llo lla ll'"),
        _joined("in", "ne", _ARTICLES_IT, _ENDINGS_IT),
        _joined("su", "su", "il lo la l' gli le", "l llo lla ll' gli lle"),
        "col=con+il coi=con+i coll'=con+l'",
        _joined("glie", "glie", "lo la li le ne l'"),
    ],
    "la": ["mecum=me+cum tecum=te+cum secum=se+cum nobiscum=nobis+cum vobiscum=vobis+cum"]
    + [f"{word}ne={word}+ne" for word in _BEFORE_NE_LA.split()],
    "lij": [
        "do=de+o di=de+i into=inte+o inta=inte+a sciô=sce+o scî=sce+i",
        *(_joined(first, f"{start}-", "o a i e") for first, start in _BEFORE_ARTICLES_LIJ),
    ],
    "pl": [
        *(_with_each(word, "m ś śmy ście") for word in _BEFORE_PERSON_PL.split()),
        *(_with_each(word, "ń") for word in _BEFORE_N_PL.split()),
        _with_each("był", "em eś"),
        _with_each("powinien", "em eś") + " " + _with_each("powinna", "m ś"),
        *(_with_each(word, "śmy ście") for word in ("powinni", "powinny")),
        _with_each("że", "m ś"),
        "aleś=ale+ś tyś=ty+ś",
    ],
    "pt": [
        "ao=a+o aos=a+os à=a+a às=a+as pelo=por+o pela=por+a pelos=por+os pelas=por+as",
        _joined("de", "d", f"os {_AFTER_PT}"),
        _joined("em", "n", _AFTER_PT),
        "àquele=a+aquele àquela=a+aquela àqueles=a+aqueles àquelas=a+aquelas àquilo=a+aquilo",
        "comigo=com+mim contigo=com+ti conosco=com+nós connosco=com+nós convosco=com+vós",
        "pro=para+o pros=para+os",
    ],
}
_WHOLE = {
    "ar": "(?:[آأ]كل|استيقظ|اشتري|التقي|انتظر|بدأ|بقي|تأخر|تحدث|تزوج|تقابل|تكلم|جلس|حاول|خرج|خسر"
    "|دخل|درس|ذهب|رأي|رجع|سافر|سمع|شاهد|شرب|شعر|ضحك|عد|عرف|عش|غادر|فز|فهم|قابل|قرأ|قرر|كتب|لعب"
    "|نجح|نم|وجد|وصل)نا",
    "en": "its",
    "gl": "pelos?",
    "he": "איי|אנטוניו|בדיוק|בהחלט|בנימין|בריאן|הביתה|החוצה|העפילה|התחתן|התקיים|ונצואלה|כיהן|לכתוב"
    "|לתוך|שאל|שבת|שחורים|שמעון|שערים",
    "la": r"(?:ab|hucu|quou|[uv])sque|(?:ad|at|deni|ita|na[mn]|quin|quo|quando|[uv](?:b|nd|t)i)que"
    r"|pler\w{1,4}que|[uv]t(?:er|r\w{1,5})que|(?:quis|quem|c[uv]i(?:[uv]s)?)que"
    r"|[uv]n\w{1,4}(?:qu\w{1,2}|c[uv]i(?:[uv]s)?)que"
    r"|(?:qu\w{1,8}|c[uv]i(?:[uv]s)?|[uv](?:bi|nde|t))c[uv][mn]que",
    "pl": r"(?:\w*[sś]y|\w*[wd]o|(?:współ|z|po|od)?dzia|(?:za|roz)?pa|[son]?k|[zwu]?)łam"
    r"|o?słaby(?:mi?)?",
}
"""
Words, lower-cased, that are rarely multiword tokens, but look like one. Of 202 `its` in English
development and test files 27 are misspelled `it's`, of which the network finds less than half, and
takes more of the others for them. Latin `itaque` and the like are one word in 99 of 100 tokens.
Polish `wysyłam` is a present, unlike `byłam`, and `słaby` an adjective. The Arabic verbs (`شربنا`,
we drank) and Hebrew words are common, and `data/token_words.txt` would give many of them affixes.
"""
WORD_START, WORD_END = r"(?<![\w'’‐‑.@#-])", r"(?![\w'’‐‑-])"
"""Beside a hyphen stands a clitic, or a part of a word: `fazem-na`, `au-dessus`."""
_ROMANCE = frozenset(["ca", "es", "fr", "gl", "it", "pt"])
"""
Languages whose multiword tokens begin names, too: in capitals, those of short words (`Del`, `Duma`)
are not certain.
"""
_NAMES = frozenset(["aleś", "cunha", "cunhas", "dumas"])
"""Multiword tokens that are names with a capital."""


@lru_cache
def contractions(lang: str) -> dict[str, tuple[str, ...]]:
    """Returns the words of each multiword token of a language, lower-cased."""
    entries = (entry.split("=") for entry in " ".join(_LISTED.get(lang, ())).split())
    return {form: tuple(words.split("+")) for form, words in entries}


def is_whole(form: str, lang: str) -> bool:
    """Returns whether a word, lower-cased, only looks like a multiword token."""
    return lang in _WHOLE and re.fullmatch(_WHOLE[lang], form) is not None


@lru_cache
def contracted(lang: str) -> frozenset[str]:
    """
    Returns the words of a Romance language that are contracted with the next one, a closed class:
    forms that neither are listed nor occur in training are not multiword tokens.
    """
    words = contractions(lang).values() if lang in _ROMANCE else ()
    return frozenset(first for first, *_ in words)


def _may_be_first(form: str, lang: str) -> bool:
    """Returns whether a multiword token is certain with a capital at its start, too."""
    first, second = contractions(lang)[form][:2]
    is_long = first in ("com", "glie") or len(second) > 3
    return form not in _NAMES and (is_long or lang not in _ROMANCE)


@lru_cache
def _pattern(lang: str) -> Optional[re.Pattern[str]]:
    forms = sorted(contractions(lang), key=len, reverse=True)
    forms += [form[0].upper() + form[1:] for form in forms if _may_be_first(form, lang)]
    choices = "|".join(form + WORD_END if form[-1] != "'" else form for form in forms)
    return re.compile(rf"{WORD_START}(?:{choices})") if forms else None


def contraction_ends(text: str, lang: str, start: int, stop: int) -> Iterator[int]:
    """
    Yields the ends of these multiword tokens in a part of a text, in order: `start < end <= stop`.
    """
    pattern = _pattern(lang)
    if pattern is not None:
        for match in ending_in(pattern, text, start, stop, _LONGEST):
            yield match.end()


_LONGEST = max(len(form) for lang in _LISTED for form in contractions(lang))
