"""
Measures the gain from looked-up lemmas by treebank: for all words, and for forms that the training
data lacks; others are never looked up.

    python benchmarks/lookup_scores.py MODEL FILE.conllu ... --train FILE.conllu ... --lookup FOLDER

FOLDER has the vocabularies that `lookup.py` wrote. The lemmas of the first --sentences of each file
are scored by the official script's rule, on gold words: as predicted; after the exceptions from
word lists; and after simplemma, if installed.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from itertools import islice
from pathlib import Path

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
from allennlp.data import Vocabulary

from udify_allennlp import Parser
from udify_allennlp.data.lemma_lookup import EXCEPTIONS, TRUSTED, LemmaLookup
from udify_allennlp.data.tasks import Lemma
from udify_allennlp.text.casing import lower
from udify_allennlp.text.conllu import (
    expand_paths,
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.sentence import Sentence

KINDS = ("all", "unseen")
WAYS = ("own", "lists", "both")


def lookup_of(folder: Path, namespaces: Collection[str]) -> LemmaLookup:
    """Returns the lookup of the vocabularies in a folder, for some namespaces."""
    vocab = Vocabulary()
    for name in namespaces:
        for entry in (folder / f"{name}.txt").read_text(encoding="utf-8").split("\n"):
            if entry:
                vocab.add_token_to_namespace(entry, name)
    return LemmaLookup(vocab)


def known_forms(files: Sequence[str]) -> dict[str, set[str]]:
    """Returns the forms of treebanks, in lower case, by language."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in expand_paths(files):
        lang = treebank_language(treebank_name(path))
        for sentence in read_sentences(path):
            found[lang].update(lower(form, lang) for form in sentence.forms)
    return found


def right(
    gold: Sequence[Sentence],
    parsed: Sequence[Sentence],
    lookups: dict[str, LemmaLookup],
    lang: str,
    known: Collection[str],
) -> Counter[tuple[str, str]]:
    """
    Returns the number of words of each of `KINDS`, as `(kind, "")`, and of the correct ones for
    each method.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for sentence, guess in zip(gold, parsed, strict=True):
        for form, lemma, upos, own in zip(
            sentence.forms, sentence.lemmas, guess.upos, guess.lemmas, strict=True
        ):
            kinds = ("all",) if lower(form, lang) in known else KINDS
            for way, lookup in lookups.items():
                found = lookup(lang, form, upos) if "unseen" in kinds else None
                counts.update({(kind, way): Lemma.same(lemma, found or own) for kind in kinds})
            counts.update((kind, "") for kind in kinds)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="model archive or run folder")
    parser.add_argument("files", nargs="+", help="gold treebanks")
    parser.add_argument("--train", nargs="+", required=True, help="training treebanks of the model")
    parser.add_argument(
        "--lookup", required=True, help="folder with the vocabularies that lookup.py wrote"
    )
    parser.add_argument("--sentences", type=int, default=100, help="number of sentences per file")
    given = parser.parse_args()
    folder, known = Path(given.lookup), known_forms(given.train)
    names = {"own": (), "lists": (EXCEPTIONS,), "both": (EXCEPTIONS, TRUSTED)}
    lookups = {way: lookup_of(folder, names[way]) for way in WAYS}
    model = Parser.load(given.model, precision="bfloat16")
    columns = [f"{kind} {way}".strip() for kind in KINDS for way in ("", *WAYS)]
    sys.stdout.write("\t".join(["treebank", *columns]) + "\n")
    for path in expand_paths(given.files):
        gold = list(islice(read_sentences(path), given.sentences))
        name = treebank_name(path)
        lang = treebank_language(name)
        counts = right(gold, list(model.parse(gold)), lookups, lang, known.get(lang, ()))
        cells = [name]
        for kind in KINDS:
            total = counts[kind, ""]
            cells += [str(total), *(f"{100 * counts[kind, w] / max(1, total):.2f}" for w in WAYS)]
        sys.stdout.write("\t".join(cells) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
