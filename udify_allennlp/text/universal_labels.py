"""
The values that scores compare: universal features and relations, and words that some scores
exclude.
"""

from collections.abc import Sequence
from functools import lru_cache

from udify_allennlp.text.sentence import Sentence

UNIVERSAL_FEATURES = frozenset(
    [
        "PronType",
        "NumType",
        "Poss",
        "Reflex",
        "Foreign",
        "Abbr",
        "Gender",
        "Animacy",
        "Number",
        "Case",
        "Definite",
        "Degree",
        "VerbForm",
        "Mood",
        "Tense",
        "Aspect",
        "Voice",
        "Evident",
        "Polarity",
        "Person",
        "Polite",
    ]
)
"""The features that the CoNLL 2018 script scores: those that were universal at the time."""
LEFT_OUT = frozenset(["PUNCT", "SYM"])
"""
Words with this gold UPOS are not counted in scores without punctuation (the released code of Ahmad
et al. 2019).
"""


@lru_cache(maxsize=65536)
def universal_feats(feats: str) -> str:
    """Returns the universal features of a FEATS cell, in the official script's order."""
    return "|".join(
        sorted(
            feature
            for feature in feats.split("|")
            if feature.split("=", 1)[0] in UNIVERSAL_FEATURES
        )
    )


def attached(
    gold: Sentence, heads: Sequence[str], deprels: Sequence[str]
) -> tuple[list[bool], list[bool]]:
    """
    Returns for each word whether its head is correct, and whether its universal relation is
    correct, too.
    """
    right = [head == guess for head, guess in zip(gold.heads, heads)]
    both = [
        is_right and universal_deprel(label) == universal_deprel(guess)
        for is_right, label, guess in zip(right, gold.deprels, deprels)
    ]
    return right, both


def universal_deprel(deprel: str) -> str:
    """Returns the part of a deprel that the official script scores: `nmod` of `nmod:poss`."""
    return deprel.partition(":")[0]
