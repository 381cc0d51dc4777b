"""
Lists Japanese words that raw text has and training lacks, as in today's Japanese-GSD: the section
of that treebank in `udify_allennlp/data/everyday_words.txt`.

    python benchmarks/japanese_words.py TEXT.xz ... --least 3

MeCab with UniDic (`mecab_words.py`) finds them. In training and development files of that treebank
its lemmas are UD's for 99% of verbs, adjectives, adverbs and pronouns.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
from mecab_words import MecabWord, words_of_lines

from udify_allennlp import Parser
from udify_allennlp.data.known_words import Analysis, KnownWords, Word, trained_words_of
from udify_allennlp.text import japanese
from udify_allennlp.text.lemma_rules import apply_rule

UPOS = {
    ("動詞", "一般"): "VERB",
    ("動詞", "非自立可能"): "VERB",
    ("形容詞", "一般"): "ADJ",
    ("形状詞", "一般"): "ADJ",
    ("副詞", "*"): "ADV",
    ("名詞", "普通名詞"): "NOUN",
    ("代名詞", "*"): "PRON",
}
SURE = 0.95
"""Share of the tokens of a form that have its most frequent UPOS and lemma."""
ALSO, OFTEN = 0.3, 10
"""Share and number of tokens of further UPOS and lemmas of words that training has."""

Found = Mapping[str, Counter[tuple[str, str]]]
"""By form, how often it has each UPOS and lemma; of words of other kinds, the UPOS is `""`."""


def found_in(words: Iterable[MecabWord]) -> Found:
    """Returns the forms of words."""
    found: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for word in words:
        found[word.form][UPOS.get(word.kind, ""), word.lemma] += 1
    return found


def new_words(found: Found, trained: Mapping[str, Word], least: int) -> Iterator[tuple[str, ...]]:
    """
    Yields the UPOS, the lemma and the form of words that training lacks and that are certain. Of
    nouns only those with another lemma: it is otherwise the form for the model, too.
    """
    for form, counts in found.items():
        (upos, lemma), count = counts.most_common(1)[0]
        total = sum(counts.values())
        is_certain = total >= least and count >= SURE * total
        if form not in trained and upos and is_certain and (upos != "NOUN" or lemma != form):
            yield upos, lemma, form


def further_words(found: Found, trained: Mapping[str, Word]) -> Iterator[tuple[str, ...]]:
    """
    Yields annotations of verbs, adjectives and adverbs that training has with others alone, unless
    it has auxiliaries, which are verbs in UniDic.
    """
    for form, counts in found.items():
        own = {(each.upos, apply_rule(form, each.rule)) for each in _analyses(trained, form)}
        is_auxiliary = any(upos == "AUX" for upos, _ in own)
        for (upos, lemma), count in counts.items():
            is_frequent = count >= max(OFTEN, ALSO * sum(counts.values()))
            is_meant = upos in ("ADJ", "ADV") or (upos == "VERB" and not is_auxiliary)
            if own and is_meant and is_frequent and (upos, lemma) not in own:
                yield f"+{upos}", lemma, form


def lines_of(words: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yields the lines of a section."""
    forms: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for upos, lemma, form in sorted(words):
        forms[upos][lemma].append(form)
    for upos, of_upos in forms.items():
        groups = (f"{lemma}: {' '.join(own)}" for lemma, own in of_upos.items())
        yield f"{upos} _ {', '.join(groups)}"


def _analyses(trained: Mapping[str, Word], form: str) -> tuple[Analysis, ...]:
    return trained[form].analyses if form in trained else ()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+", help="raw text, compressed by xz")
    parser.add_argument("--least", type=int, default=3, help="number of tokens of a form")
    args = parser.parse_args()
    packed = KnownWords(Parser.load("multilingual").predictor.model.vocab).packed(japanese.TREEBANK)
    trained = trained_words_of(japanese.TREEBANK, packed)
    # A line that occurs twice counts once.
    lines = dict(pair for path in args.texts for pair in words_of_lines(path))
    found = found_in(word for words in lines.values() for word in words)
    print(f"[{japanese.TREEBANK}]")
    words = [*new_words(found, trained, args.least), *further_words(found, trained)]
    print(*lines_of(words), sep="\n")


if __name__ == "__main__":
    main()
