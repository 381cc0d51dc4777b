"""Students, teachers, search, and models of transformers."""

import itertools

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from transformers import M2M100Config, M2M100ForConditionalGeneration

from tests.helpers.translation import (
    make_model,
    subwords_of,
    table_of,
    write_numbers,
)
from udify_allennlp.translation.architecture import is_pretrained, placement_of
from udify_allennlp.translation.placement import M2M_100, SMALL_100, place
from udify_allennlp.translation.predictor import pretrained_predictor
from udify_allennlp.translation.search import Search
from udify_allennlp.translation.subwords import EOS
from udify_allennlp.translation.teacher import Teacher, piece_scores

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def pairs(paths, subwords):
    return list(table_of(paths, subwords))[::23]


@pytest.fixture(scope="module")
def saved(tmp_path_factory, subwords):
    """A folder as transformers saves an M2M-100 model, with the files of its tokenizer."""
    folder = tmp_path_factory.mktemp("m2m100")
    model = make_model(folder / "run", subwords)
    model.network.save_pretrained(folder)
    subwords.save(folder)
    return str(folder)


def meta(**settings):
    with torch.device("meta"):
        return M2M100ForConditionalGeneration(M2M100Config(**settings))


def test_keys_and_shapes_of_the_real_models():
    """
    M2M-100 418M has the defaults of transformers, SMaLL-100 three decoder layers of them; with
    tied embeddings it has 332.7 million weights (thesis: "nearly 330M").
    """
    small, large = meta(decoder_layers=3), meta()
    assert placement_of(small.config) == SMALL_100 and placement_of(large.config) == M2M_100
    assert sum(weight.numel() for weight in small.parameters()) == 332_735_488
    assert sum(weight.numel() for weight in large.parameters()) == 483_905_536
    assert small.lm_head.weight is small.model.shared.weight
    assert small.lm_head.weight is small.model.decoder.embed_tokens.weight
    shapes = {name: weight.shape for name, weight in large.state_dict().items()}
    for name, weight in small.state_dict().items():
        assert shapes[name] == weight.shape
    assert not any("decoder.layers.3" in name for name in small.state_dict())


@pytest.mark.parametrize("layers", [1, 2])
def test_a_students_layers_are_the_first_of_its_start(saved, subwords, tmp_path, layers):
    start = M2M100ForConditionalGeneration.from_pretrained(saved)
    student = make_model(tmp_path, subwords, start=saved, decoder_layers=layers, encoder_layers=2)
    ours, theirs = student.network.state_dict(), start.state_dict()
    for name, weight in ours.items():
        torch.testing.assert_close(weight, theirs[name])
    assert len(student.network.model.decoder.layers) == layers
    assert len(student.network.model.encoder.layers) == 2
    assert student.network.lm_head.weight is student.network.model.shared.weight


def test_tied_weights_are_saved_once_and_load(subwords, tmp_path):
    model = make_model(tmp_path / "a", subwords)
    other = make_model(tmp_path / "b", subwords, seed=1)
    state = model.state_dict()
    rows = model.network.config.vocab_size
    assert [name for name, w in state.items() if w.shape[0] == rows] == [
        "network.model.shared.weight"
    ]
    other.load_state_dict(state)
    for mine, theirs in zip(model.parameters(), other.parameters()):
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("placement", [SMALL_100, M2M_100])
def test_the_loss_is_that_of_transformers(pairs, subwords, tmp_path, placement):
    """Of M2M-100 the code in the decoder, which is given and never searched for, is no target."""
    model = make_model(tmp_path, subwords, placement=placement, dev_beam_size=0).eval()
    model._was_trained = True
    placed = place(pairs, subwords, placement)
    labels = placed.labels.masked_fill(~placed.is_label, -100)
    with torch.no_grad():
        expected = model.network(
            input_ids=placed.input_ids,
            attention_mask=placed.attention_mask,
            decoder_input_ids=placed.decoder_input_ids,
            labels=labels,
        ).loss
        torch.testing.assert_close(model(pairs)["loss"], expected)
        losses = [(model([pair])["loss"], len(pair.target) + 1) for pair in pairs]
    mean = sum(loss * count for loss, count in losses) / sum(count for _, count in losses)
    torch.testing.assert_close(expected, mean)  # padding changes nothing


