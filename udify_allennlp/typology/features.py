"""
Syntactic features of languages: WALS and URIEL, shipped with the package. No torch.

`wals.tsv` and `uriel.tsv` name their sources and licences, CC BY 4.0 and CC BY-SA 4.0.
"""

import hashlib
from collections.abc import Collection
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple, Optional

import numpy
from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.languages import LANGUAGES, SHORT_CODES, language_code, language_name
from udify_allennlp.text.line_reader import read_rows

CONTROLS = ("random", "same")
"""
The controls: `random` is that of Ji et al. (2023); with `same`, our addition, a generator has no
information on languages.
"""
SETS = ("wals6", "wals19", "uriel", *CONTROLS)
"""The feature sets of Ji et al. (2023), appendix D, and the controls."""
UNKNOWN = 0
"""Unknown value of a WALS feature."""
NUM_BITS = 103
"""Number of features in URIEL's `syntax_knn`, each 0 or 1."""

# How many values each has in WALS; the first 81A to 89A have are 1, 2, ...
_WALS_VALUES = {
    **{"81A": 7, "82A": 3, "83A": 3, "85A": 5, "86A": 3, "87A": 4, "88A": 6, "89A": 4, "90A": 7},
    **{"92A": 6, "94A": 5, "95A": 5, "96A": 5, "97A": 5, "144A": 21, "143A": 17},
    **{"143E": 4, "143F": 4, "143G": 4},
}
# Table 1: the values of WALS that it has, in its order; others are UNKNOWN.
_TABLE_1 = {
    "81A": {1: "SOV", 2: "SVO", 3: "VSO", 7: "Mixed"},
    "85A": {1: "NPA", 2: "ANP", 4: "Mixed"},
    "86A": {1: "GN", 2: "NG", 3: "Mixed"},
    "87A": {2: "NA", 1: "AN"},
    "88A": {1: "DN", 2: "ND", 6: "DND"},
    "89A": {1: "NumN", 2: "NNum"},
}


class Feature(NamedTuple):
    """One feature of a set."""

    name: str
    """The name, such as `81A` in WALS, or `SVO` in URIEL."""
    values: list[str]
    """Names of the values 1, 2, ... in WALS; of 0 and 1 for bits."""


class _Known(NamedTuple):
    """The two files; languages are ISO 639-3 codes."""

    iso: dict[str, str]
    """ISO codes by the code of a treebank, if the two differ."""
    bits: dict[str, str]
    bit_names: list[str]
    wals: dict[str, dict[str, Optional[int]]]


