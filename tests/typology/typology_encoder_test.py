"""
The encoder of Ji et al. (2023) above another: the effects of languages, positions and batches.
"""

import pytest
import torch
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.position_attention import PositionAttention
from udify_allennlp.modules.position_generators import PositionGenerator
from udify_allennlp.modules.recurrent import StackedLstm
from udify_allennlp.text.errors import InputError
from udify_allennlp.typology.encoder import TypologyEncoder

WIDTH, CLIP = 6, 4
HEADS = {"num_heads": 2, "head_dim": 3, "value_dim": 4, "hidden_dim": 8, "num_layers": 2}
LENGTHS, LANGS = [7, 1, 4], ["en", "ja", "en"]
EXTRA = {"mlp": {"hidden_dim": 4}, "attn": {"prior_dim": 4}}
KINDS = [
    (positions, name)
    for positions in ("absolute", "relative")
    for name in ("universal", "per_language", "id", "feat", "mlp", "attn")
]


class Below(WordEncoder):
    """What it is given, through a linear layer, with dropout that shows whether it trains."""

    num_layers = 2

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(WIDTH, WIDTH)
        self.dropout = torch.nn.Dropout(0.5)

    def get_output_dim(self):
        return WIDTH

    def forward(self, batch, layout):
        found = self.dropout(self.linear(batch["vectors"]))
        return torch.stack([2 * found, found])


def encoder(positions="relative", name="attn", seed=0, layers=None, vocab=None, **settings):
    torch.manual_seed(seed)
    if vocab is None:
        vocab = Vocabulary()
        for lang in ("en", "ja"):
            vocab.add_token_to_namespace(lang, "lang_labels")
    made = TypologyEncoder(
        vocab,
        Below(),
        layers
        or Lazy(PositionAttention, constructor_extras={"positions": "none", "clip": CLIP, **HEADS}),
        Lazy(PositionGenerator.by_name(name), constructor_extras=EXTRA.get(name, {})),
        positions=positions,
        num_positions=5,
        **settings,
    )
    with torch.no_grad():
        for parameter in made.generators.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return made.double().eval()


def run(model, langs=LANGS, lengths=LENGTHS, seed=1, vectors=None):
    torch.manual_seed(seed)
    if vectors is None:
        vectors = torch.randn(sum(lengths), WIDTH, dtype=torch.float64)
    with torch.no_grad():
        return model({"vectors": vectors, "langs": langs}, Layout.from_lengths(lengths))[0]


@pytest.mark.parametrize("positions, name", KINDS)
def test_sentences_of_several_languages_in_one_batch_are_as_each_alone(positions, name):
    """Which also says that padding changes nothing."""
    model = encoder(positions, name)
    together = run(model).split(LENGTHS)
    torch.manual_seed(1)
    vectors = torch.randn(sum(LENGTHS), WIDTH, dtype=torch.float64).split(LENGTHS)
    for row, (length, lang) in enumerate(zip(LENGTHS, LANGS)):
        alone = run(model, [lang], [length], vectors=vectors[row])
        torch.testing.assert_close(together[row], alone)


@pytest.mark.parametrize("positions", ["absolute", "relative"])
def test_equals_one_language_worked_out_by_hand(positions):
    """One layer, from the vectors below to what comes out, over heads, words and neighbours."""
    layers = Lazy(
        PositionAttention,
        constructor_extras={"positions": "none", "clip": CLIP, **HEADS, "num_layers": 1},
    )
    model = encoder(positions, layers=layers)
    (layer,), n = model.layers.layers, 7
    torch.manual_seed(1)
    words = torch.randn(n, WIDTH, dtype=torch.float64)
    with torch.no_grad():
        x = model.below.linear(words)
        tables = model.position_vectors(["en"])
        if positions == "absolute":
            x = torch.stack([x[i] + tables[0][0, min(i, 4)] for i in range(n)])
        normed, parts = layer.attention_norm(x), []
        for head in range(2):
            q, k = (w.weight[3 * head : 3 * head + 3] for w in (layer.query, layer.key))
            v = layer.value.weight[4 * head : 4 * head + 4]
            rows = []
            for i in range(n):
                keys = [k @ normed[j] for j in range(n)]
                values = [v @ normed[j] for j in range(n)]
                if positions == "relative":
                    for j in range(n):
                        place = max(-CLIP, min(CLIP, j - i)) + CLIP
                        keys[j] = keys[j] + tables[0][0, place, 3 * head : 3 * head + 3]
                        values[j] = values[j] + tables[1][0, place, 4 * head : 4 * head + 4]
                scores = torch.stack([(q @ normed[i]) @ key / 3**0.5 for key in keys])
                rows.append(scores.softmax(0) @ torch.stack(values))
            parts.append(torch.stack(rows))
        h = x + layer.output(torch.cat(parts, 1))
        y = model.layers.norm(h + layer.outer(torch.relu(layer.inner(layer.hidden_norm(h)))))
    torch.testing.assert_close(run(model, ["en"], [n]), y)