@pytest.mark.parametrize("beam_size", [1, 4])
@pytest.mark.parametrize("placement", [SMALL_100, M2M_100])
def test_translations_are_those_of_transformers(pairs, subwords, tmp_path, placement, beam_size):
    """One sentence at a time, with the forced code for M2M-100: batches change nothing."""
    model = make_model(tmp_path, subwords, placement=placement).eval()
    search = Search(beam_size, 9)
    found = model.translate(pairs, search)
    for pair, text in zip(pairs, found):
        placed = place([pair], subwords, placement)
        forced = subwords.code(pair.direction[1]) if placement == M2M_100 else None
        rows = model.network.generate(
            input_ids=placed.input_ids,
            attention_mask=placed.attention_mask,
            forced_bos_token_id=forced,
            num_beams=beam_size,
            early_stopping=beam_size > 1,
            max_new_tokens=9 + (forced is not None),
        )
        assert subwords.text(rows[0].tolist()[1:]) == text
    assert len(set(found)) > 1


def test_greedy_search_is_the_best_piece_at_each_step(pairs, subwords, tmp_path):
    model = make_model(tmp_path, subwords).eval()
    for pair in pairs[:2]:
        numbers = []
        while len(numbers) < 9 and EOS not in numbers:
            prefix = pair._replace(target=numbers)
            with torch.no_grad():
                scores, _ = piece_scores(model.network, [prefix], subwords, SMALL_100, CPU)
            numbers.append(int(scores[-1].argmax()))
        assert model.translate([pair], Search(1, 9)) == [subwords.text(numbers)]


def test_a_wide_beam_finds_the_best_translation(pairs, subwords, tmp_path):
    """All translations of at most two pieces, one by one."""
    model = make_model(tmp_path, subwords).eval()
    size = model.network.config.vocab_size
    pair = pairs[0]
    best = {}
    for first in range(size):
        with torch.no_grad():
            prefix = pair._replace(target=[first])
            scores, _ = piece_scores(model.network, [prefix], subwords, SMALL_100, CPU)
        logs = scores.log_softmax(-1)
        if first == EOS:
            best[EOS,] = logs[0, EOS].item()
        else:
            best.update(
                {(first, last): (logs[0, first] + logs[1, last]).item() / 2 for last in range(size)}
            )
    expected = max(best, key=best.get)
    assert model.translate([pair], Search(size, 2)) == [subwords.text(expected)]


def test_teacher_and_student_give_the_same_where_only_the_codes_differ(pairs, subwords, tmp_path):
    """The teacher's scores stand at the student's places, code in the decoder or not."""
    model = make_model(tmp_path, subwords, placement=M2M_100).eval()
    taught = Teacher(model.network, subwords, M2M_100).scores(pairs, CPU)
    _, labels = piece_scores(model.network, pairs, subwords, SMALL_100, CPU)
    assert len(taught) == len(labels)
    row = 0
    for pair in pairs:
        placed = place([pair], subwords, M2M_100)
        with torch.no_grad():
            scores = model.network(
                input_ids=placed.input_ids, decoder_input_ids=placed.decoder_input_ids
            ).logits[0]
        end = row + len(pair.target) + 1
        torch.testing.assert_close(taught[row:end], scores[1:], atol=1e-5, rtol=1e-4)
        assert labels[row:end].tolist() == [*pair.target, EOS]
        row = end


def test_the_teacher_is_outside_and_asked_in_the_second_phase_alone(
    pairs, subwords, saved, tmp_path, monkeypatch
):
    model = make_model(
        tmp_path, subwords, start=saved, decoder_layers=1, teacher=saved, label_smoothing=0.0
    )
    for parameter in model.parameters():
        parameter.requires_grad_(True)
    model.network.config.dropout = 0.0
    asked = []
    original = model._teacher.scores
    monkeypatch.setattr(
        model._teacher, "scores", lambda *given: (asked.append(1), original(*given))[1]
    )
    teacher = model._teacher._network
    model.train()
    assert not teacher.training and not any(p.requires_grad for p in teacher.parameters())
    assert not {id(p) for p in teacher.parameters()} & {id(p) for p in model.parameters()}
    assert all(name.startswith("network.") for name in model.state_dict())
    model.start_phase(1)
    alone = model(pairs)["loss"]
    assert not asked
    model.start_phase(2)
    both = model(pairs)["loss"]
    both.backward()
    assert asked and both > alone and all(p.grad is None for p in teacher.parameters())
    model._alpha = 0.0
    asked.clear()
    model(pairs)
    model.eval()
    model(pairs[:1])
    assert not asked


