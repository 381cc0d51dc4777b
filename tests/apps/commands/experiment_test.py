"""`allennlp ud-experiment` from treebanks to the table, interrupted and taken up again."""

import json
import shutil
import sys
from itertools import islice

import pytest
import torch
from allennlp.training.callbacks import TrainerCallback

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import DEV, ENCODER
from udify_allennlp import cli
from udify_allennlp.apps.studies import runs
from udify_allennlp.archives.run_folder import load_weights, model_folder
from udify_allennlp.scoring.official import official_scores
from udify_allennlp.text.conllu import read_sentences, write_sentences

UD = FIXTURES / "ud"
INTERRUPT = {"after": 0}


class Interrupted(Exception):
    """Stands for the power cut."""


@TrainerCallback.register("test_interrupt_experiment")
class Interrupt(TrainerCallback):
    def on_batch(self, *args, is_training=True, **kwargs):
        if is_training:
            INTERRUPT["after"] -= 1
            if INTERRUPT["after"] == 0:
                raise Interrupted


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory):
    """Two treebanks with training data, one without dev data, and one without either."""
    folder = tmp_path_factory.mktemp("ud")
    for name, source, splits in [
        ("UD_English", "en_ewt", ("train", "dev", "test")),
        ("UD_German", "de_gsd", ("train", "test")),
        ("UD_French", "fr_gsd", ("dev",)),
    ]:
        (folder / name).mkdir()
        for split in splits:
            target = "test" if name == "UD_French" else split
            sentences = read_sentences(UD / f"{source}-ud-{split}.conllu")
            count = 24 if split == "train" else 6
            path = folder / name / f"{source}-ud-{target}.conllu"
            write_sentences(islice(sentences, count), path)
    return folder


def weights_of(run):
    with model_folder(str(run)) as folder:
        return load_weights(folder)


@pytest.fixture
def experiment(monkeypatch, capfd, treebanks, tmp_path):
    """Runs the command with all four models: exit code, output, errors."""
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    single = CONFIGS / "tiny.jsonnet"
    both = {weights: tmp_path / f"{weights}.jsonnet" for weights in ("encoder", "all")}
    for weights, path in both.items():
        path.write_text(
            f"(import '{single}') + (import '{CONFIGS}/parts/from_archive.libsonnet')"
            f"(std.extVar('UD_MODEL'), '{weights}')"
        )
    started = ("--udify-lang", both["encoder"], "--udify-lang-all", both["all"])
    settings = {
        "trainer.num_epochs": 2,
        "trainer.callbacks": [{"type": "udify_unfreeze"}, {"type": "test_interrupt_experiment"}],
    }

    def execute(*words, out=tmp_path / "out", action="compare"):
        words = words or ("--udify", single, "--lang", single, *started)
        config = words[:1] if action == "ablation" else ()
        words = (
            *config,
            treebanks / "*",
            "--out",
            out,
            "-o",
            json.dumps(settings),
            *words[len(config) :],
        )
        monkeypatch.setattr(sys, "argv", ["allennlp", "ud-experiment", action, *map(str, words)])
        return (cli.run(), *capfd.readouterr())

    INTERRUPT["after"] = 0
    return execute


def rows(folder):
    lines = (folder / "scores.tsv").read_text().splitlines()
    return [line.split("\t") for line in lines[1:]]


