"""Resolution of a model name in a request to a model and a language."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple, Optional

from udify_allennlp.apps.service.models import ServedModel, pick
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.languages import CODES, UD_CODES, language_code


class Choice(NamedTuple):
    """A model, and the language that its name in a request implies."""

    model: ServedModel
    lang: Optional[str]
    treebank: str
    """The treebank whose conventions the model follows, if it distinguishes several."""


def choose(models: Sequence[ServedModel], name: str) -> Optional[Choice]:
    """
    Returns the model of that name, or the first whose name continues it with a hyphen, as UDPipe
    does; else one for the language that the name begins with: `fr`, `french`, `french-gsd`, or
    UDPipe's own `french-gsd-ud-2.17-251125`. A model of that treebank takes precedence over one of
    that language, which takes precedence over one with several languages.
    """
    model = pick(models, name)
    if model is not None:
        return Choice(model, model.lang, model.name)
    meant = _meant(name, {code for model in models for code in model.languages})
    if meant is None:
        return None
    code, treebank = meant
    match = (
        next((model for model in models if model.name == treebank), None)
        or next((model for model in models if same_language(model.lang or "", code)), None)
        or next((model for model in models if knows(model, code)), None)
    )
    return Choice(match, treebank or code, treebank or match.name) if match else None


def knows(model: ServedModel, lang: str) -> bool:
    """Returns whether a model was trained on a language, as far as the card shows."""
    return any(same_language(trained, lang) for trained in model.languages)


def same_language(lang: str, other: str) -> bool:
    """
    Returns whether two codes, or names of treebanks, belong to one language: `fr_gsd` and `fr`.
    """
    first, second = map(treebank_language, (lang, other))
    return UD_CODES.get(first, first) == UD_CODES.get(second, second)


def _meant(name: str, more: Collection[str]) -> Optional[tuple[str, str]]:
    """
    Returns the code of the language, and the name of the treebank or an empty string: `fr`,
    `fr_gsd`.
    """
    parts = name.strip().lower().split("-")
    hyphenated = "-".join(parts[:2])  # as Serbo-Croatian
    length = 2 if hyphenated.replace("_", " ") in CODES else 1
    first, others = "-".join(parts[:length]), parts[length:]
    try:
        code = language_code(first, more)
    except InputError:
        return None
    if first.startswith(f"{code}_"):
        return code, first
    named = bool(others) and others[0] != "ud" and re.fullmatch(r"[a-z0-9]+", others[0])
    return code, f"{code}_{others[0]}" if named else ""
