"""Model names of clients are resolved to a model and a language."""

import pytest

from udify_allennlp.apps.service.batcher import Batcher
from udify_allennlp.apps.service.models import ServedModel
from udify_allennlp.apps.service.names import choose
from udify_allennlp.text.languages import LANGUAGES


@pytest.fixture(scope="module")
def batcher():
    batcher = Batcher(lambda sentences, names, langs: list(sentences))
    yield batcher
    batcher.close()


@pytest.fixture(scope="module")
def served(batcher):
    named = [
        ("multilingual", None, ["en", "fr", "grc", "no", "xx"]),
        ("de_hdt", "de", []),
        ("german-gsd-ud", "de", []),
        ("fr_gsd", "fr", ["fr"]),
    ]
    return [ServedModel(name, batcher, {}, lang, known) for name, lang, known in named]


def test_each_language_is_found_by_code_and_by_name(batcher):
    models = [ServedModel("all", batcher, {}, languages=list(LANGUAGES))]
    for code, name in LANGUAGES.items():
        spelled = name.lower().replace(" ", "_")
        for asked in (code, name, spelled, f"{spelled}-some-ud-2.17-251125", f"{spelled}-ud"):
            choice = choose(models, asked)
            assert choice.model.name == "all", asked
            assert choice.lang.split("_")[0] == code, asked


MEANT = {
    "": ("multilingual", None, "multilingual"),
    "multilingual": ("multilingual", None, "multilingual"),
    "english": ("multilingual", "en", "multilingual"),
    "English": ("multilingual", "en", "multilingual"),
    "eng": ("multilingual", "en", "multilingual"),
    "english-ewt-ud-2.17-251125": ("multilingual", "en_ewt", "en_ewt"),
    "english-ewt": ("multilingual", "en_ewt", "en_ewt"),
    "en_ewt": ("multilingual", "en_ewt", "en_ewt"),
    "ancient_greek-perseus-ud-2.17-251125": ("multilingual", "grc_perseus", "grc_perseus"),
    "norwegian-nynorsk-ud-2.17-251125": ("multilingual", "no_nynorsk", "no_nynorsk"),
    "nb": ("multilingual", "nb", "multilingual"),
    "xx": ("multilingual", "xx", "multilingual"),
    "german": ("german-gsd-ud", "de", "german-gsd-ud"),  # as UDPipe does: it goes on so
    "german-hdt-ud-2.17-251125": ("de_hdt", "de_hdt", "de_hdt"),
    "de": ("de_hdt", "de", "de_hdt"),
    "deu": ("de_hdt", "de", "de_hdt"),
    "french": ("fr_gsd", "fr", "fr_gsd"),
    "french-sequoia-ud-2.17-251125": ("fr_gsd", "fr_sequoia", "fr_sequoia"),
    "arabic": None,
    "en<script>": None,
    "english-<script>": ("multilingual", "en", "multilingual"),
    "multi": None,
    "nothing-ewt-ud": None,
}


@pytest.mark.parametrize("name", MEANT)
def test_what_a_name_means(served, name):
    choice = choose(served, name)
    assert (choice and (choice.model.name, choice.lang, choice.treebank)) == MEANT[name]
