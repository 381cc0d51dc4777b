"""
Writes an archive's lemma lookup for forms that its training data lacks: the scope of trust in word
lists and simplemma, those words of the lists that the model gets wrong, and the most frequent ones,
which it may get wrong in some sentence.

    WORDS=lexicon RAW=texts python benchmarks/lookup.py MODEL FILE.conllu ... --out FOLDER

A source is trusted for a language and a UPOS if 95 in 100 of its words, at least 20, have one of
their lemmas in training; each pair of a form and a UPOS counts once. Names are never looked up.
simplemma does not distinguish parts of speech: its lemmas count only if they end like lemmas of
this UPOS in training, with an ending that two of them have or, if that does not suffice for trust,
a larger share of them. WORDS is an optional folder of word lists (`word_lists.py`). simplemma, from
the extra `lemmas`, is only checked for accuracy; none of its words is copied.

FOLDER gets vocabularies: `lemma_trusted_labels.txt` lists the trusted sources;
`lemma_exceptions_labels.txt` holds words of the lists, chosen from at most `MOST` per language:
those most frequent in the texts in RAW (`.LANG.txt`, compressed or not), of which `ALWAYS` need not
be wrong, then those of frequent lemmas.
"""

import argparse
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Optional

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
import silver
from allennlp.common import Tqdm
from lemma_trust import Trained, Trust, trained, trust, trust_by_endings
from multilingual_steps import raw_texts
from word_lists import Word, WordList

from udify_allennlp import Parser
from udify_allennlp.data.dictionaries import SIMPLEMMA, Lookup, ask, simplemma_lookup
from udify_allennlp.data.lemma_lookup import (
    ANY,
    EXCEPTIONS,
    TRUSTED,
    WORD_LISTS,
    exception_entries,
    trusted_entry,
)
from udify_allennlp.text.casing import lower
from udify_allennlp.text.files import write_whole
from udify_allennlp.text.lemma_rules import make_rule
from udify_allennlp.text.sentence import Sentence

ALWAYS = 1_000
"""Maximum number of frequent words per language that are looked up in any case."""
MOST = 5_000
"""Maximum number of words per language, from its lists, that the model is tested on."""


def frequencies(texts: Sequence[str]) -> dict[str, Counter[str]]:
    """Returns the frequency of each form, in lower case, in the texts of each language."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for path in texts:
        lang = silver.language(path)
        for line in silver.lines(path):
            found[lang].update(re.findall(r"\w+", lower(line, lang)))
    return dict(found)


def candidates(
    words: WordList,
    own: Trained,
    trusted: Collection[str],
    lang: str,
    counts: Mapping[str, int] = MappingProxyType({}),
) -> list[Word]:
    """
    Returns the words of a list that are worth testing: first those that are most frequent in texts,
    by `counts`, then those of frequent lemmas, and short ones.
    """
    forms = {form for form, _ in own.lemmas} | set(own.forms)
    unseen = (word for word in words.words(forms) if word.upos in trusted or word.upos == ANY)

    def rank(word: Word) -> tuple[Any, ...]:
        seen = counts.get(lower(word.form, lang), 0)
        return -seen, -own.counts[word.lemma], len(word.form), word

    ranked = sorted(unseen, key=rank)
    return [word for word in ranked if lower(word.form, lang) not in own.forms][:MOST]


def wrong(parsed: Iterable[Sentence], words: Iterable[Word]) -> Iterable[Word]:
    """Yields those of the words, each parsed as a sentence, whose lemma is wrong."""
    for sentence, word in zip(parsed, words, strict=True):
        if sentence.lemmas[0] != word.lemma:
            yield word._replace(upos=sentence.upos[0]) if word.upos == ANY else word


def write(
    model: str,
    files: Sequence[str],
    folder: Path,
    words: Optional[Path],
    texts: Sequence[str] = (),
    limit: int = MOST,
) -> None:
    """Writes the vocabularies, with a line for each language and trusted source."""
    look_up = simplemma_lookup()
    for missing, source in ((look_up, SIMPLEMMA), (words, WORD_LISTS)):
        if missing is None:
            sys.stdout.write(f"{source}: not found, skipped\n")
    trials: list[tuple[str, Word]] = []
    always: list[tuple[str, Word]] = []
    entries: list[str] = []
    trusted: dict[str, list[str]] = {}
    counts = frequencies(texts) if words is not None else {}
    for lang, own in sorted(trained(files).items()):
        if words is not None:
            listed = WordList(words, lang)
            trusted[lang] = _noted(WORD_LISTS, lang, trust(listed.lemma, own), entries)
            if trusted[lang]:
                seen = counts.get(lang, {})
                some = candidates(listed, own, trusted[lang], lang, seen)[:limit]
                trials += [(lang, word) for word in some]
                always += [
                    (lang, word) for word in some[:ALWAYS] if seen.get(lower(word.form, lang))
                ]
        if look_up is not None:
            asked = partial(_ask, look_up, lang)
            _noted(SIMPLEMMA, lang, trust_by_endings(asked, own), entries)
    exceptions = {
        (lang, word.upos, word.form): make_rule(word.form, word.lemma)
        for lang, word in (*always, *_tried(model, trials))
        if word.upos in trusted[lang]
    }
    for namespace, lines in ((EXCEPTIONS, exception_entries(exceptions)), (TRUSTED, entries)):
        text = "".join(f"{line}\n" for line in lines)
        write_whole(folder / f"{namespace}.txt", [text.encode()])
    sys.stdout.write(f"{len(exceptions)} of {len(trials)} list words are exceptions\n")


def word_lists() -> Optional[Path]:
    """Returns the folder WORDS, if it is set."""
    words = os.environ.get("WORDS")
    return Path(words) if words else None


def _ask(look_up: Lookup, lang: str, form: str, upos: str) -> Optional[str]:
    return ask(look_up, form, lang, upos)


def _noted(source: str, lang: str, found: list[Trust], entries: list[str]) -> list[str]:
    """
    Returns the UPOS for which a source is trusted, after printing them and adding them to
    `entries`.
    """
    chosen = [each.upos for each in found if each.is_enough]
    shown = (f"{each.upos} {each.right}/{each.found}" for each in found if each.is_enough)
    sys.stdout.write(f"{lang} {source}: {', '.join(shown) or 'not trusted'}\n")
    entries += [
        trusted_entry(source, lang, each.upos, each.endings) for each in found if each.is_enough
    ]
    return chosen


def _tried(model: str, trials: Sequence[tuple[str, Word]]) -> Iterable[tuple[str, Word]]:
    """Yields the words that the model gets wrong, each parsed alone in its language."""
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
    parser.add_argument("model", help="model archive or run folder")
    parser.add_argument("files", nargs="+", help="training treebanks of the model")
    parser.add_argument("--out", required=True, help="folder to write the vocabularies to")
    given = parser.parse_args()
    write(given.model, given.files, Path(given.out), word_lists(), raw_texts())
    return 0


if __name__ == "__main__":
    sys.exit(main())
