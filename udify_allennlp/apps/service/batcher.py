"""Sentences of many requests, parsed together by one thread."""

import threading
from collections import deque
from concurrent.futures import Future
from typing import Callable, Deque, List, Sequence, Tuple

from udify_allennlp.text.sentence import Sentence

Parse = Callable[[List[Sentence], List[str], List[str]], List[Sentence]]
"""
From sentences, the name of the model that each is meant for, and the language of each, which may be
empty, to parsed sentences.
"""

ROUND_WORDS = 1000
"""Words that are parsed at a time. More are faster together, but who comes next waits longer."""
MAX_WAITING = 100_000
"""Words that may wait: on a CPU, about the work of a minute."""


class Busy(Exception):
    """Too much is waiting already."""


class Batcher:
    """
    Parses in rounds. A round takes one sentence of each waiting request in turn until it has
    `round_words` words: small requests share rounds, and none has to wait for the whole of a large
    one. A request whose future is cancelled is dropped, also in the middle.

    # Parameters

    parse : `Parse`
        Gives the parsed sentences in their order; called in one thread only.
    round_words : `int`
        Words of a round, to which its last sentence may add more.
    max_waiting : `int`
        Words of all waiting requests together, beyond which new ones are refused. One request
        alone may have more.
    """

    def __init__(
        self, parse: Parse, round_words: int = ROUND_WORDS, max_waiting: int = MAX_WAITING
    ) -> None:
        self._parse = parse
        self._round_words = round_words
        self._max_waiting = max_waiting
        self._jobs: Deque[_Job] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="parsing", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Words of all requests that wait, those given up left out."""
        with self._changed:
            return sum(job.words() for job in self._jobs if not job.future.cancelled())

    @property
    def is_open(self) -> bool:
        """Whether it takes sentences, and a thread is there to parse them."""
        return not self._closed and self._thread.is_alive()

    def submit(
        self, sentences: Sequence[Sentence], name: str = "", lang: str = ""
    ) -> "Future[List[Sentence]]":
        """
        The future of the parsed sentences. It has the exception of `parse` if one of these very
        sentences raises one. `name` is that of the model meant, where several share a batcher;
        `lang` is the language of the sentences, where it is known.

        # Raises

        `Busy` if too much is waiting, or the batcher is closed.
        """
        job = _Job(sentences, name, lang)
        with self._changed:
            waiting = self.waiting
            if self._closed or (waiting and waiting + job.words() > self._max_waiting):
                raise Busy
            if not job.waiting:
                job.future.set_result([])
                return job.future
            self._jobs.append(job)
            self._changed.notify()
        return job.future

    def close(self) -> None:
        """Refuses what comes from now on, and returns when all that was waiting is done."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while batch := self._next_round():
            try:
                parsed = self._parse(
                    [sentence for _, sentence in batch],
                    [job.name for job, _ in batch],
                    [job.lang for job, _ in batch],
                )
            except Exception:
                self._parse_one_by_one(batch)
            else:
                for (job, _), sentence in zip(batch, parsed):
                    job.add(sentence)

    def _parse_one_by_one(self, batch: List[Tuple["_Job", Sentence]]) -> None:
        """After a round that failed: only who caused it is to see the error."""
        for job, sentence in batch:
            try:
                (parsed,) = self._parse([sentence], [job.name], [job.lang])
            except Exception as error:
                job.fail(error)
            else:
                job.add(parsed)

    def _next_round(self) -> List[Tuple["_Job", Sentence]]:
        """Waits for work. Empty once the batcher is closed and nothing waits."""
        batch: List[Tuple[_Job, Sentence]] = []
        words = 0
        with self._changed:
            self._drop_what_ended()
            while not self._jobs and not self._closed:
                self._changed.wait()
                self._drop_what_ended()
            while self._jobs and words < self._round_words:
                job = self._jobs.popleft()
                batch.append((job, job.waiting.popleft()))
                words += len(batch[-1][1])
                if job.waiting:
                    self._jobs.append(job)
        return batch

    def _drop_what_ended(self) -> None:
        self._jobs = deque(job for job in self._jobs if not job.future.done())


class _Job:
    """One request: its sentences that wait, and those that are parsed."""

    def __init__(self, sentences: Sequence[Sentence], name: str, lang: str) -> None:
        self.name = name
        self.lang = lang
        self.future: Future[List[Sentence]] = Future()
        self.waiting = deque(sentences)
        self._parsed: List[Sentence] = []
        self._total = len(sentences)

    def words(self) -> int:
        return sum(map(len, self.waiting))

    def add(self, sentence: Sentence) -> None:
        self._parsed.append(sentence)
        # False where the future was cancelled; from then on it cannot be.
        if len(self._parsed) == self._total and self.future.set_running_or_notify_cancel():
            self.future.set_result(self._parsed)

    def fail(self, error: Exception) -> None:
        if not self.future.done() and self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)
