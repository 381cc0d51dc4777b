"""`allennlp ud-pack --prune` and `--calibrate`: archives that are loaded as any other, and hostile
ones that are not."""

import tarfile

import pytest
import torch
from allennlp.models.archival import load_archive

from tests.apps.analysis.helpers import run_command, save_run
from tests.helpers import DEV, archives
from tests.helpers.translation import save_translation_run
from udify_allennlp import Parser
from udify_allennlp.apps.commands.pack_calibration import measured_scales
from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.archives.rewriting import rewritten
from udify_allennlp.compression.pruning import layers_of
from udify_allennlp.kernels.calibrated_linear import CalibratedLinear
from udify_allennlp.kernels.packed_weights import input_scales, packed, unpacked, with_input_scales
from udify_allennlp.text.conllu import read_sentences


@pytest.fixture(scope="module")
def parser(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("parser"))


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    return save_translation_run(tmp_path_factory.mktemp("translator"))


@pytest.fixture
def pack(monkeypatch, capsys):
    def execute(*words):
        return run_command(monkeypatch, capsys, "ud-pack", *words)

    return execute


def stored(archive):
    with tarfile.open(archive) as tar:
        return torch.load(tar.extractfile("weights.th"), weights_only=True)


def parses(model):
    return [s.text for s in Parser.load(model).parse(list(read_sentences(DEV))[:6])]


def test_a_pruned_parser_loads_and_parses(pack, parser):
    code, said, errors = pack(parser, "--prune", 0.3)
    archive = parser / "model.pruned0.3.tar.gz"
    assert code == 0 and said.startswith(f"{archive}: "), errors
    model = load_archive(str(archive)).model
    for name, weights in layers_of(model).items():
        count = sum(weight.numel() for weight in weights)
        assert sum(int((w == 0).sum()) for w in weights) == int(count * 3) // 10, name
    assert parses(str(archive)) != parses(str(parser))


def test_a_share_of_0_changes_nothing_and_is_rounded_in_one_go(pack, parser, tmp_path):
    whole, rounded = tmp_path / "whole.tar.gz", tmp_path / "rounded.tar.gz"
    assert pack(parser, "--prune", 0, "--out", whole)[0] == 0
    assert parses(str(whole)) == parses(str(parser))
    assert pack(parser, "--prune", 0.3, "--precision", "int8", "--out", rounded)[0] == 0
    assert any(weight.dtype == torch.int8 for weight in stored(rounded).values())
    assert pack(parser, "--prune", 0.3, "--precision", "int8")[1].startswith(
        f"{parser / 'model.pruned0.3.int8.tar.gz'}: "
    )


def test_a_calibrated_parser_is_a_quarter_and_stays_close(pack, parser, tmp_path):
    plain, exact = tmp_path / "plain.tar.gz", tmp_path / "exact.tar.gz"
    calibrated = tmp_path / "calibrated.tar.gz"
    for target, more in ((plain, []), (calibrated, ["--calibrate", DEV])):
        code, _, errors = pack(parser, "--precision", "int8", "--out", target, *more)
        assert code == 0, errors
    assert pack(parser, "--precision", "float32", "--out", exact)[0] == 0
    state = stored(calibrated)
    scales = input_scales(state)
    assert scales and all(state[name].dtype == torch.int8 for name in scales)
    large = [name for name in scales if f"{name}.int8_scale" in state]
    bytes_of = [
        sum(s[n].nbytes + (s[f"{n}.int8_scale"].nbytes if s is state else 0) for n in large)
        for s in (state, stored(exact))
    ]
    assert bytes_of[0] < 0.4 * bytes_of[1]  # rows of 32 numbers have a scale each
    layers = [
        layer
        for layer in load_archive(str(calibrated)).model.modules()
        if isinstance(layer, CalibratedLinear)
    ]
    assert len(layers) == len(scales)
    assert len(parses(str(calibrated))) == 6
    # Another precision that is asked for is used.
    assert len(list(Parser.load(str(calibrated), precision="bfloat16")("A dog."))) == 1
    # Packed again, it is a model in float32.
    again = tmp_path / "again.tar.gz"
    assert pack(calibrated, "--precision", "float32", "--out", again)[0] == 0
    assert not input_scales(stored(again))
    assert stored(again).keys() == unpacked(state).keys()


