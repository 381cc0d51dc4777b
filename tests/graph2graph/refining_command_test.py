"""Commands as a user types them: UDify's trees, refined; the archive needs nothing else."""

import shutil
import sys

import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import ENCODER, assert_same_side_by_side, execute, run
from udify_allennlp import Parser, cli
from udify_allennlp.apps.service.models import load_models
from udify_allennlp.archives import shipped
from udify_allennlp.archives.rewriting import rewritten
from udify_allennlp.archives.run_folder import INITIAL as FIRST
from udify_allennlp.archives.run_folder import load_weights, model_folder
from udify_allennlp.graph2graph.refining_trainer import RefiningTrainer
from udify_allennlp.kernels.precision import Int8Linear, int8_is_exact
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.misc_column import entries

CONFIG = CONFIGS / "graph2graph" / "rngtr_small_cpu.jsonnet"
COLUMNS = ("lemmas", "upos", "feats", "heads", "deprels")
INITIAL = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"


@pytest.fixture(scope="module")
def trained(tmp_path_factory, small_data):
    """The run's folder, and the updates that were made of each batch."""
    folder = tmp_path_factory.mktemp("refined")
    updates = []
    with pytest.MonkeyPatch.context() as patch:
        update, step = RefiningTrainer.update, RefiningTrainer.train_step

        def counted(self):
            updates[-1] += 1
            return update(self)

        def begun(self, *batches):
            updates.append(0)
            return step(self, *batches)

        patch.setattr(RefiningTrainer, "update", counted)
        patch.setattr(RefiningTrainer, "train_step", begun)
        patch.setenv("UD_ENCODER", ENCODER)
        patch.setenv("UD_TRAIN", small_data[0])
        patch.setenv("UD_DEV", small_data[1])
        patch.setattr(shipped, "FOLDER", folder)
        patch.setenv("UD_INITIAL", "initial")  # by its name, as `multilingual` is
        patch.setenv("UD_PREDICTED", str(folder / "predicted"))
        shutil.copy(INITIAL, folder / "initial.tar.gz")
        (folder / "predicted").mkdir()
        name = small_data[0].rpartition("/")[2]
        output = ("--output-file", folder / "predicted" / name)
        run("predict", INITIAL, small_data[0], *output)
        settings = '{"trainer.num_epochs": 2, "model.iterations": 4}'
        run("train", CONFIG, "-s", folder / "run", "-o", settings)
    (folder / "initial.tar.gz").unlink()
    shutil.rmtree(folder / "predicted")
    return folder / "run", updates


def test_a_batch_has_an_update_for_each_pass(trained):
    _, updates = trained
    assert max(updates) <= 4 and sum(updates) > len(updates)


def test_its_archive_holds_the_parser_whose_trees_it_refines(trained, small_data, tmp_path):
    folder, _ = trained
    found = {}
    for name, model in (("first", INITIAL), ("refined", folder / "model.tar.gz")):
        path = tmp_path / f"{name}.conllu"
        run("predict", model, small_data[1], "--output-file", path)
        found[name] = list(read_sentences(str(path)))
    for first, refined in zip(found["first"], found["refined"]):
        for column in ("upos", "feats", "lemmas"):
            assert getattr(first, column) == getattr(refined, column)
    heads = [[s.heads for s in found[name]] for name in found]
    assert heads[0] != heads[1]
    run("evaluate", folder / "model.tar.gz", small_data[1])


def test_gold_trees_are_nothing_to_it_and_a_corpus_is_parsed_as_a_file(
    trained, small_data, tmp_path
):
    path = trained[0] / "model.tar.gz"
    blank = tmp_path / "blank.conllu"
    sentences = list(read_sentences(small_data[1]))
    nothing = (s.replace(**{x: ["_"] * len(s) for x in COLUMNS}) for s in sentences)
    write_sentences(nothing, str(blank))
    run("predict", path, small_data[1], "--output-file", tmp_path / "gold.conllu")
    run("ud-parse", path, blank, "--out", tmp_path / "out")
    files = tmp_path / "gold.conllu", tmp_path / "out" / "blank.conllu"
    of_gold, of_blank = (
        [[getattr(s, x) for x in COLUMNS] for s in read_sentences(str(file))] for file in files
    )
    assert of_gold == of_blank and len(of_gold) == len(sentences)


