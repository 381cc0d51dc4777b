import pytest

from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.verb_clitics import PRONOUN, VERBS, verbs_with_pronouns


def sentence(*tokens):
    rows, number = [], 0
    for token in tokens:
        words = [word for word in token.split("+") if word]
        if "+" in token:
            rows.append(f"{number + 1}-{number + len(words)}\tx" + "\t_" * 8)
        for word in words:
            number += 1
            rows.append(f"{number}\t{word}" + "\t_" * 8)
    return Sentence("\n".join(rows) + "\n\n")


def test_a_verb_and_its_pronouns_are_found():
    found = dict(verbs_with_pronouns(sentence("¡", "Di+me+lo", "de+el", "!"), "es"))
    assert found == {1: VERBS, 2: PRONOUN, 3: PRONOUN}


@pytest.mark.parametrize(
    "lang, tokens",
    [
        ("es", ["de+el", "con+el"]),
        ("it", ["di+le", "in+la", "Ecco+lo", "glie+lo", "non+lo"]),
        ("pt", ["em+os", "por+o", "para+a", "de+ela", "lhe+o"]),
        ("ca", ["per+els"]),
        ("es", ["Di", "me", "lo"]),  # words of their own
        ("de", ["geh+es"]),
        ("es", ["hombre+"]),  # a range of one word
    ],
)
def test_other_words_are_not(lang, tokens):
    assert not list(verbs_with_pronouns(sentence(*tokens), lang))
