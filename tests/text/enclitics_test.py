"""Verbs with pronouns at their ends, which are multiword tokens."""

import pytest

from tests.helpers.segmentation import in_parts, texts_in_parts
from udify_allennlp.text.enclitics import enclitic_spans, enclitics, takes_pronouns
from udify_allennlp.text.lemma_rules import make_rule

LANGS = ["ca", "es", "gl", "it", "pl", "pt", "sq", "tl", "yi", "en"]
PIECES = ["dá", "dando", "dándo", "ver", "lo", "se", "Se", "-", " ", ".", "/", "í", "te", "a", "1"]
PIECES += ["a", "-le", "'", "byłam", "s'", "ס׳", "ביסטו"]


@pytest.mark.parametrize(
    "lang, form, words",
    [
        ("es", "dándoselo", "dando se lo"),
        ("es", "Dámelo", "da me lo"),
        ("es", "decírselo", "decir se lo"),
        ("es", "reírselo", "reír se lo"),
        ("es", "CUÉNTAME", "cuenta me"),
        ("es", "ríete", "ríe te"),
        ("es", "siéntense", "sienten se"),
        ("es", "rápidamente", ""),
        ("es", "intérprete", ""),
        ("es", "caramelo", ""),
        ("es", "verlo", ""),  # no verb is known
        ("es", "Hazlo", "haz lo"),
        ("es", "vámonos", "vamos nos"),
        ("es", "Dame", ""),  # Notre Dame
        ("it", "guardandolo", "guardando lo"),
        ("it", "andarsene", "andar se ne"),
        ("it", "Amandola", ""),
        ("it", "girandola", ""),
        ("it", "Dammelo", "da' me lo"),
        ("it", "vattene", "va te ne"),
        ("it", "Digli", "di' gli"),
        ("it", "dagli", ""),  # da gli
        ("it", "Andiamocene", "andiamo ce ne"),
        ("it", "aiutami", ""),  # no verb is known
        ("pt", "encontra-se", "encontra se"),
        ("pt", "viu-o", "viu o"),
        ("pt", "dizê-lo", "dizer lo"),
        ("pt", "Ajudá-LAS", "ajudar las"),
        ("pt", "dar-lhe", "dar lhe"),
        ("pt", "vende-lo", ""),
        ("pt", "2-a", ""),
        ("ca", "donar-se-les", "donar se les"),
        ("ca", "Dona'm", "dona me"),
        ("ca", "comprometre's", "comprometre se"),
        ("ca", "America's", ""),
        ("ca", "l'", ""),
        ("gl", "dándolle", "dando lle"),
        ("gl", "constituíndose", "constituíndo se"),
        ("gl", "Deullo", "deu lle o"),
        ("gl", "Deumos", "deu me os"),
        ("gl", "Deuche", "deu che"),
        ("gl", "trauma", ""),
        ("fr", "donne-le", ""),
        ("es", "Dime", "di me"),
        ("es", "irnos", "ir nos"),
        ("es", "tirme", ""),
        ("it", "Alzatevi", "alzate vi"),
        ("it", "scusatemi", "scusate mi"),
        ("it", "Datemi", "date mi"),
        ("it", "Eccolo", "ecco lo"),
        ("it", "sistemi", ""),
        ("ca", "anar-se'n", "anar se ne"),
        ("ca", "Porta-me'ls", "porta me los"),
        ("ca", "posar-s'hi", "posar se hi"),
        ("pt", "ouvi-lo", "ouvir lo"),
        ("pt", "pô-los", "pôr los"),
        ("pt", "compô-la", "compor la"),
        ("pt", "Fizemo-lo", "fizemos lo"),
        ("pt", "fi-lo", "fiz lo"),
        ("pt", "fá-lo", "faz lo"),
        ("pt", "Fá-lo-ei", "farei lo"),
        ("pt", "dir-se-ia", "diria se"),
        ("pt", "Encontrar-nos-emos", "encontraremos nos"),
        ("pt", "viu-se-lhe", "viu se lhe"),
        ("pt", "Disse-lho", "disse lhe o"),
        ("pt", "Dei-to", "dei te o"),
        ("pt", "Disse-mos", "disse me os"),
        ("es", "Hagámoslo", "hagamos lo"),
        ("es", "Digámosle", "digamos le"),
        ("es", "digámoselo", "digamos se lo"),
        ("es", "caos", ""),
        ("pt", "Puseram-na", "puseram a"),
        ("pt", "deram-nos", "deram nos"),
        ("pt", "face-a-face", ""),
        ("gl", "sentouse", "sentou se"),
        ("gl", "Levouno", "levou o"),
        ("gl", "Trouxéronnos", "trouxeron nos"),
        ("gl", "modificárono", "modificaron o"),
        ("gl", "negábase", "negaba se"),
        ("gl", "poderíase", "podería se"),
        ("gl", "prodúcese", "produce se"),
        ("gl", "adquírese", "adquire se"),
        ("gl", "sitúase", "sitúa se"),
        ("gl", "atribúeselle", "atribúe se lle"),
        ("gl", "remitiráselles", "remitirá se lles"),
        ("gl", "indicaranse", "indicarán se"),
        ("gl", "vémonos", "vemos nos"),
        ("gl", "vémola", "vemos a"),
        ("gl", "reduci-las", "reducir as"),
        ("gl", "hipótese", ""),
        ("gl", "énfase", ""),
        ("gl", "perante", ""),
        ("gl", "Toulouse", ""),
        ("pl", "Powiedziałeś", "powiedział eś"),
        ("pl", "poszłaś", "poszła ś"),
        ("pl", "Zjadłam", "zjadła m"),
        ("pl", "wysyłam", ""),
        ("pl", "Mruknąłem", "mruknął em"),
        ("pl", "czytywałem", "czytywał em"),
        ("pl", "pomysłem", ""),
        ("pl", "Byliśmy", "byli śmy"),
        ("pl", "liście", ""),
        ("pl", "myśleliście", "myśleli ście"),
        ("pl", "zrobiłabym", "zrobiła by m"),
        ("pl", "zrobiliby", "zrobili by"),
        ("pl", "słabym", ""),
        ("pl", "słaby", ""),
        ("sq", "S'kemi", "s' kemi"),
        ("sq", "ç'bën", "ç' bën"),
        ("sq", "t'i", ""),
        ("tl", "Ako'y", "ako 'y"),
        ("tl", "bata't", "bata 't"),
        ("tl", "men's", ""),
        ("yi", "ס'איז", "עס איז"),
        ("yi", "כ׳וויל", "איך װיל"),
        ("yi", "ס׳רובֿ", "דאָס רובֿ"),
        ("yi", "מ'פֿאַרשטייט", "מע פֿאַרשטײט"),
        ("yi", "ביסטו", "ביסט דו"),
        ("yi", "ר'משה", ""),
        ("yi", "סטודענט", ""),
    ],
)
def test_by_hand(lang, form, words):
    assert enclitics(form, lang) == tuple(words.split())


