"""
Abbreviations before names, others that sentencex lacks, and words that it takes for abbreviations.
"""

from collections.abc import Mapping
from typing import Optional

ANYWHERE = frozenset(["dr", "mr", "mrs", "prof"])
"""Words of `BEFORE_NAMES` in all languages."""
BEFORE_NAMES = {
    "af": "adv bv dhr ds ing ir mej mev mnr mnre nr",
    "ar": "أ أ.د د م",
    "be": "акад вул гл напр праф св ім",
    "bg": "бр бул вж г гр доц инж ок пл проф св ул чл",
    "bn": "ড ডা মো",
    "ca": (
        "av avda dna dra dras dres fig gral ing lic mn núm pàg pág págs sr sra sras sres srta "
        "sta sto tel"
    ),
    "cs": (
        "bc doc gen ing judr mddr mgr mudr mvdr napr např nám p phdr plk rndr str sv tel tj tzv tř "
        "ul č čl"
    ),
    "da": "evt frk hr jf kap kgl mia mio nr tlf",
    "de": (
        "abb abs allg amtl angew anm bd bzw ca dipl ehem engl entspr evtl exkl fa frl frz geb gegr "
        "gem ggf habil hr hrn hrsg inkl insb jur kath kgl med mio mrd nat ndl nr nördl oec phil "
        "rer röm schweiz sog städt südl techn tel theol tsd ugs urspr vgl wiss z.hd öffentl österr"
    ),
    "el": "άρθρ αγ αρ βλ δηλ δισ δρ εκατ κ κα καθ κκ λεωφ παρ περ σελ τηλ χιλ",
    "en": (
        "amb attn atty capt cf cmdr col eq eqs fig figs gen gov hon lt maj messrs ms mt rep rev "
        "sen sgt supt vol vs"
    ),
    "es": (
        "arq art av avda dn dra dras dres dña ee excma excmo ff fig gral ilma ilmo ing lic "
        "núm pág págs rr sr sra sras sres srta sta sto tel"
    ),
    "et": "hr lk nr nt vt",
    "eu": "adib and dk ik jn",
    "fr": "al av bd cf chap fig l m mgr mlle mlles mm mme mmes p pp pr ste tabl tél",
    "ga": "lch oll toll tuas uas uimh",
    "gl": (
        "art av avda dn dna dra dras dres ee fig gral ing lic núm pág págs páx sr sra sras "
        "sres srta sta sto tel"
    ),
    "hi": "डॉ पं प्रो श्री स्व",
    "hr": "dipl doc gđa inž npr sv tj tzv ul čl доц др нпр проф св тзв тј ул чл",
    "hu": "bp ifj kb vö özv ún",
    "hy": "ակադ դոկտ պրոֆ",
    "id": "bpk hlm jl kab kec tgl",
    "is": "bls hr nr",
    "it": (
        "arch art artt avv cap cfr dott egr fig gent geom ing l on onn pag pagg rag sig sigg "
        "spett tel"
    ),
    "ka": "აკად დოც პროფ ქ",
    "la": "cap cn lib",
    "lt": "doc mln mlrd pvz tūkst žr",
    "lv": "plkst",
    "mr": "डॉ प्रा श्री",
    "nb": "ca dvs evt frk hr jf kap kgl mill mrd nr tlf",
    "ne": "डा प्रा",
    "nl": "art bijv ca dhr drs ds evt fig ing ir mevr mgr mld mw nr resp tel",
    "pl": (
        "al doc godz hab im inż ks m.in med mgr np nr p płk red ryc rys tabl tel tzn tzw ul woj św"
    ),
    "pt": (
        "arq art arts av dra dras eng exma exmo fig núm profa pág págs sr sra sras srs srta sta tel"
    ),
    "ro": "alin art av cca dl dna fig jud lit nr pag sf str",
    "ru": "акад г гл доц им кв оз ок пер пл просп проф рис св см стр табл ул",
    "sk": (
        "bc doc gen ing judr mddr mgr mudr mvdr napr např nám p phdr plk rndr str sv tel tj tzv ul "
        "č čl"
    ),
    "sl": "dipl doc g gdč gđa inž npr str sv tj tzv ul čl št доц др нпр проф св тзв тј ул чл",
    "sq": "nr rr z znj",
    "sr": "dipl doc gđa inž npr sv tj tzv ul čl доц др инж нпр проф св тзв тј ул чл",
    "sv": "dvs hr jfr kap nr tel",
    "sw": "bi bw dkt mh mwl",
    "ta": "திரு",
    "te": "డా",
    "tl": "atty bb brgy engr g gng gov kgg sen sta sto",
    "tr": "alb av bkz cad doç mah sn sok yrd",
    "uk": (
        "акад бл буд вул гл див доц каб кв м мал напр оз просп проф рис с св смт ст табл ім інж"
    ),
    "vi": "BS GS PGS PGS.TS TP TS ths",
}
"""
By language: words that hardly ever end a sentence, lower-cased except acronyms. Small letters end
one if a word follows that opens sentences (`sentence_openers.py`): Polish `Widzę im. Potem`.
"""
INSIDE = {
    "af": "apr asb aug bl des feb gebr genl jan jul jun kapt mrt nov okt sept tel vgl",
    "bg": "дин хил",
    "ca": "art",
    "da": "apr aug bibl dec feb hhv iflg incl jan jul jun nov okt resp sept",
    "de": (
        "Apr Aug Dez Feb Febr Fr Jan Jul Jun Mi Mo Mrz Nov Okt Sa Sept abt aufl ausschl betr bezgl "
        "bsp bspw einschl ggü hbf insbes jhd kfm nachm tel ungef vorh zzgl"
    ),
    "en": (
        "Fri Mon No Nos Sat Sun Thu Thur Thurs Tue Tues Wed al approx assoc govt incl intl "
        "lbs misc natl"
    ),
    "es": "cda cdta mill",
    "et": "jt lk",
    "eu": "etab",
    "fr": "art déc dép env févr hab janv",
    "gl": "páx",
    "hr": "din hilj tis",
    "hu": "bp de du kft kr kt max nyrt rt sz tel zrt",
    "id": "dkk hlm",
    "lt": "val",
    "nb": (
        "adr alm avd bibl eks ekskl fhv hhv iflg inkl jfr maks omtr overs pct pga pst resp sml "
        "spes tidl utg vedr vha"
    ),
    "nl": "afb apr aug dec excl feb incl jan jhr jul jun mln nov okt oorspr plm secr sept",
    "pl": "art lek ok",
    "pt": "cia ltda",
    "ro": "mil mld",
    "sr": "din hilj дин хиљ",
    "sv": (
        "adr ang apr aug avd dec exkl feb forts inkl jan jul jun nov okt pga repr resp sekr sept "
        "spec stf tekn tfn uppl urspr utg"
    ),
    "uk": "грн",
}
"""
By language: other abbreviations, after which a sentence continues before a lower-case letter or a
number. Those with a capital are abbreviations with a capital only (`Sun.`).
"""
COUNTS = frozenset(
    ["mia", "mill", "mio", "mld", "mln", "mlrd", "mrd", "tsd", "tūkst", "δισ", "εκατ"]
)
"""Words of `BEFORE_NAMES` after which a noun follows. Others are units after a number: `2019 г.`"""
PLAIN = {
    "de": "mich",
    "en": "me ok re",
    "es": "bien no",
    "hu": "ma mi nem",
    "la": "ens me nos res se",
    "lv": "ne",
    "nb": "det eg kan med ord ut",
    "nl": "dat hand pas top",
    "ro": "ba ia loc",
    "sl": "ne",
    "sv": "det med",
    "sw": "la",
    "tr": "mi",
}
"""By language: words that end sentences in treebanks, but are abbreviations in sentencex."""
OTHER_NAMES = {"bs": "hr", "mk": "bg", "nn": "nb", "no": "nb", "sh": "hr"}


def listed(table: Mapping[str, str], lang: Optional[str]) -> frozenset[str]:
    """Returns the words of a language (`None`: English) in a table."""
    name = lang or "en"
    return frozenset(table.get(OTHER_NAMES.get(name, name), "").split())
