"""Masked pieces, and the head that predicts them."""

import pytest
import torch
import transformers
from allennlp.common.checks import ConfigurationError

from tests.helpers import ENCODER
from udify_allennlp.pretraining.masked_head import MaskedHead, load_head
from udify_allennlp.pretraining.masking import Masking, Vocabulary

SIZE, MASK = 500, 4
KNOWN = Vocabulary(SIZE, MASK)
WORDS, PER_WORD = 60, 3


def text(windows=300):
    """Windows of 60 words of three pieces each, between special pieces, and padding."""
    own = torch.arange(WORDS).repeat_interleave(PER_WORD) + 1
    own = own + WORDS * torch.arange(windows)[:, None]
    word_of = torch.zeros(windows, WORDS * PER_WORD + 4, dtype=torch.long)
    word_of[:, 1:-3] = own
    torch.manual_seed(6)
    ids = torch.randint(10, SIZE, word_of.shape)
    return ids, word_of


def seeded(masking, seed=1):
    ids, word_of = text()
    return ids, word_of, *masking(ids, word_of, KNOWN, torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("whole_words", [False, True])
def test_rates_and_what_is_never_chosen(whole_words):
    ids, word_of, shown, chosen = seeded(Masking(whole_words=whole_words))
    assert not chosen[word_of == 0].any() and shown[~chosen].equal(ids[~chosen])
    count = int(chosen.sum())
    assert count / int((word_of > 0).sum()) == pytest.approx(0.15, abs=0.01)
    masked = chosen & (shown == MASK)
    kept = chosen & (shown == ids)
    assert int(masked.sum()) / count == pytest.approx(0.8, abs=0.02)
    assert int(kept.sum()) / count == pytest.approx(0.1, abs=0.02)
    others = shown[chosen & ~masked & ~kept]
    assert len(others) / count == pytest.approx(0.1, abs=0.02)
    assert others.min() >= 0 and others.max() < SIZE and len(others.unique()) > SIZE // 2
    # The pieces of a word are chosen together, and otherwise each by itself.
    of_words = chosen[:, 1:-3].unflatten(1, (WORDS, PER_WORD))
    together = of_words.all(2) == of_words.any(2)
    assert bool(together.all()) is whole_words


def test_the_same_seed_gives_the_same_masks_and_another_one_others():
    first, again, other = (seeded(Masking(), seed)[2:] for seed in (1, 1, 2))
    assert first[0].equal(again[0]) and first[1].equal(again[1])
    assert not first[1].equal(other[1])


def test_shares_out_of_range():
    for settings in ({"rate": 0.0}, {"masked": 0.95}, {"replaced": -0.1}):
        with pytest.raises(ConfigurationError, match="The rate must be in"):
            Masking(**settings)


SMALL = {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
MODELS = [
    lambda: transformers.BertForMaskedLM(transformers.BertConfig(**SMALL)),
    lambda: transformers.XLMRobertaForMaskedLM(transformers.XLMRobertaConfig(**SMALL)),
    lambda: transformers.DistilBertForMaskedLM(
        transformers.DistilBertConfig(vocab_size=50, dim=16, n_layers=1, n_heads=2)
    ),
]


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("make", MODELS, ids=["bert", "xlmr", "distilbert"])
def test_a_head_of_transformers_gives_the_same_scores(make, tied):
    torch.manual_seed(1)
    model = make().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    ids = torch.randint(5, 50, (2, 7))
    table = model.get_input_embeddings().weight
    head = MaskedHead(16, table, tied)
    assert head.copy(model)
    assert (head.table is None) is tied
    with torch.no_grad():
        expected = model(input_ids=ids)
        vectors = model.base_model(input_ids=ids)[0]
        torch.testing.assert_close(head(vectors, table), expected.logits)


def test_a_head_of_another_size_is_left_alone():
    model = MODELS[0]()
    head = MaskedHead(12, torch.randn(50, 12))
    before = {name: value.clone() for name, value in head.state_dict().items()}
    assert not head.copy(model)
    for name, value in head.state_dict().items():
        assert value.equal(before[name])


def test_a_checkpoint_brings_its_head_or_says_that_it_has_none(tmp_path, caplog):
    torch.manual_seed(1)
    model = MODELS[0]()
    torch.nn.init.normal_(model.cls.predictions.bias)
    model.save_pretrained(tmp_path / "lm")
    table = model.get_input_embeddings().weight
    head = MaskedHead(16, table)
    load_head(head, str(tmp_path / "lm"))
    assert head.bias.equal(model.cls.predictions.bias) and not caplog.records
    new = MaskedHead(32, torch.randn(1000, 32))
    load_head(new, ENCODER)
    assert "has no matching masked language model head" in caplog.text
    assert not new.bias.any()
    with pytest.raises(ConfigurationError, match="model.masked_head_from is .*absent"):
        load_head(new, str(tmp_path / "absent"))