def test_end_to_end_and_resumed_after_interruptions(experiment, tmp_path, treebanks, monkeypatch):
    code, output, _ = experiment(out=tmp_path / "whole")
    tables = [(tmp_path / "whole" / f"{name}.md").read_text() for name in ("scores", "differences")]
    assert code == 0 and output.endswith("\n".join(tables))
    table = rows(tmp_path / "whole")
    models = ["UDify", "Lang", "UDify+Lang", "UDify+Lang-all"]
    assert [row[:3] for row in table[:9]] == [
        *(["de_gsd", "low", model] for model in models),
        *(["en_ewt", "low", model] for model in models),
        ["fr_gsd", "zero-shot", "UDify"],
    ]
    assert "| de_gsd | low | Lang over UDify |" in tables[1]
    assert "| macro average (2) | all but zero-shot | Lang over UDify |" in tables[1]
    assert [row[:3] for row in table[-4:]] == [
        ["macro average (2)", "all but zero-shot", model] for model in models
    ]
    # The figures are those of the files that lie beside them.
    gold = read_sentences(treebanks / "UD_German" / "de_gsd-ud-test.conllu")
    parsed = read_sentences(tmp_path / "whole" / "Lang" / "scores" / "de_gsd.conllu")
    assert table[1][7] == f"{official_scores(gold, parsed, 'x')['LAS']:.2f}"
    # UDify+Lang-all knows every label of UDify, UDify+Lang those of its treebank, as Lang does.
    of_udify, of_lang, of_encoder, of_all = (
        (tmp_path / "whole" / path / "vocabulary" / "lemma_labels.txt").read_text().splitlines()
        for path in ("UDify/model", *(f"{model}/de_gsd" for model in models[1:]))
    )
    assert of_all[: len(of_udify)] == of_udify
    assert of_encoder == of_lang != of_udify

    for after in (4, 9, 13):  # in UDify's second epoch, in a Lang, in another
        INTERRUPT["after"] = after
        with pytest.raises(Interrupted):
            experiment(out=tmp_path / "cut")
    INTERRUPT["after"] = 0
    assert experiment(out=tmp_path / "cut")[0] == 0
    assert rows(tmp_path / "cut") == table

    # A third time there is nothing to do.
    monkeypatch.setattr(runs, "train_model", None)
    monkeypatch.setattr(runs, "load_predictor", None)
    assert experiment(out=tmp_path / "cut")[0] == 0


def test_a_treebank_that_fails_does_not_stop_the_others(experiment, tmp_path, monkeypatch):
    def train(params, folder, **kwargs):
        if "de_gsd" in folder:
            raise ValueError("nan loss encountered")
        return train_model(params, folder, **kwargs)

    train_model = runs.train_model
    monkeypatch.setattr(runs, "train_model", train)
    code, _, errors = experiment("--lang", CONFIGS / "tiny.jsonnet")
    assert code == 1
    assert "1 of the runs failed: Lang of de_gsd (nan loss" in errors.splitlines()[-1]
    assert [row[0] for row in rows(tmp_path / "out")][0] == "en_ewt"


def test_a_trained_model_can_stand_for_udify(experiment, tmp_path):
    lang = CONFIGS / "tiny.jsonnet"
    experiment("--lang", lang)
    model = tmp_path / "out" / "Lang" / "en_ewt"
    shutil.copy(model / "model.tar.gz", tmp_path / "model.tar.gz")
    code, _, _ = experiment("--udify", tmp_path / "model.tar.gz", out=tmp_path / "other")
    assert code == 0
    assert [row[0] for row in rows(tmp_path / "other")][:3] == ["de_gsd", "en_ewt", "fr_gsd"]
    # Other settings for a run that is done are not passed over in silence.
    code, _, errors = experiment("--lang", CONFIGS / "udify_small_cpu.jsonnet")
    assert code == 1 and "was trained with other settings or data" in errors.splitlines()[-1]
    # Another model is scored anew.
    scores = tmp_path / "other" / "UDify" / "scores" / "en_ewt.json"
    before = scores.stat().st_mtime_ns
    (model / "model.tar.gz").touch()
    experiment("--udify", model, out=tmp_path / "other")
    assert scores.stat().st_mtime_ns > before


