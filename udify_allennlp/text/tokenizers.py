"""
Tokenizers: the boundaries of words and sentences in raw text.

A tokenizer must work for many languages, install from PyPI and need no download, so models come
with the package, or from the user. Sentences are found by sentencex, which knows the abbreviations
of many languages; words by ICU and a few rules of treebanks (`word_rules.py`). spaCy has rules for
words, too, which need 205 MB and are equally good (`docs/install.md`). Stanza, Trankit and wtpsplit
download models; pysbd and blingfire are no longer maintained; NLTK and syntok support few
languages. None of these splits multiword tokens (`du` into `de le`), which needs a segmenter
trained on treebanks (`segmenter/model.py`), or a UDPipe 1 model.
"""

import importlib
import itertools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Optional

from udify_allennlp.text.abbreviations import goes_on, plain_ends
from udify_allennlp.text.closing_abbreviations import closing_ends
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.cutting import MAX_SENTENCE, bounded, shifted
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.extension_points import ExtensionPoint
from udify_allennlp.text.kept_whole import continues, spans
from udify_allennlp.text.quotes import paired_quotes
from udify_allennlp.text.raw_text import Token, Tokenizer, lines_of, tokenized
from udify_allennlp.text.sentence_openers import letter_ends
from udify_allennlp.text.word_rules import word_rules

DEFAULT = "rules"
Words = Callable[[str], list[Token]]
"""A function from a text to its words, which are tokens of one word each."""
ARCHIVE_TOKENIZERS: ExtensionPoint[Callable[[str, Optional[str]], Tokenizer]] = ExtensionPoint(
    "tokenizers of archives"
)
"""Functions that make the tokenizer of an archive, or of a run folder, for a language."""
MODEL_FINDERS: ExtensionPoint[Callable[[str], Optional[Path]]] = ExtensionPoint("models by name")
"""Functions from a name to the archive of that name, if there is one."""
LINES = "lines"
_LINES_OF = f"{LINES}:"
CHOICES = "rules, lines, spaces, a trained segmenter or the file of a UDPipe 1 model"
"""The kinds of tokenizers, for messages."""
_ARCHIVE = ".tar.gz"


