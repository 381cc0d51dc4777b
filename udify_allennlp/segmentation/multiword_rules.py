"""The words of multiword tokens, by the rules that applied to tokens of a language in training."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, Optional

import numpy

from udify_allennlp.data.known_words import NOT_ANNOTATED, Word
from udify_allennlp.segmentation.joined_words import ODDS, JoinedWords
from udify_allennlp.segmentation.row import straight
from udify_allennlp.segmentation.trained_splits import TrainedSplits, by_language, only_split
from udify_allennlp.text.affixes import affixed, with_further_affixes, word_spans
from udify_allennlp.text.contractions import (
    contracted,
    contraction_ends,
    contractions,
    is_whole,
)
from udify_allennlp.text.cutting import between_characters
from udify_allennlp.text.enclitics import enclitic_spans, enclitics, needs_verbs, takes_pronouns
from udify_allennlp.text.lemma_rules import edges
from udify_allennlp.text.multiwords import apply_split, cased_like
from udify_allennlp.text.possessives import possessive, possessive_spans
from udify_allennlp.text.sentence import NO_CELL

RULES = "multiword_rule_labels"
"""Namespace of the rules that split multiword tokens."""
FORMS = "multiword_form_labels"
"""Namespace of split tokens: `fr du RULE`, lower-cased, for each rule of a token."""
UNLIKELY = -8.0
"""The logit below which no token is a multiword token; e^-8 is 0.03%."""


class MultiwordRules:
    """
    A token that was split in training is split by one of its rules there. Any other is split by a
    rule of its language that applied to the same characters in training (`edges`): the most likely
    of those whose words, except for one, other tokens were split into, otherwise the most likely
    one; without any, it is not split. A rule does not cut a letter from its vowel signs or accents,
    unless other tokens were split into the same word. No other token is a multiword token of
    `contracted` words: Portuguese `deu` is not `de eu`. Words of training that were whole there
    stay whole, as do those that only look like multiword tokens (`is_whole`). In languages whose
    tokens are strings of words, tokens that training lacks are split by `JoinedWords` instead.

    # Parameters

    vocab : `Any`
        A vocabulary, of AllenNLP or of an exported model, with the namespaces `RULES` and `FORMS`.
    known_words : `Callable[[str], Mapping[str, Word]]`
        Returns the known words of a language, by form. It is called in languages with multiword
        tokens.
    """

    def __init__(
        self, vocab: Any, known_words: Callable[[str], Mapping[str, Word]] = lambda lang: {}
    ) -> None:
        self._numbers = vocab.get_token_to_index_vocabulary(RULES)
        self._rules = list(self._numbers)
        self._entries = by_language(vocab.get_token_to_index_vocabulary(FORMS))
        self.known_words = known_words
        self._trained: dict[str, TrainedSplits] = {}  # by language, made on demand
        self._models: dict[str, JoinedWords] = {}
        self._verbs: dict[str, tuple[Set[str], Mapping[str, Word]]] = {}
        self._always: dict[str, Mapping[str, tuple[str, ...]]] = {}

    def are_joined(self, lang: str) -> bool:
        """Returns whether the tokens of a language are strings of words."""
        return bool(self._of(lang).joined)

    def has_tokens(self, lang: str) -> bool:
        """Returns whether training has multiword tokens of a language."""
        return bool(self._of(lang).tokens)

    def contractions(self, lang: str) -> Mapping[str, tuple[str, ...]]:
        """
        Returns the words of multiword tokens that are certain in a language, lower-cased; empty if
        its training data split none of them.
        """
        return contractions(lang) if self._of(lang).are_contractions else {}

    def certain(self, form: str, lang: str) -> tuple[str, ...]:
        """
        Returns the words of a token that is certainly a multiword token in a language: one of
        `contractions`, a verb with pronouns, an English possessive, one that training always split
        (`only_split`), or one with affixes; empty for any other.
        """
        words = self.contractions(lang).get(form.lower(), ())
        if not words and self._of(lang).have_enclitics:
            words = enclitics(form, lang, *self._verbs_of(lang))
        if not words and self._of(lang).are_contractions:
            words = possessive(form, lang)
        words = words or self._split_by_words(form.lower(), lang)
        return cased_like(form, words) if words else ()

    def certain_spans(
        self, text: str, lang: str, start: int, stop: int
    ) -> Iterator[tuple[int, int]]:
        """
        Yields the start, or a place inside, and the end of these tokens in a part of a text:
        `start < end <= stop`. Tokens do not end between the two.
        """
        if self._of(lang).are_contractions:
            yield from ((end - 1, end) for end in contraction_ends(text, lang, start, stop))
            yield from possessive_spans(text, lang, start, stop)
        if self._of(lang).have_enclitics:
            yield from enclitic_spans(text, lang, start, stop, *self._verbs_of(lang))
        if self._only_split(lang):
            for first, end in word_spans(text, start, stop):
                form = text[first:end]
                if not form.isupper() and self._split_by_words(form.lower(), lang):
                    yield first, end

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
        found = self._words(form, lang, logit, scores, best)
        return with_further_affixes(found, lang, partial(self._upos_of, lang))

    def _words(
        self, form: str, lang: str, logit: float, scores: numpy.ndarray, best: Sequence[int]
    ) -> tuple[str, ...]:
        # The network scores a rule even if there is none.
        if not self._rules or is_whole(form.lower(), lang):
            return ()
        trained = self._of(lang)
        seen = straight(form)
        rules_of_form = self._rules_of(form, lang)
        if trained.joined and not rules_of_form:
            split = self._model(lang).split(form)
            if split is not None:
                return split.words if logit + ODDS * split.odds > 0 else ()
        if logit <= 0:
            return ()
        parts = trained.parts
        if not rules_of_form and self._is_word(form, lang):
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
                seen_in = trained.edges[rule, edges(seen, name)]
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

    def _is_word(self, form: str, lang: str) -> bool:
        """Returns whether training has a form as a word."""
        words = {form, form.lower()}
        return not words.isdisjoint(self._of(lang).parts) or any(
            word in self.known_words(lang) for word in words
        )

    def _only_split(self, lang: str) -> Mapping[str, tuple[str, ...]]:
        if lang not in self._always:
            self._always[lang] = only_split(self._of(lang).tokens, lang, self.known_words)
        return self._always[lang]

    def _split_by_words(self, low: str, lang: str) -> tuple[str, ...]:
        if low in (always := self._only_split(lang)):
            return always[low]
        if not always or self._rules_of(low, lang):
            return affixed(low, lang, lambda word: "")
        return affixed(low, lang, partial(self._upos_of, lang))

    def _upos_of(self, lang: str, word: str) -> str:
        """Returns the most frequent UPOS of a word of a language, `""` if it is unknown."""
        known = self.known_words(lang)
        return known[word].analyses[0].upos if word in known else ""

    def _model(self, lang: str) -> JoinedWords:
        if lang not in self._models:
            trained = self._of(lang)
            known = {form.lower() for form in self.known_words(lang)}
            alone = known - trained.rules.keys() - trained.parts
            tokens = [*trained.joined, *((form,) for form in sorted(alone))]
            self._models[lang] = JoinedWords(dict.fromkeys(tokens), trained.affixes)
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
                and takes_pronouns(lang, form, feats, rule)
            }
            self._verbs[lang] = verbs | self._of(lang).parts, known
        return self._verbs[lang]

    def _rules_of(self, form: str, lang: str) -> Sequence[int]:
        rules, low = self._of(lang).rules, form.lower()
        return rules.get(low) or rules.get(straight(low)) or ()

    def _of(self, lang: str) -> TrainedSplits:
        if lang not in self._trained:
            entries = self._entries.get(lang, ())
            self._trained[lang] = TrainedSplits(lang, entries, self._numbers)
        return self._trained[lang]


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
