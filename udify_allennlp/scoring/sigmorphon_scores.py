"""SIGMORPHON's scores of development data, counted batch by batch."""

from collections.abc import Sequence

from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric

from udify_allennlp.scoring.sigmorphon import METRICS, Counts, count, total
from udify_allennlp.text.conllu import Sentence
from udify_allennlp.text.sentence import Columns


@Metric.register("udify_sigmorphon")
class SigmorphonScores(Metric):
    """
    `LemmaAcc`, `LemmaLev`, `MsdAcc` and `MsdF1` of all words together; see `sigmorphon.py`. Columns
    that the model does not predict have no score. In a distributed run the final scores
    (`reset=True`) cover all processes, intermediate ones only one.
    """

    def __init__(self) -> None:
        self._counts = Counts()
        self._predicted: set[str] = set()

    def __call__(self, sentences: Sequence[Sentence], columns: Sequence[Columns]) -> None:
        """Counts gold `sentences`, each with the columns predicted for it."""
        new = []
        for gold, guess in zip(sentences, columns):
            lemmas, feats = gold.lemmas, gold.feats
            new.append(count(lemmas, feats, guess.get("lemmas", lemmas), guess.get("feats", feats)))
            self._predicted |= guess.keys()
        self._counts = total([self._counts, *new])

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        """Returns the scores, empty if nothing was scored."""
        counts = self._counts
        if reset:  # Every process gets here: only then may they talk to each other.
            counts = Counts(*(int(dist_reduce_sum(number)) for number in counts))
        scores = {
            name: score
            for name, score in counts.scores().items()
            if METRICS[name] in self._predicted
        }
        if reset:
            self.reset()
        return scores

    def reset(self) -> None:
        self._counts = Counts()
        self._predicted = set()
