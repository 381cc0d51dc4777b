"""A model's confidence: probabilities, their temperatures, and their output."""

import json
import sys

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import load_archive

from tests.conftest import FIXTURES
from tests.helpers import DEV, make_model, read, stirred, tensors
from tests.saved_model import TASKS, save_run
from udify_allennlp import Parser, cli
from udify_allennlp.apps.analysis.errors.calibration import GRID, Calibration, _bins, _fitted
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.conllu import read_sentences

NAMES = ["UposProb", "FeatsProb", "LemmaProb", "HeadProb", "DeprelProb"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("run"))


def found(model, temperatures=(), count=3):
    """Of each task its decoder, scores, columns and probabilities, and the sentences."""
    data = tensors(read(count=count, tasks=TASKS), model.vocab)
    layout, sentences = Layout(**data["layout"]), data["sentences"]
    with torch.no_grad():
        for task, decoder, scores in model.scored({"inputs": {}, **data}, layout):
            columns = decoder.decode(scores, sentences)
            chances = decoder.probabilities(scores, sentences, columns, dict(temperatures))
            yield task, decoder, scores, columns, chances


@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_tags_against_the_whole_distribution(temperature):
    model = stirred(make_model(TASKS)).eval()
    for task, decoder, scores, _, chances in found(model, {"FeatsProb": temperature}):
        if task != "deps":
            ((name, ours),) = chances.items()
            divided = temperature if name == "FeatsProb" else 1.0
            logs = decoder.output.log_prob(scores.words) / divided
            best = decoder.best(scores, decoder.label_scores(scores))
            expected = logs.softmax(-1)[torch.arange(len(best)), best]
            torch.testing.assert_close(ours, expected)


def test_arcs_against_the_whole_distribution():
    model = stirred(make_model(TASKS)).eval()
    ((*_, decoder, scores, columns, chances),) = [x for x in found(model) if x[0] == "deps"]
    heads = [int(head) for column in columns for head in column["heads"]]
    deprels = [label for column in columns for label in column["deprels"]]
    of_words = scores.layout.to_words(scores.arcs).softmax(-1)
    rows = scores.layout.rows_of(torch.tensor(heads))
    labels = decoder.without_root(decoder.deprels(scores.vectors, rows)).softmax(-1)
    for word, (head, deprel) in enumerate(zip(heads, deprels)):
        assert float(chances["HeadProb"][word]) == pytest.approx(float(of_words[word, head]))
        known = decoder._labels.index(deprel)
        expected = 1.0 if head == 0 else float(labels[word, known])
        assert float(chances["DeprelProb"][word]) == pytest.approx(expected, abs=1e-5)


def test_a_batch_changes_none():
    model = stirred(make_model(TASKS, probabilities=True)).eval()
    instances = read(count=4, tasks=TASKS)
    together = model(**tensors(instances, model.vocab))["columns"]
    for instance, columns in zip(instances, together):
        (alone,) = model(**tensors([instance], model.vocab))["columns"]
        for ours, theirs in zip(columns["misc"], alone["misc"]):
            for one, other in zip(ours.split("|"), theirs.split("|")):
                name, _, value = one.partition("=")
                if name in NAMES:
                    assert float(value) == pytest.approx(float(other.partition("=")[2]), abs=2e-4)


def test_hot_scores_say_less():
    model = stirred(make_model(TASKS)).eval()
    cold, hot = (
        (
            [x for *_, c in found(model, dict.fromkeys(NAMES, t)) for x in c["HeadProb"].tolist()]
            if False
            else {k: v for *_, c in found(model, dict.fromkeys(NAMES, t)) for k, v in c.items()}
        )
        for t in (0.5, 4.0)
    )
    assert {*cold} == {*NAMES}
    assert all(float(hot[name].mean()) < float(cold[name].mean()) for name in NAMES)


def test_python_says_them_and_columns_stay(run):
    plain = Parser.load(run)("The dog sleeps .")
    sure = Parser.load(run, probabilities=True)("The dog sleeps .")
    for one, other in zip(plain[0], sure[0]):
        assert (one.head, one.upos, one.lemma) == (other.head, other.upos, other.lemma)
        assert one.probabilities == {}
        assert {*other.probabilities} == {"upos", "feats", "lemma", "head", "deprel"}
        assert all(0 <= chance <= 1 for chance in other.probabilities.values())
    with pytest.raises(
        ConfigurationError, match="device, precision, probabilities and iterations apply"
    ):
        Parser(Parser.load(run)._predictor, probabilities=True)


