"""
Differences between kinds of systems: `A,B:C,D` compares the better of A, B with the better of C, D.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from allennlp.common.checks import ConfigurationError


class Comparison(NamedTuple):
    """Two groups of systems, such as all with one encoder and all with another."""

    first: tuple[str, ...]
    second: tuple[str, ...]

    def __str__(self) -> str:
        return " - ".join(
            group[0] if len(group) == 1 else f"max({', '.join(group)})" for group in self
        )

    def difference(self, scores: Mapping[str, float]) -> float:
        """
        Returns the best score of the first group minus the best of the second (Ahmad et al. 2019,
        Figure 2).
        """
        first, second = (max(scores[name] for name in group) for group in self)
        return first - second

    def by_language(
        self, scores: Mapping[str, Mapping[str, float]], langs: Iterable[str]
    ) -> dict[str, float]:
        """
        Returns `difference` for each of `langs` that all systems have; scores are by model and
        language.
        """
        systems = {name: scores[name] for group in self for name in group}
        return {
            lang: self.difference({name: of[lang] for name, of in systems.items()})
            for lang in langs
            if all(lang in of for of in systems.values())
        }


def comparisons(texts: Sequence[str], systems: Sequence[str]) -> list[Comparison]:
    """
    # Raises

    `ConfigurationError` if a text is not such a pair of groups of known systems.
    """
    pairs = []
    for text in texts:
        groups = [tuple(group.split(",")) for group in text.split(":")]
        unknown = [name for group in groups for name in group if name not in systems]
        if len(groups) != 2 or unknown:
            raise ConfigurationError(
                f"--compare is {text!r}. Use two groups of {', '.join(systems)}, such as "
                f"{systems[0]}:{systems[-1]}."
            )
        pairs.append(Comparison(*groups))
    return pairs