def test_seeds_make_runs_of_their_own(experiment, tmp_path):
    lang = CONFIGS / "tiny.jsonnet"
    (tmp_path / "rows.tsv").write_text("treebank\tmodel\tLAS\nen_ewt\tOther\t50\n")
    words = ("--lang", lang, "--seeds", "1,2", "--external", tmp_path / "rows.tsv")
    code, _, _ = experiment(*words)
    assert code == 0
    out = tmp_path / "out"
    weights = [weights_of(out / "Lang" / f"seed_{seed}" / "en_ewt") for seed in (1, 2)]
    name = next(name for name in weights[0] if name.startswith("decoders.upos"))
    assert not torch.equal(weights[0][name], weights[1][name])
    config = json.loads((out / "Lang" / "seed_2" / "en_ewt" / "config.json").read_text())
    assert {config[f"{name}_seed"] for name in ("random", "numpy", "pytorch")} == {2}
    table = rows(out)
    scores = [
        json.loads((out / "Lang" / f"seed_{seed}" / "scores" / "en_ewt.json").read_text())
        for seed in (1, 2)
    ]
    las = [score["scores"]["LAS"] for score in scores]
    assert [row[2] for row in table[:3]] == ["Lang", "Other", "Lang"]
    assert table[1][:8] == ["en_ewt", "low", "Other", "", "", "", "", "50.00"]
    assert table[2][7] == f"{sum(las) / 2:.2f}" and table[2][11] == "2"
    assert table[2][16] == f"{abs(las[0] - las[1]) / 2**0.5:.2f}"


def test_variants_of_a_config_in_one_table(experiment, tmp_path, monkeypatch):
    words = (
        "--variant",
        "task={}",
        "--variant",
        'sum={"model.layer_attention": "sum"}',
        "--variant",
        'twelve={"model.initial_beta": 12}',
    )
    code, output, _ = experiment(CONFIGS / "tiny.jsonnet", *words, action="ablation")
    assert code == 0 and "| sum over task |" in output
    table = rows(tmp_path / "out")
    assert [row[:3] for row in table[:6]] == [
        [treebank, "low", model]
        for treebank in ("de_gsd", "en_ewt")
        for model in ("task", "sum", "twelve")
    ]
    weights = weights_of(tmp_path / "out" / "sum" / "de_gsd")
    assert not any("mixes" in name for name in weights)
    config = json.loads((tmp_path / "out" / "twelve" / "de_gsd" / "config.json").read_text())
    assert config["model"]["initial_beta"] == 12 and config["trainer"]["num_epochs"] == 2
    # Again: nothing to do. Jointly: the models of all treebanks, which parse all.
    monkeypatch.setattr(runs, "load_predictor", None)
    assert experiment(CONFIGS / "tiny.jsonnet", *words, action="ablation")[0] == 0
    monkeypatch.undo()


def test_variants_of_one_model_of_all_treebanks(experiment, tmp_path):
    words = ("--joint", "--variant", "task={}", "--seeds", "3")
    code, _, _ = experiment(CONFIGS / "tiny.jsonnet", *words, action="ablation")
    assert code == 0
    assert [row[0] for row in rows(tmp_path / "out")][:3] == ["de_gsd", "en_ewt", "fr_gsd"]
    assert (tmp_path / "out" / "task" / "seed_3" / "model" / "model.tar.gz").exists()


@pytest.mark.parametrize(
    "variant", ["task", "={}", "a=1", "a/b={}", "..={}", "a={", 'a={"model.decoders.x.y.z": 1}']
)
def test_variants_that_are_none(experiment, variant):
    words = ("--variant", variant)
    code, _, errors = experiment(CONFIGS / "tiny.jsonnet", *words, action="ablation")
    assert code == 1 and errors.splitlines()[-1].startswith("allennlp: error: ")


@pytest.mark.parametrize(
    "words, message",
    [
        (["--seeds", "one", "--lang", "x.jsonnet"], "--seeds is 'one'"),
        (["--external", "none.tsv", "--lang", "x.jsonnet"], "none.tsv: no such file"),
        (["--cuda-device", "-1"], "There is nothing to train"),
        (["--udify-lang", "x.jsonnet"], "Add --udify"),
        (["--udify-lang-all", "x.jsonnet"], "Add --udify"),
        (["--udify", DEV + ".jsonnet"], ".jsonnet not found"),
    ],
)
def test_mistakes_are_one_line(experiment, words, message):
    code, _, errors = experiment(*words)
    assert code == 1 and message in errors.splitlines()[-1]