@pytest.mark.parametrize("positions, name", KINDS)
def test_a_language_changes_the_words_when_and_only_when_it_changes_positions(positions, name):
    model = encoder(positions, name)
    same = torch.allclose(run(model, ["en"], [7]), run(model, ["ja"], [7]))
    assert same == (name == "universal")
    # Danish and Swedish are no languages of training, and have one order of words in WALS-6.
    if name in ("feat", "mlp", "attn"):
        wals = encoder(positions, name, features="wals6")
        with torch.no_grad():
            wals.value_vectors.vectors.normal_()
        da, sv, ja = (run(wals, [lang], [7]) for lang in ("da", "sv", "ja"))
        torch.testing.assert_close(da, sv)
        assert not torch.allclose(da, ja)
        assert not torch.allclose(run(model, ["fo"], [7]), run(model, ["ja"], [7]))


def test_without_positions_words_are_a_set():
    for positions in ("absolute", "relative"):
        model, order = encoder(positions, "universal"), torch.tensor([3, 1, 4, 0, 2])
        vectors = torch.randn(5, WIDTH, dtype=torch.float64)
        there = run(model, ["en"], [5], vectors=vectors)
        assert not torch.allclose(run(model, ["en"], [5], vectors=vectors[order]), there[order])
        with torch.no_grad():
            for generator in model.generators:
                generator.table.zero_()
        model.train().eval()  # what was kept is made anew
        there = run(model, ["en"], [5], vectors=vectors)
        torch.testing.assert_close(run(model, ["en"], [5], vectors=vectors[order]), there[order])


def test_distances_are_clipped_and_have_a_direction_and_keys_are_not_values():
    model = encoder(
        name="universal",
        layers=Lazy(
            PositionAttention,
            constructor_extras={"positions": "none", "clip": CLIP, **HEADS, "num_layers": 1},
        ),
    )
    before = run(model, ["en"], [7])
    for table, generator in enumerate(model.generators):
        for place in range(2 * CLIP + 1):
            with torch.no_grad():
                generator.table[place] += 1.0
                changed = (run(encoder_like(model), ["en"], [7]) - before).abs().sum(1) > 1e-9
                generator.table[place] -= 1.0
            d = place - CLIP
            far = [any(max(-CLIP, min(CLIP, j - i)) == d for j in range(7)) for i in range(7)]
            assert changed.tolist() == far, (table, d)


def encoder_like(model):
    """The same with nothing kept."""
    return model.train().eval()


def test_further_words_have_the_last_absolute_position():
    model = encoder("absolute", "universal")
    one = torch.randn(1, WIDTH, dtype=torch.float64).repeat(7, 1)
    found = run(model, ["en"], [7], vectors=one)
    for i in range(1, 7):  # words that are alike, in attention that sees no order
        assert torch.allclose(found[i], found[i - 1]) == (i > 4)


