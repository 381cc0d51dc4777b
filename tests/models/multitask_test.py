import pytest
import torch
from allennlp.common.checks import ConfigurationError

from tests.helpers import DECODERS, DEV, ENCODER, TRAIN, make_model, read, stirred, tensors
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.scoring.official import official_scores


@WordEncoder.register("toy_five_layers")
class FiveLayers(HuggingFaceEncoder):
    """Its three layers, and the lowest two once more below them."""

    def __init__(self) -> None:
        super().__init__(ENCODER)
        self.num_layers = 5

    def forward(self, batch, layout):
        layers = super().forward(batch, layout)
        return torch.cat([layers[:2], layers])


@pytest.mark.parametrize("tasks", [["upos"], ["deps"], ["lemma", "feats"], list(DECODERS)])
def test_any_subset_of_tasks_trains_and_predicts(tasks):
    model = make_model(tasks)
    instances = read(count=4, tasks=tasks)
    loss = model.train()(**tensors(instances, model.vocab))["loss"]
    loss.backward()
    output = model.eval()(**tensors(instances, model.vocab))
    columns = {"lemma": {"lemmas"}, "deps": {"heads", "deprels"}}
    expected = set().union(*(columns.get(task, {task}) for task in tasks))
    assert all(set(new) == expected for new in output["columns"])


def test_the_loss_is_the_sum_of_the_tasks():
    instances = read(count=4)
    model = make_model().eval()
    total = model(**tensors(instances, model.vocab))["loss"]
    parts = []
    for task in DECODERS:
        kept = {name: d for name, d in model.decoders.items() if name == task}
        single = make_model()
        single.load_state_dict(model.state_dict())
        single.decoders = torch.nn.ModuleDict(kept)
        parts.append(single.eval()(**tensors(instances, model.vocab))["loss"])
    torch.testing.assert_close(total, torch.stack(parts).sum())


class Counted:
    """Sentences that must not be made: a GPU would wait for their objects in each step."""

    def __init__(self, number):
        self.number = number

    def __len__(self):
        return self.number

    def __getitem__(self, index):
        raise AssertionError("training made a sentence")


def test_training_makes_no_sentences():
    batch = tensors(read(count=4), (model := make_model()).vocab)
    batch["sentences"] = Counted(len(batch["sentences"]))
    assert torch.isfinite(model.train()(**batch)["loss"])


def test_batch_composition_changes_no_sentence():
    model = stirred(make_model()).eval()
    instances = read(count=12)
    together = model(**tensors(instances, model.vocab))["columns"]
    backwards = model(**tensors(instances[::-1], model.vocab))["columns"][::-1]
    alone = [model(**tensors([one], model.vocab))["columns"][0] for one in instances]
    assert together == backwards == alone


def test_padding_moves_no_loss():
    model = stirred(make_model()).eval()
    instances = sorted(read(count=30), key=lambda i: len(i["sentences"].metadata))
    short, long = instances[0], instances[-1]
    n, m = len(short["sentences"].metadata), len(long["sentences"].metadata)
    losses = [model(**tensors(batch, model.vocab))["loss"] for batch in ([short], [long])]
    together = model(**tensors([short, long], model.vocab))["loss"]
    expected = (losses[0] * n + losses[1] * m) / (n + m)
    torch.testing.assert_close(together, expected, rtol=1e-4, atol=1e-4)


def test_evaluation_is_deterministic_and_training_is_not():
    model = make_model()
    batch = tensors(read(count=4), model.vocab)
    model.train()
    first, second = (model(**batch)["loss"] for _ in range(2))
    assert first != second
    model.eval()
    first, second = (model(**batch)["loss"] for _ in range(2))
    assert first == second


def test_every_parameter_learns():
    model = stirred(make_model(layer_dropout=0.0)).train()
    model(**tensors(read(count=8), model.vocab))["loss"].backward()
    still = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    # Token types are all the same, and positions and pieces that do not occur get no gradient.
    assert [name for name in still if "embeddings" not in name] == []


@pytest.mark.parametrize(
    "mode, mixes", [("task", 5), ("global", 1), ("sum", 1), ("last", 1), ("second_to_last", 1)]
)
def test_layer_attention_modes(mode, mixes):
    model = make_model(layer_attention=mode)
    assert len(model.mixes) == mixes
    weights = model.layer_weights()
    assert set(weights) == set(DECODERS) and all(len(w) == 3 for w in weights.values())
    assert sum(weights["upos"]) == pytest.approx(3.0 if mode == "sum" else 1.0)
    if mode == "last":
        assert weights["upos"] == [0.0, 0.0, 1.0]
    if mode == "second_to_last":
        assert weights["upos"] == [0.0, 1.0, 0.0]
    model.train()(**tensors(read(count=4), model.vocab))["loss"].backward()


