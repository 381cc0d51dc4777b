import pytest
import torch
from allennlp.common.checks import ConfigurationError
from transformers import AutoModel, AutoTokenizer

from tests.conftest import FIXTURES
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.sentence import Sentence

ENCODER = str(FIXTURES / "encoder")
TOKENIZER = WordpieceTokenizer(ENCODER)


def tensors(sentences, max_pieces=64, **settings):
    """The batch of sentences given as words, and their layout."""
    reader = UniversalDependenciesReader(ENCODER, [], max_pieces=max_pieces, **settings)
    made = [Sentence.from_words(words) for words in sentences]
    batch = Collator(reader.table_of(made, reader.schema), reader.schema)(range(len(made)))
    return batch, Layout(**batch["layout"])


def layers_by_hand(model, pieces):
    """All layers of one input, without its special pieces: `(layers, pieces, dim)`."""
    ids = torch.tensor([[TOKENIZER.start_id, *pieces, TOKENIZER.end_id]])
    with torch.no_grad():
        states = model(input_ids=ids, output_hidden_states=True).hidden_states[1:]
    return torch.stack(states)[:, 0, 1:-1]


def test_first_pieces_of_all_layers_against_a_loop():
    encoder = HuggingFaceEncoder(ENCODER).eval()
    model = AutoModel.from_pretrained(ENCODER).eval()
    sentences = [["Unbelievable", "houses", "."], ["No", "!"]]
    with torch.no_grad():
        layers = encoder(*tensors(sentences))
    assert layers.shape == (3, 5, 32)
    words = iter(range(5))
    for sentence in sentences:
        pieces = TOKENIZER(sentence)
        states = layers_by_hand(model, [piece for word in pieces for piece in word])
        first = 0
        for word in pieces:
            torch.testing.assert_close(layers[:, next(words)], states[:, first])
            first += len(word)


def test_a_long_sentence_equals_windows_made_by_hand():
    encoder = HuggingFaceEncoder(ENCODER).eval()
    words = [f"word{i}" for i in range(450)]
    pieces = [piece for word in TOKENIZER(words) for piece in word]
    assert len(pieces) > 1400
    with torch.no_grad():
        layers = encoder(*tensors([words]))
    assert layers.shape[1] == len(words)
    kept, start = [], 0
    while start + 62 < len(pieces):  # 62 pieces and 2 special ones; the first 31 are kept
        kept.append(layers_by_hand(encoder.transformer, pieces[start : start + 62])[:, :31])
        start += 31
    kept.append(layers_by_hand(encoder.transformer, pieces[start:]))
    by_hand = torch.cat(kept, dim=1)
    assert by_hand.shape[1] == len(pieces)
    first = torch.tensor([0] + [len(word) for word in TOKENIZER(words)][:-1]).cumsum(0)
    torch.testing.assert_close(layers, by_hand[:, first])


def test_the_first_special_piece_can_stand_for_root():
    """Of a long sentence, that of its first window."""
    encoder = HuggingFaceEncoder(ENCODER, root="special").eval()
    plain = HuggingFaceEncoder(ENCODER).eval()
    sentences = [["No", "!"], [f"word{i}" for i in range(60)], ["Houses"]]
    batch, layout = tensors(sentences)
    with torch.no_grad():
        rows, words = encoder(batch, layout), plain(batch, layout)
        states = encoder.transformer(
            input_ids=batch["wordpieces"]["ids"],
            attention_mask=batch["wordpieces"]["mask"].long(),
            output_hidden_states=True,
        ).hidden_states[1:]
    torch.testing.assert_close(rows[:, 3:], words)
    first_windows = [0, 1, len(batch["wordpieces"]["ids"]) - 1]
    assert first_windows[2] > 2
    torch.testing.assert_close(rows[:, :3], torch.stack(states)[:, first_windows, 0])


def test_a_learned_piece_can_stand_for_root():
    encoder = HuggingFaceEncoder(ENCODER, root="piece").eval()
    words = ["Houses", "burn", "."]
    batch, layout = tensors([["No", "!"], words], max_pieces=63)
    with torch.no_grad():
        rows = encoder(batch, layout)
    pieces = TOKENIZER(words)
    flat = [piece for word in pieces for piece in word]
    table = encoder.transformer.get_input_embeddings().weight
    special = [TOKENIZER.start_id, TOKENIZER.end_id]
    vectors = [table[special[0]], encoder.root_piece, *table[flat], table[special[1]]]
    with torch.no_grad():
        states = encoder.transformer(
            inputs_embeds=torch.stack(vectors).unsqueeze(0), output_hidden_states=True
        ).hidden_states[1:]
    states, starts = torch.stack(states)[:, 0], [0]
    for word in pieces[:-1]:
        starts.append(starts[-1] + len(word))
    torch.testing.assert_close(rows[:, 1], states[:, 1])
    torch.testing.assert_close(rows[:, 4:], states[:, [2 + start for start in starts]])
    # Not a plain sum: behind a layer norm its gradient is rounding error, or nothing.
    encoder.train()(batch, layout)[:, :2].pow(3).sum().backward()
    assert encoder.root_piece.grad.norm() > 1e-6


