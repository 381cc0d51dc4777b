"""
What an archive looks lemmas up in, of forms that its training data lacks: where word lists and
simplemma are trusted, and of the word lists those words that the model gets wrong.

    WORDS=lexicon python benchmarks/lookup.py MODEL FILE.conllu ... --out FOLDER

A source is trusted for a language and a UPOS where 95 in 100 of the words that it has, at least 20,
have one of the lemmas there that training gives them; each pair of a form and a UPOS counts once.
Names are never looked up. simplemma does not tell parts of speech apart, so that only lemmas count
that end as lemmas of this UPOS do in training: with an ending that two of them have or, where that
is not enough for trust, a larger share of them. WORDS is a folder of word lists (`word_lists.py`),
which may be left out; simplemma, from the extra `lemmas`, is asked whether it is right, and none of
its words is copied.

FOLDER gets vocabularies: `lemma_trusted_labels.txt` says which sources are trusted;
`lemma_exceptions_labels.txt` holds words of the lists, of those with frequent lemmas, at most
`MOST` a language; `lemma_own_forms_labels.txt` holds the forms of training of which simplemma gives
another lemma than training does. Exceptions of training (`exceptions.py`) that FOLDER has already
are put before those of the lists.
"""

import argparse
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, Optional

import machine  # noqa: F401  (before allennlp: it brings the mends that allennlp needs to import)
from allennlp.common import Tqdm
from exceptions import OF_TRAINING
from word_lists import Word, WordList

