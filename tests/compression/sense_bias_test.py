"""The measures of sense bias, by hand and in general."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.compression.sense_bias import Choice, SenseBias, read_choices, sense_bias
from udify_allennlp.text.errors import InputError

CHOICES = st.integers(2, 5).flatmap(
    lambda senses: st.builds(
        Choice, st.just(senses), st.integers(1, senses), st.integers(1, senses)
    )
)


def test_a_case_by_hand():
    choices = [
        *(Choice(2, 1, 1), Choice(2, 1, 2), Choice(3, 2, 1), Choice(3, 3, 2)),
        *(Choice(3, 1, 1), Choice(5, 3, 3)),
    ]
    # By the right sense: 1 of 3, 1 of 1, 1 of 2; by the number: 1 of 2, 2 of 3, 0 of 1.
    # Of three errors one is the first sense, and two are more frequent than the right one.
    found = sense_bias(choices)
    assert found == pytest.approx((1100 / 18, 700 / 18, 100 / 3, 200 / 3))
    assert found.average == pytest.approx(sum(found) / 4)


@given(st.lists(CHOICES, max_size=12))
def test_measures_are_percentages_and_the_first_sense_is_a_more_frequent_one(choices):
    found = sense_bias(choices)
    assert all(value is None or 0 <= value <= 100 for value in found)
    if found.mfs is not None:
        # An error with the first sense is one with a more frequent sense.
        assert found.mfs <= found.mfs_plus
    assert (found.average is None) == (None in found)


def test_nothing_is_no_bias():
    assert sense_bias([]) == SenseBias(None, None, None, None)
    assert sense_bias([Choice(2, 1, 1)]) == (0, 0, None, None)


def test_files(tmp_path):
    path = tmp_path / "senses.tsv"
    path.write_text("# senses\tgold\tpredicted\n3\t2\t1\n2\t1\t1\n")
    assert read_choices(path) == [(3, 2, 1), (2, 1, 1)]
    for line in ("3\t4\t1", "3\t0\t1", "3\t1", "a\tb\tc", ""):
        path.write_text(f"3\t2\t1\n{line}\n")
        with pytest.raises(InputError, match=r"senses.tsv:2: this is not a choice of a sense"):
            read_choices(path)
