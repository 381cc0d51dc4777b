"""
Exact match and F1 of answers. XQuAD is scored as SQuAD 1.1 is, in all languages (Artetxe et al.
2020; so does XTREME): English articles and ASCII punctuation are ignored, and words are separated
by white space, so that Chinese and Thai answers are hardly more than one word. The script of MLQA
(Lewis et al. 2020) has rules for each of its seven languages; both are here.
"""

import os
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Optional

Words = Callable[[str], list[str]]
"""The words of an answer that are compared, normalized."""

_ARTICLES = {
    "ar": "ال",  # the script's pattern removes it inside words, too
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "en": r"\b(a|an|the)\b",
    "es": r"\b(un|una|unos|unas|el|la|los|las)\b",
    "hi": None,
    "vi": r"\b(của|là|cái|chiếc|những)\b",
    "zh": None,
}
"""The patterns of MLQA by language."""
_ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)
_CHINESE = re.compile("([\u4e00-\u9fa5])")


def squad_words(answer: str) -> list[str]:
    """Returns the words of an answer as SQuAD 1.1 compares them."""
    text = answer.lower().translate(_ASCII_PUNCTUATION)
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


def mlqa_words(lang: str) -> Optional[Words]:
    """Returns the function that gives the words of answers in `lang`; `None` without a rule."""
    if lang not in _ARTICLES:
        return None
    articles = _ARTICLES[lang]

    def words(answer: str) -> list[str]:
        text = "".join(char for char in answer.lower() if not _is_punctuation(char))
        if articles is not None:
            text = re.sub(articles, " ", text)
        # A Chinese character is a word.
        return (_CHINESE.sub(r" \1 ", text) if lang == "zh" else text).split()

    return words


def _is_punctuation(char: str) -> bool:
    return char in string.punctuation or unicodedata.category(char).startswith("P")


def language_of(path: str) -> str:
    """
    Returns the language of a file, the first code of MLQA in its name: `de` of `xquad.de.json.xz`
    and of `test-context-de-question-de.json`; empty without one.
    """
    parts = re.split(r"[^a-z]+", os.path.basename(path).lower())
    return next((part for part in parts if part in _ARTICLES), "")


def best_scores(predicted: str, gold: Sequence[str], words: Words) -> tuple[float, float]:
    """Returns exact match (0 or 1) and F1, each with the answer of `gold` that fits best."""
    pairs = [_scores(words(predicted), words(answer)) for answer in gold]
    return max(exact for exact, _ in pairs), max(f1 for _, f1 in pairs)


def _scores(predicted: Sequence[str], gold: Sequence[str]) -> tuple[float, float]:
    shared = sum((Counter(predicted) & Counter(gold)).values())
    # 2pr / (p + r), with precision p = shared / predicted and recall r = shared / gold.
    f1 = 2 * shared / (len(predicted) + len(gold)) if shared else 0.0
    return float(predicted == gold), f1


def mean_scores(
    predicted: Sequence[str], gold: Sequence[Sequence[str]], words: Words
) -> tuple[float, float]:
    """Returns the means of `best_scores` over questions, in percent."""
    scores = [best_scores(*pair, words) for pair in zip(predicted, gold, strict=True)]
    return tuple(100 * sum(column) / len(scores) for column in zip(*scores))
