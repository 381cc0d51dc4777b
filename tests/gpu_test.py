"""Tests on a GPU: a step and a parse of every shipped config, and commands as a user types them."""

import json

import pytest
import torch
from allennlp.commands.train import TrainModel
from allennlp.nn.util import move_to_device

from tests import stand_in
from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import run
from tests.helpers.configs import SHIPPED
from tests.saved_typology import train_small
from udify_allennlp import Parser

ARCHIVE = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"
DEV = FIXTURES / "ud" / "en_ewt-ud-dev.conllu"

# Without those that are made of the parts of a smaller one; and without the StateTr family, which
# is slow and in tests/graph2graph/on_gpu_test.py.
PATHS = [
    path
    for path in SHIPPED
    if path.with_name(f"{path.stem}_small_cpu.jsonnet") not in SHIPPED
    and not path.stem.startswith("statetr")
]


def number(cell):
    """A cell of a table; what is no number stays what it is."""
    try:
        return float(cell)
    except ValueError:
        return cell


@pytest.mark.gpu
@pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(CONFIGS)))
def test_a_shipped_config_learns_and_parses(path, tmp_path, shipped, gpu):
    params = shipped(path)
    watched = params["trainer"]["validation_metric"]
    own = {"cuda_device": 0, "use_amp": True}
    params["trainer"] = {"amp_dtype": "bfloat16", **params["trainer"].params, **own}
    trainer = TrainModel.from_params(params, serialization_dir=str(tmp_path), local_rank=0).trainer
    model = trainer.model
    assert {parameter.device for parameter in model.parameters()} == {gpu}
    batch = next(iter(trainer.data_loader))
    with stand_in.watched(gpu) as waits:
        (output,) = trainer.train_step(batch).outputs
    assert torch.isfinite(output["loss"])
    if path.stem.startswith("udify"):
        assert not waits
    model.eval()
    with torch.no_grad(), trainer.autocast():
        model(**move_to_device(next(iter(trainer._validation_data_loader)), gpu))
    metrics = model.get_metrics(reset=True)
    for name in [watched] if isinstance(watched, str) else watched:
        assert 0 <= metrics[name.lstrip("+-")] <= 100


@pytest.mark.gpu
def test_predict_and_evaluate_give_what_they_give_on_a_cpu(gpu, tmp_path):
    scores = []
    for device in (0, -1):
        output = tmp_path / f"{device}.conllu"
        run("predict", ARCHIVE, DEV, "--output-file", output, "--cuda-device", device)
        output = tmp_path / f"{device}.json"
        run("evaluate", ARCHIVE, DEV, "--output-file", output, "--cuda-device", device)
        scores.append(json.loads(output.read_text()))
    assert (tmp_path / "0.conllu").read_bytes() == (tmp_path / "-1.conllu").read_bytes()
    assert scores[0] == pytest.approx(scores[1], rel=1e-4)


@pytest.mark.gpu
@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float16"])
def test_the_shipped_model_parses_text(precision, gpu):
    text = "The quick brown fox jumps. Он читает книгу."
    parser = Parser.load("multilingual", device="cuda", precision=precision)
    assert {parameter.device for parameter in parser._predictor.model.parameters()} == {gpu}
    parsed = parser(text).conllu
    assert parsed.count("\n1\t") == 2 and parsed == Parser.load("multilingual")(text).conllu


@pytest.mark.gpu
def test_positions_of_languages_are_those_of_a_cpu(gpu, tmp_path):
    train_small({"relative": {"trainer.cuda_device": 0}}, tmp_path, sentences=10)
    tables = []
    for device in (0, -1):
        out = tmp_path / f"out{device}"
        run("ud-positions", tmp_path / "relative", "--out", out, "--cuda-device", device)
        cells = [path.read_text().split() for path in sorted(out.glob("*.tsv"))]
        tables.append([number(cell) for row in cells for cell in row])
    assert len(tables[0]) > 10 and tables[0] == pytest.approx(tables[1], abs=2e-4)
