"""Vectors of all wordpieces, of which those of words are the first ones, and layouts of both."""

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model
from hypothesis import given
from hypothesis import strategies as st

from tests.data.by_hand import pieces_of, schema_of, table_of
from tests.helpers import DEV, ENCODER, make_model, tensors, vocabulary
from tests.toy_pretraining import Words  # registers the tagger of pieces, too
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.encoders.graph_encoder import GraphEncoder
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.sentence import Sentence

TOKENIZER = WordpieceTokenizer(ENCODER)
LONG = [f"word{i}" for i in range(60)]
SENTENCES = [["Unbelievable", "houses", "."], LONG, ["No", "!"]]
LENGTHS = st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=40), min_size=1, max_size=5)


def batch_of(sentences, max_pieces=63):
    reader = UniversalDependenciesReader(
        ENCODER, [], max_pieces=max_pieces, word_of=True, piece_nodes=True
    )
    made = [Sentence.from_words(words) for words in sentences]
    batch = Collator(reader.table_of(made, reader.schema), reader.schema)(range(len(made)))
    return batch, Layout(**batch["layout"]), Layout(**batch["piece_nodes"])


@given(sentences=LENGTHS, max_pieces=st.sampled_from([4, 5, 7, 12, 512]))
def test_wordpieces_as_nodes_of_any_lengths_and_windows(sentences, max_pieces):
    starts = [10 + sum(map(sum, sentences[:number])) for number in range(len(sentences))]
    words = [pieces_of(lengths, start) for lengths, start in zip(sentences, starts)]
    schema = schema_of(max_pieces)._replace(piece_nodes=True)
    batch = Collator(table_of(words, schema), schema)(range(len(words)))
    layout, pieces = Layout(**batch["layout"]), Layout(**batch["piece_nodes"])
    assert layout.first_of is None and pieces.first_of is not None
    # Each piece of the text once, in its order, whichever windows it is in.
    flat = [piece for sentence in words for word in sentence for piece in word]
    assert batch["wordpieces"]["ids"].flatten()[batch["wordpieces"]["pieces"]].tolist() == flat
    lengths = [length for sentence in sentences for length in sentence]
    owners = [number for number, length in enumerate(lengths, 1) for _ in range(length)]
    assert pieces.word_of.tolist() == owners
    assert pieces.first_of.tolist() == [sum(lengths[:number]) for number in range(len(lengths))]
    cells = batch["wordpieces"]["pieces"][pieces.first_of]
    assert cells.equal(batch["wordpieces"]["first"])
    by_lengths = Layout.from_lengths([sum(sentence) for sentence in sentences])
    assert pieces.nodes.equal(by_lengths.nodes) and pieces.places.equal(by_lengths.places)


@pytest.mark.parametrize("root", ["learned", "special", "piece"])
def test_words_are_taken_from_the_pieces(root):
    encoder = HuggingFaceEncoder(ENCODER, root=root).eval()
    batch, layout, pieces = batch_of(SENTENCES)
    assert len(batch["wordpieces"]["ids"]) > len(SENTENCES)  # several windows
    with torch.no_grad():
        words, found = encoder(batch, layout), encoder.encode_pieces(batch, layout, pieces)
    roots = 0 if root == "learned" else len(SENTENCES)
    assert found.shape == (3, roots + len(pieces.places), 32)
    assert found[:, :roots].equal(words[:, :roots])
    assert found[:, roots:][:, pieces.first_of].equal(words[:, roots:])


@pytest.mark.parametrize("root", ["learned", "piece"])
def test_words_are_pooled_from_all_of_their_pieces(root):
    """The sentences have several windows; ROOT is as it was."""
    batch, layout, pieces = batch_of(SENTENCES)
    encoder = HuggingFaceEncoder(ENCODER, root=root).eval()
    with torch.no_grad():
        first, every = encoder(batch, layout), encoder.encode_pieces(batch, layout, pieces)
    roots = 0 if root == "learned" else len(SENTENCES)
    starts = [*pieces.first_of.tolist(), len(pieces.places)]
    for how, of in (("last", lambda own: own[:, -1]), ("mean", lambda own: own.mean(1))):
        encoder.pooling = how
        with torch.no_grad():
            found = encoder(batch, layout)
        assert found[:, :roots].equal(first[:, :roots])
        spans = zip(starts, starts[1:])
        expected = [of(every[:, roots + begin : roots + end]) for begin, end in spans]
        torch.testing.assert_close(found[:, roots:], torch.stack(expected, 1))


@pytest.mark.parametrize("make", [HuggingFaceEncoder, lambda *a, **s: GraphEncoder(None, *a, **s)])
def test_no_other_pooling_is_taken(make):
    with pytest.raises(ConfigurationError, match="embedder.pooling is 'min"):
        make(ENCODER, pooling="min")