def command(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, words)])
    return cli.run()


def test_predict_writes_them(run, tmp_path, monkeypatch):
    out = tmp_path / "sure.conllu"
    words = ["predict", run, DEV, "--probabilities", "--output-file", out]
    assert command(monkeypatch, *words, "-o", '{"model.precision": "bfloat16"}') == 0
    for sentence in read_sentences(out):
        for cell in sentence.misc:
            names = [item.partition("=")[0] for item in cell.split("|")]
            assert sorted(names[-5:]) == sorted(NAMES)
    again = tmp_path / "again.conllu"
    words[2], words[-1] = str(out), str(again)
    assert command(monkeypatch, *words, "-o", '{"model.precision": "bfloat16"}') == 0
    assert again.read_bytes() == out.read_bytes()


def test_other_decoders_and_settings_are_refused():
    for settings, message in (
        ({"temperatures": {"HeadProb": 0.0}}, "temperatures has HeadProb: 0.0. Use some of Upos"),
        ({"temperatures": {"Head": 1.0}}, "temperatures has Head: 1.0"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            make_model(TASKS, **settings)
    decoders = {"deps": {"type": "udify_stack_pointer_decoder"}}
    with pytest.raises(
        ConfigurationError, match="decoders.deps, a StackPointer.* has no probabilities"
    ):
        make_model(probabilities=True, decoders=decoders)


def test_probabilities_that_are_right_are_left_alone():
    """Words that are right as often as they are said to be, by simulation."""
    generator = torch.Generator().manual_seed(0)
    logits = 2 * torch.randn(20_000, 4, generator=generator)
    labels = torch.distributions.Categorical(logits=logits)
    torch.manual_seed(0)
    right = (labels.sample() == logits.argmax(-1)).numpy()
    chances = torch.stack([(logits / t).softmax(-1).amax(-1) for t in GRID]).numpy()
    fitted = _fitted("UposProb", chances, right)
    assert fitted.temperature == pytest.approx(1.0, abs=0.15)
    assert fitted.error(fitted.before) < 0.02
    # A model that says its scores four times as loudly is told to divide them by four.
    loud = torch.stack([(4 * logits / t).softmax(-1).amax(-1) for t in GRID]).numpy()
    mended = _fitted("UposProb", loud, right)
    assert mended.temperature == pytest.approx(4.0, rel=0.15)
    assert mended.error(mended.after) < 0.02 < mended.error(mended.before)


def test_bins_by_hand():
    chances = torch.tensor([0.05, 0.91, 0.99, 1.0]).numpy()
    bins = _bins(chances, torch.tensor([False, True, False, True]).numpy())
    assert [one.words for one in bins] == [1, 3]
    assert bins[1].probability == pytest.approx(2.9 / 3) and bins[1].right == pytest.approx(2 / 3)
    assert Calibration.error(bins) == pytest.approx((0.05 + 3 * 0.3) / 4)


def test_the_command_writes_the_same_model_with_temperatures(run, tmp_path, monkeypatch, capsys):
    out, report = tmp_path / "calibrated.tar.gz", tmp_path / "report"
    assert command(monkeypatch, "ud-calibrate", run, DEV, "--out", out, "--report", report) == 0
    rows = capsys.readouterr().out.splitlines()
    assert sorted(row.split()[0] for row in rows[1:]) == sorted(NAMES)
    assert (report / "reliability.png").stat().st_size > 1000
    assert (report / "reliability.tsv").read_text().startswith("entry\ttemperature\twords\t")
    model = load_archive(str(out)).model
    assert {*model.temperatures} == {*NAMES}
    plain = [s.text for s in Parser.load(run).parse(read_sentences(DEV))]
    assert [s.text for s in Parser.load(out).parse(read_sentences(DEV))] == plain
    sigmorphon = FIXTURES / "archives" / "sigmorphon" / "model.tar.gz"
    bare = tmp_path / "bare.conllu"
    bare.write_text("1\tword\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    for words, message in (
        ([run, DEV, "--out", "x.zip"], "--out is x.zip. Name a file that ends in .tar.gz"),
        ([sigmorphon, bare], "no gold column that the model predicts"),
    ):
        assert command(monkeypatch, "ud-calibrate", *words) == 1
        assert message in capsys.readouterr().err
    assert json.loads((run / "config.json").read_text())["model"].get("temperatures") is None