def make_tokenizer(name: str = DEFAULT, lang: Optional[str] = None) -> Tokenizer:
    """
    # Parameters

    name : `str`
        `rules`: sentences by sentencex, words by `word_rules`. `lines`: each line is a sentence,
        words as with `rules`; `lines:NAME`, words as with the tokenizer `NAME`. `spaces`: each line
        is a sentence, and white space separates words. Or a trained segmenter, its archive or
        its run folder, or a model by name, such as `multilingual`; or the file of a UDPipe 1 model.
    lang : `Optional[str]`
        Code of the text's language, such as `fr`, or a treebank, such as `fr_gsd`, for a segmenter
        that was trained on it. Without it, sentences end as in English, and words as in most
        languages: `l'eau` and `state-based` stay in one piece. A segmenter guesses it; `spaces` and
        UDPipe ignore it.

    The time is linear in the length of a text, for any content and length: a sentence of more than
    `MAX_SENTENCE` characters is cut (half as many with a UDPipe model), and so, by `rules` and
    `lines`, are more than `MAX_PART` characters without white space and more than `SYMBOLS`
    symbols.

    # Raises

    `InputError` if the tokenizer does not exist, or a package that it needs is missing.
    `ArchiveError` if an archive cannot be loaded.
    """
    if name in TOKENIZERS:
        return bounded(TOKENIZERS[name](lang and treebank_language(lang)))
    if name.startswith(_LINES_OF):
        return bounded(sentence_a_line(make_tokenizer(name.removeprefix(_LINES_OF), lang)))
    check_tokenizer(name)
    if _is_model(name):
        return next(iter(ARCHIVE_TOKENIZERS))(name, lang)
    # Its time grows with the square of what has no white space, all in one call.
    return bounded(udpipe(name), MAX_SENTENCE // 2)


def check_tokenizer(name: str) -> None:
    """
    # Raises

    `InputError` if `make_tokenizer` knows no tokenizer of this name.
    """
    words = name.removeprefix(_LINES_OF)
    if words in TOKENIZERS or _is_model(words) or os.path.isfile(words):
        return
    raise InputError(
        f"Unknown tokenizer {name!r}. Use {', '.join(TOKENIZERS)}, a trained segmenter, or the "
        f"file of a UDPipe 1 model (in {Path.cwd()})."
    )


def _is_model(name: str) -> bool:
    by_name = (find(name) for find in MODEL_FINDERS)
    return os.path.isdir(name) or name.endswith(_ARCHIVE) or any(by_name)


def _rules(lang: Optional[str]) -> Tokenizer:
    boundaries = needed_package("sentencex", "sentencex").get_sentence_boundaries
    words = word_rules(lang)

    continues_behind = goes_on(lang)

    def tokenize(paragraph: str) -> Iterator[list[Token]]:
        sentence_bounds = boundaries(lang or "en", paired_quotes(paragraph))
        found = {boundary["start_index"] for boundary in sentence_bounds} - {0}
        rules = (letter_ends, plain_ends, closing_ends)
        others = itertools.chain.from_iterable(rule(paragraph, lang) for rule in rules)
        ends = sorted(found.union(end + 1 for end in others))
        inside = continues(paragraph)
        for span in spans(paragraph):
            inside[span.start : span.end - 1] = True
        start = 0
        for end in [*ends, len(paragraph)]:
            last = len(paragraph[:end].rstrip())
            if end < len(paragraph) and (inside[end - 1] or continues_behind(paragraph, last)):
                continue
            yield shifted(words(paragraph[start:end]), start)
            start = end

    return tokenize


def sentence_a_line(tokenizer: Tokenizer) -> Tokenizer:
    """Yields the tokens of another tokenizer, with each line as a sentence."""

    def tokenize(paragraph: str) -> Iterator[list[Token]]:
        start = 0
        for line, sentences in tokenized(tokenizer, lines_of(paragraph)):
            yield shifted(list(itertools.chain.from_iterable(sentences)), start)
            start += len(line)

    return tokenize


def lines_with(name: str) -> str:
    """
    Returns the name of the tokenizer that treats each line as a sentence, with the words of `name`.
    """
    return name if name == "spaces" or f"{name}:".startswith(_LINES_OF) else _LINES_OF + name


TOKENIZERS: dict[str, Callable[[Optional[str]], Tokenizer]] = {
    "rules": _rules,
    LINES: lambda lang: sentence_a_line(_rules(lang)),
    "spaces": lambda lang: sentence_a_line(lambda line: [_between_spaces(line)]),
}
"""Functions that make a tokenizer for a language, by name. Add your own."""


def udpipe(path: str) -> Tokenizer:
    """
    Returns the tokenizer of a UDPipe 1 model, including multiword tokens.

    # Raises

    `InputError` if the package `ufal.udpipe` is missing, or the file is not a model with a
    tokenizer.
    """
    package = needed_package("ufal.udpipe", "'udify_allennlp[udpipe]'")
    model = package.Model.load(path)
    if not model or not model.newTokenizer(package.Model.DEFAULT):
        raise InputError(
            f"{path} is not a UDPipe 1 model with a tokenizer. Name a file such as "
            f"english-ewt-ud-2.5-191206.udpipe, or one of {', '.join(TOKENIZERS)}."
        )

    def tokenize(paragraph: str) -> Iterator[list[Token]]:
        reader = model.newTokenizer(package.Model.TOKENIZER_RANGES)
        reader.setText(paragraph)
        sentence, error = package.Sentence(), package.ProcessingError()
        while reader.nextSentence(sentence, error):
            words = list(sentence.words)  # word 0 is ROOT
            tokens = [_range(word, ()) for word in words[1:] if word.getTokenRange()]
            for token in sentence.multiwordTokens:
                parts = words[token.idFirst : token.idLast + 1]
                tokens.append(_range(token, tuple(word.form for word in parts)))
            yield sorted(tokens)

    return tokenize


def _range(token: Any, words: tuple[str, ...]) -> Token:
    return Token(token.getTokenRangeStart(), token.getTokenRangeEnd(), words)


def _between_spaces(text: str) -> list[Token]:
    return [Token(*match.span()) for match in re.finditer(r"\S+", text)]


def needed_package(name: str, requirement: str) -> Any:
    """
    Imports a package that a tokenizer needs.

    # Raises

    `InputError` with the `requirement` to install if it is missing.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"This tokenizer needs the package {name}. Install it: pip install {requirement}"
        ) from None
