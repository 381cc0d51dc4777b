"""
Scores the lemmas of the commonest irregular forms of each language, in real sentences.

    WORDS=lexicon RAW=texts python benchmarks/everyday_forms.py list FILE.conllu ... --out forms.tsv
    RAW=texts python benchmarks/everyday_forms.py score MODEL --forms forms.tsv --out scores.tsv

For each of the `LANGUAGES` largest languages with a word list and a text, the list contains the
`MOST` commonest irregular forms of verbs, nouns and pronouns: those whose only lemma in the word
list is not the usual one for their ending. FILEs are the training treebanks of a model: word lists
count only where they agree with treebanks (`lemma_trust.py`), and forms with another lemma in
training, or that are names or multiword tokens there, are excluded. Languages whose list has fewer
noun lemmas than half its verb lemmas, or no verbs, are left out, since it does not show which of
its forms are also other words. The score of a language is the share of forms whose lemma a model
gets right, each in the first short line of the text that contains it.
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
import silver
from allennlp.common import Tqdm
from lemma_trust import Trained, trained, trust
from lookup import word_lists
from multilingual_steps import raw_texts
from word_lists import Word, WordList

from udify_allennlp import Parser
from udify_allennlp.data.known_words import NAMES
from udify_allennlp.data.lemma_lookup import ENDING
from udify_allennlp.text.casing import lower
from udify_allennlp.text.conllu import (
    expand_paths,
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.files import write_whole
from udify_allennlp.text.lemma_rules import make_rule
from udify_allennlp.text.line_reader import read_rows

LANGUAGES, MOST = 25, 50
SORTS = ("VERB", "NOUN", "PRON")
FEWEST = 0.5
"""The minimum number of noun lemmas in a list per verb lemma."""
LONGEST = 200
"""Maximum number of characters per line."""
_WORD = re.compile(r"[\w'’-]+")
"""Words with hyphens and apostrophes are one: `востоке` does not occur in `юго-востоке`."""


def irregular(words: Sequence[Word]) -> list[Word]:
    """
    Returns the words whose lemma is another word, and does not follow the rule of most words of
    their part of speech with the same ending.
    """
    rules: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for word in words:
        rules[word.upos, word.form[-ENDING:]][make_rule(word.form, word.lemma)] += 1
    usual = {key: counter.most_common(1)[0][0] for key, counter in rules.items()}
    return [
        word
        for word in words
        if word.form != word.lemma
        and make_rule(word.form, word.lemma) != usual[word.upos, word.form[-ENDING:]]
    ]


def everyday(
    listed: WordList,
    own: Trained,
    other: Collection[str],
    sorts: Iterable[str],
    counts: Counter[str],
    lang: str,
) -> list[Word]:
    """
    Returns the commonest irregular forms of a language, where list and training agree; none of the
    forms `other`, in lower case.
    """
    words = list(listed.words(()))
    lemmas: defaultdict[str, set[str]] = defaultdict(set)
    for word in listed.readings():
        lemmas[lower(word.form, lang)].add(word.lemma)

    def is_certain(word: Word) -> bool:
        form = lower(word.form, lang)
        return form not in other and lemmas[form] | own.forms.get(form, set()) == {word.lemma}

    unusual = irregular([word for word in words if word.upos in sorts])
    found = [word for word in unusual if counts[word.form] and is_certain(word)]
    return sorted(found, key=lambda word: (-counts[word.form], word))[:MOST]


def write_list(files: Sequence[str], words: Path, texts: Sequence[str], target: Path) -> None:
    counts = {silver.language(path): frequencies(path) for path in texts}
    rows = ["lang\tUPOS\tform\tlemma\n"]
    of_training = {lang: own for lang, own in trained(files).items() if lang in counts}
    other = names_and_multiword_tokens(files)
    chosen: dict[str, list[Word]] = {}
    for lang, own in sorted(of_training.items(), key=lambda pair: -pair[1].counts.total()):
        listed = WordList(words, lang)
        if not shows_other_words(listed):
            continue
        sorts = {each.upos for each in trust(listed.lemma, own) if each.is_enough} & {*SORTS}
        found = everyday(listed, own, other[lang], sorts, counts[lang], lang)
        if len(found) == MOST and len(chosen) < LANGUAGES:
            chosen[lang] = found
    for lang, found in sorted(chosen.items()):
        rows += [f"{lang}\t{word.upos}\t{word.form}\t{word.lemma}\n" for word in found]
    write_whole(target, ["".join(rows).encode()])


def shows_other_words(listed: WordList) -> bool:
    """Returns whether a list has verbs, and nouns enough to show which of them are also nouns."""
    lemmas = {(word.upos, word.lemma) for word in listed.readings()}
    counts = Counter(upos for upos, _ in lemmas)
    return counts["NOUN"] >= FEWEST * counts["VERB"] > 0


def names_and_multiword_tokens(files: Sequence[str]) -> dict[str, set[str]]:
    """Returns the forms in lower case that are also names or multiword tokens, by language."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in expand_paths(files):
        lang = treebank_language(treebank_name(path))
        for sentence in read_sentences(path):
            forms = [form for form, upos in zip(sentence.forms, sentence.upos) if upos == NAMES]
            forms += re.findall(r"^\d+-\d+\t([^\t]+)", sentence.text, re.MULTILINE)
            found[lang].update(lower(form, lang) for form in forms)
    return found


