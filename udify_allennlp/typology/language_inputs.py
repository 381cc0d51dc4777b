"""The input about languages for a generator of positions."""

from collections.abc import Mapping, Sequence

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.modules.position_generators import LANGUAGE, TYPOLOGY
from udify_allennlp.text.languages import language_name
from udify_allennlp.typology import features as typology


class LanguageInputs:
    """
    The features of languages and their numbers, each 0 if the generator does not use them.

    # Parameters

    features : `str`
        The feature set; see `typology.features_of`.
    sees : `str`
        The generator's language input; see `PositionGenerator`.
    numbers : `Mapping[str, int]`
        Numbers of the training languages.
    """

    def __init__(self, features: str, sees: str, numbers: Mapping[str, int]) -> None:
        self._features = features
        self._sees = sees
        self._numbers = numbers

    def values(self, langs: Sequence[str], device: torch.device) -> torch.Tensor:
        """
        Returns the values of the features of languages, `(languages, features)`.

        # Raises

        `ConfigurationError` if a language has none, or is not given.
        """
        if self._sees != TYPOLOGY:
            count = len(typology.features_of(self._features))
            return torch.zeros((len(langs), count), dtype=torch.long, device=device)
        if "" in langs:
            raise ConfigurationError(
                "This model parses a language by its typology, and a sentence has no language. "
                "Specify it as lang, such as fo, or in the names of files, such as "
                "fo_oft-ud-test.conllu."
            )
        value_rows = [typology.values(lang, self._features) for lang in langs]
        return torch.tensor(value_rows, device=device)

    def numbers(self, langs: Sequence[str], device: torch.device) -> torch.Tensor:
        """
        Returns the numbers of languages in training, `(languages,)`.

        # Raises

        `ConfigurationError` if training does not have one of them.
        """
        if self._sees != LANGUAGE:
            return torch.zeros(len(langs), dtype=torch.long, device=device)
        for lang in langs:
            if lang not in self._numbers:
                trained = ", ".join(sorted(self._numbers))
                raise ConfigurationError(
                    f"This model has positions for {trained}, but not for {language_name(lang)!r}. "
                    "To parse languages that training lacks, train with the generator 'mlp' or "
                    "'attn'; ud-pack keeps the languages of its option --languages."
                )
        return torch.tensor([self._numbers[lang] for lang in langs], device=device)
