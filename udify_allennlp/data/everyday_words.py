"""
Pronouns, auxiliaries and other short words that everyone uses and training lacks, as its texts are
news or debates: no word of the Ukrainian treebank is `ти`, and no Croatian `si` a form of "to be".
Some are of informal writing: German `nich`, Indonesian `nggak`, Swedish `nåt`.

They are annotated like their counterparts there, `я`, `sam`, `nicht`, `tidak` and `något`.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_HR = """
AUX Mood=Ind|Number=Sing|Person=2|Tense=Pres|VerbForm=Fin biti: si jesi
AUX Mood=Ind|Number=Sing|Person=2|Polarity=Neg|Tense=Pres|VerbForm=Fin biti: nisi
AUX Mood=Imp|Number=Sing|Person=2|VerbForm=Fin biti: budi
AUX Mood=Imp|Number=Plur|Person=2|VerbForm=Fin biti: budite
PRON Case=Dat|PronType=Prs|Reflex=Yes sebe: si
PRON Case=Nom|Number=Sing|Person=2|PronType=Prs ti: ti
PRON Case=Dat|Number=Sing|Person=2|PronType=Prs ti: ti tebi
PRON Case=Acc|Number=Sing|Person=2|PronType=Prs ti: te tebe
PRON Case=Gen|Number=Sing|Person=2|PronType=Prs ti: tebe
PRON Case=Loc|Number=Sing|Person=2|PronType=Prs ti: tebi
PRON Case=Ins|Number=Sing|Person=2|PronType=Prs ti: tobom
DET Case=Nom|Gender=Masc|Number=Plur|PronType=Dem taj: ti
DET Case=Nom|Gender=Fem|Number=Plur|PronType=Dem taj: te
DET Case=Acc|Gender=Fem|Number=Plur|PronType=Dem taj: te
DET Case=Acc|Gender=Masc|Number=Plur|PronType=Dem taj: te
DET Case=Gen|Gender=Fem|Number=Sing|PronType=Dem taj: te
CCONJ _ te: te
"""
_WORDS = {
    "ca": """
PRON Case=Acc,Dat|Number=Sing|Person=2|Polite=Infm|PrepCase=Npr|PronType=Prs tu: et t' te 't
PRON Case=Acc,Dat|Number=Sing|Person=1|PrepCase=Npr|PronType=Prs jo: em m' me 'm
""",
    "cy": """
VERB Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin bod: rwy
""",
    "da": """
DET Number[psor]=Plur|Person=2|Poss=Yes|PronType=Prs jeres: jeres
PRON Case=Acc|Gender=Com|Number=Plur|Person=2|PronType=Prs I: jer
""",
    "de": """
PRON Case=Gen|Number=Sing|PronType=Int,Rel wer: wessen
ADV _ bitte: bitte
VERB Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin bitten: bitte
PART Polarity=Neg nicht: nich
AUX Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin sein: is
DET Case=Nom|Definite=Ind|Gender=Masc|Number=Sing|NumType=Card|PronType=Art ein: 'n ’n
DET Case=Nom|Definite=Ind|Gender=Neut|Number=Sing|NumType=Card|PronType=Art ein: 'n ’n
DET Case=Acc|Definite=Ind|Gender=Neut|Number=Sing|NumType=Card|PronType=Art ein: 'n ’n
DET Case=Acc|Definite=Ind|Gender=Masc|Number=Sing|NumType=Card|PronType=Art ein: nen 'nen ’nen
DET Case=Nom|Definite=Ind|Gender=Fem|Number=Sing|NumType=Card|PronType=Art ein: ne 'ne ’ne
DET Case=Acc|Definite=Ind|Gender=Fem|Number=Sing|NumType=Card|PronType=Art ein: ne 'ne ’ne
DET Case=Dat|Definite=Ind|Gender=Masc|Number=Sing|NumType=Card|PronType=Art ein: nem 'nem ’nem
DET Case=Dat|Definite=Ind|Gender=Neut|Number=Sing|NumType=Card|PronType=Art ein: nem 'nem ’nem
DET Case=Dat|Definite=Ind|Gender=Fem|Number=Sing|NumType=Card|PronType=Art ein: ner 'ner ’ner
""",
    "es": """