def test_the_service_and_the_parser_know_what_its_first_parser_predicts(trained, small_data):
    path = str(trained[0] / "model.tar.gz")
    parser, first = Parser.load(path), Parser.load(INITIAL)
    names = [task.name for task in parser.tasks]
    assert (
        names == [task.name for task in first.tasks] == ["upos", "xpos", "feats", "lemma", "deps"]
    )
    assert {k: v for k, v in parser.labels.items() if k != "deprels"} == {
        k: v for k, v in first.labels.items() if k != "deprels"
    }
    (served,) = load_models([path])
    assert list(served.steps) == ["tokenizer", "tagger", "parser"]
    assert set(served.steps["tagger"]) == {"upos", "xpos", "feats", "lemmas"}


def test_probabilities_of_passes_are_not_calibrated(trained, small_data, capfd):
    assert execute("ud-calibrate", trained[0], small_data[1]) == 1
    assert "Calibrate its initial parser" in capfd.readouterr().err


def test_passes_are_counted_and_shown(trained, small_data, tmp_path):
    """Of four passes each has its trees; the trees before the first are those of the parser."""
    model, folder = tmp_path / "model.tar.gz", tmp_path / "found"

    def louder(folder, config, weights):
        # A graph that is seen from afar, after two epochs.
        return {name: (100 if ".tables." in name else 1) * w for name, w in weights.items()}

    rewritten(str(trained[0]), model, louder)
    folder.mkdir()
    output = folder / "parsed.conllu.gz"
    run("predict", model, small_data[1], "--output-file", output, "--every-iteration")
    names = [f"parsed.{number}.conllu.gz" for number in range(5)]
    assert sorted(path.name for path in folder.iterdir()) == names
    found = [list(read_sentences(str(folder / name))) for name in names]
    trees = [[(s.heads, s.deprels) for s in sentences] for sentences in found]
    assert trees[0] != trees[1] != trees[2]
    run("predict", INITIAL, small_data[1], "--output-file", tmp_path / "first.conllu")
    first = list(read_sentences(str(tmp_path / "first.conllu")))
    assert [s.text for s in first] == [s.text for s in found[0]]
    one = list(Parser.load(model, iterations=1).parse(read_sentences(small_data[1])))
    assert [s.text for s in one] == [s.text for s in found[1]]
    output = tmp_path / "two.conllu"
    run("predict", model, small_data[1], "--iterations", "2", "--output-file", output)
    assert [s.text for s in read_sentences(str(output))] == [s.text for s in found[2]]
    for count, sentences in ((0, found[0]), (2, found[2])):
        scores = tmp_path / "scores.json"
        options = ("--iterations", count, "--predictions-output-file", output)
        run("evaluate", model, small_data[1], "--output-file", scores, *options)
        assert [s.text for s in read_sentences(str(output))] == [s.text for s in sentences]


@pytest.mark.parametrize(
    "words, message",
    [
        (["--iterations", "1"], "model.iterations is not a setting of 'udify_multitask'"),
        (["--every-iteration", "--output-file", "x.conllu"], "is for models of type udify_ref"),
        (["--every-iteration"], "Name an input file and an --output-file"),
    ],
)
def test_passes_are_for_what_refines(words, message, small_data, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["allennlp", "predict", str(INITIAL), small_data[1], *words])
    assert cli.run() == 1
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_too_few_passes(trained):
    with pytest.raises(ConfigurationError, match="model.iterations is -1. It must be at least 0"):
        Parser.load(trained[0] / "model.tar.gz", iterations=-1)
    with pytest.raises(ConfigurationError, match="iterations apply only when a model is loaded"):
        Parser(load_predictor(trained[0]), iterations=0)


def test_text_needs_no_upos(trained, caplog):
    parser = Parser.load(trained[0] / "model.tar.gz")
    words = [word for sentence in parser("Dogs bark. Cats sleep.") for word in sentence.words]
    assert [word.form for word in words] == ["Dogs", "bark", ".", "Cats", "sleep", "."]
    assert all(word.upos and word.deprel for word in words)
    assert "needs UPOS" not in caplog.text


def test_its_card_names_the_tasks_of_both(trained, capfd):
    run("ud-card", trained[0])
    (line,) = [line for line in capfd.readouterr().out.splitlines() if line.startswith("tasks ")]
    assert line.split(None, 1)[1] == "deps, feats, lemma, upos, xpos"


def test_weights_of_the_initial_parser_are_not_saved_twice(trained):
    with model_folder(str(trained[0])) as folder:
        state = load_weights(folder)
    assert not any(name.startswith("initial") for name in state)