@lru_cache(maxsize=1)
def _known() -> _Known:
    folder = resources.files(__package__)
    typology = _Known({}, {}, [], {})
    for line in (folder / "uriel.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            typology.bit_names[:] = line[1:].split()  # the last comment
            continue
        iso, codes, number = line.split("\t")
        typology.iso.update((code, iso) for code in codes.split(",") if code)
        typology.bits[iso] = f"{int(number, 16):0{NUM_BITS}b}"
    for row in read_rows(folder / "wals.tsv"):
        iso = row.pop("iso")
        typology.wals[iso] = {name: int(value) if value else None for name, value in row.items()}
    return typology


def features_of(name: str) -> list[Feature]:
    """
    Returns the features of a set, in the order of `values`.

    # Raises

    `ConfigurationError` for an unknown set.
    """
    if name == "wals6":
        return [Feature(feature, list(names.values())) for feature, names in _TABLE_1.items()]
    if name == "wals19":
        return [Feature(f, [str(v + 1) for v in range(n)]) for f, n in _WALS_VALUES.items()]
    if name in SETS:
        names = _known().bit_names if name == "uriel" else [str(n) for n in range(NUM_BITS)]
        return [Feature(feature, ["0", "1"]) for feature in names]
    raise ConfigurationError(f"features is {name!r}. Use one of {', '.join(SETS)}.")


def is_bits(name: str) -> bool:
    """Returns whether the features of a set are 0 or 1, all known, and not values with names."""
    return name in ("uriel", *CONTROLS)


@cache
def iso_codes() -> Collection[str]:
    """Returns the ISO 639-3 codes of languages in URIEL, without those that have a shorter one."""
    return _known().bits.keys() - SHORT_CODES.keys()


def iso_code(lang: str) -> str:
    """
    Returns the ISO 639-3 code of a language in URIEL: `fao` for `fo`, `fao`, `fo_oft` and
    `Faroese`.

    # Raises

    `InputError` for an unknown language, `ConfigurationError` if URIEL lacks it; the messages name
    similarly spelled or related languages.
    """
    typology = _known()
    code = language_code(lang, iso_codes())
    iso = typology.iso.get(code, code)
    if iso not in typology.bits:
        name = language_name(code)
        alike = [
            c for c, n in LANGUAGES.items() if n in name and typology.iso.get(c, c) in typology.bits
        ]
        raise ConfigurationError(
            f"The syntax of {name} ({code}) is unknown. "
            + (f"Related languages may be {_listed(alike)}. " if alike else "")
            + "Use the code of a related language."
        )
    return iso


def values(lang: str, name: str) -> list[int]:
    """
    Returns the values of a language in a set: of URIEL 0 or 1; of WALS 1, 2, ..., `UNKNOWN` where
    it has none; of `random` bits of the hash of the language's code, the same in every call; of
    `same` bits that are equal for all languages.

    # Parameters

    lang : `str`
        Any code of ISO 639, of a treebank such as `fo_oft`, or an English name.
    name : `str`
        One of `SETS`.

    # Raises

    `ConfigurationError` for an unknown set or language, or if WALS has none of its values, with
    languages of similar syntax that have some.
    """
    features = features_of(name)
    iso = iso_code(lang)
    if name == "uriel":
        return list(map(int, _known().bits[iso]))
    if name in CONTROLS:
        hashed = iso if name == "random" else ""
        digest = int.from_bytes(hashlib.sha256(hashed.encode()).digest(), "big")
        return [digest >> place & 1 for place in range(NUM_BITS)]
    orders = _known().wals.get(iso)
    if orders is None:
        raise ConfigurationError(
            f"WALS has no word order features for {lang!r:.60}. Its languages with the most "
            f"similar syntax are {_listed(near(iso))}. Use the code of one of these, or train with "
            "features 'uriel'."
        )
    if name == "wals19":
        return [orders[feature.name] or UNKNOWN for feature in features]
    places = [{v: n for n, v in enumerate(_TABLE_1[f.name], start=1)} for f in features]
    return [place.get(orders[f.name] or 0, UNKNOWN) for place, f in zip(places, features)]


def near(lang: str, count: int = 3) -> list[str]:
    """Returns the languages of WALS whose syntax in URIEL is most similar to that of another."""
    syntax = values(lang, "uriel")
    others = [iso for iso in _known().wals if iso != iso_code(lang)]
    return sorted(others, key=lambda iso: _differing(syntax, values(iso, "uriel")))[:count]


def distance(first: str, second: str, name: str = "wals19") -> float:
    """
    Returns the share of features in which two languages differ, of those that both have; NaN if
    they have none in common. Our choice: Ji et al. (2023) cite another paper's distance without a
    formula.

    # Raises

    The errors of `values`.
    """
    pairs = list(zip(values(first, name), values(second, name)))
    if not is_bits(name):
        pairs = [pair for pair in pairs if UNKNOWN not in pair]
    return sum(a != b for a, b in pairs) / len(pairs) if pairs else numpy.nan


def _differing(first: list[int], second: list[int]) -> int:
    return sum(a != b for a, b in zip(first, second))


def _listed(langs: list[str]) -> str:
    codes = {iso: code for code, iso in _known().iso.items()}
    lang_codes = [codes.get(lang, lang) for lang in langs]
    return ", ".join(f"{code} ({language_name(code)})" for code in lang_codes)
