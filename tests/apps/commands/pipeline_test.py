"""Train, predict and evaluate as a user types them."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import DEV, ENCODER, TRAIN
from tests.helpers.processes import allennlp, predict
from udify_allennlp.archives.card import card_of
from udify_allennlp.scoring.official import METRICS, official_scores
from udify_allennlp.text.conllu import read_sentences

GERMAN = str(FIXTURES / "ud" / "de_gsd-ud-dev.conllu")


@pytest.fixture(scope="module")
def archive(tmp_path_factory, small_data):
    run = tmp_path_factory.mktemp("run") / "out"
    paths = {"UD_ENCODER": ENCODER, "UD_TRAIN": small_data[0], "UD_DEV": small_data[1]}
    options = ["--include-package", "udify_allennlp", "-s", run]
    allennlp(
        "train",
        CONFIGS / "tiny.jsonnet",
        *options,
        "-o",
        '{"trainer.num_epochs": 3}',
        **paths,
    )
    metrics = json.loads((run / "metrics.json").read_text())
    assert {"best_validation_LAS", "best_validation_UPOS"} <= set(metrics)
    return run / "model.tar.gz"


def test_the_archive_says_what_it_was_trained_on(archive):
    card = card_of(str(archive))
    assert card.languages == ["en"] and card.treebanks["en_ewt"]["sentences"] == 40
    assert card.scores.keys() >= {"UPOS", "LAS"} and card.date and card.versions


def test_evaluate_equals_the_official_script_on_the_predicted_file(archive, tmp_path):
    predict(archive, DEV, tmp_path / "p.conllu", "--use-dataset-reader", "--batch-size", 16)
    gold, predicted = (list(read_sentences(str(path))) for path in (DEV, tmp_path / "p.conllu"))
    expected = official_scores(gold, predicted, "dev")
    result = allennlp(
        "evaluate",
        archive,
        DEV,
        "--include-package",
        "udify_allennlp",
        "--output-file",
        tmp_path / "metrics.json",
        "--predictions-output-file",
        tmp_path / "e.conllu",
        "--batch-size",
        5,
        "--official",
    )
    metrics = json.loads((tmp_path / "metrics.json").read_text())
    assert metrics == pytest.approx(expected, abs=0.0)
    assert (tmp_path / "e.conllu").read_bytes() == (tmp_path / "p.conllu").read_bytes()
    row = next(line for line in result.stdout.splitlines() if line.startswith("en_ewt"))
    assert row.split()[1:] == [f"{expected[metric]:.2f}" for metric in METRICS]
    # The script itself, on the two files, prints the same.
    script = subprocess.run(
        [sys.executable, "-c", SCRIPT, DEV, str(tmp_path / "p.conllu")],
        capture_output=True,
        text=True,
        check=True,
    )
    for line in script.stdout.splitlines():
        name = line.split("|")[0].strip()
        if name in METRICS:
            assert line.split("|")[3].strip() == f"{expected[name]:.2f}"


SCRIPT = """
import sys
from udtools.udeval import build_evaluation_table, evaluate, load_conllu_file
gold, system = (load_conllu_file(path) for path in sys.argv[1:])
sys.stdout.write(build_evaluation_table(evaluate(gold, system)))
"""


def test_several_treebanks_give_a_row_each_and_the_mean(archive):
    result = allennlp("evaluate", archive, f"{DEV},{GERMAN}", "--include-package", "udify_allennlp")
    rows = [line.split()[0] for line in result.stdout.splitlines() if line.strip()]
    assert rows[-5:] == ["treebank", "en_ewt", "de_gsd", "macro", "-:"]


def test_the_archive_needs_no_encoder_folder_and_finds_the_plugin_by_itself(archive, tmp_path):
    """Moved to a folder with only `.allennlp_plugins`, its encoder's folder out of reach."""
    (tmp_path / ".allennlp_plugins").write_text("udify_allennlp\n")
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"sentence": "The dog sleeps ."}\n{"sentence": "No !"}\n')
    config = '{"dataset_reader.model_name": "gone/away", "model.embedder.model_name": "gone/away"}'
    allennlp(
        "predict",
        archive,
        lines,
        "--predictor",
        "udify",
        "--output-file",
        tmp_path / "out.conllu",
        "--silent",
        "-o",
        config,
        PWD=str(tmp_path),
    )
    sentences = list(read_sentences(str(tmp_path / "out.conllu")))
    assert [sentence.forms for sentence in sentences] == [
        ["The", "dog", "sleeps", "."],
        ["No", "!"],
    ]


