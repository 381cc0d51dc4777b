"""The words of multiword tokens, by the rules that applied to tokens of a language in training."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import Any, Optional

import numpy

from udify_allennlp.data.known_words import NOT_ANNOTATED, Word
from udify_allennlp.segmentation.joined_words import JoinedWords
from udify_allennlp.segmentation.row import straight
from udify_allennlp.text.contractions import WHOLE, contracted, contraction_ends, contractions
from udify_allennlp.text.cutting import between_characters
from udify_allennlp.text.enclitics import enclitic_spans, enclitics, needs_verbs, takes_pronouns
from udify_allennlp.text.lemma_rules import apply_rule, edges, unescape
from udify_allennlp.text.multiwords import apply_split, cased_like
from udify_allennlp.text.sentence import NO_CELL

RULES = "multiword_rule_labels"
"""Namespace of the rules that split multiword tokens."""
FORMS = "multiword_form_labels"
"""Namespace of split tokens: `fr du RULE`, lower-cased, for each rule of a token."""
UNLIKELY = -4.0
"""The logit below which no token is a multiword token; e^-4 is 2%."""
_FEWEST, _JOINED, _LONG = 500, 0.95, 0.2
"""
Conditions for a language whose tokens are strings of words: the number of tokens that training
split, the share of them that their words, joined, are, and the share of three words or more. Of 170
languages Coptic alone meets them; in Hebrew, 2% of the tokens have three words.
"""


class MultiwordRules:
    """
    A token that was split in training is split by one of its rules there. Any other is split by a
    rule of its language that applied to the same characters in training (`edges`): the most likely
    of those whose words, except for one, other tokens were split into, otherwise the most likely
    one; without any, it is not split. A rule does not cut a letter from its vowel signs or accents,
    unless other tokens were split into the same word. No other token is a multiword token of
    `contracted` words: Portuguese `deu` is not `de eu`. Words that are `WHOLE`, and parts of other
    tokens that were not split in training, are not split. In languages whose tokens are strings of
    words, tokens that training lacks are split by `JoinedWords` instead.

    # Parameters

    vocab : `Any`
        A vocabulary, of AllenNLP or of an exported model, with the namespaces `RULES` and `FORMS`.
    known_words : `Callable[[str], Mapping[str, Word]]`
        Returns the known words of a language, by form. It is called in languages whose tokens are
        strings of words, or have infinitives with pronouns.
    """

    def __init__(
        self, vocab: Any, known_words: Callable[[str], Mapping[str, Word]] = lambda lang: {}
    ) -> None:
        numbers = vocab.get_token_to_index_vocabulary(RULES)
        self._rules = list(numbers)
        self._forms = _known_forms(vocab.get_token_to_index_vocabulary(FORMS), numbers)
        splits = _known_splits(self._forms, self._rules)
        self._parts = {
            lang: {word.lower() for _, words in known for word in words}
            for lang, known in splits.items()
        }
        found = ((lang, _joined(known)) for lang, known in splits.items())
        self._joined = {lang: tokens for lang, tokens in found if tokens}
        self._models: dict[str, JoinedWords] = {}
        self._verbs: dict[str, tuple[Set[str], Mapping[str, Word]]] = {}
        self.known_words = known_words
        self._edges = _known_edges(self._forms, self._rules)
        self._splitting = {lang for lang, form in self._forms if form in contractions(lang)}
        self._with_enclitics = {lang for lang, form in self._forms if enclitics(form, lang)}

    def are_joined(self, lang: str) -> bool:
        """Returns whether the tokens of a language are strings of words."""
        return lang in self._joined

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
            words = enclitics(form, lang, *self._verbs_of(lang))
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
            yield from enclitic_spans(text, lang, start, stop, *self._verbs_of(lang))

    def words(
        self, form: str, lang: str, logit: float, scores: numpy.ndarray, best: Sequence[int]
    ) -> tuple[str, ...]:
        """
        Returns the words of a token; empty if no rule makes several of it.

        # Parameters

        logit : `float`
            That of a multiword token, by the network.
        scores : `numpy.ndarray`
            The scores of all rules, `(rules,)`.
        best : `Sequence[int]`
            The rules to try for an unknown token, the highest score first.
        """
        if not self._rules:  # the network scores one nevertheless
            return ()
        seen = straight(form)
        rules_of_form = self._rules_of(form, lang)
        if lang in self._joined and not rules_of_form:
            split = self._model(lang).split(form)
            if split is not None:
                return split.words if logit + split.odds > 0 else ()
        if logit <= 0:
            return ()
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

    def _model(self, lang: str) -> JoinedWords:
        if lang not in self._models:
            split = {form for known_lang, form in self._forms if known_lang == lang}
            alone = {form.lower() for form in self.known_words(lang)} - split - self._parts[lang]
            whole = ((form,) for form in sorted(alone))
            self._models[lang] = JoinedWords([*self._joined[lang], *whole])
        return self._models[lang]

    def _verbs_of(self, lang: str) -> tuple[Set[str], Mapping[str, Word]]:
        """
        Returns the words of split tokens with the known verbs that pronouns may follow, and the
        known words; neither known, if the spelling of a language is enough.
        """
        if lang not in self._verbs:
            known = self.known_words(lang) if needs_verbs(lang) else {}
            verbs = {
                form.lower()
                for form, word in known.items()
                for upos, feats, rule in word.analyses
                if upos in ("AUX", "VERB")
                and rule != NOT_ANNOTATED
                and takes_pronouns(lang, form.lower(), feats, apply_rule(form, rule, lang))
            }
            self._verbs[lang] = verbs | self._parts[lang], known
        return self._verbs[lang]

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


_Splits = list[tuple[str, tuple[str, ...]]]


def _known_splits(forms: _Forms, names: Sequence[str]) -> dict[str, _Splits]:
    """Returns by language the tokens that were split in training, with their words."""
    splits: dict[str, _Splits] = {}
    for (lang, form), rules in forms.items():
        known = splits.setdefault(lang, [])
        known.extend((form, apply_split(form, names[rule])) for rule in rules)
    return splits


def _joined(known: _Splits) -> list[tuple[str, ...]]:
    """
    Returns the words of the tokens that are these words, joined, if the tokens of the language are
    strings of words; otherwise none.
    """
    joined = [words for form, words in known if "".join(words) == form]
    of_three = sum(len(words) > 2 for words in joined)
    enough = len(joined) >= _JOINED * len(known) and of_three >= _LONG * len(known)
    return joined if enough and len(known) >= _FEWEST else []


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
