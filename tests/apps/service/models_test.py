"""Names of models, and the model a name means."""

import asyncio

import pytest
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.service.batcher import Batcher
from udify_allennlp.apps.service.models import ServedModel, load_models, pick
from udify_allennlp.apps.service.process import Service
from udify_allennlp.apps.service.texts import TextReader
from udify_allennlp.parser import Parser


def test_names_languages_and_what_is_loaded_once(models, run_folder, tmp_path):
    assert [(model.name, model.lang) for model in models] == [
        ("en_ewt", "en"),
        ("french-gsd-ud", "fr"),
    ]
    assert models[0].batcher is models[1].batcher
    assert models[0].steps == {
        "tokenizer": [],
        "tagger": ["upos", "feats", "lemmas"],
        "parser": ["heads", "deprels"],
    }
    assert list(models[0].steps) == ["tokenizer", "tagger", "parser"]
    (alone,) = load_models([str(run_folder)], lang="fr")
    assert (alone.name, alone.lang) == (run_folder.name, "fr")
    with pytest.raises(
        ConfigurationError, match="Two models have the name a. Use different names: NAME=MODEL"
    ):
        load_models([f"a={run_folder}", f"a={run_folder}"])


def test_a_model_is_told_the_language_of_each_sentence(run_folder, monkeypatch):
    told = []

    def parse(self, sentences, **origins):
        told.extend(origins["lang"])
        return iter(sentences)

    monkeypatch.setattr(Parser, "parse", parse)
    models = load_models([f"all={run_folder}", f"nb={run_folder}"])
    service = Service(models, TextReader())

    async def ask(**given):
        return await service.process({"data": "Word", "input": "horizontal", "parser": "", **given})

    asyncio.run(ask())
    asyncio.run(ask(lang="French"))
    asyncio.run(ask(model="nb"))  # UD has Norwegian under another code
    asyncio.run(ask(model="nb", lang="fi", data="Two\nsentences"))
    asyncio.run(ask(lang="fr_gsd"))
    assert told == ["", "fr", "no", "fi", "fi", "fr"]


def test_a_name_is_that_of_the_archive_or_its_folder(run_folder, tmp_path):
    (tmp_path / "ewt").symlink_to(run_folder)
    (tmp_path / "a=b").symlink_to(run_folder)
    names = [model.name for model in load_models([f"{tmp_path}/ewt", f"{tmp_path}/a=b"])]
    assert names == ["ewt", "a=b"]


def test_a_prefix_up_to_a_hyphen_will_do():
    parse = Batcher(lambda sentences, names, langs: list(sentences))
    models = [
        ServedModel(name, parse, {}) for name in ("english-ewt-ud", "english-gum", "eng", "english")
    ]
    meant = {name: found and found.name for name in NAMES if (found := pick(models, name)) or True}
    assert meant == NAMES


NAMES = {
    "": "english-ewt-ud",
    "english": "english",
    "english-ewt": "english-ewt-ud",
    "english-gum": "english-gum",
    "engl": None,
    "english-e": None,
    "eng": "eng",
}
