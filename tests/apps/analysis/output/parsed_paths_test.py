"""Gold files, by name, and the parse of each."""

import pytest
from allennlp.common.checks import ConfigurationError

from tests.helpers import DEV
from udify_allennlp.apps.analysis.output.parsed_paths import (
    gold_paths,
    gold_sentences,
    parsed_paths,
)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Makes empty files; where they are is the working folder."""
    monkeypatch.chdir(tmp_path)

    def make(*names):
        for name in names:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).touch()
        return ",".join(names)

    return make


@pytest.mark.parametrize(
    "golds, parses",
    [
        (
            ["ud/de_gsd-ud-dev.conllu", "ud/en_ewt-ud-dev.conllu"],
            ["de_gsd.conllu", "en_ewt.conllu"],
        ),
        # Two files of one treebank, one of them compressed; passes of `predict`; a third treebank.
        (
            ["ud/en_ewt-ud-dev.conllu.xz", "ud/en_ewt-ud-test.conllu", "ud/de_gsd-ud-dev.conllu"],
            ["en_ewt-ud-dev.conllu", "en_ewt-ud-test.conllu.gz", "de_gsd-ud-dev.conllu"],
        ),
        (
            ["ud/en_ewt-ud-dev.conllu", "ud/en_ewt-ud-test.conllu"],
            ["en_ewt-ud-dev.0.conllu", "en_ewt-ud-test.0.conllu"],
        ),
        # What tells them apart is before and behind the first dot.
        (["a.dev.conllu", "a.test.conllu"], ["a.dev.conllu", "a.test.conllu"]),
    ],
)
@pytest.mark.parametrize("is_folder", [True, False])
def test_each_gold_file_has_its_own_parse(files, golds, parses, is_folder):
    files(*(f"out/{name}" for name in parses))
    found = parsed_paths(gold_paths([files(*golds)]), "out" if is_folder else "out/*conllu*")
    assert found == [f"out/{name}" for name in parses]


def test_files_of_the_same_name_are_told_apart_by_their_folders(files):
    golds = gold_paths([files("ud/a/dev.conllu", "ud/b/dev.conllu")])
    files("out/a/dev.conllu", "out/b/dev.conllu")
    assert list(golds) == ["ud/a/dev.conllu", "ud/b/dev.conllu"]
    assert parsed_paths(golds, "out/*/dev.conllu") == ["out/a/dev.conllu", "out/b/dev.conllu"]


@pytest.mark.parametrize("folder", ["SentTr, 7 layers", "[old] a*"])
def test_a_folder_may_have_any_name(files, folder):
    files(f"{folder}/en_ewt.conllu", f"{folder}/de_gsd.conllu")
    golds = gold_paths([files("en_ewt-ud-dev.conllu", "de_gsd-ud-dev.conllu")])
    assert parsed_paths(golds, folder) == [f"{folder}/{name}.conllu" for name in golds]
    one = gold_paths(["de_gsd-ud-dev.conllu"])
    assert parsed_paths(one, folder) == [f"{folder}/de_gsd.conllu"]


def test_a_file_called_as_gold_comes_before_others_of_its_treebank(files):
    files("out/en_ewt-ud-dev.conllu", "out/en_ewt-ud-test.conllu", "out/de_gsd.conllu")
    golds = gold_paths([files("en_ewt-ud-dev.conllu", "de_gsd-ud-dev.conllu")])
    assert list(golds) == ["en_ewt", "de_gsd"]
    assert parsed_paths(golds, "out") == ["out/en_ewt-ud-dev.conllu", "out/de_gsd.conllu"]


def test_a_parse_that_is_missing_or_not_the_only_one(files):
    golds = gold_paths([files("en_ewt-ud-dev.conllu", "en_ewt-ud-test.conllu")])
    files("out/en_ewt.conllu", "more/en_ewt-ud-dev.conllu", "more/old/en_ewt-ud-dev.conllu")
    with pytest.raises(ConfigurationError, match="out has no file for en_ewt-ud-dev.conllu. Add"):
        parsed_paths(golds, "out")
    message = "several files for en_ewt-ud-dev.conllu: more/en_ewt-ud-dev.conllu, more/old/"
    with pytest.raises(ConfigurationError, match=message):
        parsed_paths(golds, "more/**")


@pytest.mark.parametrize("model", ["multilingual", "out/model.tar.gz", "out"])
def test_a_model_is_not_a_parse(files, model):
    files("out/config.json", "out/model.tar.gz", "gold.conllu")
    with pytest.raises(
        ConfigurationError, match=f"{model} is a model.*predict {model} gold.conllu"
    ):
        parsed_paths({"gold": "gold.conllu"}, model)


def test_of_one_gold_file_the_parse_may_have_any_name(files):
    assert parsed_paths(gold_paths([files("en_ewt-ud-dev.conllu")]), "x") == ["x"]


def test_a_gold_file_has_sentences(tmp_path):
    assert gold_sentences(DEV)
    (tmp_path / "empty.conllu").touch()
    with pytest.raises(ConfigurationError, match="empty.conllu has no sentences. Name files"):
        gold_sentences(str(tmp_path / "empty.conllu"))
