"""
The words of the training treebanks, with all their annotations, in an archive's vocabulary: a
model that knows them need not guess.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import NamedTuple, Optional

from udify_allennlp.data.columns import LANG, Numbers, origin_names
from udify_allennlp.data.everyday_words import everyday_words
from udify_allennlp.data.packed_entries import damaged, packed_entry, packed_text, unpacked
from udify_allennlp.data.vocabulary_entries import has_entries
from udify_allennlp.text.casing import lower
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.lemma_rules import check_rule, escape, make_rule, unescape

KNOWN = "known_words_labels"
"""
Namespace of the vocabulary: entries `language<tab>text`, the text compressed and in base 64. Each
of its treebanks begins with a line `treebank UPOS UPOS ...`, with the parts of speech whose
features it annotates poorly (`unannotated_columns.py`). Lines `UPOS features rule UPOS features
rule ...<tab>form form ...<tab>form form ...` follow, with all annotations of these forms, most
frequent first; those of the last cell occur once. An entry `treebank<tab>text` has a treebank whose
words do not count for its language, since it is annotated unlike the others.
"""
_OTHER_APOSTROPHE = str.maketrans("'’", "’'")
_PLAIN_DEVANAGARI = str.maketrans("ँ", "ं", "़")
"""Hindi `हूँ` and `ज़्यादा` are also written `हूं` and `ज्यादा`, as in its training data."""
_ENDINGS = {
    "\u064b\u0627": "\u0627\u064b",
    "\u0627": "\u0627\u064b",
    "\u064c": "",
    "\u064d": "",
}
"""Arabic `جدًا` and `جدا` are also written `جداً`, and `ولدٌ` and `ولدٍ` `ولد`."""
NAMES, NOT_ANNOTATED = "PROPN", "?"
EMPTY = "_"
ORIGINS = 16
"""Maximum number of treebanks and languages whose words stay in memory, a few megabytes each."""


class Analysis(NamedTuple):
    """Annotation of a word in a treebank; features and rule may be `NOT_ANNOTATED`."""

    upos: str
    feats: str
    rule: str
    """Its lemma rule (`lemma_rules.py`)."""


class Word(NamedTuple):
    """A form in a treebank or a language."""

    analyses: tuple[Analysis, ...]
    """Its annotations there, most frequent first."""
    is_rare: bool
    """True if it occurs once."""

    def values(self, column: str, upos: str = "") -> set[str]:
        """
        Returns its annotations in a column of `Analysis`, with a UPOS or, by default, with any;
        none if it is not annotated.
        """
        analyses = (each for each in self.analyses if upos in ("", each.upos))
        return {getattr(each, column) for each in analyses} - {NOT_ANNOTATED}


def words_in(words: Mapping[str, Word], form: str) -> Iterator[tuple[str, Word]]:
    """
    Yields a form of `words`, and the same form with straight instead of curly apostrophes, or the
    other way round, with plainer signs of Devanagari, and with or without a written ending of
    Arabic, in the spelling that is known; none that is unknown.
    """
    if form in words:
        yield form, words[form]
    other = _other_spelling(form)
    if other in words:
        yield other, words[other]


def word_in(words: Mapping[str, Word], form: str) -> Optional[Word]:
    """Returns the first of `words_in`, or `None`."""
    word = words.get(form)
    return words.get(_other_spelling(form)) if word is None else word


def word_in_any_case(words: Mapping[str, Word], form: str, lang: str) -> Optional[Word]:
    """The same, and if a form of a language is unknown, that of the form in small letters."""
    word = word_in(words, form)
    return word_in(words, lower(form, lang)) if word is None else word


def _other_spelling(form: str) -> str:
    """Returns the other spelling of a form, `""` if there is none."""
    if "'" in form or "’" in form:
        return form.translate(_OTHER_APOSTROPHE)
    if "ँ" in form or "़" in form:
        return form.translate(_PLAIN_DEVANAGARI)
    if not form.endswith(tuple(_ENDINGS)):
        return ""
    return next(form.removesuffix(old) + _ENDINGS[old] for old in _ENDINGS if form.endswith(old))


class ContextWord(NamedTuple):
    """A word with the context on which its labels depend."""

    form: str
    lang: str
    """Its language, `""` if it is unknown."""
    treebank: str
    """Its treebank, `""` if it is unknown."""
    upos: str
    is_unknown: bool
    """True if its ending says more of it: see `Endings.unknown`."""
    allowed_upos: tuple[str, ...] = ()
    """The UPOS that it may have beside other words, any if empty: `LabelLimits.words`."""


class Treebank(NamedTuple):
    name: str
    poor: frozenset[str]
    """The parts of speech whose features it annotates poorly."""
    words: Mapping[str, Word]


class KnownWords:
    """
    The words of treebanks and of languages. A language has those of its treebanks, without empty
    features of parts of speech that a treebank annotates poorly. `everyday_words` take the place of
    such words of a language or add to their annotations, and are added to those of a treebank,
    without features, for which a model may have no label (`everyday_features.py`).

    # Parameters

    vocab : `Numbers`
    """

    def __init__(self, vocab: Numbers) -> None:
        self._has_entries = has_entries(vocab, KNOWN)
        self._vocab = vocab
        # Not of all origins, which would take hundreds of megabytes; a text has few of them.
        self._words = lru_cache(maxsize=ORIGINS)(self._found)
        self._packed = lru_cache(maxsize=ORIGINS)(partial(packed_text, vocab, KNOWN))

    def __bool__(self) -> bool:
        return self._has_entries

    def of(self, origin: str) -> Mapping[str, Word]:
        """
        Returns the words of a treebank or a language by form; none if training lacked it, or if it
        is unknown, `""`.

        # Raises

        `InputError` if the entry of the language is damaged.
        """
        return self._words(origin)

    def packed(self, origin: str) -> str:
        """Returns the text of the entry of an origin or its language; `""` if there is none."""
        return (self._packed(origin) or self._packed(treebank_language(origin))) if self else ""

    def _found(self, origin: str) -> Mapping[str, Word]:
        packed = self.packed(origin)
        if not packed and not self._are_withheld(treebank_language(origin)):
            return {}
        # All that read the same vocabulary share its words.
        return words_of(origin, packed)

    def _are_withheld(self, lang: str) -> bool:
        return bool(self) and lang != "" and lang in origin_names(self._vocab, LANG)


def known_words_entry(origin: str, treebanks: Iterable[Treebank]) -> str:
    """Returns the entry of a language, or of a treebank."""
    lines: list[str] = []
    for treebank in treebanks:
        lines.append(" ".join([treebank.name, *sorted(treebank.poor)]))
        forms: defaultdict[tuple[Analysis, ...], tuple[list[str], list[str]]]
        forms = defaultdict(lambda: ([], []))
        for form, word in sorted(treebank.words.items()):
            forms[word.analyses][word.is_rare].append(escape(form))
        for analyses, own in sorted(forms.items()):
            cells = (
                cell for each in analyses for cell in (each.upos, escape(each.feats), each.rule)
            )
            lines.append("\t".join([" ".join(cells), *map(" ".join, own)]))
    return packed_entry(origin, "\n".join(lines))


@lru_cache(maxsize=ORIGINS)
def words_of(origin: str, packed: str) -> Mapping[str, Word]:
    """
    Returns the words of a treebank, or of a language, from the text of its entry, with the
    `everyday_words` of the language and of the treebank. Without a text, as the licence keeps the
    words of a language out of the archive, these alone.
    """
    trained, lang = trained_words_of(origin, packed) if packed else {}, treebank_language(origin)
    if packed and not trained:
        return trained
    instead, further = _everyday(lang)
    if origin != lang:  # what training has in the treebank is right
        own, further = _everyday(origin)
        if instead or own:
            trained, instead = {**instead, **own, **trained}, {}
    if not instead and not further:
        return trained
    both = {form: _joined(trained[form], word) for form, word in further.items() if form in trained}
    return {**trained, **both, **instead}


@lru_cache(maxsize=ORIGINS)
def trained_words_of(origin: str, packed: str) -> Mapping[str, Word]:
    """Returns the words of the training data of a treebank or a language, from the same text."""
    lang = treebank_language(origin)
    try:
        treebanks = treebanks_of(packed)
    except (ValueError, OverflowError, OSError) as error:
        raise damaged("words", KNOWN, lang, error) from None
    if origin == lang:
        return _of_language(treebanks)
    return next((treebank.words for treebank in treebanks if treebank.name == origin), {})


@lru_cache(maxsize=ORIGINS)
def _everyday(origin: str) -> tuple[dict[str, Word], dict[str, Word]]:
    """
    Returns the `everyday_words` of a language or of a treebank that replace those of training, and
    those that add to them.
    """
    instead: dict[str, Word] = {}
    further: dict[str, Word] = {}
    for form, words in everyday_words(origin).items():
        own = (Analysis(x.upos, NOT_ANNOTATED, make_rule(form, x.lemma)) for x in words)
        kind = further if all(each.is_further for each in words) else instead
        kind[form] = Word(tuple(dict.fromkeys(own)), is_rare=False)
    return instead, further


def _of_language(treebanks: Iterable[Treebank]) -> Mapping[str, Word]:
    found: dict[str, Word] = {}
    for treebank in treebanks:
        own = treebank.words
        if treebank.poor:
            own = {form: _without_poor(word, treebank.poor) for form, word in own.items()}
        both = {form: _joined(found[form], own[form]) for form in found.keys() & own.keys()}
        found |= {**own, **both}
    return found


@lru_cache(maxsize=2**12)
def _joined(first: Word, second: Word) -> Word:
    return Word(tuple(dict.fromkeys([*first.analyses, *second.analyses])), is_rare=False)


@lru_cache(maxsize=2**12)
def _without_poor(word: Word, poor: frozenset[str]) -> Word:
    analyses = (
        analysis._replace(feats=NOT_ANNOTATED)
        if analysis.feats == EMPTY and analysis.upos in poor
        else analysis
        for analysis in word.analyses
    )
    return word._replace(analyses=tuple(dict.fromkeys(analyses)))


@lru_cache(maxsize=2)  # of a treebank, then of its language
def treebanks_of(packed: str) -> list[Treebank]:
    """
    Returns the treebanks in the text of an entry. Raises `ValueError`, `OverflowError` or `OSError`
    if it is damaged.
    """
    treebanks: list[Treebank] = []
    words: dict[str, Word] = {}
    rules: set[str] = set()
    for line in unpacked(packed).split("\n"):
        cells, *groups = line.split("\t")
        names = cells.split(" ")
        if not groups:
            words = {}
            treebanks.append(Treebank(names[0], frozenset(names[1:]), words))
            continue
        if len(groups) != 2 or len(names) % 3 or "" in names:
            raise ValueError(f"{line!r:.60} is not a line of it")
        analyses = tuple(map(Analysis, names[::3], map(unescape, names[1::3]), names[2::3]))
        rules.update(names[2::3])
        for is_rare, group in enumerate(groups):
            if group:
                forms = group.split(" ")
                found = map(unescape, forms) if "\\" in group else forms
                words.update(dict.fromkeys(found, Word(analyses, bool(is_rare))))
    for rule in rules - {NOT_ANNOTATED}:
        check_rule(rule)
    return treebanks