def test_all_pieces_against_the_transformer_alone():
    encoder = HuggingFaceEncoder(ENCODER).eval()
    words = ["Unbelievable", "houses", "burn"]
    batch, layout, pieces = batch_of([words, ["No"]])
    flat = [piece for word in TOKENIZER(words) for piece in word]
    assert len(flat) > len(words)
    ids = torch.tensor([[TOKENIZER.start_id, *flat, TOKENIZER.end_id]])
    with torch.no_grad():
        states = encoder.transformer(input_ids=ids, output_hidden_states=True).hidden_states[1:]
        found = encoder.encode_pieces(batch, layout, pieces)
    torch.testing.assert_close(found[:, : len(flat)], torch.stack(states)[:, 0, 1:-1])


def test_other_sentences_of_a_batch_do_not_matter():
    encoder = HuggingFaceEncoder(ENCODER, root="special").eval()
    with torch.no_grad():
        together = encoder.encode_pieces(*batch_of(SENTENCES))
        start = 0
        for number, words in enumerate(SENTENCES):
            alone = encoder.encode_pieces(*batch_of([words]))
            count = alone.shape[1] - 1
            own = together[:, len(SENTENCES) :][:, start : start + count]
            torch.testing.assert_close(own, alone[:, 1:])
            torch.testing.assert_close(together[:, number], alone[:, 0])
            start += count


def test_a_graph_encoder_gives_pieces_too():
    encoder = GraphEncoder(vocabulary(), ENCODER).eval()
    batch, layout, pieces = batch_of(SENTENCES)
    with torch.no_grad():
        words, found = encoder(batch, layout), encoder.encode_pieces(batch, layout, pieces)
    roots = len(SENTENCES)
    assert found[:, roots:][:, pieces.first_of].equal(words[:, roots:])


def piece_model(vocab=None, **settings):
    decoders = {"xpos": {"type": "udify_tag_decoder", "task": "xpos"}, "upos": "toy_piece_tagger"}
    model = {"type": "udify_multitask", "decoders": decoders, "layer_dropout": 0.0, **settings}
    model.setdefault("embedder", {"type": "udify_encoder", "model_name": ENCODER})
    return Model.from_params(Params(model), vocab=vocab or vocabulary())


def read(**settings):
    reader = UniversalDependenciesReader(ENCODER, ["upos", "xpos"], piece_nodes=True, **settings)
    return list(reader.read(DEV))[:6]


def test_decoders_of_words_and_of_pieces_share_a_pass_of_the_encoder():
    torch.manual_seed(1)
    model = piece_model().eval()
    calls = []
    model.embedder.transformer.register_forward_hook(lambda *_: calls.append(1))
    instances = read()
    batch = tensors(instances, model.vocab)
    whole = model(**batch)
    assert len(calls) == 1
    alone = [model(**tensors([each], model.vocab))["columns"][0] for each in instances]
    assert whole["columns"] == alone
    words_only = make_model(["xpos"]).eval()
    words_only.load_state_dict(
        {name: value for name, value in model.state_dict().items() if "upos" not in name}
    )
    expected = words_only(**tensors(instances, model.vocab))["columns"]
    assert [{"xpos": columns["xpos"]} for columns in whole["columns"]] == expected
    # Pieces inside words are learned from, too.
    model.train()
    vectors = []
    hook = model.embedder.transformer.register_forward_hook(
        lambda _, __, output: vectors.append(output.hidden_states[-1])
    )
    loss = model(**batch)["loss"]
    hook.remove()
    (gradient,) = torch.autograd.grad(loss, vectors[0])
    pieces = batch["wordpieces"]["pieces"]
    assert (gradient.flatten(0, 1)[pieces].abs().sum(1) > 0).all()


def test_what_does_not_go_together_is_said():
    with pytest.raises(ConfigurationError, match="is a Words, which has vectors of words but no"):
        piece_model(embedder={"type": "toy_words"})
    with pytest.raises(ConfigurationError, match="is a Words, which has vectors of words but no"):
        Words().encode_pieces({}, None, None)
    plain = UniversalDependenciesReader(ENCODER, ["upos", "xpos"])
    model = piece_model()
    with pytest.raises(ConfigurationError, match="decoders.upos needs piece_nodes, .*piece_nodes"):
        model(**tensors(list(plain.read(DEV))[:2], model.vocab))
    with pytest.raises(ConfigurationError, match="piece_nodes, but no model_name"):
        UniversalDependenciesReader(None, ["upos"], piece_nodes=True)
    vocab = Vocabulary.from_instances(read(characters=True))
    with pytest.raises(ConfigurationError, match="'upos', whose decoder is for wordpieces"):
        piece_model(vocab, characters={"tasks": ["upos"]})
