import pytest

from udify_allennlp.text.lemma_rules import added, make_rule
from udify_allennlp.text.scripts import scripts_of


@pytest.mark.parametrize(
    "text, scripts",
    [
        ("Dog's 3", {"LATIN"}),
        ("собака", {"CYRILLIC"}),
        ("أعلنت", {"ARABIC"}),
        ("東京タワーの", {"CJK"}),
        ("T恤", {"LATIN", "CJK"}),
        ("12 % «…» ʼ", set()),
    ],
)
def test_scripts_of_letters(text, scripts):
    assert scripts_of(text) == scripts


@pytest.mark.parametrize(
    "form, lemma, characters",
    [("Walking", "walk", ""), ("went", "go", "go"), ("häuser", "haus", "a"), ("dal", "dare", "re")],
)
def test_characters_that_a_rule_adds(form, lemma, characters):
    assert added(make_rule(form, lemma)) == characters
