"""Verbs that begin a sentence without a subject, or bear pronouns, are imperatives."""

import pytest
from allennlp.data import Vocabulary

from tests.helpers.known import vocabulary
from udify_allennlp.data.imperatives import Imperatives
from udify_allennlp.data.known_words import Analysis, Treebank, Word
from udify_allennlp.text.sentence import Sentence

FIN = "VerbForm=Fin"
PRES = f"Mood=Ind|Number=Sing|Person=3|Tense=Pres|{FIN}"
FRENCH = f"Mood=Imp|Number=Sing|Person=2|Tense=Pres|{FIN}"
SING, POLITE = (f"Mood=Imp|Number=Sing|Person={person}|{FIN}" for person in (2, 3))


def treebank(name, feats):
    words = {f"v{i}": Word((Analysis("VERB", feats, "l|"),), False) for i in range(30)}
    return Treebank(name, frozenset(), words)


VOCAB = vocabulary(
    Vocabulary(),
    treebank("fr_one", FRENCH),
    treebank("fr_none", "VerbForm=Inf"),
    *(treebank(f"{lang}_one", "Mood=Imp") for lang in ("sv", "da", "no", "de", "en", "es")),
    *(treebank(f"{lang}_one", "Mood=Imp") for lang in ("it", "pt", "ro", "fi", "ca")),
)


def told(lang, words, name="", vocab=VOCAB):
    """
    Returns the features of each word; given rows `form lemma UPOS head deprel features`, where a
    form `+me` belongs to the token of the one before.
    """
    rows = [row.split(" ") for row in words.split("; ")]
    lines = []
    for place, (form, *_) in enumerate(rows):
        if [each for each, *_ in rows[place + 1 : place + 2] if each.startswith("+")]:
            lines.append(f"{place + 1}-{place + 2}\t{form}{rows[place + 1][0][1:]}" + "\t_" * 8)
        lines.append(f"{place + 1}\t{form.removeprefix('+')}" + "\t_" * 8)
    columns = {
        "lemmas": [row[1] for row in rows],
        "upos": [row[2] for row in rows],
        "heads": [row[3] for row in rows],
        "deprels": [row[4] for row in rows],
        "feats": [row[5] for row in rows],
    }
    sentence = Sentence("\n".join(lines) + "\n\n", "x.conllu")
    Imperatives(vocab).apply([columns], [sentence], [lang], [name])
    return columns["feats"]


