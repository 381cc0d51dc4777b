"""Counts of requests and of their sentences, for Prometheus (the package prometheus_client)."""

import importlib.util
from collections.abc import Sequence
from functools import partial
from typing import Optional

from udify_allennlp.apps.service.models import ServedModel
from udify_allennlp.text.sentence import Sentence

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
"""Bounds of the histogram of request times, in seconds."""


class Metrics:
    """
    # Parameters

    models : `Sequence[ServedModel]`
        Models whose waiting words are reported.

    # Raises

    `ImportError` if prometheus_client is missing.
    """

    def __init__(self, models: Sequence[ServedModel]) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        # Of its own: there may be several services in a process.
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "udify_requests",
            "Requests by address and status.",
            ["path", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "udify_request_seconds",
            "Seconds from the head of a request to its answer.",
            ["path"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._sentences = Counter(
            "udify_sentences", "Sentences parsed.", ["model"], registry=self._registry
        )
        self._words = Counter("udify_words", "Words parsed.", ["model"], registry=self._registry)
        waiting = Gauge(
            "udify_waiting_words",
            "Words waiting to be parsed.",
            ["model"],
            registry=self._registry,
        )
        for model in models:
            waiting.labels(model.name).set_function(partial(getattr, model.batcher, "waiting"))

    def answered(self, path: str, status: int, seconds: float) -> None:
        """Counts an answered request."""
        self._requests.labels(path, status).inc()
        self._seconds.labels(path).observe(seconds)

    def parsed(self, model: str, sentences: Sequence[Sentence]) -> None:
        """Counts the parsed sentences of a request."""
        self._sentences.labels(model).inc(len(sentences))
        self._words.labels(model).inc(sum(map(len, sentences)))

    def text(self) -> bytes:
        """Returns the metrics in the text format of Prometheus."""
        from prometheus_client import generate_latest

        return generate_latest(self._registry)


def make_metrics(models: Sequence[ServedModel]) -> Optional[Metrics]:
    """Returns the metrics, or `None` if prometheus_client is missing."""
    return Metrics(models) if importlib.util.find_spec("prometheus_client") else None
