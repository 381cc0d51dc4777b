"""A student starts as its teacher, learns from it, and is saved without it."""

import json
from copy import deepcopy

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.models import Model
from allennlp.models.archival import load_archive

from tests.conftest import CONFIGS
from tests.helpers import DECODERS, DEV, ENCODER, read, run, tensors
from tests.saved_model import TASKS, save_run
from udify_allennlp.models.from_archive import ExtendedVocabulary
from udify_allennlp.text.conllu import read_sentences


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("teacher"))


def make(teacher, layers=None, **settings):
    vocab = ExtendedVocabulary.extended([], str(teacher), extend=False)
    torch.manual_seed(0)
    embedder = {"type": "udify_encoder", "model_name": ENCODER, "mask_probability": 0.0}
    params = {
        "type": "udify_student",
        "teacher": str(teacher),
        "embedder": {**embedder, "dropout": 0.0, **({"layers": layers} if layers else {})},
        "decoders": {task: {**DECODERS[task], **_undropped(task)} for task in TASKS},
        "dropout": 0.0,
        "layer_dropout": 0.0,
        **settings,
    }
    return Model.from_params(Params(deepcopy(params)), vocab=vocab)


def _undropped(task):
    return {"dropout": 0.0} if task == "deps" else {"label_smoothing": 0.0}


def batch(model, count=4):
    return tensors(read(count=count, tasks=TASKS), model.vocab)


def test_with_all_layers_it_starts_as_the_teacher_and_has_nothing_to_learn(teacher):
    student = make(teacher, hard_weight=0.0)
    shown = load_archive(str(teacher)).model.eval()
    data = batch(student)
    assert student.eval()(**data)["columns"] == shown(**data)["columns"]
    student.train()(**data)["loss"].backward()
    for name, parameter in student.named_parameters():
        if parameter.grad is not None:
            assert float(parameter.grad.abs().max()) < 1e-4, name


def test_its_layers_are_those_of_the_teacher_that_they_stand_for(teacher):
    student = make(teacher, layers=2, taught_by=[1, 3])
    shown = load_archive(str(teacher)).model
    ours, theirs = student.embedder.transformer, shown.embedder.transformer
    for number, taken in ((0, 0), (1, 2)):
        weights = theirs.encoder.layer[taken].state_dict()
        for name, weight in ours.encoder.layer[number].state_dict().items():
            assert torch.equal(weight, weights[name])
    assert make(teacher, layers=2)._taught_by == [2, 3]


def test_layers_that_are_left_out_leave_their_share_of_the_mixture_to_those_below(teacher):
    shown = load_archive(str(teacher)).model
    for taught_by, shares in (
        ([1, 2], ([0], [1, 2])),
        ([2, 3], ([0, 1], [2])),
        ([3], ([0, 1, 2],)),
    ):
        student = make(teacher, layers=len(taught_by), taught_by=taught_by)
        for task, mix in student.mixes.items():
            theirs = shown.mixes[task].weights
            expected = torch.stack([theirs[share].sum() for share in shares])
            torch.testing.assert_close(mix.weights, expected)