PRON Case=Com|Number=Sing|Person=2|PrepCase=Pre|PronType=Prs tú: contigo
PRON Case=Acc,Nom|Number=Sing|Person=2|Polite=Form|PronType=Prs tú: ud. vd. ud vd
PRON Case=Acc,Nom|Number=Plur|Person=2|Polite=Form|PronType=Prs tú: uds. vds. uds vds
ADP _ para: pa'
""",
    "fr": """
PRON Case=Acc|Emph=No|Gender=Masc|Number=Sing|Person=3|PronType=Prs lui: -le
PRON Case=Acc|Emph=No|Gender=Fem|Number=Sing|Person=3|PronType=Prs lui: -la
PRON Case=Acc|Emph=No|Number=Plur|Person=3|PronType=Prs eux: -les
PRON Case=Dat|Emph=No|Number=Sing|Person=3|PronType=Prs lui: -lui
PRON Case=Dat|Emph=No|Number=Plur|Person=3|PronType=Prs eux: -leur
PRON Emph=No|Number=Sing|Person=1|PronType=Prs moi: -moi
PRON Emph=No|Number=Sing|Person=2|PronType=Prs toi: -toi
PRON Gender=Masc|Number=Sing|Person=3|PronType=Ind quelqu'un: qqn qqun
ADJ Gender=Masc|Number=Sing petit: p'tit p’tit
ADJ Gender=Masc|Number=Plur petit: p'tits p’tits
ADJ Gender=Fem|Number=Sing petit: p'tite p’tite
ADJ Gender=Fem|Number=Plur petit: p'tites p’tites
""",
    "gl": """
PRON Gender=Com|Number=Sing|Person=1|PronType=Prs comigo: comigo
PRON Gender=Com|Number=Sing|Person=2|PronType=Prs contigo: contigo
PRON Gender=Com|Number=Plur|Person=1|PronType=Prs connosco: connosco
PRON Gender=Com|Number=Plur|Person=2|PronType=Prs convosco: convosco
""",
    "hi": """
PRON Case=Acc|Number=Sing|Person=1 मैं: मेरी
PRON Case=Nom|Number=Sing|Person=2 तू: तेरा तेरी तेरे
PRON Case=Nom|Number=Sing|Person=2 तुम: तुम्हारा तुम्हारी तुम्हारे
PRON _ कहाँ: कहाँ
""",
    "hr": _HR,
    "id": """
PART Polarity=Neg tidak: gak nggak ngga enggak
AUX _ sudah: udah udh
VERB Voice=Act tahu: tau
ADV _ saja: aja
ADV _ banget: banget
PRON PronType=Rel yang: yg
ADP _ dengan: dgn
PRON Number=Sing|Person=1|PronType=Prs aku: gue gw
PRON Number=Sing|Person=2|PronType=Prs kamu: elo
""",
    "it": """
ADV _ comunque: cmq
SCONJ _ perché: xké xkè xche
ADV _ perché: xké xkè xche
""",
    "mk": """
AUX Aspect=Imp|Mood=Ind|Number=Sing|Person=2|Tense=Pres|VerbForm=Fin|Voice=Act сум: си
PRON Case=Dat|PronType=Prs|Reflex=Yes си: си
PRON Case=Nom|Number=Sing|Person=2|PronType=Prs ти: ти
PRON Case=Dat|Number=Sing|Person=2|PronType=Prs ти: ти
""",
    "nl": """
PRON Case=Nom|Person=2|PronType=Prs jullie: jullie
PRON Case=Acc|Person=2|PronType=Prs jullie: jullie
PRON Person=2|Poss=Yes|PronType=Prs jullie: jullie
PRON Person=2|Poss=Yes|PronType=Prs u: uw
PRON Case=Nom|Person=1|PronType=Prs ik: 'k
PRON Case=Nom|Person=3|PronType=Prs hij: ie
ADV _ even: ff
""",
    "sr": _HR,
    "sv": """
PRON Definite=Def|Poss=Yes|PronType=Prs hen: hens
PRON Definite=Ind|Gender=Com|Number=Sing|PronType=Ind någon: nån
DET Definite=Ind|Gender=Com|Number=Sing|PronType=Ind någon: nån
PRON Definite=Ind|Gender=Neut|Number=Sing|PronType=Ind någon: nåt
DET Definite=Ind|Gender=Neut|Number=Sing|PronType=Ind någon: nåt
ADJ Case=Nom|Definite=Ind|Degree=Pos|Gender=Com|Number=Sing sådan: sån
ADV _ bara: ba
PRON Case=Acc|Definite=Def|Gender=Com|Number=Sing|PronType=Prs jag: mej
PRON Case=Acc|Definite=Def|Gender=Com|Number=Sing|PronType=Prs du: dej
PRON Case=Acc|Definite=Def|PronType=Prs sig: sej
""",
    "uk": """
