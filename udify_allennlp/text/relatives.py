"""
The language nearest to another by descent, as a substitute for one that training lacks.

Languages are grouped by genera, largely as in the World Atlas of Language Structures (Dryer and
Haspelmath 2013), and within a genus as usual. A language without others in its genus has no
relative: languages of a whole family, such as Indo-European, share too few endings and words.
Creoles, sign languages, constructed languages and code-switching texts are in no genus.
"""

from collections.abc import Iterable
from typing import Optional

from udify_allennlp.text.languages import UD_CODES

_GENERA = """
albanian: sq aln
armenian/modern: hy hyw
armenian: xcl
atlantic: ff wo
aztecan: azz nhi
baltic/eastern: lv ltg
baltic: lt
bantu/great lakes: lg rn ruc rw
bantu/nguni: nd nr ss xh zu
bantu/sotho: st tn
bantu: hz kg ki kj ln lu ng ny sn sw ts ve
bodic: bo dz
celtic/brythonic: br cy kw
celtic/goidelic/modern: ga gd gv
celtic/goidelic: sga
chadic: ha say
chinese/modern: yue zh
chinese: lzh
cushitic: aa om so
dravidian/southern: kn ml ta
dravidian: te
egyptian: cop egy
eskimo: ess ik iu kl
finnic/northern: fi krl olo vep
finnic: et
germanic/north/mainland/danish: da no
germanic/north/mainland: sv
germanic/north/insular: fo is non
germanic/west/english: ang en sco
germanic/west/frankish: af li nl
germanic/west/frisian: fy
germanic/west/high/german: bar de gsw lb
germanic/west/high: yi
germanic/west/low: nds
germanic: got
greek/modern: cpg el
greek: grc
indic/central/hindustani: hi ur
indic/central: bho awa gu mai ne pa xnr
indic/eastern: as bn or
indic: ks mr sa sd si
iranian/kurdish: ckb kmr ku sdh
iranian/central: kfm nyq soj
iranian/persian: fa tg
iranian: ae os ps
italic: la xum
malayic: id ms
mongolic: bxr mn
mordvin: mdf myv
oceanic: fj mi sm to ty
permic: koi kpv kv
philippine/central: ceb tl
philippine: ilo
romance/eastern: ro
romance/french: fr frm fro wa
romance/iberian/galician: gl pt
romance/iberian: an ast es
romance/italian/gallo: lij lmo vec
romance/italian: it nap sc scn
romance/occitan: ca oc pro
romance/rhaeto: rm
sami: sme sms
semitic/arabic/written: ajp ar
semitic/arabic: mt
semitic/ethiopic: am ti
semitic/northwest/hebrew: hbo he
semitic/northwest: aii
semitic: akk
slavic/east/modern: be ru uk
slavic/east: orv
slavic/south/eastern: bg cu mk qpm
slavic/south/western/serbian: bs hr sh sr
slavic/south/western: sl
slavic/west/czech: cs sk
slavic/west/polish: pl szl
slavic/west/sorbian: dsb hsb
tai: lo th za
tupari: aqz mpu
tupi-guarani: eme gn gub gun tpn urb yrl
turkic/karluk: ug uz
turkic/kipchak: ba crh kaa kk ky nog tt
turkic/oghuz/western: az ota tr
turkic/oghuz: tk
turkic/siberian: otk sah
turkic: cv
"""
_PATHS = {
    code: tuple(path.split("/"))
    for path, _, codes in (line.partition(":") for line in _GENERA.strip().split("\n"))
    for code in codes.split()
}
"""The genus of each language and its groups within it, the widest first."""


def nearest(lang: str, known: Iterable[str]) -> Optional[str]:
    """
    Returns the language among those `known` that shares the most groups with another, all by their
    codes; among several, the first one. Returns the language itself if it is known; `None` if its
    genus has none.
    """
    return next(iter(all_nearest(lang, known)), None)


def all_nearest(lang: str, known: Iterable[str]) -> list[str]:
    """Returns all languages that share the most groups with another, in order; see `nearest`."""
    own = UD_CODES.get(lang, lang)
    codes = list(known)
    if own in codes:
        return [own]
    path = _PATHS.get(own, ())
    shared = {code: _in_common(path, _PATHS.get(code, ())) for code in codes}
    most = max(shared.values(), default=0)
    return [code for code in shared if shared[code] == most > 0]


def _in_common(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    number = 0
    for one, other in zip(first, second):
        if one != other:
            break
        number += 1
    return number
