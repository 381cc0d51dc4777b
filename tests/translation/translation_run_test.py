"""The command line as a user types it: train, teach, translate, score, pack."""

import json
import tarfile

import pytest
import torch
from allennlp.models.archival import load_archive

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import execute, run
from tests.helpers.translation import ARCHITECTURE, NUMBERS, write_numbers
from udify_allennlp.archives.card import card_of
from udify_allennlp.text.files import part_of
from udify_allennlp.translation.model import TranslationModel
from udify_allennlp.translation.predictor import TranslationPredictor

ALONE = 3
SMALL = {
    "data_loader.per_group": 40,
    "data_loader.batch_size": 40,
    "validation_data_loader.per_group": 6,
    "trainer.num_epochs": 1,
    "trainer.learning_rate_scheduler.warmup_epochs": 0.2,
}
PARSER = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"
LINES = ["one two", "", "seven seven seven", "ten", "three one"]


@pytest.fixture(scope="module")
def patch():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def teacher(tmp_path_factory, patch):
    """A run of small_cpu.jsonnet, and its data."""
    folder = tmp_path_factory.mktemp("translation")
    patch.setenv("UD_TRAIN", write_numbers(folder / "numbers", "train", 60))
    patch.setenv("UD_DEV", write_numbers(folder / "numbers", "dev", 8))
    changes = {f"model.architecture.{name}": value for name, value in ARCHITECTURE.items()}
    changes |= {**SMALL, "dataset_reader.vocab_size": 60}
    config = CONFIGS / "translation" / "small_cpu.jsonnet"
    run("train", config, "-s", folder / "teacher", "-o", json.dumps(changes))
    return folder / "teacher"


@pytest.fixture(scope="module")
def student(teacher, patch):
    folder = teacher.parent / "student"
    patch.setenv("UD_TEACHER", str(teacher))
    changes = {**SMALL, "trainer.phases": [{"updates": ALONE}, {}]}
    config = CONFIGS / "translation" / "small_cpu_student.jsonnet"
    run("train", config, "-s", folder, "-o", json.dumps(changes))
    return folder


def weights(run_folder):
    model = load_archive(str(run_folder)).model
    return model.network.state_dict(), model


def test_a_student_is_smaller_and_needs_its_teacher_no_more(teacher, student, tmp_path):
    _, large = weights(teacher)
    hidden = teacher.rename(tmp_path / "gone")
    try:
        _, small = weights(student)
    finally:
        hidden.rename(teacher)
    assert len(large.network.model.decoder.layers) == 3
    assert len(small.network.model.decoder.layers) == 1 and small._teacher is None
    assert small.subwords.same_as(large.subwords)
    card = card_of(str(student))
    assert card.tasks == ["translation"] and card.corpora == {"numbers/train": "not known"}
    assert any(name.startswith("chrF") for name in card.scores) and not card.unfinished


def test_an_interrupted_run_ends_as_if_it_had_not_been(teacher, patch, monkeypatch, tmp_path):
    """In the second epoch, in which the teacher is asked: to the bit."""
    patch.setenv("UD_TEACHER", str(teacher))
    epoch = {"trainer.phases": [{"updates": 6}, {}], "trainer.num_epochs": 2}
    changes = json.dumps({**SMALL, **epoch, "validation_data_loader.per_group": 1})
    config = CONFIGS / "translation" / "small_cpu_student.jsonnet"
    run("train", config, "-s", tmp_path / "whole", "-o", changes)
    updates = []
    original = TranslationModel.forward

    def interrupted(self, pairs):
        if self.training:
            updates.append(len(pairs))
            if len(updates) == 9:
                raise KeyboardInterrupt
        return original(self, pairs)

    with monkeypatch.context() as patched:
        patched.setattr(TranslationModel, "forward", interrupted)
        assert execute("train", config, "-s", tmp_path / "cut", "-o", changes) == 130
    run("train", config, "-s", tmp_path / "cut", "-o", changes, "--recover")
    ours, theirs = (weights(tmp_path / name)[0] for name in ("whole", "cut"))
    for name, weight in ours.items():
        assert torch.equal(theirs[name], weight)


