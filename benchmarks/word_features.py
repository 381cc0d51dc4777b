"""
Writes the features that word lists give to common forms that training lacks
(`udify_allennlp/data/word_features.txt`).

    python benchmarks/word_features.py MODEL TEXT ... --words lexicon --langs de fr:VERB --out FILE

TEXTs, by language as `NAME.LANG.txt.xz` or `NAME.LANG.xz`, show which forms are common. A feature
of a part of speech is taken if the list hardly contradicts one of the treebanks of MODEL.
"""

import argparse
import lzma
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
from word_lists import rows_of

from udify_allennlp import Parser
from udify_allennlp.data.known_words import (
    KnownWords,
    Treebank,
    trained_words_of,
    treebanks_of,
    word_in_any_case,
)
from udify_allennlp.data.language_sections import text_of_sections
from udify_allennlp.text import misc_column
from udify_allennlp.text.casing import lower
from udify_allennlp.text.files import write_whole

UPOS = ("NOUN", "VERB")
LEXICAL = {"NOUN": ("Animacy", "Gender"), "VERB": ("Aspect",)}
"""Features that all forms of a word share: with one value in some rows, a form has it in all."""
MOST_WRONG, FEWEST = 0.021, 150
"""Maximum share of contradicted words in a treebank, and their minimum number."""
COMMON = 2
"""Minimum number of occurrences of a form in the texts."""
_ALSO_THIRD = re.compile(
    r"(Cnd|Sub)\|Number=Sing\|Person=1|Sing\|Person=1\|Tense=Imp|Plur\|Person=2"
)
"""
Spanish forms such as `cantaba` of which the list often has the first person alone, and those such
as `cantan` of which it has the second.
"""
_CONVERBS = frozenset(["VerbForm=Conv", "VerbForm=Ger"])
"""Treebanks call the same forms by either name."""
_WORD = re.compile(r"[^\W\d_]+")

Reading = Mapping[str, str]


def readings_of(folder: Path, lang: str) -> dict[tuple[str, str], list[Reading]]:
    """Returns the features of each analysis of a form and UPOS in the tables of a language."""
    found: defaultdict[tuple[str, str], dict[str, Reading]] = defaultdict(dict)
    for form, _, upos, feats in rows_of(folder, lang):
        if upos in UPOS and form.isalpha():
            readings = found[lower(form, lang), upos]
            own = "|".join(each for each in feats.split("|") if each not in _CONVERBS)
            readings[own] = misc_column.entries(own or "_")
            if lang == "es" and _ALSO_THIRD.search(feats) and not form.endswith("s"):
                third = re.sub("Person=[12]", "Person=3", own)
                readings[third] = misc_column.entries(third)
    return {key: list(own.values()) for key, own in found.items()}


def trusted(
    readings: Mapping[tuple[str, str], Sequence[Reading]],
    treebanks: Iterable[Treebank],
    lang: str,
) -> set[tuple[str, str]]:
    """
    Returns the features, each with its part of speech, that the list annotates as at least one
    treebank of a language does: others may call an Italian imperfect a past tense.
    """
    found: set[tuple[str, str]] = set()
    for treebank in treebanks:
        seen: Counter[tuple[str, str]] = Counter()
        wrong: Counter[tuple[str, str]] = Counter()
        for form, word in treebank.words.items():
            for upos, feats, _ in word.analyses:
                own = readings.get((lower(form, lang), upos), ())
                for name, value in misc_column.entries(feats).items():
                    if any(name in reading for reading in own):
                        seen[upos, name] += 1
                        wrong[upos, name] += all(
                            reading.get(name, value) != value for reading in own
                        )
        for key, count in seen.items():
            if count >= FEWEST and wrong[key] <= MOST_WRONG * count:
                found.add(key)
    return found


def distinct(
    readings: Iterable[Reading], upos: str, names: set[tuple[str, str]]
) -> list[dict[str, str]]:
    """Returns the trusted features of each analysis, without those that contain another's."""
    own = [{k: v for k, v in each.items() if (upos, k) in names} for each in readings]
    for name in LEXICAL[upos]:
        values = {each[name] for each in own if name in each}
        if len(values) == 1:
            own = [{**each, name: next(iter(values))} for each in own]
    own = [each for place, each in enumerate(own) if each not in own[:place]]
    return [each for each in own if not any(o.items() < each.items() for o in own)]


def lines_of(
    folder: Path, lang: str, known: KnownWords, counts: Counter[str], upos: Collection[str] = UPOS
) -> Iterator[str]:
    """Yields the lines of a language, of some parts of speech."""
    words = trained_words_of(lang, known.packed(lang))
    readings = {key: own for key, own in readings_of(folder, lang).items() if key[1] in upos}
    for form in [form for form, tag in readings if tag == "VERB"]:
        if any(each.get("VerbForm") == "Inf" for each in readings[form, "VERB"]):
            readings.pop((form, "NOUN"), None)  # lists lack German `Rauchen`, of `rauchen`
    names = trusted(readings, treebanks_of(known.packed(lang)), lang)
    forms: defaultdict[str, list[str]] = defaultdict(list)
    for (form, tag), own in sorted(readings.items()):
        both = (form, form.capitalize())
        if counts[form] < COMMON or any(word_in_any_case(words, one, lang) for one in both):
            continue
        kept = distinct(own, tag, names)
        if kept and all(kept):
            cells = (misc_column.with_entries("_", dict(sorted(each.items()))) for each in kept)
            forms[" ".join([tag, *sorted(cells)])].append(form)
    yield from (f"{key}: {' '.join(own)}" for key, own in sorted(forms.items()))


def counts_of(files: Sequence[str], lang: str) -> Counter[str]:
    """Returns how often each form occurs in the texts of a language, in small letters."""
    found: Counter[str] = Counter()
    for file in files:
        if re.search(rf"\.{lang}(\.txt)?\.xz$", file):
            with lzma.open(file, "rt", encoding="utf-8") as lines:
                for line in lines:
                    found.update(lower(word, lang) for word in _WORD.findall(line))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("texts", nargs="+")
    parser.add_argument("--words", type=Path, required=True)
    parser.add_argument("--langs", nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    vocabulary = KnownWords(Parser.load(args.model).predictor.model.vocab)
    sections: dict[str, list[str]] = {}
    for choice in args.langs:
        lang, *tags = choice.split(":")
        counts = counts_of(args.texts, lang)
        sections[lang] = list(lines_of(args.words, lang, vocabulary, counts, tags or UPOS))
    write_whole(args.out, [text_of_sections(sections).encode()])
