"""`allennlp ud-positions`, as a user types it."""

import sys

import pytest
import torch

from tests.conftest import FIXTURES
from tests.helpers import assert_same_side_by_side
from tests.saved_typology import SMALL, train_small
from udify_allennlp import cli
from udify_allennlp.apps.analysis.languages.sentence_vectors import sentence_vectors
from udify_allennlp.apps.commands import positions
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.typology.features import features_of

UD = FIXTURES / "ud"


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """One of ATTN, and one whose positions are those of all languages."""
    folder = tmp_path_factory.mktemp("positions")
    universal = {k: v for k, v in SMALL.items() if "prior_dim" not in k}
    kinds = {
        "attn": SMALL,
        "universal": {**universal, "model.embedder.generator": {"type": "universal"}},
    }
    train_small(kinds, folder, sentences=12)
    return folder


@pytest.fixture
def execute(models, monkeypatch, capfd, tmp_path):
    def run(*words, model="attn", out="out"):
        given = ["allennlp", "ud-positions", models / model, "--out", tmp_path / out, *words]
        monkeypatch.setattr(sys, "argv", list(map(str, given)))
        return (cli.run(), *capfd.readouterr())

    return run


def table(path):
    return [line.split("\t") for line in path.read_text().splitlines()]


def test_tables_and_figures(execute, models, tmp_path):
    files = [models / f"{name}-ud-dev.conllu" for name in ("en_ewt", "de_gsd")]
    code, output, _ = execute(
        *("--langs", "en,de,ja,fo", "--text", files[0], "--probe", *files, "--flip", "en:SVO=0")
    )
    assert code == 0
    out = tmp_path / "out"
    similarity = table(out / "similarity.tsv")
    assert similarity[0] == ["language", "other", "similarity", "wals19"] and len(similarity) == 11
    assert all(-1 <= float(row[2]) <= 1 for row in similarity[1:])
    assert {row[3] for row in similarity if "fo" in row[:2]} == {""}  # WALS does not have it
    shifts = table(out / "shift.tsv")
    assert [row[:2] for row in shifts[1:6]] == [
        [name, "keys"] for name in ("en", "de", "ja", "fo", "en:SVO=0")
    ]
    substitution = table(out / "substitution.tsv")
    assert [row[0] for row in substitution[1:]] == ["en", "de", "ja", "fo"]
    assert substitution[1][3] == "0.0000"
    probe = table(out / "probe.tsv")
    assert probe[1][2:] == ["SVO", "AN"] and probe[3][2:] == ["SOV", "AN"]
    for name in ("similarity", "maps", "shift", "substitution"):
        assert (out / f"{name}.png").stat().st_size > 5000
    assert "position language (text: en)" in output


def test_with_positions_that_all_languages_share_nothing_depends_on_them(execute, models, tmp_path):
    files = [models / f"{name}-ud-dev.conllu" for name in ("en_ewt", "de_gsd")]
    given = ("--langs", "en,de,ja", "--text", files[0], "--probe", *files)
    assert execute(*given, model="universal")[0] == 0
    out = tmp_path / "out"
    assert not (out / "shift.tsv").exists()
    for name in ("substitution", "probe"):
        rows = table(out / f"{name}.tsv")[1:4]
        assert len({row[1] for row in rows}) == 1
    assert {row[2] for row in table(out / "similarity.tsv")[1:]} == {"1.0000"}


def test_distances_can_be_those_of_treebanks(execute, tmp_path):
    (tmp_path / "distances.tsv").write_text("\ten\tde\nen\t0\t0.25\nde\t0.25\t0\n")
    assert execute("--distance", tmp_path / "distances.tsv")[0] == 0
    (row,) = table(tmp_path / "out" / "similarity.tsv")[1:]
    assert row[:2] in (["en", "de"], ["de", "en"]) and row[3] == "0.2500"
    (tmp_path / "no.tsv").write_text("a\tb\n1\t2\n")
    assert "is not a distances.tsv" in execute("--distance", tmp_path / "no.tsv", out="b")[2]


def test_vectors_of_sentences_are_means_of_their_words(models):
    predictor = load_predictor(str(models / "attn"))
    sentences = list(read_sentences(UD / "en_ewt-ud-dev.conllu"))[:6]
    together = sentence_vectors(predictor, sentences, "ja")
    for row, sentence in enumerate(sentences):
        alone = sentence_vectors(predictor, [sentence], "ja")[0]
        torch.testing.assert_close(together[row], alone, rtol=1e-4, atol=1e-5)
    assert not torch.allclose(together, sentence_vectors(predictor, sentences, "en"))


def test_batches_side_by_side_give_the_same(models):
    sentences = list(read_sentences(UD / "en_ewt-ud-dev.conllu"))
    langs = [("en", "ja", "de", "fo")[row % 4] for row in range(len(sentences))]
    assert_same_side_by_side(load_predictor(models / "attn"), sentences, lang=langs)


@pytest.mark.parametrize(
    "words, message",
    [
        (("--langs", "en"), "--langs is en. Name at least two languages"),
        (("--langs", "en,xx"), "nknown language 'xx'"),
        (("--distance", "far"), "--distance is 'far'. Use wals6, wals19"),
        (("--flip", "en:87A=1"), "--flip is 'en:87A=1'. Specify a language, a feature of uriel"),
        (("--flip", "en:SVO=1"), "en has SVO=1 already. Use another value"),
        (("--flip", "en:ADJECTIVE_AFTR_NOUN=1"), "such as it:ADJECTIVE_AFTER_NOUN=1"),
        (("--flip", "en:SVO=0,SOV=2"), "a feature of uriel and its value"),
        (("--sentences", "1"), "--sentences is 1"),
        (
            ("--text", UD / "*-dev.conllu"),
            "has several languages: de, en, fi, fr. Name files of one language",
        ),
        (("--probe", *[UD / "en_ewt-ud-dev.conllu"] * 2), "both files are of one language"),
    ],
)
def test_what_cannot_be_is_one_line(execute, tmp_path, words, message):
    code, _, errors = execute(*words)
    assert code == 1 and message in errors and "Traceback" not in errors
    assert not (tmp_path / "out").exists()


def test_features_are_changed_of_models_that_are_told_them(execute):
    code, _, errors = execute("--langs", "en,de", "--flip", "en:SVO=0", model="universal")
    assert code == 1 and "uses none. Omit it" in errors


def test_several_features_are_changed_at_once(models):
    encoder = load_predictor(models / "attn").model.embedder
    name, values = positions._flipped("it:SVO=0,SOV=1", encoder)
    before = encoder.values_of(["it"])
    names = [feature.name for feature in features_of("uriel")]
    changed = (values != before)[0].nonzero().flatten().tolist()
    assert {names[place]: int(values[0, place]) for place in changed} == {"SVO": 0, "SOV": 1}
    assert name == "it:SVO=0,SOV=1"


def test_another_model_has_no_positions(execute, models):
    code, _, errors = execute(model=FIXTURES / "archives" / "all_decoders" / "model.tar.gz")
    assert code == 1 and "its embedder is not udify_typology_positions" in errors
