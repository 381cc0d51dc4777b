"""
The written standard of Norwegian sentences, Bokmål or Nynorsk. Each has a separate treebank;
without one, lemmas are a mixture of both.
"""

from collections.abc import Iterable

from udify_allennlp.text.languages import STANDARDS

LANGUAGE = "no"
DEFAULT, OTHER = "nb", "nn"
"""The codes of Bokmål, the more frequent one, and of Nynorsk."""
_OF_BOKMAL = """
allerede annen annet bare bedre ble da dager dem dere deres derfor disse egen egentlig en eneste
et fikk finnes flere fortsatt fra ganger gikk gir gjelder gjorde gjør gjøre ham hele helt heter
hjem hjemme holde hun hva hvem hver hvert hvilke hvilken hvilket hvis hvor hvordan hvorfor
hvorvidt ikke jeg kommer kommet ligger man mener mennesker mens mer mulig mye noe noen norge nå
samme sammen se selv senere siden sier sitter snakker spiser stedet synes særlig tidligere trenger
tror uten utenfor vanskelig verden vet være vært
"""
_OF_NYNORSK = """
anna annan att berre betre dagar dei desse difor dykk dykkar då eg eigen eigentleg ein einaste eit
eitt fann fekk fleire framleis frå fyrste gav gje gjekk gjeld gjer gjera gjere gjev gong gongen
halde heile heilt heim heime heiter held heldt hjå ho høve ikkje kjem kome korfor korleis kva kvar
kvart kven kvifor ligg medan meiner meir mogleg mykje no noko nokon nokre noreg saman same seie
seier seinare sidan sjå sjølv sjølve sjølvsagt skriv snakkar staden særleg tek tidlegare trur utan
vanskeleg vart vegen veit vera verda vere vert vore òg
"""
_BOKMAL, _NYNORSK = frozenset(_OF_BOKMAL.split()), frozenset(_OF_NYNORSK.split())


def standard_of(words: Iterable[str]) -> str:
    """
    Returns the code of the standard of which the words of a text have more that the other lacks,
    `""` if they have as many of either.
    """
    own = [word.lower() for word in words]
    more = sum(word in _NYNORSK for word in own) - sum(word in _BOKMAL for word in own)
    return OTHER if more > 0 else DEFAULT if more < 0 else ""


def treebank_of(words: Iterable[str], named: str, lang: str = "") -> str:
    """
    Returns the treebank of a Norwegian sentence: the one that is `named`, if it is Norwegian,
    otherwise that of its standard. That is named, or is its language, as in the comment
    `# lang = nn`, or that of its words, or `DEFAULT`.
    """
    if named.startswith(f"{LANGUAGE}_"):
        return named
    told = next((code for code in (named, lang) if code in STANDARDS), "")
    return STANDARDS[told or standard_of(words) or DEFAULT]