def test_a_translation_model_is_pruned_and_calibrated(pack, translator, tmp_path):
    target = tmp_path / "small.tar.gz"
    texts = str(translator / "numbers" / "train.*")
    code, _, errors = pack(
        *(translator, "--prune", 0.3, "--precision", "int8", "--calibrate", texts),
        *("--out", target),
    )
    assert code == 0, errors
    state = stored(target)
    assert input_scales(state).keys() <= {*state}
    archive = load_archive(str(target))
    pairs = [archive.validation_dataset_reader.pair("one two", "en", "de")]
    assert len(archive.model.translate(pairs)) == 1
    shared = archive.model.network.model.shared.weight
    assert int((shared == 0).sum()) >= shared.numel() * 3 // 10
    assert archive.model.network.lm_head.weight is shared


def test_mistakes_are_one_line(pack, parser):
    for words, what in (
        ([], "Nothing to do: add --precision or --prune"),
        (["--prune", 1.5], "--prune is 1.5. Use a share from 0 to 1"),
        (["--precision", "int4", "--calibrate", DEV], "--calibrate is for --precision int8"),
    ):
        code, _, errors = pack(parser, *words)
        assert code == 1 and errors.count("\n") == 1 and what in errors, errors


SCALE = ".int8_input_scale"


def put(name, value):
    def change(state):
        first = next(each for each in state if each.endswith(SCALE))
        state[name or first] = value

    return archives.weights(change)


HOSTILE = {
    "of no layer": put(f"embedder.none.weight{SCALE}", torch.tensor(1.0)),
    "of a model": put(f"weight{SCALE}", torch.tensor(1.0)),
    "without a name": put(SCALE, torch.tensor(1.0)),
    "not a number": put("", torch.tensor(torch.nan)),
    "zero": put("", torch.tensor(0.0)),
    "a million numbers": put("", torch.ones(1000, 1000)),
    "whole": put("", torch.tensor(1)),
    "sparse": put("", torch.ones(2, 2).to_sparse()),
}


def spread_scales(state):
    """Small, but with it the matrix would have 10,000 times as many numbers."""
    name = next(each for each in state if each.endswith(".int8_scale"))
    state[name.removesuffix(".int8_scale")] = torch.ones(10_000, 1, dtype=torch.int8)
    state[name] = torch.ones(1, 10_000)


@pytest.fixture(scope="module")
def calibrated(parser, tmp_path_factory):
    target = tmp_path_factory.mktemp("hostile") / "calibrated.tar.gz"
    scales = measured_scales(load_archive(str(parser)), str(parser), [DEV])
    rewritten(
        str(parser),
        target,
        lambda folder, config, state: with_input_scales(packed(state, "int8"), scales),
    )
    return archives.read(target)


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_scale_is_refused_in_one_line(calibrated, tmp_path, case):
    files = dict(calibrated)
    HOSTILE[case](files)
    path = archives.write(tmp_path / "model.tar.gz", files)
    with pytest.raises(ArchiveError) as caught:
        load_archive(str(path))
    assert "\n" not in str(caught.value) and str(caught.value).startswith(f"{path}: rejected")


def test_scales_that_make_a_matrix_larger_are_refused(calibrated, tmp_path):
    files = dict(calibrated)
    archives.weights(spread_scales)(files)
    path = archives.write(tmp_path / "model.tar.gz", files)
    with pytest.raises(ArchiveError, match="has scales of shape .1, 10000."):
        load_archive(str(path))
