"""
The words of a multiword token by an edit script, with `lemma_rules.py`: `zum` is `zu dem` by
`k|+\\9;+d+e=`, which keeps the beginning and inserts a gap, d and e before the last character;
`Zum` and other tokens of the same form follow the same rule.
"""

from collections.abc import Sequence
from itertools import accumulate

from udify_allennlp.text.lemma_rules import WHOLE, apply_rule, make_rule

_KEEP = "k"
_GAP = "\t"  # stands in no word


def make_split(form: str, words: Sequence[str]) -> str:
    """
    Returns the rule that turns `form` into `words`: `apply_split(form, rule) == tuple(words)`.
    """
    joined = _GAP.join(words)
    # One rule for all casings of a token, where the casing of its words follows from its own.
    low = make_rule(form.lower(), joined.lower())
    rule = _KEEP + low[1:]
    if not low.startswith(WHOLE) and apply_split(form, rule) == tuple(words):
        return rule
    rule = make_rule(form, joined)
    # What stands for no word in common is the words themselves.
    return rule if apply_split(form, rule) == tuple(words) else make_rule("", joined)


def apply_split(form: str, rule: str) -> tuple[str, ...]:
    """Returns the words that `rule` makes of `form`; only the form if the rule does not fit."""
    joined = apply_rule(form, rule)
    if rule.startswith(_KEEP) and form[:1].isupper():
        whole = len(form) > 1 and form.isupper()
        joined = joined.upper() if whole else joined[:1].upper() + joined[1:]
    return tuple(filter(None, joined.split(_GAP)))


def cased_like(form: str, words: Sequence[str]) -> tuple[str, ...]:
    """Returns the words in capitals if a token is, the first capitalized if the token is."""
    if form.isupper() and sum(map(str.isalpha, form)) > 1:
        return tuple(word.upper() for word in words)
    if form[:1].isupper():
        return (words[0][:1].upper() + words[0][1:], *words[1:])
    return tuple(words)


def spelled_like(form: str, seen: str, words: Sequence[str]) -> tuple[str, ...]:
    """Returns the words with the characters of a token that was `seen` as them: `n’t`."""
    if "".join(words) != seen:
        return tuple(words)
    ends = [*accumulate(map(len, words))]
    return tuple(form[start:end] for start, end in zip([0, *ends], ends))
