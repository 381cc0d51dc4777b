"""Contractions that are certain by their spelling."""

from functools import partial

import pytest

from tests.helpers.segmentation import in_parts, texts_in_parts
from udify_allennlp.archives import shipped
from udify_allennlp.segmentation.multiword_rules import RULES
from udify_allennlp.segmenter.archive import _loaded
from udify_allennlp.text.contractions import contracted, contraction_ends, contractions, is_whole
from udify_allennlp.text.multiwords import apply_split

LANGS = ["ca", "cs", "de", "el", "en", "es", "fi", "fr", "gl", "id", "it", "la", "pl", "pt"]
PIECES = ["du", "au", "Du", "dell'", "l'", "zum", "Zum", "-", " ", ".", "'", "a", "#", "nel", "é"]


def found(text, lang, start=0, stop=None):
    return [*contraction_ends(text, lang, start, len(text) if stop is None else stop)]


@pytest.mark.parametrize(
    "lang, text, forms",
    [
        ("fr", "Il va au lit du chien.", ["au", "du"]),
        ("fr", "Du Bois, au-dessus, #du, l'au, du", ["du"]),
        ("fr", "des", []),
        ("it", "nella casa dell'amico dell'", ["nella", "dell'", "dell'"]),
        ("de", "Zum Arzt, (im Haus), ims", ["Zum", "im"]),
        ("pt", "fazem-na na casa", ["na"]),
        ("cs", "Kdybychom, abych a aby", ["Kdybychom", "abych", "aby"]),
        ("hu", "du au", []),
        ("el", "Στον γιατρό, στις δύο, σταθμός", ["Στον", "στις"]),
        ("pt", "Noutro dia, Dumas, Comigo e noutras; Duma, daqui", ["Noutro", "Comigo", "noutras"]),
        ("gl", "Dunha cunha, Cunha, Del, o libro del", ["Dunha", "cunha", "del"]),
        ("it", "coll'amico, coi cani, colle, cogli", ["coll'", "coi"]),
        ("it", "Glielo dico, gliel'ho, Gliene", ["Glielo", "gliel'", "Gliene"]),
        ("la", "Estne, scisne et bene, mane", ["Estne", "scisne"]),
        ("id", "Kepadaku, langkah, apakah, bukuku", ["Kepadaku", "apakah"]),
        ("en", "im Ive IM, ill theres well; they'd've", ["im", "Ive", "theres", "they'd've"]),
        ("en", "It shouldn't've, 'd've", ["shouldn't've"]),
        ("cs", "co ses ptal, sis, seš", ["ses", "sis"]),
        ("cs", "Tys čekal naň, podeň, žes, saň", ["Tys", "naň", "podeň", "žes"]),
        ("lij", "A-o mâ do Nòrd, inta casa; da-a, do-o, x-a-o", ["A-o", "do", "inta", "da-a"]),
        (
            "pl",
            "Tyś, obyśmy, Aleś, aleś; doń, przezeń, dłoń",
            ["Tyś", "obyśmy", "aleś", "doń", "przezeń"],
        ),
    ],
)
def test_by_hand(lang, text, forms):
    ends = found(text, lang)
    known = contractions(lang)
    shown = [
        max((form for form in known if text[:end].lower().endswith(form)), key=len) for end in ends
    ]
    assert shown == [form.lower() for form in forms]
    assert ends == sorted({*ends})


def test_words_by_hand():
    assert contractions("fr")["auquel"] == ("à", "lequel")
    assert contractions("it")["nell'"] == ("in", "l'") and contractions("it")["col"] == (
        "con",
        "il",
    )
    assert contractions("de")["zur"] == ("zu", "der") and contractions("de")["ins"] == ("in", "das")
    assert contractions("cs")["kdybych"] == ("když", "bych")
    assert contractions("pl")["żebyśmy"] == ("żeby", "śmy")
    assert contractions("fi")["ettei"] == ("että", "ei")
    assert contractions("pt")["naquela"] == ("em", "aquela") and "nos" not in contractions("pt")
    assert contractions("en")["didnt"] == ("did", "nt") and contractions("sv") == {}
    assert contractions("en")["shouldn't've"] == ("should", "n't", "'ve")
    assert contracted("pt") == {"a", "com", "de", "em", "para", "por"}
    assert contracted("pl") == frozenset()
    assert contractions("lij")["a-o"] == ("à", "o") and contractions("lij")["inta"] == ("inte", "a")
    assert contractions("el")["στους"] == ("σ", "τους")
    assert contractions("la")["nobiscum"] == ("nobis", "cum")
    assert contractions("pl")["powinnaś"] == ("powinna", "ś")
    assert contractions("pl")["nadeń"] == ("nade", "ń")
    assert contractions("cs")["veň"] == ("ve", "něj")
    assert contractions("pl")["jakbyście"] == ("jakby", "ście") and "naň" not in contractions("sk")


@pytest.mark.parametrize(
    "lang, wholes, others",
    [
        ("en", "its", "it's"),
        (
            "la",
            "itaque denique undique vndique uterque utrumque plerique namque absque quinque",
            "neque hominesque quaeque amicumque locumque teque cumque",
        ),
        ("la", "quisque unusquisque quicumque quodcunque ubicumque quoque atque usque", ""),
        ("pl", "przesyłam wołam zdołam działam skłam słabym", "byłam widziałam spałam rzekłam"),
        ("gl", "pelo", "facelo"),
        ("fr", "", "its"),
    ],
)
def test_words_that_look_like_multiword_tokens(lang, wholes, others):
    assert all(is_whole(form, lang) for form in wholes.split())
    assert not any(is_whole(form, lang) for form in others.split())


@texts_in_parts(PIECES, LANGS)
def test_parts_of_a_text_make_no_difference(text, cuts, lang):
    assert in_parts(partial(found, text, lang), text, cuts) == found(text, lang)


@pytest.mark.parametrize("lang", LANGS)
def test_the_shipped_segmenter_learned_the_same_words(lang):
    """Each listed form that training split is split in the same way by one of its rules."""
    segmenter = _loaded(str(shipped.archive_of("multilingual")))
    name_of = segmenter.vocab.get_index_to_token_vocabulary(RULES)
    certain = segmenter.multiwords.contractions(lang)
    learned = {form: segmenter.multiwords._rules_of(form, lang) for form in certain}
    known = {
        form: {apply_split(form, name_of[rule]) for rule in rules}
        for form, rules in learned.items()
        if rules
    }
    # Finnish-FTB has `ell ei`, where Finnish-TDT has `jos ei`.
    others = {"ellei", "etteivät"} if lang == "fi" else set()
    assert known and {form for form in known if certain[form] not in known[form]} == others