@pytest.mark.parametrize(
    "lang, words, expected",
    [
        ("fr", f"Mange manger VERB 0 root {PRES}; tout tout PRON 1 obj _", FRENCH),
        (
            "fr",
            f"Parlez parler VERB 0 root {PRES}",
            f"Mood=Imp|Number=Plur|Person=2|Tense=Pres|{FIN}",
        ),
        ("fr", f"Dis dire VERB 0 root {PRES}; -moi moi PRON 1 nsubj _", FRENCH),
        ("fr", f"Mange manger VERB 0 root {PRES}; -t-il il PRON 1 nsubj _", PRES),
        ("fr", f"Raconte raconter VERB 0 root {PRES}; -nous nous PRON 1 nsubj _", FRENCH),
        ("fr", f"Partez partir VERB 0 root {PRES}; -vous vous PRON 1 nsubj _", PRES),
        ("fr", f"Mange manger VERB 0 root {PRES}; ? ? PUNCT 1 punct _", PRES),
        ("fr", f"Reste rester VERB 0 root {PRES}; à à ADP 1 advmod _", PRES),
        ("fr", "Mangé manger VERB 0 root VerbForm=Part", "VerbForm=Part"),
        ("fr", f"Est être AUX 2 cop {PRES}; beau beau ADJ 0 root _", PRES),
        ("sv", "Hämta hämta VERB 0 root VerbForm=Inf", f"Mood=Imp|{FIN}|Voice=Act"),
        ("sv", f"Glöm glömma VERB 0 root {PRES}", f"Mood=Imp|{FIN}|Voice=Act"),
        ("sv", f"Glömmer glömma VERB 0 root {PRES}", PRES),
        ("sv", f"Var vara AUX 2 cop {PRES}; snäll snäll ADJ 0 root _", f"Mood=Imp|{FIN}|Voice=Act"),
        ("da", "Bring bringe VERB 0 root _; mig jeg PRON 1 nsubj Case=Acc", "Mood=Imp"),
        ("da", "Vente vente VERB 0 root VerbForm=Inf", "VerbForm=Inf"),
        ("no", f"Kom komme VERB 0 root Mood=Ind|Tense=Past|{FIN}", f"Mood=Ind|Tense=Past|{FIN}"),
        (
            "no",
            "Kom komme VERB 0 root Mood=Ind|Tense=Past; ! ! PUNCT 1 punct _",
            f"Mood=Imp|{FIN}",
        ),
        ("de", f"Frag fragen VERB 0 root {PRES}", SING),
        ("de", f"Frage fragen VERB 0 root {PRES}", PRES),
        ("de", f"Hab haben VERB 0 root {PRES}", PRES),
        ("de", f"Hört hören VERB 0 root {PRES}; ! ! PUNCT 1 punct _", SING.replace("Sing", "Plur")),
        ("de", f"Stimmt stimmen VERB 0 root {PRES}; ! ! PUNCT 1 punct _", PRES),
        ("de", f"Geht gehen VERB 0 root {PRES}; nicht nicht PART 1 _ _; ! ! PUNCT 1 punct _", PRES),
        ("en", "Marry marry VERB 0 root VerbForm=Inf; me I PRON 1 obj _", f"Mood=Imp|{FIN}"),
        ("en", "Thank thank VERB 0 root VerbForm=Inf; you you PRON 1 obj _", "VerbForm=Inf"),
        ("es", f"Ayuda ayudar VERB 0 root {PRES}; +me yo PRON 1 obj _", SING),
        ("es", "Ayudar ayudar VERB 0 root _; +me yo PRON 1 obj _", "_"),
        ("es", f"Ayuda ayudar VERB 0 root {PRES}", PRES),
        ("es", f"Espere esperar VERB 0 root {PRES.replace('Ind', 'Sub')}", POLITE),
        (
            "es",
            f"Quisiera querer VERB 0 root Mood=Sub|Tense=Imp|{FIN}",
            f"Mood=Sub|Tense=Imp|{FIN}",
        ),
        ("pt", "Abra abrir VERB 0 root _", POLITE),
        ("it", f"Aiuta aiutare VERB 0 root {PRES}; +mi mi PRON 1 nsubj _", FRENCH),
        ("ca", "Doneu donar VERB 0 root _; +me jo PRON 1 obj _", SING.replace("Sing", "Plur")),
        ("ca", f"Ajuda ajudar VERB 0 root {PRES}; +me jo PRON 1 obj _", SING),
        ("it", f"Trova trovare VERB 0 root {PRES}; +si si PRON 1 expl _", PRES),
        ("ro", f"Sună suna VERB 0 root {PRES}; -mă eu PRON 1 obj _", SING),
        ("fi", "Auta auttaa VERB 0 root Connegative=Yes|Mood=Ind", f"{SING}|Voice=Act"),
        ("nl", f"Kom komen VERB 0 root {PRES}", PRES),
    ],
)
def test_by_hand(lang, words, expected):
    assert told(lang, words)[0] == expected


def test_names_of_those_it_addresses_and_a_negation_come_before():
    vocative = f"Tom Tom PROPN 3 vocative _; , , PUNCT 3 punct _; viens venir VERB 0 root {PRES}"
    assert told("fr", vocative)[2] == FRENCH
    negated = f"Ne ne ADV 3 advmod _; me moi PRON 3 obj _; parle parler VERB 0 root {PRES}"
    assert told("fr", negated)[2] == FRENCH
    assert told("fr", negated.replace("Ne ne ADV", "Il il PRON"))[2] == PRES


def test_only_of_a_treebank_that_annotates_them_and_an_archive_with_known_words():
    words = f"Mange manger VERB 0 root {PRES}"
    assert told("fr", words, "fr_one") == [FRENCH]
    assert told("fr", words, "fr_none") == told("fr", words, vocab=Vocabulary()) == [PRES]
