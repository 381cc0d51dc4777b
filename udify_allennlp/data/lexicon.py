"""The labels of each word form in the training data, as stored in the vocabulary."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Optional

import numpy

from udify_allennlp.data.columns import LANG, TREEBANK, UNLABELLED, Numbers
from udify_allennlp.data.vocabulary_entries import entries, has_entries
from udify_allennlp.text.lemma_rules import escape, unescape


def namespace(task: str) -> str:
    """
    Returns the vocabulary namespace of entries `form<tab>label`, with escaped white space in the
    form.
    """
    return f"{task}_lexicon_labels"


def namespace_by_language(task: str) -> str:
    """The same for entries `language<tab>form<tab>label`."""
    return f"{LANG}_{namespace(task)}"


def namespace_by_treebank(task: str) -> str:
    """
    The same for entries `origin<tab>label label ...<tab>form form ...`: all labels that each of the
    forms has in a treebank, or in any treebank of a language. Only forms that a model gets wrong
    have entries.
    """
    return f"{TREEBANK}_{namespace(task)}"


CORRECTED = ("upos", "feats")
"""The tasks whose lexicon may be by treebank; lemmas have exceptions (`lemma_lookup.py`)."""
BY_TREEBANK = tuple(map(namespace_by_treebank, CORRECTED))
"""The namespaces of these lexicons. A model that is trained further does not keep them."""


def entries_by_treebank(labels_of: Mapping[tuple[str, str], Collection[str]]) -> Iterator[str]:
    """Entries by treebank of the labels of origins and forms."""
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for (origin, form), labels in sorted(labels_of.items()):
        groups[origin, " ".join(map(escape, sorted(labels)))].append(escape(form))
    for keys, forms in sorted(groups.items()):
        yield "\t".join([*keys, " ".join(forms)])


def check_entry(entry: str) -> None:
    """Raises `ValueError` if it is not an entry by treebank."""
    if entry.count("\t") != 2:
        raise ValueError(f"{entry!r:.60} is not an entry of a lexicon by treebank.")
    unescape(entry)


def pair(form: str, label: str) -> str:
    """An entry of the vocabulary."""
    return f"{escape(form)}\t{label}"


def count(
    counts: dict[str, int],
    missing: Optional[str],
    forms: Sequence[str],
    labels: Sequence[str],
    lang: str = "",
) -> None:
    """
    Counts the labels of some words for the vocabulary, except `missing`, which marks missing
    annotation. With a language, for its namespace.
    """
    prefix = f"{lang}\t" if lang else ""
    for form, label in zip(forms, labels):
        if label not in (UNLABELLED, missing):
            counts[prefix + pair(form, label)] += 1


class Lexicon:
    """
    The labels of words in the training data: any other prediction for them is nearly always wrong.
    It is empty if the reader's `lexicon` does not name the task. If the vocabulary has it by
    language, forms of other languages do not count. If the vocabulary has forms by treebank, the
    labels of their treebank come first, or if it has none or is unknown, those of their language.

    # Parameters

    vocab : `Numbers`
    task : `str`
    labels : `Sequence[str]`
        All labels of the task, in the order of their numbers.
    """

    def __init__(self, vocab: Numbers, task: str, labels: Sequence[str]) -> None:
        self._vocab = vocab
        self._numbers = {label: number for number, label in enumerate(labels)}
        # By form, or by language and form; of each, the numbers of its labels.
        self._labels_of: dict[tuple[str, ...], tuple[int, ...]] = {}
        by_language = namespace_by_language(task)
        self.by_language = by_language in vocab.get_namespaces()
        """True if `excluded` takes languages."""
        chosen = by_language if self.by_language else namespace(task)
        for entry in vocab.get_token_to_index_vocabulary(chosen):
            *keys, label = entry.split("\t", 2 if self.by_language else 1)
            if label in self._numbers:  # the vocabulary of the task may leave some out
                key = tuple(map(unescape, keys))
                self._labels_of[key] = (*self._labels_of.get(key, ()), self._numbers[label])
        self._own_entries = namespace_by_treebank(task)
        self.by_treebank = has_entries(vocab, self._own_entries)
        """True if `excluded` takes treebanks and languages."""
        # By origin, made on demand: a text has few of them.
        self._own: dict[str, dict[str, tuple[int, ...]]] = {}

    def __len__(self) -> int:
        """Returns the number of forms that are not by treebank."""
        return len(self._labels_of)

    def __bool__(self) -> bool:
        return self.by_treebank or bool(self._labels_of)

    def excluded(
        self,
        forms: Sequence[str],
        best: Sequence[int],
        langs: Sequence[str] = (),
        treebanks: Sequence[str] = (),
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        """
        Returns, for words with their most probable labels and, if the lexicon needs them, their
        languages and treebanks (empty if these are unknown): the places of those whose form has
        other labels, and the labels that it lacks, `(places, labels)`, True for a missing label.
        """
        unknown = [""] * len(forms)
        labels_at: dict[int, tuple[int, ...]] = {}
        words = zip(forms, best, langs or unknown, treebanks or unknown)
        for place, (form, label, lang, treebank) in enumerate(words):
            labels = self._labels(form, lang, treebank)
            if labels and label not in labels:
                labels_at[place] = labels
        excluded = numpy.ones((len(labels_at), len(self._numbers)), dtype=bool)
        for row, labels in enumerate(labels_at.values()):
            excluded[row, list(labels)] = False
        return numpy.array(list(labels_at), dtype=numpy.int64), excluded

    def _labels(self, form: str, lang: str, treebank: str) -> tuple[int, ...]:
        """Returns the numbers of a form's labels; none if the lexicon lacks it."""
        own = (self._of(treebank) or self._of(lang)).get(form) if self.by_treebank else None
        return own or self._labels_of.get((lang, form) if self.by_language else (form,), ())

    def _of(self, origin: str) -> dict[str, tuple[int, ...]]:
        """Returns the numbers of the labels of each form of a treebank or a language."""
        if origin not in self._own:
            found: dict[str, tuple[int, ...]] = {}
            for entry in entries(self._vocab, self._own_entries, origin) if origin else ():
                names, forms = (cell.split(" ") for cell in entry.split("\t"))
                known = (self._numbers.get(unescape(name)) for name in names)
                labels = tuple(number for number in known if number is not None)
                found.update((unescape(form), labels) for form in forms)
            self._own[origin] = found
        return self._own[origin]
