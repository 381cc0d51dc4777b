"""Scores of translations by direction and by resource class: spBLEU, chrF, off-target share."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from typing import Any, NamedTuple, Optional

from allennlp.common import FromParams
from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.language_guess import Guess, language_guesser
from udify_allennlp.text.languages import UD_CODES
from udify_allennlp.translation.aligned_text import Direction
from udify_allennlp.translation.resources import (
    CLASSES,
    TABLE_6_2,
    direction_class,
    known_classes,
)

OWN, FLORES_101, FLORES_200 = "own", "flores101", "flores200"
PIECES = (OWN, FLORES_101, FLORES_200)


class Scored(NamedTuple):
    """A translation and its reference."""

    translation: str
    reference: str


class TranslationScores(FromParams):
    """
    Scores per direction, and as means over directions: `spBLEU`, BLEU of SentencePiece pieces, and
    `chrF`, both from 0 to 100 and computed by sacrebleu; with `off_target` the percentage of
    translations that py3langid identifies as another language than the target. As in section 5.3.4,
    sentences whose reference is not identified as the target language do not count.

    Means over the directions of a resource class are `spBLEU/VL2H` and so on (Tables 6.2 and 6.9);
    `spBLEU/AVG` is the mean of the classes of Table 6.2 that occur.

    # Parameters

    pieces : `str`
        The pieces for spBLEU. `flores101` and `flores200`: those of the papers, which sacrebleu
        downloads once. `own`: the model's; the metric is then called `ownBLEU`, since it is
        comparable only between models with the same subwords.
    off_target : `bool`
    classes : `Optional[Dict[str, str]]`
        The class of each language, `VL`, `L`, `M` or `H`; by default those of Table 6.4.

    # Raises

    `ConfigurationError` if `pieces` or a class is unknown.
    """

    def __init__(
        self,
        pieces: str = OWN,
        off_target: bool = False,
        classes: Optional[dict[str, str]] = None,
    ) -> None:
        if pieces not in PIECES:
            raise ConfigurationError(
                f"model.scores.pieces is {pieces!r}. Use one of {', '.join(PIECES)}."
            )
        for lang, name in (classes or {}).items():
            if name not in CLASSES:
                raise ConfigurationError(
                    f"model.scores.classes.{lang} is {name!r}. Use one of {', '.join(CLASSES)}."
                )
        self.pieces: Callable[[str], list[str]] = str.split
        """A function from a text to the pieces that `own` counts."""
        self._source = pieces
        self._off_target = off_target
        self._classes: Mapping[str, str] = known_classes() if classes is None else classes
        self._scored: dict[Direction, list[Scored]] = defaultdict(list)

    def add(self, direction: Direction, translation: str, reference: str) -> None:
        self._scored[direction].append(Scored(translation, reference))

    def metrics(self, by_direction: bool = False) -> dict[str, float]:
        """
        Returns the scores of everything added since the last call; with `by_direction` also those
        of each direction.
        """
        figures = {
            direction: self._figures(direction, scored)
            for direction, scored in sorted(self._scored.items())
        }
        self._scored.clear()
        found: dict[str, float] = {}
        for name in dict.fromkeys(name for each in figures.values() for name in each):
            values = {d: each[name] for d, each in figures.items() if name in each}
            found[name] = fmean(values.values())
            by_class = self._by_class(values)
            found.update({f"{name}/{each}": value for each, value in by_class.items()})
            listed = [by_class[each] for each in TABLE_6_2 if each in by_class]
            if listed:
                found[f"{name}/AVG"] = fmean(listed)
            if by_direction:
                found.update({f"{name}/{'-'.join(d)}": value for d, value in values.items()})
        return found

    def _by_class(self, values: Mapping[Direction, float]) -> dict[str, float]:
        members: dict[str, list[float]] = defaultdict(list)
        for direction, value in values.items():
            name = direction_class(direction, self._classes)
            if name is not None:
                members[name].append(value)
        return {name: fmean(some) for name, some in sorted(members.items())}

    def _figures(self, direction: Direction, scored: list[Scored]) -> dict[str, float]:
        sacrebleu = load_sacrebleu()
        translations, references = map(list, zip(*scored))
        if self._source == OWN:
            name, how = "ownBLEU", "none"
            bleu_of = [
                [" ".join(self.pieces(t)) for t in texts] for texts in (translations, references)
            ]
        else:
            name, how = "spBLEU", self._source
            bleu_of = [translations, references]
        bleu = sacrebleu.corpus_bleu(bleu_of[0], [bleu_of[1]], tokenize=how, force=True)
        found = {
            name: float(bleu.score),
            "chrF": float(sacrebleu.corpus_chrf(translations, [references]).score),
        }
        if self._off_target:
            share = off_target_share(direction[1], scored, load_guesser())
            if share is not None:
                found["off_target"] = share
        return found


def off_target_share(lang: str, scored: Iterable[Scored], guess: Guess) -> Optional[float]:
    """
    Returns the percentage of translations into `lang` in another language, among those whose
    reference is recognized. `None` where there are none of these.
    """
    known = [wrong for wrong in off_target(lang, scored, guess) if wrong is not None]
    return 100 * fmean(known) if known else None


def off_target(lang: str, scored: Iterable[Scored], guess: Guess) -> list[Optional[bool]]:
    """
    Returns whether each translation into `lang` is in another language; `None` where the reference
    is not recognized either.
    """
    target = UD_CODES.get(lang, lang)
    return [
        guess(each.translation, ()) != target if guess(each.reference, ()) == target else None
        for each in scored
    ]


def load_guesser() -> Guess:
    guess = language_guesser()
    if guess is None:
        raise ConfigurationError("model.scores.off_target needs py3langid: pip install py3langid.")
    return guess


def load_sacrebleu() -> Any:
    try:
        import sacrebleu
    except ImportError:
        raise ConfigurationError(
            "Scores of translations need sacrebleu: pip install 'udify_allennlp[translation]'."
        ) from None
    return sacrebleu