from udify_allennlp import Parser
from udify_allennlp.data.lemma_lookup import (
    ANY,
    ENDING,
    EXCEPTIONS,
    NAMES,
    OWN_FORMS,
    SIMPLEMMA,
    TRUSTED,
    WORD_LISTS,
    Lookup,
    ask,
    exception_entries,
    own_form_entries,
    simplemma_lookup,
    trusted_entry,
)
from udify_allennlp.text.casing import lower
from udify_allennlp.text.conllu import (
    expand_paths,
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.files import write_whole
from udify_allennlp.text.lemma_rules import make_rule
from udify_allennlp.text.sentence import Sentence

RIGHT = 0.95
"""The share of right lemmas from which a source is trusted,"""
LEAST = 20
"""of so many words or more."""
SHARES = (0.0, 0.002, 0.005, 0.01)
"""Of the lemmas of a UPOS, how many must have an ending."""
MOST = 20_000
"""Words of the lists of a language that the model is tried on."""
_NOT_ASKED = (NAMES, "PUNCT", "SYM", "X", "_")

Source = Callable[[str, str], Optional[str]]
"""From a form and its UPOS to a lemma."""


class Trained:
    """What the training data has of a language: the lemmas of its words, but for names."""

    def __init__(self) -> None:
        self.lemmas: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        """By form and UPOS."""
        self.forms: defaultdict[str, set[str]] = defaultdict(set)
        """Lemmas by form in small letters, of all parts of speech."""
        self.counts: Counter[str] = Counter()
        """How many words have a lemma."""

    def add(self, sentence: Sentence, lang: str) -> None:
        for form, upos, lemma in zip(sentence.forms, sentence.upos, sentence.lemmas):
            if upos not in _NOT_ASKED and lemma != "_":
                self.lemmas[form, upos].add(lemma)
                self.forms[lower(form, lang)].add(lemma)
                self.counts[lemma] += 1


class Trust(NamedTuple):
    """
    How often a source is right of the words of training that it has, whose lemma it gives one of
    these endings.
    """

    upos: str
    found: int
    right: int
    endings: Collection[str] = ()

    @property
    def is_enough(self) -> bool:
        return self.found >= LEAST and self.right >= RIGHT * self.found


def trained(files: Sequence[str]) -> dict[str, Trained]:
    """Of each language."""
    found: defaultdict[str, Trained] = defaultdict(Trained)
    for path in expand_paths(files):
        lang = treebank_language(treebank_name(path))
        for sentence in read_sentences(path):
            found[lang].add(sentence, lang)
    return dict(found)


def answers(source: Source, own: Trained) -> dict[str, list[tuple[str, bool]]]:
    """By UPOS, the lemmas that a source gives to words of training, and whether they are right."""
    found: defaultdict[str, list[tuple[str, bool]]] = defaultdict(list)
    for (form, upos), lemmas in sorted(own.lemmas.items()):
        lemma = source(form, upos) if form.isalpha() else None
        if lemma:
            found[upos].append((lemma, lemma in lemmas))
    return dict(found)


def trust(source: Source, own: Trained) -> list[Trust]:
    """Of a source that tells parts of speech apart, for each UPOS of which it has a word."""
    return [
        Trust(upos, len(given), sum(right for _, right in given))
        for upos, given in answers(source, own).items()
    ]


def trust_by_endings(source: Source, own: Trained) -> list[Trust]:
    """Of one that does not: by the lowest of `SHARES` that is enough for trust, or the last."""
    return [
        next((each for each in tries if each.is_enough), tries[-1])
        for upos, given in answers(source, own).items()
        for tries in [[_with_endings(upos, given, own, share) for share in SHARES]]
    ]


def _with_endings(upos: str, given: list[tuple[str, bool]], own: Trained, share: float) -> Trust:
    lemmas = {lemma for (_, each), some in own.lemmas.items() if each == upos for lemma in some}
    counts = Counter(lemma[-ENDING:] for lemma in lemmas)
    least = max(2, share * len(lemmas))
    endings = [ending for ending, count in counts.items() if count >= least]
    chosen = [right for lemma, right in given if counts[lemma[-ENDING:]] >= least]
    return Trust(upos, len(chosen), sum(chosen), endings)


def own_forms(look_up: Lookup, own: Trained, lang: str) -> set[str]:
    """The forms of training whose lemma is not the one that simplemma gives."""
    return {
        form
        for form, upos in own.lemmas
        for lemma in [ask(look_up, form, lang, upos)]
        if lemma is not None and own.forms[lower(form, lang)] != {lemma}
    }


def candidates(words: WordList, own: Trained, trusted: Collection[str], lang: str) -> list[Word]:
    """The words of a list that are worth a trial, those of frequent lemmas and short ones first."""
    forms = {form for form, _ in own.lemmas} | set(own.forms)
    unseen = (word for word in words.words(forms) if word.upos in trusted or word.upos == ANY)
    ranked = sorted(unseen, key=lambda word: (-own.counts[word.lemma], len(word.form), word))
    return [word for word in ranked if lower(word.form, lang) not in own.forms][:MOST]


def wrong(parsed: Iterable[Sentence], words: Iterable[Word]) -> Iterable[Word]:
    """Those of the words, each parsed as a sentence, whose lemma is another one."""
    for sentence, word in zip(parsed, words, strict=True):
        if sentence.lemmas[0] != word.lemma:
            yield word._replace(upos=sentence.upos[0]) if word.upos == ANY else word


def write(
    model: str, files: Sequence[str], folder: Path, words: Optional[Path], limit: int = MOST
) -> None:
    """Writes the vocabularies, with a line for each language and source that is trusted."""
    look_up = simplemma_lookup()
    for missing, source in ((look_up, SIMPLEMMA), (words, WORD_LISTS)):
        if missing is None:
            sys.stdout.write(f"{source}: not there, left out\n")
    trials: list[tuple[str, Word]] = []
    entries: list[str] = []
    forms: list[tuple[str, str]] = []
    trusted: dict[str, list[str]] = {}
    for lang, own in sorted(trained(files).items()):
        if words is not None:
            listed = WordList(words, lang)
            trusted[lang] = _noted(WORD_LISTS, lang, trust(listed.lemma, own), entries)
            if trusted[lang]:
                some = candidates(listed, own, trusted[lang], lang)[:limit]
                trials += [(lang, word) for word in some]
        if look_up is not None:
            asked = partial(_ask, look_up, lang)
            if _noted(SIMPLEMMA, lang, trust_by_endings(asked, own), entries):
                forms += [(lang, form) for form in own_forms(look_up, own, lang)]
    exceptions = {
        (lang, word.upos, word.form): make_rule(word.form, word.lemma)
        for lang, word in _tried(model, trials)
        if word.upos in trusted[lang]
    }
    known = folder / OF_TRAINING
    before = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    for namespace, lines in (
        (EXCEPTIONS, [*before, *exception_entries(exceptions)]),
        (OWN_FORMS, own_form_entries(forms)),
        (TRUSTED, entries),
    ):
        text = "".join(f"{line}\n" for line in lines)
        write_whole(folder / f"{namespace}.txt", [text.encode()])
    sys.stdout.write(f"{len(exceptions)} of {len(trials)} words of lists are exceptions\n")


def _ask(look_up: Lookup, lang: str, form: str, upos: str) -> Optional[str]:
    return ask(look_up, form, lang, upos)


def _noted(source: str, lang: str, found: list[Trust], entries: list[str]) -> list[str]:
    """The UPOS for which a source is trusted, after they are shown and put into `entries`."""
    chosen = [each.upos for each in found if each.is_enough]
    shown = (f"{each.upos} {each.right}/{each.found}" for each in found if each.is_enough)
    sys.stdout.write(f"{lang} {source}: {', '.join(shown) or 'not trusted'}\n")
    entries += [
        trusted_entry(source, lang, each.upos, each.endings) for each in found if each.is_enough
    ]
    return chosen


def _tried(model: str, trials: Sequence[tuple[str, Word]]) -> Iterable[tuple[str, Word]]:
    """Those that the model gets wrong, each parsed by itself in its language."""
    predictor = Parser.load(model, precision="bfloat16").predictor
    sentences = [Sentence.from_words([word.form]) for _, word in trials]
    langs = [lang for lang, _ in trials]
    parsed = predictor.parse(sentences, lang=langs, treebank=[""] * len(langs))
    bar = Tqdm.tqdm(parsed, total=len(trials), desc="words of lists", unit=" words")
    for lang, (sentence, word) in zip(langs, zip(bar, (word for _, word in trials))):
        for each in wrong([sentence], [word]):
            yield lang, each


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="archive, or folder of a run")
    parser.add_argument("files", nargs="+", help="treebanks that it was trained on")
    parser.add_argument("--out", required=True, help="folder of the vocabularies")
    given = parser.parse_args()
    words = os.environ.get("WORDS")
    write(given.model, given.files, Path(given.out), Path(words) if words else None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