def test_known_verbs():
    assert enclitics("decirte", "es") == ()
    assert enclitics("decirte", "es", {"decir"}) == ("decir", "te")
    assert enclitics("parte", "es", {"decir"}) == ()
    assert enclitics("parte", "es", {"par"}, {"parte"}) == ()
    assert enclitics("Parte", "es", {"par"}, {"parte"}) == ()
    assert enclitics("Míralo", "es", {"mirar"}) == ("mira", "lo")
    assert enclitics("llámanos", "es", {"llamar"}) == ("llama", "nos")
    assert enclitics("escándalo", "es", {"mirar"}) == ()
    assert enclitics("Decidle", "es", {"decir"}) == ("decid", "le")
    assert enclitics("Sentaos", "es", {"sentar"}) == ("sentad", "os")
    assert enclitics("sentaros", "es", {"sentar"}) == ("sentar", "os")
    assert enclitics("bacalaos", "es", {"sentar"}) == ()
    assert enclitics("needle", "es", {"decir"}) == ()
    assert enclitics("facelo", "gl", {"facer"}) == ("facer", "o")
    assert enclitics("dicirche", "gl", {"dicir"}) == ("dicir", "che")
    assert enclitics("Gústache", "gl", {"gusta"}) == ("gusta", "che")
    assert enclitics("Déixao", "gl", {"deixar"}) == ("deixa", "o")
    assert enclitics("contoucho", "gl", {"contou"}) == ("contou", "che", "o")
    assert enclitics("préstamo", "gl", {"prestar"}) == ()
    assert enclitics("área", "gl", {"deixa"}) == ()
    assert enclitics("pelo", "gl", {"per"}) == ()
    assert enclitics("píllano", "gl", {"pillan"}) == ("pillan", "o")
    assert enclitics("farase", "gl", {"far"}) == ("fará", "se")
    assert enclitics("órgano", "gl", {"pillan"}) == ()
    assert enclitics("zjadłem", "pl", {"zjadła"}) == ("zjadł", "em")
    assert enclitics("mydłem", "pl", {"zjadła"}) == ()
    # Italian infinitives lose their last letter.
    assert enclitics("comprarti", "it", {"comprare"}) == ("comprar", "ti")
    assert enclitics("Comprarti", "it", {"comprare"}) == ()  # Berti is a name
    assert enclitics("Aiutami", "it", {"aiuta"}) == ("aiuta", "mi")
    assert enclitics("portamelo", "it", {"porta"}) == ("porta", "me", "lo")
    assert enclitics("ditegli", "it", {"dite"}) == ("dite", "gli")
    assert enclitics("legami", "it", {"lega"}) == ()


