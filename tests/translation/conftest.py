"""Numbers in several languages, and subwords trained on them."""

import pytest

from tests.helpers.translation import subwords_of, write_numbers


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write_numbers(tmp_path_factory.mktemp("numbers"), "train", 30)


@pytest.fixture(scope="module")
def subwords(paths):
    return subwords_of(paths)
