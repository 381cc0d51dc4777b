"""Guesses of the language of a text."""

import pytest

from udify_allennlp.text import language_guess
from udify_allennlp.text.language_guess import language_guesser
from udify_allennlp.text.languages import LANGUAGES


@pytest.fixture(scope="module")
def guess():
    pytest.importorskip(language_guess.PACKAGE)
    return language_guesser()


TEXTS = {
    "en": "The old dog that we found was sleeping under the table.",
    "pl": "Stary pies, którego znaleźliśmy, spał pod stołem.",
    "ar": "يدرس أخي الطب في جامعة قريبة من بيتنا.",
    "hi": "मेरी बहन हर सुबह बगीचे में टहलती है।",
    "no": "Eg veit ikkje kva eg skal gjere med desse gamle bøkene.",
}


@pytest.mark.parametrize("lang", TEXTS)
def test_a_sentence_is_enough(guess, lang):
    assert guess(TEXTS[lang], ()) == guess(TEXTS[lang], ["en", "fr"]) == lang
    assert guess(TEXTS[lang] * 10_000, ()) == lang


def test_nothing_is_guessed_of_nothing_and_codes_are_known(guess):
    for text in (
        "",
        " \n",
        "A",
        "?!",
        "12",
        "<script>",
        "\ud800".encode("utf-8", "replace").decode(),
    ):
        assert guess(text, ["en"]) in {None, *LANGUAGES}
    assert guess("", ()) is None and guess("A dog.", ()) is None


def test_of_a_short_text_the_expected_languages_are_preferred(guess):
    assert guess("Hunden sover i senga.", ()) == "da"
    assert guess("Hunden sover i senga.", ["en", "nb"]) == "no"


def test_without_the_package_nothing_is_guessed(monkeypatch):
    monkeypatch.setattr(language_guess, "PACKAGE", "no_such_package")
    assert language_guesser.__wrapped__() is None
