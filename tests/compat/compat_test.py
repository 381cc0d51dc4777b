import gc
import io
import warnings

import numpy
import pytest
import torch
import transformers
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.training.learning_rate_schedulers import LearningRateScheduler
from allennlp.training.optimizers import Optimizer

from tests.conftest import FIXTURES
from tests.helpers.processes import python
from udify_allennlp import compat
from udify_allennlp.compat import importing, running
from udify_allennlp.compat.adamw import AdamW

ENCODER = FIXTURES / "encoder"


@pytest.mark.parametrize(
    "given, expected",
    [({}, "1000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "active"}, "None")],
)
def test_threads_that_wait_sleep_unless_a_user_says_otherwise(monkeypatch, given, expected):
    for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    done = python("import os, udify_allennlp; print(os.environ.get('GOMP_SPINCOUNT'))")
    assert done.stdout == f"{expected}\n", done.stderr


def test_everything_lent_is_taken_back_and_only_a_users_code_is_warned_of():
    done = python("""
        import udify_allennlp.plugin
        import importlib.util, sys, huggingface_hub, torch, transformers.utils
        from allennlp.common.plugins import import_plugins
        import_plugins()
        if importlib.util.find_spec("torchvision") is None:
            assert not [name for name in sys.modules if name.startswith("torchvision")]
            assert not transformers.utils.is_torchvision_available()
        lent = udify_allennlp.compat.importing._PushToHubGone
        assert getattr(huggingface_hub, "HfFolder", None) is not lent
        assert getattr(huggingface_hub, "Repository", None) is not lent
        assert "udify" not in str(getattr(transformers, "AdamW", ""))
        print("imported", file=sys.stderr, flush=True)
        torch.cuda.amp.autocast(enabled=False)
        """)
    assert done.returncode == 0, done.stderr
    ours, users = done.stderr.split("imported")
    assert "Warning" not in ours
    assert "torch.cuda.amp.autocast" in users


def test_a_second_install_changes_nothing():
    before = transformers.PreTrainedTokenizerBase.__dict__.copy()
    filters = list(warnings.filters)
    compat.install()
    running.apply()
    assert transformers.PreTrainedTokenizerBase.__dict__ == before
    assert warnings.filters == filters


def test_allennlp_imported_first_still_gets_the_mends():
    done = python("""
        import allennlp
        try:
            import allennlp.training
        except (ImportError, AttributeError):
            pass
        import udify_allennlp.plugin
        import allennlp.commands
        """)
    assert done.returncode == 0, done.stderr


def test_a_torchvision_of_another_torch_is_no_hindrance(tmp_path):
    (tmp_path / "torchvision").mkdir()
    broken = "raise RuntimeError('operator torchvision::nms does not exist')"
    (tmp_path / "torchvision" / "__init__.py").write_text(broken)
    done = python(f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        import udify_allennlp, transformers
        assert "torchvision" not in sys.modules
        transformers.AutoModel, transformers.AutoTokenizer
        try:
            import torchvision
        except RuntimeError:
            sys.exit(0)  # the user is still told what is wrong with it
        sys.exit("torchvision became importable")
        """)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("before", ["enable", "disable"])
def test_the_collector_rests_while_we_import_and_only_then(before):
    done = python(f"""
        import gc
        gc.{before}()
        passes = gc.get_stats()[2]["collections"]
        import udify_allennlp.plugin
        assert gc.get_stats()[2]["collections"] == passes
        assert gc.isenabled() == {before == "enable"}
        """)
    assert done.returncode == 0, done.stderr


def test_the_collector_comes_back_when_an_import_fails():
    with pytest.raises(ImportError), compat.collector_paused():
        assert not gc.isenabled()
        raise ImportError
    assert gc.isenabled()


def test_without_allennlp_the_message_says_how_to_install_it():
    done = python("""
        import importlib.util as util
        find = util.find_spec
        util.find_spec = lambda name, *rest: None if name == "allennlp" else find(name, *rest)
        import udify_allennlp.plugin
        """)
    last = done.stderr.strip().splitlines()[-1]
    assert last == (
        "ImportError: allennlp 2.10.1 is not installed. Install it with this command: udify setup"
    )


def test_push_to_hub_says_what_it_needs():
    with pytest.raises(ConfigurationError, match="huggingface_hub below 1.0"):
        importing._PushToHubGone.get_token()


def adamw(correct_bias: bool, steps: int) -> torch.Tensor:
    weight = torch.nn.Parameter(torch.tensor([1.0, -2.0], dtype=torch.float64))
    params = Params({"type": "huggingface_adamw", "lr": 0.1, "correct_bias": correct_bias})
    optimizer = Optimizer.from_params(params, model_parameters=[("weight", weight)])
    assert isinstance(optimizer, AdamW) or hasattr(transformers, "AdamW")
    for _ in range(steps):
        optimizer.zero_grad()
        (weight**2).sum().backward()
        optimizer.step()
    return weight.detach()


def test_adamw_by_hand():
    # Without correction the first update is lr * 0.1 g / sqrt(0.001 g^2) = 0.1 * 0.1 / 0.0316.
    torch.testing.assert_close(
        adamw(False, 1), torch.tensor([1 - 0.316228, -2 + 0.316228]).double(), rtol=0, atol=1e-5
    )
    # With it, the first update is lr, against the sign of the gradient.
    torch.testing.assert_close(adamw(True, 1), torch.tensor([0.9, -1.9]).double())


def test_adamw_without_correction_equals_a_slow_reference_with_decay():
    start = torch.tensor([0.5, -1.5, 3.0], dtype=torch.float64)
    ours = torch.nn.Parameter(start.clone())
    optimizer = AdamW([ours], lr=0.05, weight_decay=0.1, correct_bias=False)
    expected, mean, square = start.clone(), torch.zeros(3).double(), torch.zeros(3).double()
    for step in range(1, 6):
        gradient = expected.cos() * step
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        expected = expected - 0.05 * mean / (square.sqrt() + 1e-6)
        ours.grad = ours.detach().cos() * step
        optimizer.step()
        expected = expected - 0.05 * 0.1 * expected
        torch.testing.assert_close(ours.detach(), expected)


def test_reduce_on_plateau_accepts_verbose():
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = Optimizer.from_params(
        Params({"type": "sgd", "lr": 1.0}), model_parameters=[("weight", weight)]
    )
    params = Params(
        {"type": "reduce_on_plateau", "factor": 0.5, "patience": 0, "mode": "max", "verbose": False}
    )
    scheduler = LearningRateScheduler.from_params(params, optimizer=optimizer)
    for metric in (1.0, 0.0):
        scheduler.step(metric)
    assert optimizer.param_groups[0]["lr"] == 0.5


def test_training_states_with_numpy_numbers_load_safely():
    state = {"best": numpy.float64(0.5), "epoch": numpy.int64(3), "flag": numpy.bool_(True)}
    buffer = io.BytesIO()
    torch.save(state, buffer)
    buffer.seek(0)
    assert torch.load(buffer, weights_only=True) == state


def test_pretrained_transformer_tokenizer_and_indexer_work():
    from allennlp.data import TokenIndexer, Vocabulary
    from allennlp.data.tokenizers import PretrainedTransformerTokenizer

    tokenizer = PretrainedTransformerTokenizer(str(ENCODER))
    tokens = tokenizer.tokenize("the cat")
    assert tokens[0].text_id == tokenizer.single_sequence_start_tokens[0].text_id
    params = {"type": "pretrained_transformer", "model_name": str(ENCODER), "max_length": 3}
    indexer = TokenIndexer.from_params(Params(params))
    indexed = indexer.tokens_to_indices(tokens, Vocabulary())
    # One wordpiece per segment, each with its start and end.
    assert len(indexed["token_ids"]) == 3 * (len(tokens) - 2)


def test_special_tokens_go_around_and_between_segments():
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(ENCODER))
    frame = running.build_inputs_with_special_tokens
    one, two = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in ("the", "cat"))
    assert frame(tokenizer, one) == tokenizer("the")["input_ids"]
    assert frame(tokenizer, one, two) == tokenizer("the", "cat")["input_ids"]
    assert frame(tokenizer, []) == tokenizer("")["input_ids"]
