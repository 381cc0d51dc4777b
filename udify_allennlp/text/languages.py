"""The known languages: ISO 639 codes, as used in Universal Dependencies, and English names."""

import re
from collections.abc import Collection
from difflib import get_close_matches

from udify_allennlp.text.errors import InputError

# ISO 639-1, and the longer codes of Universal Dependencies; those that begin with q are its own.
_LIST = """
aa Afar; ab Abkhaz; abq Abaza; ae Avestan; af Afrikaans; aii Assyrian; ajp South Levantine Arabic;
ak Akan; akk Akkadian; aln Gheg; am Amharic; an Aragonese; ang Old English; apu Apurina; aqz
Akuntsu; ar Arabic; arh Ika; arn Mapudungun; arr Karo; as Assamese; ast Asturian; av Avar; awa
Awadhi; ay Aymara; az Azerbaijani; azz Highland Puebla Nahuatl; ba Bashkir; ban Balinese; bar
Bavarian; be Belarusian; bej Beja; bg Bulgarian; bho Bhojpuri; bi Bislama; bm Bambara; bn Bengali;
bo Tibetan; bor Bororo; br Breton; bs Bosnian; bxr Buryat; ca Catalan; ce Chechen; ceb Cebuano; ch
Chamorro; ckb Central Kurdish; ckt Chukchi; co Corsican; cop Coptic; cpg Cappadocian; cr Cree; crh
Crimean Tatar; cs Czech; cu Old Church Slavonic; cv Chuvash; cy Welsh; da Danish; de German; dsb
Lower Sorbian; dta Daur; dv Divehi; dz Dzongkha; ee Ewe; egy Egyptian; el Greek; eme Teko; en
English; eo Esperanto; es Spanish; ess Yupik; et Estonian; eu Basque; fa Persian; ff Fula; fi
Finnish; fj Fijian; fo Faroese; fr French; frm Middle French; fro Old French; fy Western Frisian; ga
Irish; gd Scottish Gaelic; gl Galician; gn Guarani; got Gothic; grc Ancient Greek; gsw Swiss German;
gu Gujarati; gub Guajajara; gun Mbya Guarani; gv Manx; gwi Gwichin; gya Northwest Gbaya; ha Hausa;
hbo Ancient Hebrew; he Hebrew; hi Hindi; hit Hittite; ho Hiri Motu; hr Croatian; hsb Upper Sorbian;
ht Haitian Creole; hu Hungarian; hy Armenian; hyw Western Armenian; hz Herero; ia Interlingua; id
Indonesian; ie Interlingue; ig Igbo; ii Nuosu; ik Inupiaq; ilo Ilocano; io Ido; is Icelandic; it
Italian; iu Inuktitut; ja Japanese; jaa Madi; jv Javanese; ka Georgian; kaa Karakalpak; kfm
Khunsari; kg Kongo; ki Kikuyu; kj Kwanyama; kk Kazakh; kl Greenlandic; km Khmer; kmr Kurmanji; kn
Kannada; ko Korean; koi Komi Permyak; kpv Komi Zyrian; kr Kanuri; krl Karelian; ks Kashmiri; ku
Kurdish; kv Komi; kw Cornish; ky Kyrgyz; la Latin; lb Luxembourgish; lg Ganda; li Limburgish; lij
Ligurian; lmo Lombard; ln Lingala; lo Lao; lt Lithuanian; ltg Latgalian; lu Luba-Katanga; lv
Latvian; lzh Classical Chinese; mai Maithili; mdf Moksha; mg Malagasy; mh Marshallese; mi Maori; mk
Macedonian; ml Malayalam; mn Mongolian; mni Manipuri; mpu Makurap; mr Marathi; ms Malay; mt Maltese;
my Burmese; myu Munduruku; myv Erzya; na Nauru; nap Neapolitan; naq Khoekhoe; nb Norwegian Bokmal;
nd Northern Ndebele; nds Low Saxon; ne Nepali; ng Ndonga; nhi Western Sierra Puebla Nahuatl; nl
Dutch; nmf Naga; nn Norwegian Nynorsk; no Norwegian; nog Nogai; non Old Norse; nr Southern Ndebele;
nv Navajo; ny Chichewa; nyq Nayini; oc Occitan; oj Ojibwe; olo Livvi; om Oromo; or Odia; orv Old
East Slavic; os Ossetian; ota Ottoman Turkish; otk Old Turkish; pa Punjabi; pad Paumari; pay Pesh;
pcm Naija; pi Pali; pl Polish; pro Old Occitan; ps Pashto; pt Portuguese; qaf Maghrebi Arabic
French; qfn Frisian Dutch; qhe Hindi English; qpm Pomak; qtd Turkish German; qte Telugu English; qti
Turkish English; qu Quechua; quc Kiche; rm Romansh; rn Rundi; ro Romanian; ru Russian; ruc Ruuli; rw
Kinyarwanda; sa Sanskrit; sab Bokota; sah Yakut; say Zaar; sc Sardinian; scn Sicilian; sco Scots; sd
Sindhi; sdh Southern Kurdish; se Northern Sami; sg Sango; sga Old Irish; sh Serbo-Croatian; si
Sinhala; sjo Xibe; sk Slovak; sl Slovenian; sm Samoan; sme North Sami; sms Skolt Sami; sn Shona; so
Somali; soj Soi; sq Albanian; sr Serbian; ss Swati; ssp Spanish Sign Language; st Southern Sotho; su
Sundanese; sv Swedish; sw Swahili; swl Swedish Sign Language; szl Silesian; ta Tamil; te Telugu; tg
Tajik; th Thai; ti Tigrinya; tk Turkmen; tl Tagalog; tn Tswana; to Tongan; tpn Tupinamba; tr
Turkish; ts Tsonga; tt Tatar; tw Twi; ty Tahitian; ug Uyghur; uk Ukrainian; ur Urdu; urb Kaapor; uz
Uzbek; ve Venda; vec Venetian; vep Veps; vi Vietnamese; vo Volapuk; wa Walloon; wbp Warlpiri; wo
Wolof; xav Xavante; xcl Classical Armenian; xh Xhosa; xnr Kangri; xpg Phrygian; xum Umbrian; yi
Yiddish; yo Yoruba; yrk Nenets; yrl Nheengatu; yue Cantonese; za Zhuang; zh Chinese; zu Zulu
"""
_PAIRS = (entry.split(maxsplit=1) for entry in " ".join(_LIST.split()).split(";"))
LANGUAGES = dict(_PAIRS)
"""English names by code."""
# ISO 639-2 and 639-3, of macrolanguages that of the language which treebanks have as well.
_LONGER = """
aa aar; ab abk; ae ave; af afr; ak aka; am amh; an arg; ar ara arb; as asm; av ava; ay aym; az aze
azj; ba bak; be bel; bg bul; bi bis; bm bam; bn ben; bo bod tib; br bre; bs bos; ca cat; ce che; ch
cha; co cos; cr cre; cs ces cze; cu chu; cv chv; cy cym wel; da dan; de deu ger; dv div; dz dzo; ee
ewe; el ell gre; en eng; eo epo; es spa; et ekk est; eu baq eus; fa fas per pes; ff ful; fi fin; fj
fij; fo fao; fr fra fre; fy fry; ga gle; gd gla; gl glg; gn grn; gu guj; gv glv; ha hau; he heb; hi
hin; ho hmo; hr hrv; ht hat; hu hun; hy arm hye; hz her; ia ina; id ind; ie ile; ig ibo; ii iii; ik
ipk; io ido; is ice isl; it ita; iu iku; ja jpn; jv jav; ka geo kat; kg kon; ki kik; kj kua; kk kaz;
kl kal; km khm; kn kan; ko kor; kr kau; ks kas; ku kur; kv kom; kw cor; ky kir; la lat; lb ltz; lg
lug; li lim; ln lin; lo lao; lt lit; lu lub; lv lav lvs; mg mlg plt; mh mah; mi mao mri; mk mac mkd;
ml mal; mn khk mon; mr mar; ms may msa zsm; mt mlt; my bur mya; na nau; nb nob; nd nde; ne nep npi;
ng ndo; nl dut nld; nn nno; no nor; nr nbl; nv nav; ny nya; oc oci; oj oji; om orm; or ori ory; os
oss; pa pan; pi pli; pl pol; ps pus; pt por; qu que; rm roh; rn run; ro ron rum; ru rus; rw kin; sa
san; sc srd; sd snd; sg sag; sh hbs; si sin; sk slk slo; sl slv; sm smo; sn sna; so som; sq alb als
sqi; sr srp; ss ssw; st sot; su sun; sv swe; sw swa swh; ta tam; te tel; tg tgk; th tha; ti tir; tk
tuk; tl tgl; tn tsn; to ton; tr tur; ts tso; tt tat; tw twi; ty tah; ug uig; uk ukr; ur urd; uz uzb
uzn; ve ven; vi vie; vo vol; wa wln; wo wol; xh xho; yi ydd yid; yo yor; za zha; zh chi cmn zho; zu
zul
"""
_ALIKE = (entry.split() for entry in _LONGER.split(";"))
SHORT_CODES = {longer: code for code, *others in _ALIKE for longer in others}
"""Two-letter codes of three-letter ones: `fr` for `fra` and for `fre`."""
UD_CODES = {"nb": "no", "nn": "no", "se": "sme"}
"""Codes of languages in treebanks, where ISO 639 has another one."""
STANDARDS = {"nb": "no_bokmaal", "nn": "no_nynorsk"}
"""Treebanks of written standards that share the code of a language in treebanks."""
CODES = {name.lower(): code for code, name in LANGUAGES.items()}
"""Codes by English name in lower case."""