@pytest.mark.parametrize("mode", ["sum_last_four", "concat_last_four"])
def test_the_last_four_layers(mode):
    model = make_model(
        layer_attention=mode, embedder={"type": "toy_five_layers"}, dropout=0.0
    ).eval()
    layers = torch.randn(5, 3, 32)
    four = [layers[number] for number in (1, 2, 3, 4)]
    expected = sum(four) if mode == "sum_last_four" else torch.cat(four, 1)
    torch.testing.assert_close(model.mix("upos", layers), expected)
    assert model.layer_weights()["upos"] == [0.0, 1.0, 1.0, 1.0, 1.0]
    model.train()(**tensors(read(count=4), model.vocab))["loss"].backward()
    with pytest.raises(ConfigurationError, match="_last_four', but the encoder has only 3 layers"):
        make_model(layer_attention=mode)


@pytest.mark.parametrize("pooling", ["last", "mean", "max"])
def test_a_model_of_pooled_pieces_parses_alike_in_any_batch(pooling):
    embedder = {"type": "udify_encoder", "model_name": ENCODER, "pooling": pooling}
    model = stirred(make_model(["upos", "deps"], embedder=embedder)).eval()
    reader = UniversalDependenciesReader(ENCODER, ["upos", "deps"], piece_nodes=True)
    instances = list(reader.read(TRAIN))[:6]
    together = model(**tensors(instances, model.vocab))["columns"]
    assert together == [model(**tensors([one], model.vocab))["columns"][0] for one in instances]
    with pytest.raises(ConfigurationError, match="piece_nodes.* Set dataset_reader.piece_nodes"):
        model(**tensors(read(count=2, tasks=["upos", "deps"]), model.vocab))


def test_fast_scores_are_the_official_ones():
    model = stirred(make_model()).eval()
    instances = read(DEV)
    predicted = []
    for start in range(0, len(instances), 8):
        batch = instances[start : start + 8]
        columns = model(**tensors(batch, model.vocab))["columns"]
        predicted += [i["sentences"].metadata.replace(**c) for i, c in zip(batch, columns)]
    gold = [instance["sentences"].metadata for instance in instances]
    official = official_scores(gold, predicted, "dev")
    fast = model.get_metrics(reset=True)
    assert set(fast) == {"UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS"}
    assert fast == pytest.approx({name: official[name] for name in fast})
    assert model.get_metrics() == {}


def test_labels_unseen_in_training_are_scored_as_wrong():
    model = make_model(["upos"]).eval()
    reader = UniversalDependenciesReader(ENCODER, ["upos"])
    sentences = [instance["sentences"].metadata for instance in read(count=3)]
    instances = [reader.text_to_instance(s.replace(upos=["NEW"] * len(s))) for s in sentences]
    output = model(**tensors(instances, model.vocab))
    assert output["loss"] == 0
    assert model.get_metrics() == {"UPOS": 0.0}


def test_mistakes_in_the_config_are_clear():
    with pytest.raises(ConfigurationError, match="layer_attention is 'each'"):
        make_model(layer_attention="each")
    with pytest.raises(ConfigurationError, match="model.decoders is empty"):
        make_model(decoders={})
    model = make_model(["upos", "deps"]).train()
    with pytest.raises(ConfigurationError, match="decoders.deps needs the labels"):
        model(**tensors(read(count=2, tasks=["upos"]), model.vocab))


def test_a_decoder_as_wide_as_another_encoder_is_refused():
    """AllenNLP would only log that it was given twice."""
    for width, decoders in ((32, ["upos", "deps"]), (8, ["upos", "deps"])):
        params = {task: {**DECODERS[task], "input_dim": width} for task in decoders}
        if width == 32:
            make_model(decoders=params)
            continue
        with pytest.raises(
            ConfigurationError, match="decoders.upos.input_dim is 8, but the encoder"
        ):
            make_model(decoders=params)


def test_what_the_reader_does_not_give_is_named():
    model = make_model(["upos"]).eval()
    batch = tensors(read(count=2, tasks=["upos"]), model.vocab)
    del batch["wordpieces"]
    with pytest.raises(
        ConfigurationError, match="needs wordpieces, .* Set dataset_reader.model_name"
    ):
        model(**batch)


@pytest.mark.parametrize("root", ["special", "piece"])
def test_root_can_be_encoded(root):
    """Every sentence has its own ROOT; padding and batches still change nothing."""
    embedder = {"type": "udify_encoder", "model_name": ENCODER, "root": root}
    model = stirred(make_model(["upos", "deps"], embedder=embedder)).eval()
    reader = UniversalDependenciesReader(ENCODER, ["upos", "deps"], max_pieces=20)
    instances = [reader.text_to_instance(i["sentences"].metadata) for i in read(count=8)]
    together = model(**tensors(instances, model.vocab))["columns"]
    assert together == [model(**tensors([one], model.vocab))["columns"][0] for one in instances]
    assert model.decoders["deps"].root is None
    model.train()(**tensors(instances, model.vocab))["loss"].backward()
    still = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert [name for name in still if "embeddings" not in name] == []


def test_lower_precision_is_for_prediction_only():
    model = make_model(["upos"], precision="bfloat16").train()
    with pytest.raises(ConfigurationError, match="which is for prediction only"):
        model(**tensors(read(count=2, tasks=["upos"]), model.vocab))
    with pytest.raises(ConfigurationError, match="model.precision is 'int4'"):
        make_model(["upos"], precision="int4")
