"""The shipped files are all there: tests that go over a folder would pass on an empty one."""

import pytest

from tests.conftest import CONFIGS, FIXTURES, ROOT

SENTENCES = {
    "ud/en_ewt-ud-train.conllu": 200,
    "ud/en_ewt-ud-dev.conllu": 40,
    "ud/en_ewt-ud-test.conllu": 40,
    "ud/de_gsd-ud-train.conllu": 100,
    "ud/de_gsd-ud-dev.conllu": 30,
    "ud/de_gsd-ud-test.conllu": 30,
    "ud/fi_tdt-ud-dev.conllu": 8,
    "ud/fr_gsd-ud-dev.conllu": 10,
}


def test_the_treebanks_have_their_sentences():
    for name, count in SENTENCES.items():
        text = (FIXTURES / name).read_text(encoding="utf-8")
        assert text.count("\n\n") == text.count("# sent_id = ") == count, name
    assert len(list(FIXTURES.glob("ud/*.conllu"))) == len(SENTENCES)


@pytest.mark.parametrize(
    "folder, names, least",
    [
        (FIXTURES, "conllu/*.conllu", 8),
        (FIXTURES, "conllu/bad/*.conllu", 30),
        (FIXTURES, "sigmorphon/*.conllu", 2),
        (FIXTURES, "archives/*/kept.json", 2),
        (CONFIGS, "*.jsonnet", 6),
        (CONFIGS, "parts/*.libsonnet", 5),
        (ROOT, "docs/*.md", 8),
    ],
)
def test_the_folders_that_tests_go_over_are_not_empty(folder, names, least):
    assert len(list(folder.glob(names))) >= least
