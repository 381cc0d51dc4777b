"""
Writes the word forms of treebanks whose lemmas a trained model gets wrong, with their correct
lemmas, as lines of the vocabulary with which `Lexicon` corrects them.

    python benchmarks/exceptions.py MODEL FILE.conllu ... --out lemma_lexicon_labels.txt
    python benchmarks/exceptions.py MODEL FILE.conllu ... --out lang_lemma_lexicon_labels.txt \
      --by-language

A form is an exception if the model gives it, at least once, a lemma that it has nowhere in the
files. The lexicon of all forms (`dataset_reader.lexicon`) corrects the same lemmas, but is several
times as large, too large for the package.

With --by-language, the first `MOST` sentences of each file that add a new form are parsed. A form
is then also an exception if the model gives it, at least once, a lemma that it never has with the
predicted UPOS, or if it is irregular and occurs twice: its lemma is not the usual one for its
ending, so that another context could mislead the model. Each form is also parsed in isolation, as
it is and capitalized, where the predicted UPOS has to be one that the form has, unless it is
irregular. A lemma with less than a share `NOISE` of a form's occurrences counts as an annotation
error. If the language and the UPOS, or the language alone, determine the lemma, the form goes into
`exceptions_of_training.txt`, beside the vocabulary, for the `LemmaLookup` that `lookup.py` writes;
other forms go into the vocabulary.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Optional, TypeVar

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
from allennlp.common import Tqdm

from udify_allennlp import Parser
from udify_allennlp.data.lemma_lookup import ANY, ENDING, NAMES, exception_entries
from udify_allennlp.data.lexicon import pair
from udify_allennlp.data.tasks import Lemma
from udify_allennlp.text.casing import spellings, upper
from udify_allennlp.text.conllu import (
    expand_paths,
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.files import write_whole
from udify_allennlp.text.lemma_rules import make_rule
from udify_allennlp.text.sentence import Sentence

OF_TRAINING = "exceptions_of_training.txt"
"""Entries for `LemmaLookup`."""
MOST = 500
"""
Maximum number of sentences per file that are parsed by language: frequent forms occur in any of
them.
"""
NOISE = 0.1
Key = tuple[str, str]
"""A language, and a form in its spelling in a lexicon."""
Group = TypeVar("Group")
_REGULAR = ("NUM", "PROPN", "PUNCT", "SYM", "X")
"""Parts of speech whose forms are never irregular: most have the form as their lemma."""


def exceptions(gold: Iterable[Sentence], parsed: Iterable[Sentence]) -> list[str]:
    """Returns the entries of forms with a lemma in `parsed` that they never have in `gold`."""
    task = Lemma()
    labels_of: defaultdict[str, set[str]] = defaultdict(set)
    given: defaultdict[str, set[str]] = defaultdict(set)
    for sentence, guess in zip(gold, parsed, strict=True):
        for form, label, other in zip(sentence.forms, task.labels(sentence), task.labels(guess)):
            if label != task.missing:
                labels_of[form].add(label)
                given[form].add(other)
    return [
        pair(form, label)
        for form, labels in sorted(labels_of.items())
        if not given[form] <= labels
        for label in sorted(labels)
    ]


def covering(sentences: Iterable[Sentence], most: int = MOST) -> list[Sentence]:
    """
    Returns sentences with a form that no earlier sentence of their language has, at most `most` per
    file.
    """
    met: defaultdict[str, set[str]] = defaultdict(set)
    counts: Counter[str] = Counter()
    chosen = []
    for sentence in sentences:
        forms = met[treebank_language(treebank_name(sentence.path))]
        if counts[sentence.path] < most and not forms.issuperset(sentence.forms):
            forms.update(sentence.forms)
            counts[sentence.path] += 1
            chosen.append(sentence)
    return chosen


def exceptions_by_language(
    gold: Iterable[Sentence], tried: Iterable[Sentence], parsed: Iterable[Sentence]
) -> tuple[list[str], dict[tuple[str, str, str], str]]:
    """
    Returns the entries of forms with several lemmas for one UPOS and, for `LemmaLookup`, the lemma
    rules of the others, by language, UPOS or `ANY`, and form.

    # Parameters

    gold : `Iterable[Sentence]`
        The sentences that define the lemmas of a form.
    tried, parsed : `Iterable[Sentence]`
        Some of them, and their parses by the model.
    """
    counts: defaultdict[Key, defaultdict[str, Counter[str]]]
    counts = defaultdict(lambda: defaultdict(Counter))  # lemmas by UPOS
    written: defaultdict[Key, set[str]] = defaultdict(set)
    given: defaultdict[Key, set[tuple[str, str]]] = defaultdict(set)
    for sentence in gold:
        for _, key, form, upos, lemma in _words(sentence):
            counts[key][upos][lemma] += 1
            written[key].add(form)
    known = {
        key: {upos: _without_noise(lemmas) for upos, lemmas in by_upos.items()}
        for key, by_upos in counts.items()
    }
    unusual = _irregular_forms(known)
    for sentence, guess in zip(tried, parsed, strict=True):
        for place, key, *_ in _words(sentence):
            # In isolation the UPOS is a guess.
            if len(sentence) > 1 or guess.upos[place] in known.get(key, ()) or key in unusual:
                given[key].add((guess.upos[place], guess.lemmas[place]))
    entries: list[str] = []
    rules: dict[tuple[str, str, str], str] = {}
    for (lang, form), by_upos in sorted(known.items()):
        lemmas = set().union(*by_upos.values())
        guesses = given.get((lang, form), ())
        is_rare = sum(lemmas.total() for lemmas in counts[lang, form].values()) < 2
        is_right = all(lemma in by_upos.get(upos, lemmas) for upos, lemma in guesses)
        if is_right and (is_rare or (lang, form) not in unusual):
            continue
        if len(lemmas) == 1:
            by_upos = {upos: lemmas for upos in (ANY, NAMES) if upos in (ANY, *by_upos)}
        for upos, own in by_upos.items():
            if len(own) == 1:
                rules[lang, upos, form] = make_rule(form, next(iter(own)))
        if any(len(own) > 1 for own in by_upos.values()):
            pairs = {(own, make_rule(own, m)) for own in written[lang, form] for m in lemmas}
            entries += [f"{lang}\t{pair(*each)}" for each in sorted(pairs)]
    return list(dict.fromkeys(entries)), rules  # two spellings of a form can have the same


def alone(gold: Iterable[Sentence]) -> list[Sentence]:
    """
    Returns each word as a sentence, and again capitalized, as at the beginning of a sentence: other
    contexts are often less informative than those in training.
    """
    sentences: dict[tuple[Key, str], Sentence] = {}
    for sentence in gold:
        for _, key, _, upos, lemma in _words(sentence):
            lang, usual = key
            # At its second occurrence a word has its sentences.
            if upos in _REGULAR or (key, usual) in sentences:
                continue
            for form in (usual, upper(usual[:1], lang) + usual[1:]):
                if spellings(form, lang, upos)[0] == usual:  # `ǰ` has no capital
                    row = f"1\t{form}\t{lemma}\t{upos}\t_\t_\t0\troot\t_\t_\n\n"
                    sentences[key, form] = Sentence(row, sentence.path, sentence.line)
    return [word for _, word in sorted(sentences.items(), key=itemgetter(0))]


def irregular(words: Iterable[tuple[Group, str, str]]) -> set[tuple[Group, str]]:
    """
    Returns the groups and forms, from words `(group, form, lemma)`, whose lemma does not follow the
    rule of most forms of the group with the same ending. A form occurs once in a group.
    """
    rules: defaultdict[tuple[Group, str], Counter[str]] = defaultdict(Counter)
    rule_of: dict[tuple[Group, str], str] = {}
    for group, form, lemma in words:
        rule_of[group, form] = rule = make_rule(form, lemma)
        rules[group, form[-ENDING:]][rule] += 1
    usual = {key: counter.most_common(1)[0][0] for key, counter in rules.items()}
    return {
        (group, form)
        for (group, form), rule in rule_of.items()
        if rule != usual[group, form[-ENDING:]]
    }


def _irregular_forms(lemmas: Mapping[Key, Mapping[str, set[str]]]) -> set[Key]:
    """Returns the `irregular` forms by language, among those with one lemma for some UPOS."""
    words = (
        ((lang, upos), form, next(iter(own)))
        for (lang, form), by_upos in lemmas.items()
        for upos, own in by_upos.items()
        if len(own) == 1 and upos not in _REGULAR
    )
    return {(lang, form) for (lang, _), form in irregular(words)}


def _words(sentence: Sentence) -> Iterator[tuple[int, Key, str, str, str]]:
    """Yields the position, key, form, UPOS and lemma of the words that have a lemma."""
    lang = treebank_language(treebank_name(sentence.path))
    columns = zip(sentence.forms, sentence.upos, sentence.lemmas)
    for place, (form, upos, lemma) in enumerate(columns):
        if lemma != "_" or form == "_":
            yield place, (lang, spellings(form, lang, upos)[0]), form, upos, lemma


def _without_noise(lemmas: Counter[str]) -> set[str]:
    return {lemma for lemma, count in lemmas.items() if count >= NOISE * lemmas.total()}


def write(
    model: str,
    files: Sequence[str],
    target: Path,
    limit: Optional[int] = None,
    by_language: bool = False,
) -> None:
    """Parses the files, or their first sentences, with progress, and writes the exceptions."""
    sentences = (sentence for path in expand_paths(files) for sentence in read_sentences(path))
    gold = list(islice(sentences, limit))
    tried = [*covering(gold), *alone(gold)] if by_language else gold
    parsed = Parser.load(model, precision="bfloat16").parse(tried)
    bar = Tqdm.tqdm(parsed, total=len(tried), desc="parsing", unit=" sentences")
    if by_language:
        entries, rules = exceptions_by_language(gold, tried, bar)
        _write(target.with_name(OF_TRAINING), exception_entries(rules))
    else:
        entries = exceptions(gold, bar)
    _write(target, entries)


def _write(target: Path, entries: Iterable[str]) -> None:
    write_whole(target, ["".join(f"{entry}\n" for entry in entries).encode()])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="model archive or run folder")
    parser.add_argument("files", nargs="+", help="training treebanks of the model")
    parser.add_argument("--out", required=True, help="vocabulary file to write")
    parser.add_argument(
        "--by-language", action="store_true", help="write separate exceptions per language"
    )
    given = parser.parse_args()
    write(given.model, given.files, Path(given.out), by_language=given.by_language)
    return 0


if __name__ == "__main__":
    sys.exit(main())
