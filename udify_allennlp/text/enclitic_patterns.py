"""
Spellings of words with clitics at their ends (`enclitics.py`): a group for the word, and one for
each clitic. The letters between two groups belong to none: Galician `facelo` is `facer o`.
"""

LO = "lo|la|los|las"
_ES = f"{LO}|le|les"
_ES_ALL = f"me|te|se|nos|os|{_ES}"
_GL = "me|te|che|se|lles?|nos|vos"
_GL_TWO = "(ll|ch|m)(o|a|os|as)"  # deullo: deu lle o
_IT = "lo|la|li|le|ne"
_IT_ALL = f"mi|ti|si|ci|vi|gli|{_IT}"
_CA_ALL = "me|te|se|lo|la|los|les|li|ne|hi|ho|nos|vos|ens|us"
_PT_ALL = "me|te|se|lhe|lhes|nos|vos|o|a|os|as"
FUTURE_PT = "ei|ás|á|emos|eis|ão|ia|ias|íamos|íeis|iam"
_NOUNS_GL = r"\w*(?:énfase|éxtase|xénese|ócese|érese|(?:antí|hipó|parén|pró|prós|sín)tese)$"
_LETTERS_YI = "\u05b0-\u05c7א-תװ-ײ"
CERTAIN = {
    "ca": [
        rf"([^\W\d][\w·]{{1,30}})-({_CA_ALL})",
        r"([^\W\d][\w·]{1,30})-(me|te|se|nos|vos|li|los)-(lo|la|los|les|li|ne|hi|ho)",
        r"([^\W\d][\w·]{1,30})-(me|te|se|nos|vos|li)'(ls?|ns?|m|t)",  # anar-se'n
        r"([^\W\d][\w·]{1,30})-([mts])'(ho|hi)",
        r"([^\W\d]{2,30}[ae])'(m|t|ns|ls?|n)",  # dona'm
        r"([^\W\d]{2,30}re)'(s)",
    ],
    "es": [
        rf"(\w{{1,30}}[áé]ndo)({_ES_ALL})({_ES})?",
        rf"(\w{{0,30}}[áéí]r)(me|te|se|nos|os)({_ES})",
        r"(\w{0,15}[áéíóú]\w{0,15})(me|te|se|nos)(lo|la|los|las)",  # dámelo
        r"(\w{0,15}[áéíóú]\w{0,15}[ae])(me|te|se)",  # cuéntame
        r"(\w{0,15}[áéíóú]\w{0,15}[ae]n)(me|se)",  # siéntense
        r"(\w{0,15}[áéí]mo)(nos)",  # vámonos
        r"(\w{1,15}[áé]mos)(los?|las?|les?|te)",  # hagámoslo
        r"(\w{1,15}[áé]mo)(se)(los?|las?)",  # digámoselo
        r"(d[ai])(me|les?|nos)",
        r"(haz|pon|ten)(me|les?|nos|los?|las?)",
        r"(haz|pon|ve)(te)",
        r"(ir)(me|te|se|nos|les?)",
    ],
    "gl": [
        rf"(\w{{1,30}}[áéíó]ndo)({_GL}|o|a|os|as)",
        r"(\w{0,15}[áéíóú]\w{0,15}[ae]n)(se)(lles?)?",  # pódense
        rf"(\w{{1,30}}(?:ába|ía|[áéí]ro)n)({_GL}|o|a|as)",
        r"(\w{1,30}[áéí]ron)(os)",
        r"(\w{1,30}(?:ába|[^\Waeou]ía))(me|te|se|lles?|vos)",
        r"(\w{2,30}[aeio]u)(me|te|che|se|lles?|vos)",  # sentouse
        r"(\w{2,30}[eio]u)n(o|a|as)",  # tomouno
        rf"(\w{{1,30}}[áéí]mo)(?:(nos)|l({'o|a|os|as'}))",
        r"(\w{1,30}[aei]ran)(me|se|lles?|vos|nos)",  # faranse
        r"(\w{1,30}[aei]rán?)(se)(me|lles?|nos)",
        rf"(?!{_NOUNS_GL})(\w{{0,15}}[áéíóú]\w{{0,15}}?[aeou])(se|lles?)(me|lles?|nos)?",
        r"(fai|vai|foi|deu|viu|hai)(me|te|che|se|lles?|vos|nos)",
        rf"(dei|deu|dou)(?:{_GL_TWO})",
        r"(\w{0,30}[aei])-l(o|a|os|as)",  # ve-lo
    ],
    "it": [
        rf"(\w{{2,30}}[ae]ndo)({_IT_ALL})",
        rf"(\w{{1,30}}(?:[ae]ndo|[aeiou]r))(me|te|se|ce|ve|glie)({_IT})",
        rf"(d[ai]|fa|va)(?:m(me)|t(te)|c(ce)|(glie))({_IT})",  # dammelo
        r"(d[ai]|fa|sta)m(mi)",
        r"(d[ai]|sta|va)c(ci)",
        r"(di)(?:l(lo|la|li|le)|(gli))",
        rf"(\w{{2,30}}iamo)(ci|vi|gli|{_IT})",  # andiamoci
        rf"(\w{{2,30}}iamo)(me|te|ce|ve|glie)({_IT})",
        r"(\w{2,30}[aei]te|date|dite|fate)(mi|vi)",
        r"(ecco)(mi|ti|ci|vi|lo|la|li|le|ne)",
    ],
    "pl": [
        r"(\w{1,30}ł)(eś)",
        r"(\w{1,30}ła)(ś)",
        r"(\w{1,30}ła)(m)",
        r"(\w{1,30}(?:[iyo]wa|ą|\w\wi|\w\wy)ł)(em)",
        r"(\w{1,30}li)(śmy)",
        r"(\w{2,30}li)(ście)",
        r"(\w{1,30}ły)(śmy|ście)",
        r"(?!jeśli|jeżeli)(\w{1,30}(?:ł|ł[aoy]|li))(by)",
        r"(\w{1,30}ła?)(by)(m|ś)",
        r"(\w{1,30}(?:li|ły))(by)(śmy|ście)",
    ],
    "pt": [
        rf"([^\W\d]\w{{1,30}})-({_PT_ALL})",
        rf"([^\W\d]\w{{1,30}})-(se|me|te|lhes?)-({_PT_ALL})",
        r"([^\W\d]\w{1,30})-(lh|[mt])(o|a|os|as)",
        r"([^\W\d]\w{0,30}(?:m|ão|õe))-n(o|a|as)",  # deram-no
        rf"(\w{{1,30}}[áêí])-({LO})",  # dizê-lo
        rf"(\w{{2,30}}i|\w{{1,30}}[aei]mo|\w{{0,30}}pô|fi|qui)-({LO})",
        rf"([^\W\d]\w{{1,30}}r)-({_PT_ALL})-({FUTURE_PT})",  # far-se-á
        rf"(\w{{1,30}}[áêí]|\w{{0,30}}pô)-({LO})-({FUTURE_PT})",
    ],
    "sq": [r"([sç]')([^\W\d]\w{0,30})"],
    "tl": [r"(\w{1,30}[aeiou])('[ty])"],
    "yi": [
        rf"([כמס])['’׳′]([{_LETTERS_YI}]{{1,30}})",  # ס'איז
        rf"([{_LETTERS_YI}]{{1,30}}סט)(ו)",  # ביסטו
    ],
}
OF_VERBS = {
    "es": [
        rf"(\w{{1,30}}[aeií]r)({_ES_ALL})",
        rf"(\w{{0,15}}[áéíóú]\w{{0,15}}[aeo]n?)(me|te|se|nos|{_ES})",  # míralo
        rf"(\w{{1,30}}[aei]d)(me|nos|{_ES})",  # decidle
        r"(\w{2,30}a)(os)",  # sentaos
    ],
    "gl": [
        r"(\w{2,30}[aeií]r)(me|te|che|se|lle|lles|nos|vos)",
        rf"(\w{{2,30}}[aeio]u)(?:{_GL_TWO})",
        r"(\w{0,15}[áéíóú]\w{0,15}[ae])(ll|ch)(o|a|os|as)",  # préstallo
        r"(\w{0,15}[áéíóú]\w{0,15}[ae])(o|a|os|as)",  # déixao
        rf"(\w{{0,15}}[áéíóú]\w{{0,15}}[aeiou]n?)({_GL})",  # trátase
        r"(\w{0,15}[áéíóú]\w{0,15}[aeo]n)(o|a|os|as)",  # píllano
        r"(\w{2,30}[aei])l(o|a|os|as)",  # facelo
        r"(\w{1,30}[aei]ra)(me|se|lles?|vos|nos)",  # farase
        r"(\w{1,30}ei)(me|te|lles?|vos)",
    ],
    "it": [
        rf"(\w{{1,30}}[aeiou]r)({_IT_ALL})",
        r"(\w{2,30}a)(mi|ci|lo|la)",  # aiutami
        r"(\w{2,30}i)(mi|ci|lo|la|gli)",  # prendilo; partiti is another word
        rf"(\w{{1,30}}[aei]te)(mi|ci|vi|gli|{_IT})",  # ditemi
        rf"(\w{{2,30}}[aei])(me|ce|glie)({_IT})",  # portamelo
    ],
    "pl": [r"(\w{1,30}ł)(em)"],
}
"""
Spellings of other words, too, such as `parte`, if the part before the clitic is not a verb form
that `takes_pronouns`.
"""
OTHERS = {
    "es": {"Dale", "Dame", "intérprete", "pésame", "zárate"},
    "gl": {"améndoas", "fase-la", "pontedeume", "pésame", "psoríase", "toulouse"},
    "it": {"anatemi", "girandola", "girandole", "legami", "segnala", "segnalo"},
}