def test_a_window_with_a_piece_for_root_has_to_fit():
    encoder = HuggingFaceEncoder(ENCODER, root="piece").eval()
    words = [f"word{i}" for i in range(60)]
    assert encoder(*tensors([words], max_pieces=63)).shape[1] == 61
    with pytest.raises(ConfigurationError, match="Set dataset_reader.root_piece"):
        encoder(*tensors([words], max_pieces=64))
    assert encoder(*tensors([words], max_pieces=None, root_piece=True)).shape[1] == 61
    with pytest.raises(ConfigurationError, match="embedder.root is 'cls'"):
        HuggingFaceEncoder(ENCODER, root="cls")


def test_masking_takes_its_share_and_never_a_special_piece():
    torch.manual_seed(0)
    encoder = HuggingFaceEncoder(ENCODER, mask_probability=0.2).train()
    batch = tensors([["house"] * 25, ["a"] * 3] * 40)[0]["wordpieces"]
    masked = encoder.mask_input(batch["ids"], batch["mask"])
    special = (batch["ids"] == TOKENIZER.start_id) | (batch["ids"] == TOKENIZER.end_id)
    changed = masked != batch["ids"]
    assert (masked[changed] == TOKENIZER.mask_id).all()
    assert not changed[special | ~batch["mask"]].any()
    assert 0.17 < changed[~special & batch["mask"]].float().mean() < 0.23
    assert encoder.eval().mask_input(batch["ids"], batch["mask"]) is batch["ids"]


def test_dropout_reaches_the_encoder_and_the_weights_are_float32():
    encoder = HuggingFaceEncoder(ENCODER, dropout=0.25)
    rates = {m.p for m in encoder.transformer.modules() if isinstance(m, torch.nn.Dropout)}
    assert rates == {0.25}
    assert {p.dtype for p in encoder.parameters()} == {torch.float32}


def test_without_weights_it_has_the_same_shape():
    made, loaded = HuggingFaceEncoder(ENCODER, load_weights=False), HuggingFaceEncoder(ENCODER)
    shapes = [{name: p.shape for name, p in e.named_parameters()} for e in (made, loaded)]
    assert shapes[0] == shapes[1]


def test_compiled_it_is_the_same_and_its_weights_keep_their_names():
    made = []

    def backend(graph, inputs):
        made.append(graph)
        return graph.forward

    plain, compiled = HuggingFaceEncoder(ENCODER), HuggingFaceEncoder(ENCODER, compile=backend)
    assert plain.state_dict().keys() == compiled.state_dict().keys()
    programs = []
    for length in (3, 5, 6):
        batch = tensors([["house"] * length, ["a"]])
        with torch.no_grad():
            layers = [encoder.eval()(*batch) for encoder in (plain, compiled)]
        torch.testing.assert_close(*layers)
        programs.append(len(made))
    assert 0 < programs[0] == programs[1] == programs[2]  # for all lengths
    compiled.train()(*batch).sum().backward()
    assert all(p.grad is not None for n, p in compiled.named_parameters() if "query" in n)


def test_bad_settings_are_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="embedder.mask_probability is 1"):
        HuggingFaceEncoder(ENCODER, mask_probability=1)
    with pytest.raises(ConfigurationError, match="embedder.dropout is -0.1"):
        HuggingFaceEncoder(ENCODER, dropout=-0.1)
    with pytest.raises(ConfigurationError, match="No tokenizer could be loaded"):
        HuggingFaceEncoder(str(tmp_path))


def test_what_is_more_in_a_checkpoint_is_left_out_in_silence(capfd, caplog):
    assert HuggingFaceEncoder(ENCODER, layers=2).num_layers == 2
    assert "UNEXPECTED" not in "".join(capfd.readouterr()) + caplog.text


def test_what_a_checkpoint_lacks_is_said_in_a_line(tmp_path, caplog):
    encoder = AutoModel.from_pretrained(ENCODER)
    weights = encoder.state_dict()
    del weights["encoder.layer.1.output.dense.bias"]
    encoder.save_pretrained(tmp_path, state_dict=weights)
    AutoTokenizer.from_pretrained(ENCODER).save_pretrained(tmp_path)
    HuggingFaceEncoder(str(tmp_path))
    (said,) = [each.getMessage() for each in caplog.records if "random" in each.getMessage()]
    assert "1 part" in said and "layer.1.output.dense.bias" in said and "\n" not in said
