"""
Writes the word forms of treebanks whose lemmas a trained model gets wrong, with their correct
lemmas, as lines of the vocabulary with which `Lexicon` corrects them.

    python benchmarks/exceptions.py MODEL FILE.conllu ... --out lemma_lexicon_labels.txt
    python benchmarks/exceptions.py MODEL FILE.conllu ... --out lang_lemma_lexicon_labels.txt \
      --by-language

A form is an exception if the model gives it, at least once, a lemma that it has nowhere in the
files. The lexicon of all forms (`dataset_reader.lexicon`) corrects the same lemmas, but is several
times as large, too large for the package.

By language, the first `MOST` sentences of each file are parsed that have a form which those before
them lack, and a form is an exception too if the model once gives it a lemma that it has nowhere as
the part of speech that the model takes it for. Where the language and the UPOS, or the language
alone, leave one lemma, the form goes into `exceptions_of_training.txt`, beside the vocabulary, for
`LemmaLookup`, which `lookup.py` writes; into the vocabulary go the others.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Optional

import machine  # noqa: F401  (before allennlp: it brings the mends that allennlp needs to import)
from allennlp.common import Tqdm

from udify_allennlp import Parser
from udify_allennlp.data.lemma_lookup import ANY, NAMES, exception_entries
from udify_allennlp.data.lexicon import pair
from udify_allennlp.data.tasks import Lemma
from udify_allennlp.text.casing import spellings
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


def exceptions(gold: Iterable[Sentence], parsed: Iterable[Sentence]) -> list[str]:
    """The entries of the forms with a lemma in `parsed` that they have nowhere in `gold`."""
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
    The entries of forms with several lemmas as the same part of speech, and for `LemmaLookup` the
    lemma rules of the others, by language, UPOS or `ANY`, and form.

    # Parameters

    gold : `Iterable[Sentence]`
        The sentences that define the lemmas of a form.
    tried, parsed : `Iterable[Sentence]`
        Some of them, and their parses by the model.
    """
    known: defaultdict[tuple[str, str], defaultdict[str, set[str]]]
    known = defaultdict(lambda: defaultdict(set))  # lemmas by UPOS, of each language and spelling
    written: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    given: defaultdict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for sentence in gold:
        lang = treebank_language(treebank_name(sentence.path))
        for form, upos, lemma in zip(sentence.forms, sentence.upos, sentence.lemmas):
            if lemma != "_" or form == "_":
                key = lang, spellings(form, lang, upos)[0]
                known[key][upos].add(lemma)
                written[key].add(form)
    for sentence, guess in zip(tried, parsed, strict=True):
        lang = treebank_language(treebank_name(sentence.path))
        columns = sentence.forms, sentence.upos, sentence.lemmas, guess.upos, guess.lemmas
        for form, upos, lemma, *other in zip(*columns):
            if lemma != "_" or form == "_":
                given[lang, spellings(form, lang, upos)[0]].add((other[0], other[1]))
    entries: list[str] = []
    rules: dict[tuple[str, str, str], str] = {}
    for (lang, form), by_upos in sorted(known.items()):
        lemmas = set().union(*by_upos.values())
        guesses = given.get((lang, form), ())
        if all(lemma in by_upos.get(upos, lemmas) for upos, lemma in guesses):
            continue
        if len(lemmas) == 1:
            by_upos = {upos: lemmas for upos in (ANY, NAMES) if upos in (ANY, *by_upos)}
        for upos, own in by_upos.items():
            if len(own) == 1:
                rules[lang, upos, form] = make_rule(form, next(iter(own)))
        if any(len(own) > 1 for own in by_upos.values()):
            pairs = {(own, make_rule(own, m)) for own in written[lang, form] for m in lemmas}
            entries += [f"{lang}\t{pair(*each)}" for each in sorted(pairs)]
    return entries, rules


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
    tried = covering(gold) if by_language else gold
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
    parser.add_argument("model", help="archive, or folder of a run")
    parser.add_argument("files", nargs="+", help="treebanks that it was trained on")
    parser.add_argument("--out", required=True, help="the vocabulary")
    parser.add_argument("--by-language", action="store_true", help="of each language its own")
    given = parser.parse_args()
    write(given.model, given.files, Path(given.out), by_language=given.by_language)
    return 0


if __name__ == "__main__":
    sys.exit(main())
