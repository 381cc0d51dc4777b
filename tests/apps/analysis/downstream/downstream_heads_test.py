"""Heads of transformers over an encoder and the layer of UD pre-training, and their training."""

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from transformers import AutoModel

from tests.helpers import ENCODER
from tests.helpers.downstream import encoder_with_layer
from udify_allennlp.apps.analysis.downstream.fine_tuning import Padding, Settings, fine_tune
from udify_allennlp.apps.analysis.downstream.heads import load_head
from udify_allennlp.apps.analysis.downstream.inference import Inference
from udify_allennlp.apps.analysis.downstream.sentence_pairs import LABELS, SentencePair
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.encoders.structure_layer import load_layer

TOKENIZER = WordpieceTokenizer(ENCODER)
PAD = Padding(TOKENIZER.pretrained)
QA, NLI = "AutoModelForQuestionAnswering", "AutoModelForSequenceClassification"
TEXTS = [{"input_ids": [2, 9, 8, 3, 7, 3], "attention_mask": [1] * 6}]
TEXTS.append({"input_ids": [2, 5, 3, 3], "attention_mask": [1] * 4})


def loaded(name, kind, *args, **settings):
    torch.manual_seed(3)
    return load_head(str(name), kind, *args, **settings).eval()


@pytest.fixture(scope="module")
def layered(tmp_path_factory):
    return encoder_with_layer(tmp_path_factory.mktemp("layered") / "encoder")


@torch.no_grad()
@pytest.mark.parametrize("kind", [QA, NLI])
def test_heads_read_the_layer_above_the_encoder(layered, kind):
    head = loaded(layered, kind)
    batch = PAD(TEXTS)
    vectors = AutoModel.from_pretrained(layered).eval()(**batch)[0]
    layer = load_layer(str(layered), 32, True, None).eval()
    vectors = layer(vectors, batch["attention_mask"].bool())
    output = head(**batch)
    if kind == QA:
        starts, ends = head.qa_outputs(vectors).unbind(-1)
        torch.testing.assert_close(output.start_logits, starts)
        torch.testing.assert_close(output.end_logits, ends)
    else:
        torch.testing.assert_close(output.logits, head.classifier(head.bert.pooler(vectors)))
    without = loaded(layered, kind, False)
    assert not hasattr(without, "structure_layer")
    plain = loaded(ENCODER, kind)
    torch.testing.assert_close(without(**batch)[0], plain(**batch)[0])
    assert not torch.allclose(without(**batch)[0], output[0])


@torch.no_grad()
@pytest.mark.parametrize("integration", [True, False])
def test_padding_changes_nothing(layered, integration):
    head = loaded(layered, QA, integration)
    together = head(**PAD(TEXTS)).start_logits
    for row, text in enumerate(TEXTS):
        alone = head(**PAD([text])).start_logits[0]
        torch.testing.assert_close(together[row, : len(alone)], alone)


def test_the_layer_is_trained(layered):
    head = loaded(layered, NLI, num_labels=3).train()
    head(**PAD([{**text, "labels": 1} for text in TEXTS])).loss.backward()
    for part in (head.structure_layer.structure, head.structure_layer.integration, head.bert):
        assert all(p.grad is not None for p in part.parameters())
        assert any(p.grad.any() for p in part.parameters())


def test_encoders_that_cannot_be_loaded(tmp_path):
    with pytest.raises(ConfigurationError, match="No AutoModelForQuestionAnswering could be made"):
        load_head(str(tmp_path), QA)
    broken = encoder_with_layer(tmp_path / "broken")
    (broken / "structure_layer.json").write_text("{}")
    with pytest.raises(ConfigurationError, match="the layer of structure cannot be loaded"):
        load_head(str(broken), QA)


WORDS = ("good", "not", "you")
PAIRS = [SentencePair(f"It is {n}.", 3 * f"{WORDS[n % 3]} ", LABELS[n % 3]) for n in range(24)]


def trained(epochs, select=None, seed=1):
    torch.manual_seed(seed)
    head = load_head(ENCODER, NLI, **Inference.head_settings)
    inputs, _ = Inference(TOKENIZER, 32).training_inputs(PAIRS)
    return head, fine_tune(head, inputs, PAD, Settings(epochs, 8, 1e-2, seed), select)


def test_training_learns_and_repeats():
    head, epochs = trained(12)
    assert epochs[-1]["loss"] < 0.5 * epochs[0]["loss"]
    predicted, _ = Inference(TOKENIZER, 32).predict(head, PAIRS, PAD, 5)
    # More than chance: each is at its place, whatever the order of batches.
    assert Inference.scores(predicted, PAIRS, "")["accuracy"] > 60
    assert trained(2)[1] == trained(2)[1] != trained(2, seed=2)[1]


def test_the_best_epoch_is_kept():
    scores, states = iter([1.0, 3.0, 2.0]), []
    torch.manual_seed(1)
    head = load_head(ENCODER, NLI, **Inference.head_settings)
    inputs, _ = Inference(TOKENIZER, 32).training_inputs(PAIRS)

    def select():
        states.append({name: value.clone() for name, value in head.state_dict().items()})
        return next(scores)

    epochs = fine_tune(head, inputs, PAD, Settings(3, 8, 1e-3, 1), select)
    assert [epoch["score"] for epoch in epochs] == [1.0, 3.0, 2.0]
    for name, value in head.state_dict().items():
        assert value.equal(states[1][name])
    assert not head.classifier.weight.equal(states[2]["classifier.weight"])


def test_accuracy():
    assert Inference.scores(["neutral"] * 24, PAIRS, "") == {
        "pairs": 24,
        "accuracy": pytest.approx(100 / 3),
    }
    assert Inference.written(["neutral", "entailment"], PAIRS[:2]) == "neutral\nentailment\n"