def test_the_trainer_is_for_refinement(tmp_path, monkeypatch, small_data):
    for name, value in zip(("UD_ENCODER", "UD_TRAIN", "UD_DEV"), (ENCODER, *small_data)):
        monkeypatch.setenv(name, value)
    with pytest.raises(
        ConfigurationError, match="trains a model of type udify_refinement or udify_graph"
    ):
        train_model_from_file(
            str(CONFIGS / "tiny.jsonnet"),
            str(tmp_path),
            overrides={"trainer.type": "udify_refining"},
        )


def parsed(model, source, folder):
    run("predict", model, source, "--output-file", folder / "parsed.conllu")
    return (folder / "parsed.conllu").read_text()


def test_its_first_parser_is_packed_as_well(trained, small_data, tmp_path):
    expected = parsed(trained[0], small_data[1], tmp_path)
    words = ("ud-pack", trained[0], "--words", small_data[1], "--precision")
    run(*words, "float32", "--out", tmp_path / "words.tar.gz")
    assert parsed(tmp_path / "words.tar.gz", small_data[1], tmp_path) == expected
    run(*words, "int8", "--out", tmp_path / "int8.tar.gz")
    sizes = []
    for model in (trained[0], tmp_path / "words.tar.gz", tmp_path / "int8.tar.gz"):
        with model_folder(str(model)) as folder:
            sizes.append((folder / FIRST).stat().st_size)
    assert sizes[0] > sizes[1] > 1.5 * sizes[2]
    lines = parsed(tmp_path / "int8.tar.gz", small_data[1], tmp_path).count("\n")
    assert lines == expected.count("\n")


@pytest.fixture(scope="module")
def both(tmp_path_factory, small_data):
    """The run's folder of SynTr and RNGTr together, which read gold UPOS."""
    folder = tmp_path_factory.mktemp("both") / "run"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in zip(("UD_ENCODER", "UD_TRAIN", "UD_DEV"), (ENCODER, *small_data)):
            patch.setenv(name, value)
        config = CONFIGS / "graph2graph" / "rngtr_syntr_small_cpu.jsonnet"
        run("train", config, "-s", folder, "-o", '{"trainer.num_epochs": 1}')
    return folder


def test_text_without_the_upos_that_are_read_is_told_once(both, small_data, caplog):
    parser = Parser.load(both)
    assert len(list(parser.parse(read_sentences(small_data[1])))) == 10
    assert "needs UPOS" not in caplog.text
    for _ in range(2):
        parser("Dogs bark.")
    assert caplog.text.count("The model needs UPOS, and some sentences have none") == 1


def test_each_parser_says_how_sure_it_is_of_what_it_predicts(trained, small_data):
    refined, first = (
        [
            entries(cell)
            for sentence in Parser.load(model, probabilities=True).parse(
                read_sentences(small_data[1])
            )
            for cell in sentence.misc
        ]
        for model in (trained[0], INITIAL)
    )
    for its, before in zip(refined, first):
        assert its.keys() == before.keys() and {"UposProb", "HeadProb"} <= its.keys()
        assert its["UposProb"] == before["UposProb"]
    assert any(its["HeadProb"] != before["HeadProb"] for its, before in zip(refined, first))


def test_the_first_parser_is_in_the_same_precision(trained, both, small_data):
    for folder in (trained[0], both):
        predictor = load_predictor(folder, precision="bfloat16")
        (first,) = predictor.model.initial.parsers()
        linear = [part for part in first.embedder.modules() if isinstance(part, torch.nn.Linear)]
        assert linear and {part.weight.dtype for part in linear} == {torch.bfloat16}
        assert len(list(predictor.parse(read_sentences(small_data[1])))) == 10
    if int8_is_exact():
        (first,) = load_predictor(trained[0], precision="int8").model.initial.parsers()
        layers = list(first.embedder.modules())
        assert any(isinstance(part, Int8Linear) for part in layers)
        assert not any(isinstance(part, torch.nn.Linear) for part in layers)


def test_batches_side_by_side_give_the_same(trained, both, small_data):
    for folder in (trained[0], both):
        for precision in ("float32", "bfloat16"):
            predictor = load_predictor(folder, precision=precision)
            assert_same_side_by_side(predictor, list(read_sentences(small_data[1])))


def test_both_encoders_of_syntr_and_rngtr_keep_the_same_pieces(both, small_data, tmp_path):
    packed = tmp_path / "packed.tar.gz"
    words = ("--precision", "float32", "--words", small_data[1])
    run("ud-pack", both, *words, "--out", packed)
    expected = parsed(both, small_data[1], tmp_path)
    assert parsed(packed, small_data[1], tmp_path) == expected
