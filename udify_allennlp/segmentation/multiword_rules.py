"""The words of multiword tokens, by the rules that applied to tokens of a language in training."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Optional

import numpy

from udify_allennlp.segmentation.row import straight
from udify_allennlp.text.contractions import WHOLE, contracted, contraction_ends, contractions
from udify_allennlp.text.cutting import between_characters
from udify_allennlp.text.enclitics import enclitic_spans, enclitics
from udify_allennlp.text.lemma_rules import edges, unescape
from udify_allennlp.text.multiwords import apply_split, cased_like
from udify_allennlp.text.sentence import NO_CELL

RULES = "multiword_rule_labels"
"""Namespace of the rules that split multiword tokens."""
FORMS = "multiword_form_labels"
"""Namespace of split tokens: `fr du RULE`, lower-cased, for each rule of a token."""


class MultiwordRules:
    """
    A token that was split in training is split by one of its rules there. Any other is split by a
    rule of its language that applied to the same characters in training (`edges`): the most likely
    of those whose words, except for one, other tokens were split into, otherwise the most likely
    one; without any, it is not split. A rule does not cut a letter from its vowel signs or accents,
    unless other tokens were split into the same word. No other token is a multiword token of
    `contracted` words: Portuguese `deu` is not `de eu`. Words that are `WHOLE`, and parts of other
    tokens that were not split in training, are not split.

    # Parameters

    vocab : `Any`
        A vocabulary, of AllenNLP or of an exported model, with the namespaces `RULES` and `FORMS`.
    """

    def __init__(self, vocab: Any) -> None:
        numbers = vocab.get_token_to_index_vocabulary(RULES)
        self._rules = list(numbers)
        self._forms = _known_forms(vocab.get_token_to_index_vocabulary(FORMS), numbers)
        self._parts = _known_parts(self._forms, self._rules)
        self._edges = _known_edges(self._forms, self._rules)
        self._splitting = {lang for lang, form in self._forms if form in contractions(lang)}
        self._with_enclitics = {lang for lang, form in self._forms if enclitics(form, lang)}

    def contractions(self, lang: str) -> Mapping[str, tuple[str, ...]]:
        """
        Returns the words of multiword tokens that are certain in a language, lower-cased; empty if
        its training data split none of them.
        """
        return contractions(lang) if lang in self._splitting else {}

    def certain(self, form: str, lang: str) -> tuple[str, ...]:
        """
        Returns the words of a token that is certainly a multiword token in a language: one of
        `contractions`, or a verb with pronouns; empty for any other.
        """
        words = self.contractions(lang).get(form.lower(), ())
        if not words and lang in self._with_enclitics:
            words = enclitics(form, lang, self._parts[lang])
        return cased_like(form, words) if words else ()

    def certain_spans(
        self, text: str, lang: str, start: int, stop: int
    ) -> Iterator[tuple[int, int]]:
        """
        Yields the start, or a place inside, and the end of these tokens in a part of a text:
        `start < end <= stop`. Tokens do not end between the two.
        """
        if lang in self._splitting:
            yield from ((end - 1, end) for end in contraction_ends(text, lang, start, stop))
        if lang in self._with_enclitics:
            yield from enclitic_spans(text, lang, start, stop, self._parts[lang])

    def words(
        self, form: str, lang: str, scores: numpy.ndarray, best: Sequence[int]
    ) -> tuple[str, ...]:
        """
        Returns the words of a token; empty if no rule makes several of it.

        # Parameters

        scores : `numpy.ndarray`
            The scores of all rules, `(rules,)`.
        best : `Sequence[int]`
            The rules to try for an unknown token, the highest score first.
        """
        if not self._rules:  # the network scores one nevertheless
            return ()
        seen = straight(form)
        rules_of_form = self._rules_of(form, lang)
        parts = self._parts.get(lang, ())
        low = form.lower()
        if low in WHOLE.get(lang, ()) or (not rules_of_form and low in parts):
            return ()
        likeliest: tuple[str, ...] = ()
        for rule in (
            sorted(rules_of_form, key=lambda rule: -scores[rule]) if rules_of_form else best
        ):
            name = self._rules[rule]
            words = cased_like(form, _splits(form, name))
            if len(words) == 1:
                continue
            new = sum(word.lower() not in parts for word in words)
            if not rules_of_form:
                seen_in = self._edges.get((lang, rule, edges(seen, name)), 0)
                # One token says little of what to write beside a word that no token had.
                writes = len("".join(words)) > len(form)
                if seen_in < (2 if new and writes else 1):
                    continue
                if words[0].lower() in contracted(lang):
                    continue
                if any(
                    not between_characters(one[-1], other[0]) and other.lower() not in parts
                    for one, other in pairwise(words)
                ):
                    continue
            if rules_of_form or new <= 1:
                return words
            likeliest = likeliest or words
        return likeliest

    def _rules_of(self, form: str, lang: str) -> Sequence[int]:
        low = form.lower()
        return self._forms.get((lang, low)) or self._forms.get((lang, straight(low))) or ()


_splits = lru_cache(maxsize=2**16)(apply_split)


def first_fault(rules: Iterable[str]) -> Optional[str]:
    """Returns a rule that is invalid, or whose words CoNLL-U cannot hold; `None` without any."""
    for rule in rules:
        try:
            words = apply_split("a" * len(rule), rule)
        except (ValueError, OverflowError):
            return rule
        if any(NO_CELL.search(word) for word in words):
            return rule
    return None


_Forms = dict[tuple[str, str], list[int]]


def _known_forms(entries: Iterable[str], numbers: Mapping[str, int]) -> _Forms:
    """Returns by language and form the rules by which it was split in training."""
    rules_of: _Forms = {}
    for entry in entries:
        lang, form, rule = entry.split(" ")
        if rule in numbers:
            rules_of.setdefault((lang, unescape(form)), []).append(numbers[rule])
    return rules_of


def _known_parts(forms: _Forms, names: Sequence[str]) -> dict[str, set[str]]:
    """
    Returns by language the words, lower-cased, that multiword tokens were split into in training.
    """
    parts: dict[str, set[str]] = {}
    for (lang, form), rules in forms.items():
        for rule in rules:
            words = apply_split(form, names[rule])
            parts.setdefault(lang, set()).update(word.lower() for word in words)
    return parts


def _known_edges(forms: _Forms, names: Sequence[str]) -> Counter[tuple[str, int, tuple[str, str]]]:
    """
    Counts the tokens of a language in which a rule applied to some characters (`edges`) in
    training. Those of a closed class do not count: what makes Portuguese `pela` `por a` makes
    nothing of `Aquela`.
    """
    counts: Counter[tuple[str, int, tuple[str, str]]] = Counter()
    for (lang, form), rules in forms.items():
        if contracted(lang) and form in contractions(lang):
            continue
        for rule in rules:
            counts[lang, rule, edges(form, names[rule])] += 1
    return counts