def test_loss_is_gold_and_alpha_times_distillation(pairs, subwords, saved, tmp_path):
    still = {"dropout": 0.0, "attention_dropout": 0.0}
    given = {"architecture": still, "teacher": saved, "label_smoothing": 0.0}
    losses = []
    for number, alpha in enumerate((0.0, 1.0, 3.0)):
        folder = tmp_path / str(number)
        losses.append(make_model(folder, subwords, seed=3, alpha=alpha, **given)(pairs)["loss"])
    torch.testing.assert_close(losses[2] - losses[0], 3 * (losses[1] - losses[0]))


def test_padding_teaches_nothing(pairs, subwords, saved, tmp_path):
    """The loss of a batch is that of its pairs alone, weighted by their target pieces."""
    still = {"dropout": 0.0, "attention_dropout": 0.0}
    given = {"architecture": still, "teacher": saved, "label_smoothing": 0.1, "alpha": 2.0}
    model = make_model(tmp_path, subwords, **given).train()
    assert len({len(pair.target) for pair in pairs}) > 1
    with torch.no_grad():
        together = model(pairs)["loss"]
        losses = [(model([pair])["loss"], len(pair.target) + 1) for pair in pairs]
    mean = sum(loss * count for loss, count in losses) / sum(count for _, count in losses)
    torch.testing.assert_close(together, mean)


def test_a_teacher_is_asked_once_of_each_pair(pairs, subwords, saved, tmp_path, monkeypatch):
    given = {"teacher": saved, "teacher_top": 4, "label_smoothing": 0.0}
    plain = make_model(tmp_path / "a", subwords, seed=3, **given)
    given["teacher_cache"] = str(tmp_path / "cache")
    asked = []
    original = Teacher._asked
    monkeypatch.setattr(
        Teacher, "_asked", lambda self, some, *_: (asked.extend(some), original(self, some, *_))[1]
    )
    model = make_model(tmp_path / "b", subwords, seed=3, **given)
    expected = plain._teacher.scores(pairs, CPU)
    expected = expected.masked_fill(expected < expected.topk(4).values[:, -1:], -torch.inf)
    asked.clear()
    for some in (pairs[:2], pairs, pairs[::-1], pairs):
        found = model._teacher.scores(some, CPU)
    assert sorted(map(str, asked)) == sorted(map(str, pairs))
    torch.testing.assert_close(found.softmax(-1), expected.softmax(-1), atol=2e-3, rtol=0)
    later = make_model(tmp_path / "c", subwords, seed=3, **given)
    torch.testing.assert_close(later._teacher.scores(pairs, CPU), found)
    assert len(asked) == len(pairs)
    with pytest.raises(ConfigurationError, match='cache, made with .*"top": 4'):
        make_model(tmp_path / "d", subwords, **{**given, "teacher_top": 5})
    with pytest.raises(ConfigurationError, match="needs model.teacher_top"):
        make_model(tmp_path / "e", subwords, **{**given, "teacher_top": None})


def test_a_folder_of_transformers_translates_unchanged(saved, pairs, subwords):
    predictor = pretrained_predictor(saved)
    assert predictor._model.placement == M2M_100 and predictor._model.subwords.same_as(subwords)
    network = M2M100ForConditionalGeneration.from_pretrained(saved)
    for mine, theirs in zip(predictor._model.network.parameters(), network.parameters()):
        torch.testing.assert_close(mine, theirs)
    lines = ["one two", "", "seven"]
    found = list(predictor.translate(lines, "English", "de"))
    assert found[1] == "" and len(found) == 3
    assert found[:1] == list(predictor.translate(lines[:1], "en", "deu"))
    assert is_pretrained(saved) and is_pretrained("alirezamsh/small100")
    assert not is_pretrained("out/udify")


def test_mistakes_are_clear(subwords, saved, tmp_path):
    made = itertools.count()

    def fails(message, **settings):
        with pytest.raises(ConfigurationError, match=message):
            make_model(tmp_path / str(next(made)), subwords, **settings)

    fails("alpha -1", alpha=-1)
    fails("placement is 'nllb'. Use small100 or m2m100", placement="nllb")
    fails("decoder_layers is 4, but model.start has 3", start=saved, decoder_layers=4)
    fails("architecture.width is not a setting", architecture={"width": 3})
    fails("No subwords|no subwords of M2M-100", teacher=str(tmp_path))
    other = subwords_of(write_numbers(tmp_path / "other", "train", 20, "en de"))
    other.save(tmp_path / "other")
    fails(
        "subwords of model.teacher, .*, differ from the student's", teacher=str(tmp_path / "other")
    )