def frequencies(path: str) -> Counter[str]:
    """
    Returns the frequency of each form in a text; forms are case-sensitive, so that names are
    distinct.
    """
    counts: Counter[str] = Counter()
    for line in silver.lines(path):
        counts.update(_WORD.findall(line))
    return counts


def contexts(path: str, forms: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields the forms in a text, each with the first short line that contains it."""
    missing = set(forms)
    for line in silver.lines(path):
        if len(line) <= LONGEST:
            for form in missing.intersection(_WORD.findall(line)):
                missing.remove(form)
                yield form, line


def score(model: str, forms: Path, texts: Sequence[str], target: Path) -> None:
    """Writes the number of correct lemmas and the wrong lemmas of each language."""
    lemmas: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in read_rows(forms):
        lemmas[row["lang"]][row["form"]] = row["lemma"]
    parser = Parser.load(model, precision="bfloat16")
    rows = ["lang\tforms\tright\twrong\n"]
    paths = {silver.language(path): path for path in texts}
    totals = [0, 0]
    for lang, own in Tqdm.tqdm(sorted(lemmas.items()), desc="parsing", unit=" languages"):
        found = list(contexts(paths[lang], own))
        documents = parser([line for _, line in found], lang=lang).by_text()
        wrong = []
        for (form, _), sentences in zip(found, documents, strict=True):
            words = [word for each in sentences for word in each if word.text == form]
            given = words[0].lemma if words else ""
            if given != own[form]:
                wrong.append(f"{form}: {given or '-'}, not {own[form]}")
        rows.append(f"{lang}\t{len(found)}\t{len(found) - len(wrong)}\t{'; '.join(wrong)}\n")
        totals[0] += len(found)
        totals[1] += len(found) - len(wrong)
    rows.append(f"all\t{totals[0]}\t{totals[1]}\t\n")
    write_whole(target, ["".join(rows).encode()])
    sys.stdout.write(f"{totals[1]} of {totals[0]} lemmas are right\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="write the list")
    listing.add_argument("files", nargs="+", help="training treebanks of the model")
    listing.add_argument("--out", required=True, help="TSV of forms")
    scoring = commands.add_parser("score", help="score a model")
    scoring.add_argument("model", help="model archive or run folder")
    scoring.add_argument("--forms", required=True, help="TSV of forms")
    scoring.add_argument("--out", required=True, help="TSV of scores")
    given = parser.parse_args()
    words = word_lists()
    if given.command == "score":
        score(given.model, Path(given.forms), raw_texts(), Path(given.out))
    elif words is None:
        parser.error("WORDS is not set. Set it to the folder of word lists.")
    else:
        write_list(given.files, words, raw_texts(), Path(given.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