def language_code(lang: str, more: Collection[str] = ()) -> str:
    """
    Returns the code of a language: `fr` for `fr`, `fra`, `French`, `fr-CA` and `fr_gsd`.

    # Parameters

    lang : `str`
        A code, a locale or treebank name that begins with one, or an English name.
    more : `Collection[str]`
        Known codes in addition to `LANGUAGES`, such as those that a model was trained on.

    # Raises

    `InputError` for an unknown language, with similarly spelled ones.
    """
    if not isinstance(lang, str):
        raise InputError(
            f"lang is {lang!r:.60}. Use one code or name, such as 'fr', for all texts of a call; "
            "omit it to have the language of each guessed."
        )
    wanted = lang.strip().lower()
    code = re.split("[-_]", wanted)[0]
    name = wanted.replace("_", " ")
    if wanted in more:
        return wanted
    # Names before codes: `Old_French` is none of `old`.
    for match in (code if code in LANGUAGES else None, CODES.get(name), SHORT_CODES.get(code)):
        if match:
            return match
    if code in more:
        return code
    alike = get_close_matches(name, [*CODES, *LANGUAGES, *more], n=3)
    codes = dict.fromkeys(CODES.get(name_or_code, name_or_code) for name_or_code in alike)
    shown = " or ".join(f"{code_alike} ({language_name(code_alike)})" for code_alike in codes)
    raise InputError(
        f"Unknown language {lang!r:.60}. "
        + (f"Did you mean {shown}? " if shown else "")
        + "Use an ISO code such as fr, or an English name: `allennlp ud-card --languages`."
    )


def language_or_treebank(lang: str, more: Collection[str] = ()) -> str:
    """
    Returns the result of `language_code`, except that the name of a treebank, `fr_gsd`, stays as it
    is.
    """
    code, name = language_code(lang, more), lang.strip().lower()
    return name if name.startswith(f"{code}_") else code


def language_name(code: str) -> str:
    """Returns the English name of a code; the code itself if it is not in `LANGUAGES`."""
    return LANGUAGES.get(code, code)


def as_relative(lang: str) -> str:
    """Returns the sentence of a warning that names the training language used instead."""
    return f"It is parsed as {language_name(lang)} ({lang}), the nearest training language."