@pytest.mark.parametrize(
    "lang, form, feats, lemma, does",
    [
        ("es", "comprar", "VerbForm=Inf", "comprar", True),
        ("es", "compro", "Mood=Ind|Number=Sing|Person=1|Tense=Pres", "comprar", False),
        ("it", "compra", "Mood=Ind|Number=Sing|Person=3|Tense=Pres", "comprare", True),
        ("it", "compra", "Mood=Imp|Number=Sing|Person=2|Tense=Pres", "comprare", True),
        ("it", "prende", "Mood=Ind|Number=Sing|Person=3|Tense=Pres", "prendere", False),
        ("it", "prendi", "Mood=Ind|Number=Sing|Person=2|Tense=Pres", "prendere", True),
        ("it", "ami", "Mood=Ind|Number=Sing|Person=2|Tense=Pres", "amare", False),
        ("it", "amavi", "Mood=Ind|Number=Sing|Person=2|Tense=Imp", "amare", False),
        ("it", "amate", "Mood=Ind|Number=Plur|Person=2|Tense=Pres", "amare", True),
        ("it", "amano", "Mood=Ind|Number=Plur|Person=3|Tense=Pres", "amare", False),
        ("es", "diga", "Mood=Sub|Number=Sing|Person=3|Tense=Pres", "decir", True),
        ("gl", "pilla", "Mood=Ind|Number=Sing|Person=3|Tense=Pres", "pillar", True),
        ("pl", "zjadła", "Gender=Fem|Tense=Past", "zjeść", True),
        ("pl", "zjeść", "VerbForm=Inf", "zjeść", False),
        ("it", "amate", "Gender=Fem|Number=Plur|Tense=Past|VerbForm=Part", "amare", False),
    ],
)
def test_verbs_that_pronouns_may_follow(lang, form, feats, lemma, does):
    assert takes_pronouns(lang, form, feats, make_rule(form, lemma)) is does


def test_spans():
    text = "Viu-o; encontra-se, 2-a www.se/porta-se x-se-"
    assert [text[slice(*span)] for span in enclitic_spans(text, "pt", 0, len(text))] == [
        "Viu-o",
        "encontra-se",
        "porta-se",
    ]


@texts_in_parts(PIECES, LANGS)
def test_parts_of_a_text_make_no_difference(text, cuts, lang):

    def spans(start, stop):
        return [*enclitic_spans(text, lang, start, stop, {"ver"}, {"verte"})]

    found = in_parts(spans, text, cuts)
    assert found == spans(0, len(text))
    assert all(enclitics(text[first:end], lang, {"ver"}, {"verte"}) for first, end in found)
