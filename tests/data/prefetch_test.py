import itertools
import threading
import time

import pytest

from tests.helpers import wait_for
from udify_allennlp.data.prefetch import prefetched


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "udify-prefetch"]


@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_all_items_come_in_their_order(count):
    assert list(prefetched(range(count))) == list(range(count))
    assert not threads()


def test_items_are_made_in_another_thread_and_only_a_few_ahead():
    made = []

    def items():
        for number in itertools.count():
            made.append(threading.current_thread())
            yield number

    iterator = prefetched(items(), ahead=2)
    assert next(iterator) == 0
    wait_for(lambda: len(made) >= 2)  # on a busy machine not at once
    time.sleep(0.05)
    assert 2 <= len(made) <= 4 and threading.current_thread() not in made
    iterator.close()
    assert not threads()


def test_an_iterator_thrown_away_stops_its_thread():
    for number in prefetched(itertools.count()):
        if number == 3:
            break
    assert not threads()


def test_an_iterator_that_was_never_used_has_no_thread():
    prefetched(itertools.count())
    assert not threads()


def test_an_error_comes_out_in_its_place():
    def items():
        yield 1
        raise ValueError("the second one")

    iterator = prefetched(items())
    assert next(iterator) == 1
    with pytest.raises(ValueError, match="the second one"):
        next(iterator)
    assert not threads()
