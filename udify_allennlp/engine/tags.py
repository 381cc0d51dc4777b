"""One label per word, from the graph of a task."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy

from udify_allennlp.data.agreement import CANDIDATES, Agreement, Candidates
from udify_allennlp.data.label_limits import LabelLimits, scripts_of_rule
from udify_allennlp.data.label_scores import LabelScores
from udify_allennlp.engine.folder import TAGS, VOCABULARY, check_labels, damaged
from udify_allennlp.engine.scores import Graph
from udify_allennlp.engine.vocabulary import VocabularyFolder
from udify_allennlp.text.lemma_rules import apply_rule
from udify_allennlp.text.sentence import Columns, Sentence, by_sentence

_AT_ONCE = 16
"""Number of words of which all labels are scored together."""


class Tags:
    """
    The labels of a task; see `TagDecoder`.

    # Parameters

    task : `str`
        One of `TAGS`.
    folder : `Path`
        The folder of the exported model.
    vocab : `VocabularyFolder`

    # Raises

    `InputError` if its graph or its labels cannot be loaded.
    """

    def __init__(self, task: str, folder: Path, vocab: VocabularyFolder) -> None:
        self.task = task
        self._graph = Graph(folder / f"{task}.onnx", ["log_prob"])
        self._path = folder / VOCABULARY / f"{task}_labels.txt"
        self._labels = vocab.labels(f"{task}_labels")
        check_labels(self._labels, self._path)
        scripts = scripts_of_rule if task == "lemma" else None
        self._limits = LabelLimits(vocab, task, self._labels, scripts)
        self._agreement = Agreement(vocab, self._labels) if task == "feats" else None

    def columns(
        self,
        scores: dict[str, numpy.ndarray],
        sentences: Sequence[Sentence],
        langs: Sequence[str],
        treebanks: Sequence[str],
    ) -> list[Columns]:
        """
        Returns the column of each sentence.

        # Parameters

        scores : `Dict[str, numpy.ndarray]`
            The outputs of `SCORES`: `TASK` `(words, dim)`, `TASK_label` and `TASK_is_best`
            `(words,)`, see `TagDecoder.likely`; `origins` `(words,)` if labels depend on these.
        sentences : `Sequence[Sentence]`
            With predicted UPOS, if the model predicts them.
        langs, treebanks : `Sequence[str]`
            The language and the treebank of each word; empty if it is unknown.
        """
        if not self._graph.reads("origins"):
            langs = [""] * len(langs)
        best = scores[f"{self.task}_label"].copy()
        of_labels = LabelScores(partial(self._log_prob, scores), _AT_ONCE)
        others = numpy.flatnonzero(~scores[f"{self.task}_is_best"])
        for place, row in of_labels.rows(others.tolist()):
            best[place] = of_labels.best(row)
        self._limits.apply(best, self._limits.words(sentences, langs, treebanks), of_labels)
        cells = [self._labels[number] for number in best.tolist()]
        if self.task == "lemma":
            forms = (form for sentence in sentences for form in sentence.forms)
            cells = [apply_rule(*word) for word in zip(forms, cells, langs)]
        return [{TAGS[self.task]: own} for own in by_sentence(cells, sentences)]

    @property
    def follows_trees(self) -> bool:
        """True if `follow` may change its labels."""
        return bool(self._agreement)

    def follow(
        self,
        columns: Sequence[Columns],
        scores: dict[str, numpy.ndarray],
        sentences: Sequence[Sentence],
        langs: Sequence[str],
        treebanks: Sequence[str],
    ) -> None:
        """
        Changes features in `columns` so that they agree along the arcs of predicted trees; see
        `Agreement`. Other parameters as for `columns`, with `sentences` that have these trees.
        """
        assert self._agreement is not None  # `follows_trees` is False otherwise
        if not self._graph.reads("origins"):
            langs = [""] * len(langs)
        words = self._limits.words(sentences, langs, treebanks)
        of_labels = LabelScores(partial(self._log_prob, scores), _AT_ONCE)

        def likely(places: Sequence[int]) -> Sequence[Candidates]:
            return self._limits.likely(words, of_labels, places, CANDIDATES)

        self._agreement.apply(columns, sentences, langs, likely)

    def _log_prob(self, scores: dict[str, numpy.ndarray], words: numpy.ndarray) -> numpy.ndarray:
        """Returns the log-probabilities of all labels, `(n, labels)`, for the words `(n,)`."""
        names = {"words": self.task, "origins": "origins"}
        arrays = {name: scores[of][words] for name, of in names.items() if self._graph.reads(name)}
        log_prob = self._graph(**arrays)["log_prob"]
        if log_prob.shape != (len(words), len(self._labels)):
            raise damaged(self._path, ValueError(f"the graph scores {log_prob.shape[-1]} labels"))
        return log_prob
