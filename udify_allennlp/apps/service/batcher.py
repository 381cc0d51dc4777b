"""
Batches of sentences from many requests: short ones are parsed by one thread, long ones by another.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import NamedTuple, Optional

from udify_allennlp.text.sentence import Sentence

Parse = Callable[[list[Sentence], list[str], list[str]], list[Sentence]]
"""
The parse function: takes sentences, the name of the model for each, and the language of each, which
may be empty; returns parsed sentences.
"""

ROUND_WORDS = 500
"""
Number of words that are parsed together. More are faster together, but later requests wait longer.
"""
MAX_WAITING = 100_000
"""Maximum number of waiting words: on a CPU, about a minute of work."""
LARGE_REQUESTS = 20
"""Number of large requests that may wait at once: each counts at most its share of the words."""
LONG = 200
"""
Minimum number of words for which a separate thread parses a sentence, so that shorter ones need not
wait.
"""
PIECES_OF_A_WORD = 2
"""Wordpieces that count as one word in sentences with more pieces than this per word."""


class Busy(Exception):
    """Raised if too much is already waiting."""


class Batcher:
    """
    A parser that works in rounds. A round takes one sentence from each waiting request in turn
    until it has `round_words` words: small requests share rounds, and none has to wait for the
    whole of a large one. A request whose future is cancelled is dropped, even halfway.

    The size of a sentence is its number of words, or half its number of wordpieces if that is
    larger: text without spaces, emoji and combining marks can have thousands of wordpieces in one
    word.

    # Parameters

    parse : `Parse`
        Returns the parsed sentences in order; called in two threads at once if `long` is not
        `None`.
    round_words : `int`
        Number of words per round, which the last sentence may exceed.
    max_waiting : `int`
        Maximum number of words in all waiting requests, beyond which new ones are rejected. A
        request counts at most `1 / LARGE_REQUESTS` of it, or a round: no client can block the
        others, and a first request may have any size.
    pieces : `Callable[[Sentence], int]`
        Returns the number of wordpieces of a sentence in the model.
    long : `Optional[int]`
        Minimum number of words of sentences that are parsed in separate rounds by another thread.
        `None`: one thread parses all.
    """

    def __init__(
        self,
        parse: Parse,
        round_words: int = ROUND_WORDS,
        max_waiting: int = MAX_WAITING,
        pieces: Callable[[Sentence], int] = len,
        long: Optional[int] = LONG,
    ) -> None:
        self.pieces = pieces
        self._parse = parse
        self._round_words = round_words
        self._max_waiting = max_waiting
        self._long = long
        self._changed = threading.Condition()
        self._closed = False
        self._lanes = [_Lane() for _ in range(1 if long is None else 2)]
        self._threads = [
            threading.Thread(target=self._run, args=(lane,), name="parsing", daemon=True)
            for lane in self._lanes
        ]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """Number of words in all waiting requests, without cancelled ones."""
        with self._changed:
            return sum(self._waiting().values())

    def _waiting(self) -> Counter["_Job"]:
        """Returns the number of words of each waiting request."""
        words: Counter[_Job] = Counter()
        for lane in self._lanes:
            for queue in lane:
                for item in queue:
                    if not item.job.future.cancelled():
                        words[item.job] += item.words
        return words

    def _counted(self, words: int) -> int:
        """Returns the number of words that a request of this size counts as."""
        return min(words, max(self._round_words, self._max_waiting // LARGE_REQUESTS))

    @property
    def is_open(self) -> bool:
        """True if the batcher accepts sentences and its threads are alive."""
        return not self._closed and all(thread.is_alive() for thread in self._threads)

    def submit(
        self, sentences: Sequence[Sentence], name: str = "", lang: str = ""
    ) -> "Future[list[Sentence]]":
        """
        Returns the future of the parsed sentences. It has the exception of `parse` if one of its
        own sentences raises one. `name` is the name of the model, if several share a batcher;
        `lang` is the language of the sentences, if known.

        # Raises

        `Busy` if too much is waiting, or the batcher is closed.
        """
        job = _Job(len(sentences), name, lang)
        items = [
            _Item(job, place, sentence, self._words(sentence))
            for place, sentence in enumerate(sentences)
        ]
        with self._changed:
            waiting = sum(map(self._counted, self._waiting().values()))
            words = self._counted(sum(item.words for item in items))
            if self._closed or (waiting and waiting + words > self._max_waiting):
                raise Busy
            if not items:
                job.future.set_result([])
                return job.future
            for lane, queue in zip(self._lanes, self._by_length(items)):
                if queue:
                    lane.append(queue)
            self._changed.notify_all()
        return job.future

    def _words(self, sentence: Sentence) -> int:
        return max(len(sentence), self.pieces(sentence) // PIECES_OF_A_WORD)

    def _by_length(self, items: list["_Item"]) -> list[deque["_Item"]]:
        if self._long is None:
            return [deque(items)]
        is_long = [item.words >= self._long for item in items]
        return [
            deque(item for item, long in zip(items, is_long) if long == wanted)
            for wanted in (False, True)
        ]

    def close(self) -> None:
        """Rejects new sentences, and returns when all waiting ones are done."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _run(self, lane: "_Lane") -> None:
        while batch := self._next_round(lane):
            try:
                parsed = self._parse(
                    [item.sentence for item in batch],
                    [item.job.name for item in batch],
                    [item.job.lang for item in batch],
                )
            except Exception:
                self._parse_one_by_one(batch)
            else:
                for item, sentence in zip(batch, parsed):
                    item.job.add(item.place, sentence)

    def _parse_one_by_one(self, batch: list["_Item"]) -> None:
        """
        Parses the sentences of a failed round one by one, so that only the sender of the faulty one
        sees the error.
        """
        for job, place, sentence, _ in batch:
            if job.future.done():
                continue
            try:
                (parsed,) = self._parse([sentence], [job.name], [job.lang])
            except Exception as error:
                job.fail(error)
            else:
                job.add(place, parsed)

    def _next_round(self, lane: "_Lane") -> list["_Item"]:
        """Waits for work. Returns an empty list once the batcher is closed and nothing waits."""
        batch: list[_Item] = []
        words = 0
        with self._changed:
            lane.drop_what_ended()
            while not lane and not self._closed:
                self._changed.wait()
                lane.drop_what_ended()
            while lane and words < self._round_words:
                queue = lane.popleft()
                batch.append(queue.popleft())
                words += batch[-1].words
                if queue:
                    lane.append(queue)
        return batch


class _Lane(deque[deque["_Item"]]):
    """The queue of one thread: for each request, its waiting sentences."""

    def drop_what_ended(self) -> None:
        going = [queue for queue in self if not queue[0].job.future.done()]
        self.clear()
        self.extend(going)


class _Job:
    """One request, with its parsed sentences."""

    def __init__(self, total: int, name: str, lang: str) -> None:
        self.name = name
        self.lang = lang
        self.future: Future[list[Sentence]] = Future()
        self._parsed: dict[int, Sentence] = {}
        self._total = total
        self._lock = threading.Lock()  # two threads may parse for it

    def add(self, place: int, sentence: Sentence) -> None:
        with self._lock:
            self._parsed[place] = sentence
            # False where the future was cancelled; from then on it cannot be.
            if len(self._parsed) == self._total and self.future.set_running_or_notify_cancel():
                self.future.set_result([self._parsed[place] for place in range(self._total)])

    def fail(self, error: Exception) -> None:
        with self._lock:
            if not self.future.done() and self.future.set_running_or_notify_cancel():
                self.future.set_exception(error)


class _Item(NamedTuple):
    job: _Job
    place: int
    """Number of the sentence in its request, from 0."""
    sentence: Sentence
    words: int
    """Number of words that it counts as."""
