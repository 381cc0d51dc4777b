"""
Lemmas as classes: a rule makes the lemma from the form (Kondratyuk 2019, 3.3.1).

    Walking -> walk    l|---     lower-case, delete the last three characters
    Londons -> London  k|-       keep the casing of the form
    better  -> good    !good     no character in common: the lemma itself

A rule is `casing prefix | suffix`. Prefix and suffix are the shortest edit scripts (Wagner and
Fischer 1974; `=` copies, `-` deletes, `+x` inserts x) of the parts before and after the longest
common substring. Casing is the first of `l` lower, `k` keep, `c` capitalize, `u` upper that gives
the lemma; if none does, the rule is the lemma itself. For all strings, `apply_rule(form,
make_rule(form, lemma)) == lemma`. Rules are made without a language; given one, `apply_rule` uses
its casing (`casing.py`).
"""

import re
from functools import lru_cache
from typing import NamedTuple

from udify_allennlp.text.casing import lower, upper, with_sigmas
from udify_allennlp.text.sentence import NO_CELL

CASINGS = "lkcu"
WHOLE = "!"
# The search for the substring is cubic. In a longer word, which is an URL or garbage, only the
# casing may change; otherwise its lemma is stored whole.
MAX_LENGTH = 256

# Rules become lines of a vocabulary file, so white space, what Python takes for a line end, and
# other control characters are written as \hex; and therefore the backslash is too.
_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ufeff\ud800-\udfff\\]")
_ESCAPED = re.compile(r"\\([0-9a-f]{1,6});")
_OPERATION = re.compile(r"[=-]|\+(?:\\[0-9a-f]{1,6};|[^\\])")
_RULE = re.compile(rf"([{CASINGS}])((?:{_OPERATION.pattern})*)\|((?:{_OPERATION.pattern})*)")


class _Match(NamedTuple):
    form: int  # where the common substring starts in the form
    lemma: int  # and in the lemma
    length: int


class _Script(NamedTuple):
    """The operations on one end of a form, unescaped, and how many characters they consume."""

    operations: list[str]
    consumed: int

    def edit(self, source: str) -> str:
        if not self.operations:  # most rules leave the beginning as it is
            return source
        result = []
        characters = iter(source)
        for operation in self.operations:
            if operation[0] == "+":
                result.append(operation[1:])
            elif operation == "=":
                result.append(next(characters))
            else:
                next(characters)
        return "".join(result)


@lru_cache(maxsize=2**16)
def make_rule(form: str, lemma: str) -> str:
    """Returns the rule that turns `form` into `lemma`. It is never empty and has no white space."""
    low_form, low_lemma = lower(form), lower(lemma)
    match = _longest_match(low_form, low_lemma)
    for casing in CASINGS if match.length else "":
        target = lemma if casing == "k" else low_lemma
        i, j = match.form, match.lemma
        prefix = _script(low_form[:i], low_lemma[:j], target[:j])
        i, j = i + match.length, j + match.length
        suffix = _script(low_form[i:], low_lemma[j:], target[j:])
        rule = f"{casing}{prefix}|{suffix}"
        # Casing is no bijection (ß, İ, final sigma), so we try instead of reasoning about it.
        if apply_rule(form, rule) == lemma:
            return rule
    return WHOLE + escape(lemma)


@lru_cache(maxsize=2**14)
def apply_rule(form: str, rule: str, lang: str = "") -> str:
    """
    Returns the lemma that `rule` makes of `form`, with the casing of the language `lang` if it is
    known; the form itself if the rule does not fit, because it consumes more characters than there
    are or leaves none. Raises `ValueError` if `rule` is not a rule.
    """
    if rule.startswith(WHOLE):
        return unescape(rule[1:])
    casing, prefix, suffix = _parse(rule)
    start, end = prefix.consumed, len(form) - suffix.consumed
    if start > end:
        return form
    source = form if casing == "k" else lower(form, lang)
    lemma = prefix.edit(source[:start]) + source[start:end] + suffix.edit(source[end:])
    if casing == "c":
        lemma = upper(lemma[:1], lang) + lemma[1:]
    elif casing == "u":
        lemma = upper(lemma, lang)
    return (lemma if casing == "k" else with_sigmas(lemma, lang)) or form