def test_it_comes_nearer_to_the_teacher(teacher):
    student = make(teacher, layers=1, hard_weight=0.0).train()
    data = batch(student)
    optimizer = torch.optim.AdamW(student.parameters(), lr=1e-2)
    losses = []
    for _ in range(15):
        loss = student(**data)["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    # No loss can be below the entropy of the teacher's distributions, which is its own loss.
    least = float(make(teacher, hard_weight=0.0).train()(**data)["loss"].detach())
    assert least < losses[-1] and losses[-1] - least < 0.5 * (losses[0] - least)


def test_gold_labels_alone_are_a_loss_without_the_teacher(teacher):
    student = make(teacher, layers=2, hard_weight=1.0, hidden_weight=0.0).train()
    data = batch(student)
    alone = make(teacher, layers=2, hard_weight=1.0)
    alone._teacher.clear()
    alone.load_state_dict(student.state_dict())
    torch.testing.assert_close(student(**data)["loss"], alone.train()(**data)["loss"])


def test_the_teacher_is_no_part_of_it(teacher):
    student = make(teacher, layers=2)
    names = student.state_dict().keys()
    assert not any("teacher" in name for name in names)
    (shown,) = student.train()._teacher
    assert not shown.training and not any(p.requires_grad for p in shown.parameters())


def test_mistakes_are_one_line(teacher):
    for settings, message in (
        ({"hard_weight": 1.5}, "hard_weight is 1.5"),
        ({"hidden_weight": -1}, "hidden_weight -1"),
        ({"layers": 2, "taught_by": [1]}, "For each of the student's 2 layers, name one of 1 to 3"),
        ({"layers": 1, "taught_by": [4]}, "name one of 1 to 3"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            make(teacher, **settings)
    deps = {"type": "udify_stack_pointer_decoder"}
    student = make(teacher, decoders={"deps": deps}).train()
    with pytest.raises(
        ConfigurationError, match="decoders.deps: a .* cannot learn from the teacher"
    ):
        student(**batch(student))


def test_other_labels_are_refused(teacher, tmp_path):
    other = save_run(tmp_path)
    labels = other / "vocabulary" / "upos_labels.txt"
    labels.write_text("\n".join(reversed(labels.read_text().split("\n"))))
    vocab = ExtendedVocabulary.extended([], str(other), extend=False)
    params = {"type": "udify_student", "teacher": str(teacher), "decoders": {}}
    params["embedder"] = {"type": "udify_encoder", "model_name": ENCODER}
    params["decoders"] = {"upos": dict(DECODERS["upos"])}
    with pytest.raises(ConfigurationError, match="labels of upos_labels are not those of"):
        Model.from_params(Params(params), vocab=vocab)


def test_it_goes_on_from_an_older_student(teacher, tmp_path):
    older = save_run(tmp_path)
    weights = {name: weight + 0.1 for name, weight in torch.load(older / "best.th").items()}
    torch.save(weights, older / "best.th")
    student = make(teacher, start=str(older))
    for name, weight in student.state_dict().items():
        assert torch.equal(weight, weights[name]), name
    with pytest.raises(ConfigurationError, match="whose size differs"):
        make(teacher, layers=1, start=str(older))
    labels = older / "vocabulary" / "upos_labels.txt"
    *others, first, second = labels.read_text().splitlines()
    labels.write_text("".join(f"{label}\n" for label in (*others, second, first)))
    with pytest.raises(ConfigurationError, match="labels of upos_labels differ from the teacher's"):
        make(teacher, start=str(older))


@pytest.fixture
def shipped(tmp_path, monkeypatch, small_data):
    """Trains a teacher with characters, then a student of one layer, which outlives it."""
    teacher = tmp_path / "udify_characters" / "model.tar.gz"
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    monkeypatch.setenv("UD_TRAIN", small_data[0])
    monkeypatch.setenv("UD_DEV", small_data[1])
    monkeypatch.setenv("UD_TEACHER", str(teacher))

    def train(**settings):
        for name, own in (
            ("udify_characters", {}),
            ("udify_student", {"model.embedder.layers": 1}),
        ):
            changes = json.dumps({"trainer.num_epochs": 1, **own, **settings})
            run("train", CONFIGS / f"{name}.jsonnet", "-s", tmp_path / name, "-o", changes)
        teacher.unlink()
        return tmp_path / "udify_student" / "model.tar.gz"

    return train


@pytest.mark.slow
def test_the_shipped_config(shipped):
    model = load_archive(str(shipped())).model
    assert model.embedder.num_layers == 1


@pytest.mark.gpu
def test_the_shipped_config_on_a_gpu(shipped, gpu, tmp_path):
    archive, parses = shipped(**{"trainer.cuda_device": 0}), []
    for device in (0, -1):
        output = tmp_path / f"{device}.conllu"
        run("predict", archive, DEV, "--output-file", output, "--cuda-device", device)
        parses.append(list(read_sentences(output)))
    assert [s.forms for s in parses[0]] == [s.forms for s in read_sentences(DEV)]
    assert [s.text for s in parses[0]] == [s.text for s in parses[1]]
