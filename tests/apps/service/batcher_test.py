"""`Batcher`: who shares a round with whom, and whom a fault reaches."""

import threading

import pytest

from udify_allennlp.apps.service.batcher import Batcher, Busy
from udify_allennlp.text.conllu import Sentence


def words(*sentences):
    return [Sentence.from_words(text.split()) for text in sentences]


def forms(future):
    return [" ".join(sentence.forms) for sentence in future.result(10)]


def test_each_gets_its_own_in_its_order(gate):
    gate.open.set()
    batcher = Batcher(gate, round_words=3)
    texts = [[f"a{i} b", f"c{i}", f"d{i} e f g"][: i % 4] for i in range(40)]
    futures = [batcher.submit(words(*some)) for some in texts]
    assert [forms(future) for future in futures] == texts
    batcher.close()
    assert all(upos == "X" for future in futures for s in future.result() for upos in s.upos)


def test_requests_that_wait_share_rounds_and_a_large_one_holds_nobody_up(gate):
    batcher = Batcher(gate, round_words=4)
    first = batcher.submit(words("first"))
    assert gate.entered.wait(10)
    large = batcher.submit(words(*(f"large{i}" for i in range(6))))
    small = [batcher.submit(words(f"small{i}")) for i in range(2)]
    gate.open.set()
    batcher.close()
    assert [future.done() for future in (first, large, *small)] == [True] * 4
    rounds = [[forms[0] for forms in found] for found in gate.rounds]
    assert rounds == [
        ["first"],
        ["large0", "small0", "small1", "large1"],
        ["large2", "large3", "large4", "large5"],
    ]


def test_a_long_sentence_holds_no_short_one_up(gate):
    entered = threading.Event()

    def parse(sentences, names, langs):
        if any(len(sentence) > 4 for sentence in sentences):
            entered.set()
            return gate(sentences, names, langs)
        return sentences

    batcher = Batcher(parse, long=5)
    both = batcher.submit(words("a b c d e", "short", "f g h i j"))
    assert entered.wait(10)
    assert forms(batcher.submit(words("another's"))) == ["another's"]
    assert not both.done()
    gate.open.set()
    assert forms(both) == ["a b c d e", "short", "f g h i j"]
    batcher.close()


def test_a_word_of_many_wordpieces_counts_for_many_words(gate):
    def pieces(sentence):
        return sum(map(len, sentence.forms))

    batcher = Batcher(gate, round_words=4, max_waiting=7, pieces=pieces, long=100)
    batcher.submit(words("first"))
    assert gate.entered.wait(10)
    large = batcher.submit(words(*["x" * 8] * 3))
    assert batcher.waiting == 12
    with pytest.raises(Busy):
        batcher.submit(words("x" * 8))  # four, as the large one
    gate.open.set()
    assert forms(large) == ["x" * 8] * 3
    batcher.close()
    assert [len(found) for found in gate.rounds] == [1, 1, 1, 1]


def test_who_left_is_dropped(gate):
    batcher = Batcher(gate, round_words=1)
    batcher.submit(words("first"))
    assert gate.entered.wait(10)
    left, stays = batcher.submit(words("left", "left")), batcher.submit(words("stays"))
    assert left.cancel()
    gate.open.set()
    assert forms(stays) == ["stays"]
    batcher.close()
    assert gate.rounds == [[["first"]], [["stays"]]]


def test_a_fault_reaches_only_who_caused_it():
    ready = threading.Event()

    def parse(sentences, names, langs):
        ready.wait(10)
        if any("bad" in sentence.forms for sentence in sentences):
            raise MemoryError("too long")
        return sentences

    batcher = Batcher(parse)
    batcher.submit(words("first"))
    good, bad, also = (batcher.submit(words(*some)) for some in (["a", "b"], ["c", "bad"], ["d"]))
    ready.set()
    assert (forms(good), forms(also)) == (["a", "b"], ["d"])
    with pytest.raises(MemoryError, match="too long"):
        bad.result(10)
    assert forms(batcher.submit(words("after"))) == ["after"]


def test_a_large_request_leaves_room_for_others(gate):
    batcher = Batcher(gate, round_words=2, max_waiting=40)
    batcher.submit(words("parsed now"))
    assert gate.entered.wait(10)
    large = batcher.submit(words(*["x"] * 1000))
    small = batcher.submit(words("a", "b"))
    assert batcher.waiting == 1002
    gate.open.set()
    assert forms(small) == ["a", "b"] and len(forms(large)) == 1000
    batcher.close()
    assert gate.rounds[1:3] == [[["x"], ["a"]], [["x"], ["b"]]]


def test_what_waits_is_bounded(gate):
    batcher = Batcher(gate, round_words=1, max_waiting=3)
    batcher.submit(words("parsed now"))
    assert gate.entered.wait(10)
    waiting = [batcher.submit(words(*some)) for some in (["a b", "c"], ["d"], ["e"])]
    with pytest.raises(Busy):
        batcher.submit(words("f"))
    assert all(waits.cancel() for waits in waiting)
    alone = batcher.submit(words("a request of five words"))
    gate.open.set()
    assert forms(alone) == ["a request of five words"]
    assert batcher.submit([]).result(0) == []
    batcher.close()
    with pytest.raises(Busy):
        batcher.submit(words("late"))