def check_rule(rule: str) -> None:
    """
    Raises `ValueError` or `OverflowError` if it is not a rule, or CoNLL-U cannot hold its lemmas.
    """
    # What it inserts is written in it. An archive has thousands, too many to apply each.
    if not (rule.startswith(WHOLE) or _RULE.fullmatch(rule)) or NO_CELL.search(unescape(rule[1:])):
        raise ValueError(f"{rule!r:.60} is not a lemma rule")


def added(rule: str) -> str:
    """Returns the characters that a rule inserts into a lemma, for any form."""
    if rule.startswith(WHOLE):
        return unescape(rule[1:])
    _, prefix, suffix = _parse(rule)
    operations = (*prefix.operations, *suffix.operations)
    return "".join(operation[1:] for operation in operations if operation[0] == "+")


def edges(form: str, rule: str) -> tuple[str, str]:
    """
    Returns the characters at the start and at the end of `form` to which the scripts of `rule`
    apply, lower-cased: all of it if the rule does not fit, or is a lemma.
    """
    low = lower(form)
    if rule.startswith(WHOLE):
        return low, ""
    start, end = (script.consumed for script in _parse(rule)[1:])
    return (low[:start], low[len(low) - end :]) if start + end <= len(low) else (low, "")


def _longest_match(form: str, lemma: str) -> _Match:
    """
    Returns the longest common substring; among several, the first in the form, then in the lemma.
    """
    if form == lemma:
        return _Match(0, 0, len(form))
    if max(len(form), len(lemma)) <= MAX_LENGTH:
        for length in range(min(len(form), len(lemma)), 0, -1):
            for start in range(len(form) - length + 1):
                place = lemma.find(form[start : start + length])
                if place >= 0:
                    return _Match(start, place, length)
    return _Match(0, 0, 0)


def _script(source: str, target: str, inserted: str) -> str:
    """
    Returns the shortest script from `source` to `target`, with deletions before insertions.
    Insertions are taken from `inserted`, which is `target` in the desired casing.
    """
    # cost[i][j]: operations other than copies from the first i characters to the first j.
    cost = [[i + j for j in range(len(target) + 1)] for i in range(len(source) + 1)]
    for i, a in enumerate(source, start=1):
        for j, b in enumerate(target, start=1):
            cost[i][j] = cost[i - 1][j - 1] if a == b else 1 + min(cost[i - 1][j], cost[i][j - 1])
    operations = []
    i, j = len(source), len(target)
    while i or j:
        if i and j and source[i - 1] == target[j - 1]:
            operations.append("=")
            i, j = i - 1, j - 1
        elif j and cost[i][j] == cost[i][j - 1] + 1:
            operations.append("+" + escape(inserted[j - 1]))
            j -= 1
        else:
            operations.append("-")
            i -= 1
    return "".join(reversed(operations))


@lru_cache(maxsize=2**14)
def _parse(rule: str) -> tuple[str, _Script, _Script]:
    """Returns the casing of a rule and the scripts of the prefix and the suffix."""
    match = _RULE.fullmatch(rule)
    if match is None:
        raise ValueError(f"{rule!r} is not a lemma rule. Pass what make_rule returned.")
    casing, prefix, suffix = match.groups()
    return casing, _script_of(prefix), _script_of(suffix)


def _script_of(text: str) -> _Script:
    operations = [unescape(operation) for operation in _OPERATION.findall(text)]
    return _Script(operations, sum(operation[0] != "+" for operation in operations))


def escape(text: str) -> str:
    return _UNSAFE.sub(lambda match: f"\\{ord(match[0]):x};", text)


def unescape(text: str) -> str:
    if "\\" not in text:  # nearly always
        return text
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
