import threading
import time

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.kernels.parallel_batches import side_by_side


@pytest.fixture
def four_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


@given(count=st.integers(0, 9), at_once=st.integers(1, 5))
def test_each_item_in_its_order(count, at_once):
    def slow_at_first(item):
        time.sleep(0.001 * (count - item))
        return -item

    assert list(side_by_side(slow_at_first, range(count), at_once)) == [-i for i in range(count)]


def test_they_run_at_the_same_time():
    everyone = threading.Barrier(3)
    found = side_by_side(lambda item: everyone.wait(timeout=60), range(6), 3)
    assert sorted(found) == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    "count, at_once, own", [(1, 4, 4), (5, 1, 4), (2, 4, 2), (3, 4, 1), (9, 4, 1), (9, 8, 1)]
)
def test_threads_are_shared_out_and_come_back(four_threads, count, at_once, own):
    seen = side_by_side(lambda item: torch.get_num_threads(), range(count), at_once)
    assert list(seen) == [own] * count
    assert torch.get_num_threads() == 4


def test_threads_that_begin_elsewhere_meanwhile_have_all(four_threads):
    elsewhere = []

    def work(item):
        other = threading.Thread(target=lambda: elsewhere.append(torch.get_num_threads()))
        other.start()
        other.join()

    list(side_by_side(work, range(4), 2))
    assert elsewhere == [4] * 4


def test_without_room_for_threads_it_ends(four_threads, monkeypatch):
    start = threading.Thread.start
    begun = []

    def refused(thread):
        begun.append(thread)
        if len(begun) == 3:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refused)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        list(side_by_side(str, range(8), 4))


def test_an_error_comes_out_and_what_has_not_begun_is_left(four_threads):
    begun = []

    def work(item):
        begun.append(item)
        time.sleep(0.01)
        if item == 1:
            raise ValueError("the second")

    with pytest.raises(ValueError, match="the second"):
        list(side_by_side(work, range(1000), 2))
    assert len(begun) < 10
    assert torch.get_num_threads() == 4


def test_items_are_taken_as_they_are_needed():
    taken = []
    found = side_by_side(str, (taken.append(i) or i for i in range(100)), 3)
    assert next(found) == "0"
    assert len(taken) == 6
    found.close()


def test_no_gradients_are_a_matter_of_each_thread():
    with torch.no_grad():
        assert list(side_by_side(lambda _: torch.is_grad_enabled(), range(3), 3)) == [True] * 3