def test_an_empty_file_gives_an_empty_file(archive, tmp_path):
    (tmp_path / "empty.conllu").write_text("")
    predict(archive, tmp_path / "empty.conllu", tmp_path / "out.conllu", "--use-dataset-reader")
    assert (tmp_path / "out.conllu").read_text() == ""


@pytest.mark.parametrize("name", ["missing_column", "head_out_of_range"])
def test_mistakes_end_in_one_line(archive, tmp_path, name):
    bad = FIXTURES / "conllu" / "bad" / f"{name}.conllu"
    result = allennlp("evaluate", archive, bad, "--include-package", "udify_allennlp", check=False)
    assert result.returncode == 1
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("allennlp: error: ") and f"{bad}:" in last
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("damage", ["truncated", "garbage", "missing"])
def test_a_damaged_archive_is_one_clear_line(archive, tmp_path, damage):
    path = tmp_path / "model.tar.gz"
    if damage != "missing":
        content = Path(archive).read_bytes()
        path.write_bytes(content[: len(content) // 2] if damage == "truncated" else b"x" * 1000)
    result = predict(path, DEV, tmp_path / "out.conllu", "--use-dataset-reader", check=False)
    assert result.returncode == 1
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("allennlp: error: ") and "model.tar.gz" in last
    assert "Traceback" not in result.stderr


def test_two_processes_train_together(tmp_path):
    paths = {"UD_ENCODER": ENCODER, "UD_TRAIN": TRAIN, "UD_DEV": DEV}
    block = {
        "distributed": {
            "cuda_devices": [-1, -1],
            "ddp_accelerator": {"type": "torch", "find_unused_parameters": True},
        },
        "trainer.num_epochs": 4,
    }
    run = tmp_path / "run"
    options = ["--include-package", "udify_allennlp", "-s", run, "-o", json.dumps(block)]
    allennlp("train", CONFIGS / "tiny.jsonnet", *options, **paths)
    metrics = json.loads((run / "metrics.json").read_text())
    predict(run / "model.tar.gz", DEV, tmp_path / "p.conllu", "--use-dataset-reader")
    gold = list(read_sentences(DEV))
    scores = official_scores(gold, list(read_sentences(tmp_path / "p.conllu")), "dev")
    # Each process scored its part of the sentences; together they are the script's.
    for name in ("UPOS", "UFeats", "Lemmas", "UAS", "LAS"):
        assert metrics[f"best_validation_{name}"] == pytest.approx(scores[name])
    guessed = official_scores(gold, [most_frequent(sentence) for sentence in gold], "dev")
    for name in ("UPOS", "LAS"):
        assert scores[name] > 2 * guessed[name] > 0


def most_frequent(sentence):
    """The most frequent UPOS and deprel of the training file; each word's head is the next one."""
    upos, deprel = (
        Counter(label for each in read_sentences(TRAIN) for label in getattr(each, column))
        for column in ("upos", "deprels")
    )
    count = len(sentence)
    return sentence.replace(
        upos=[upos.most_common(1)[0][0]] * count,
        heads=[*map(str, range(2, count + 1)), "0"],
        deprels=[deprel.most_common(1)[0][0]] * (count - 1) + ["root"],
    )