def test_lines_are_translated_in_order_and_an_interrupted_run_goes_on(
    student, tmp_path, monkeypatch, capsys
):
    (tmp_path / "text.en").write_text("".join(f"{line}\n" for line in LINES))
    words = ("predict", student, tmp_path / "text.en", "--from", "English", "--to", "de")
    run(*words, "--output-file", tmp_path / "whole.de")
    expected = (tmp_path / "whole.de").read_text()
    assert len(expected.splitlines()) == len(LINES) and expected.splitlines()[1] == ""
    capsys.readouterr()
    run(*words)
    assert capsys.readouterr().out == expected
    original = TranslationPredictor.translate

    def interrupted(self, lines, *given):
        for number, line in enumerate(original(self, lines, *given)):
            if number == 2:
                raise KeyboardInterrupt
            yield line

    target = tmp_path / "cut.de"
    with monkeypatch.context() as patch:
        patch.setattr(TranslationPredictor, "translate", interrupted)
        assert execute(*words, "--output-file", target) == 130
    assert not target.exists() and "2 lines translated so far" in capsys.readouterr().err
    run(*words, "--output-file", target, "--resume")
    assert target.read_text() == expected
    assert not (tmp_path / part_of(target)).exists()


@pytest.mark.parametrize(
    "options, why",
    [
        ((), "Name the languages: --from en --to de"),
        (("--from", "en", "--to", "Finnish"), "no code for the language 'fi'"),
        (("--from", "en", "--to", "de", "--lang", "en"), "--lang is for parsers"),
        (("--from", "en", "--to", "Englsh"), "Unknown language 'Englsh'. Did you mean"),
    ],
)
def test_mistakes_are_one_line(student, tmp_path, capsys, monkeypatch, options, why):
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    (tmp_path / "text.en").write_text("one\n")
    assert execute("predict", student, tmp_path / "text.en", *options) == 1
    assert why in capsys.readouterr().err.strip().splitlines()[-1]


def test_parsers_do_not_take_languages(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    (tmp_path / "text.txt").write_text("one\n")
    assert execute("predict", PARSER, tmp_path / "text.txt", "--to", "de") == 1
    assert "--from and --to are for translation models" in capsys.readouterr().err


def test_scores_by_direction_and_class(student, teacher, tmp_path, capsys):
    data = teacher.parent / "numbers" / "dev.*"
    changes = json.dumps({"model.beam_size": 1})
    run("evaluate", student, data, "--output-file", tmp_path / "scores.json", "-o", changes)
    scores = json.loads((tmp_path / "scores.json").read_text())
    shown = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert shown["chrF/en-de"] == f"{scores['chrF/en-de']:.2f}"
    for name in ("chrF", "ownBLEU"):
        single = [f"{name}/{a}-{b}" for a in NUMBERS for b in NUMBERS if a != b]
        assert {name, f"{name}/H2H", *single} <= set(scores)
        mean = sum(scores[each] for each in single) / len(single)
        assert scores[name] == pytest.approx(mean) == pytest.approx(scores[f"{name}/H2H"])


@pytest.mark.parametrize("precision", ["float16", "int8"])
def test_it_is_packed_and_carries_all_that_it_needs(teacher, tmp_path, precision):
    target = tmp_path / "packed.tar.gz"
    run("ud-pack", teacher, "--precision", precision, "--out", target)
    with tarfile.open(target) as tar:
        names = tar.getnames()
    assert {f"encoder/{name}" for name in ("vocab.json", "languages.json", "config.json")} <= {
        *names
    }
    ours, model = weights(teacher)
    theirs, other = weights(target)
    for name, weight in ours.items():
        span = weight.abs().max().item()
        torch.testing.assert_close(theirs[name], weight, atol=span / 100 + 1e-6, rtol=0)
    assert other.subwords.same_as(model.subwords)