def test_what_is_below_is_not_trained_and_has_no_dropout():
    model = encoder(below_layers="mix").train()
    vectors = torch.randn(4, WIDTH, dtype=torch.float64)
    batch = {"vectors": vectors, "langs": ["en"]}
    model(batch, Layout.from_lengths([4])).sum().backward()
    assert all(p.grad is None and not p.requires_grad for p in model.below.parameters())
    assert model.layers.layers[0].query.weight.grad is not None
    assert all(p.grad is not None for p in model.mix.parameters())
    assert not model.below.training and model.layers.training
    free = encoder(freeze=False).train()
    free(batch, Layout.from_lengths([4])).sum().backward()
    assert free.below.linear.weight.grad is not None and free.below.training


def test_an_encoder_below_that_is_not_frozen_or_reads_more_is_not_kept():
    for settings in ({"freeze": False}, {}):  # `Below` reads no wordpieces
        with pytest.raises(ConfigurationError, match="keep_below is for a frozen encoder below"):
            encoder(keep_below=1, **settings)


def test_kept_positions_are_those_that_are_made_and_follow_the_weights():
    model = encoder()
    with torch.no_grad():
        kept = model.position_vectors(["en", "fo", "en"])
        assert model._kept.keys() == {"en", "fo"}
        made = model.generate(model.values_of(["en", "fo", "en"]), torch.zeros(3).long())
        for ours, theirs in zip(kept, made):
            torch.testing.assert_close(ours, theirs)
    with_gradients = model.position_vectors(["en"])
    assert with_gradients[0].requires_grad
    other = encoder(seed=5)
    model.load_state_dict(other.state_dict())
    torch.testing.assert_close(run(model), run(other))


def test_the_generator_can_be_deleted_once_the_positions_are_kept():
    model = encoder()
    before = run(model, ["fo", "ja", "fo"])
    del model.generators, model.value_vectors, model.maps
    assert torch.equal(run(model, ["fo", "ja", "fo"]), before)


def test_positions_of_another_width_go_through_a_linear_map():
    for positions, widths in (("absolute", [WIDTH]), ("relative", [6, 8])):
        model = encoder(positions, position_dim=5)
        assert [g.output_dim for g in model.generators] == [5] * len(widths)
        assert [t.shape[2] for t in model.position_vectors(["fo"])] == widths
        assert run(model).shape == (sum(LENGTHS), WIDTH)


def test_a_language_of_no_positions_is_one_line():
    with pytest.raises(ConfigurationError, match="has positions for en, ja, but not for 'Faroese'"):
        run(encoder(name="per_language"), ["fo"], [2])
    with pytest.raises(ConfigurationError, match="has no language. Specify it as lang"):
        run(encoder(), [""], [2])
    with pytest.raises(InputError, match="nknown language 'xx'"):
        run(encoder(), ["xx"], [2])
    assert run(encoder(name="universal"), [""], [2]).shape == (2, WIDTH)  # it does not ask


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"positions": "both"}, "positions is 'both' .*first must be absolute or relative"),
        ({"below_layers": "first"}, "below_layers is 'first'.*second last or mix"),
        ({"features": "wals7"}, "features is 'wals7'. Use one of wals6"),
        ({"position_dim": 0}, "position_dim 0. Each must be at least 1"),
        ({"vocab": Vocabulary()}, "the data has no languages. Set dataset_reader.langs to true"),
        ({"layers": Lazy(StackedLstm)}, "Use udify_position_attention with positions 'none'"),
        ({"layers": Lazy(PositionAttention)}, "layers have their own positions"),
    ],
)
def test_parts_that_do_not_fit_are_one_line(settings, message):
    with pytest.raises(ConfigurationError, match=message):
        encoder(**settings)


def test_a_language_of_training_without_features_is_told_before_training():
    vocab = Vocabulary()
    vocab.add_token_to_namespace("fo", "lang_labels")
    with pytest.raises(ConfigurationError, match="WALS has no word order features for 'fo'"):
        encoder(vocab=vocab, features="wals19")
    encoder(vocab=vocab, features="wals19", name="universal")  # does not look


def test_a_root_from_below_is_refused(monkeypatch):
    monkeypatch.setattr(Below, "encodes_root", True)
    with pytest.raises(ConfigurationError, match="below gives ROOT a vector"):
        encoder()