PRON Animacy=Anim|Case=Nom|Number=Sing|Person=2|PronType=Prs ти: ти
PRON Animacy=Anim|Case=Gen|Number=Sing|Person=2|PronType=Prs ти: тебе
PRON Animacy=Anim|Case=Acc|Number=Sing|Person=2|PronType=Prs ти: тебе
PRON Animacy=Anim|Case=Dat|Number=Sing|Person=2|PronType=Prs ти: тобі
PRON Animacy=Anim|Case=Loc|Number=Sing|Person=2|PronType=Prs ти: тобі
PRON Animacy=Anim|Case=Ins|Number=Sing|Person=2|PronType=Prs ти: тобою
PRON Case=Ins|Gender=Masc|Number=Sing|Person=3|PronType=Prs він: ним
PRON Case=Dat|Number=Plur|Person=3|PronType=Prs вони: ним
PRON Case=Loc|Gender=Masc|Number=Sing|Person=3|PronType=Prs він: ньому
PRON Case=Dat|Gender=Fem|Number=Sing|Person=3|PronType=Prs вона: їй
PRON Case=Loc|Gender=Fem|Number=Sing|Person=3|PronType=Prs вона: ній
DET Case=Nom|Gender=Masc|Number=Sing|Person=2|Poss=Yes|PronType=Prs твій: твій
DET Animacy=Inan|Case=Acc|Gender=Masc|Number=Sing|Person=2|Poss=Yes|PronType=Prs твій: твій
DET Case=Gen|Gender=Masc|Number=Sing|Person=2|Poss=Yes|PronType=Prs твій: твого
DET Case=Dat|Gender=Masc|Number=Sing|Person=2|Poss=Yes|PronType=Prs твій: твоєму
DET Case=Ins|Gender=Masc|Number=Sing|Person=2|Poss=Yes|PronType=Prs твій: твоїм
DET Case=Nom|Gender=Neut|Number=Sing|Person=2|Poss=Yes|PronType=Prs твій: твоє
DET Case=Acc|Gender=Neut|Number=Sing|Person=2|Poss=Yes|PronType=Prs твій: твоє
DET Case=Nom|Gender=Fem|Number=Sing|Person=2|Poss=Yes|PronType=Prs твій: твоя
DET Case=Acc|Gender=Fem|Number=Sing|Person=2|Poss=Yes|PronType=Prs твій: твою
DET Case=Gen|Gender=Fem|Number=Sing|Person=2|Poss=Yes|PronType=Prs твій: твоєї
DET Case=Ins|Gender=Fem|Number=Sing|Person=2|Poss=Yes|PronType=Prs твій: твоєю
DET Case=Dat|Gender=Fem|Number=Sing|Person=2|Poss=Yes|PronType=Prs твій: твоїй
DET Case=Nom|Number=Plur|Person=2|Poss=Yes|PronType=Prs твій: твої
DET Case=Gen|Number=Plur|Person=2|Poss=Yes|PronType=Prs твій: твоїх
DET Case=Ins|Number=Plur|Person=2|Poss=Yes|PronType=Prs твій: твоїми
""",
}
"""By language, lines `UPOS features lemma: form form ...`, lower-cased."""


class Everyday(NamedTuple):
    upos: str
    feats: str
    lemma: str


@lru_cache(maxsize=64)
def everyday_words(lang: str) -> dict[str, tuple[Everyday, ...]]:
    """
    Returns the words of a language by form, in small letters and with a capital, each with all its
    annotations.
    """
    found: defaultdict[str, list[Everyday]] = defaultdict(list)
    for forms, word in _lines(lang):
        for form in {*forms, *map(str.capitalize, forms)}:
            found[form].append(word)
    return {form: tuple(words) for form, words in found.items()}


def _lines(lang: str) -> Iterator[tuple[list[str], Everyday]]:
    for line in _WORDS.get(lang, "").strip().split("\n"):
        if line:
            cells, forms = line.split(": ")
            yield forms.split(" "), Everyday(*cells.split(" "))
