"""
One hypothesis profile, the paths of shipped files, an environment without networks, and skips that
are loud.
"""

import os
import sys

# Before transformers and tokenizers are imported, which read these once.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import udify_allennlp.plugin  # noqa: E402, F401, I001  (before anything imports allennlp)

from contextlib import nullcontext  # noqa: E402
from itertools import islice  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any
from collections.abc import Callable, Iterator  # noqa: E402

import pytest  # noqa: E402

pytest.register_assert_rewrite("tests.helpers")

import torch  # noqa: E402
from allennlp.common import Params  # noqa: E402
from allennlp.nn import util  # noqa: E402
from hypothesis import settings  # noqa: E402

from tests import stand_in  # noqa: E402
from udify_allennlp.data import device_batches  # noqa: E402
from udify_allennlp.text.conllu import read_sentences, write_sentences  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
CONFIGS = ROOT / "training_config"

# The first torch call is slow; the same examples each time, so that a failure can be repeated.
settings.register_profile("udify", deadline=None, derandomize=True)
settings.load_profile("udify")

# Tests are tiny: threads cost more than they give, and one thread sums in one order.
torch.set_num_threads(1)

NOT_HERE = "not here: "
"""How the reason of a skip begins that is no fault: what this machine is, lacks, or is spared."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[Any]:
    return _loud((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[Any]:
    return _loud((yield))


def _loud(report: Any) -> Any:
    """In CI all is installed and shipped: what is skipped for want of something has failed."""
    if report.skipped and os.environ.get("UDIFY_CI") and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not reason.startswith(NOT_HERE):
            report.outcome = "failed"
            report.longrepr = (
                f"skipped in CI: {reason}\nRun `make install`. A test that some machines cannot "
                f"run says so: let the reason begin with {NOT_HERE!r}."
            )
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--stand-in",
        action="store_true",
        help="run tests with the mark gpu that take the fixture gpu on a stand-in for one",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list) -> None:
    """
    Soak tests run where they are asked for by their mark only, GPU tests where there is one, or its
    stand-in if that can do what they ask for.
    """
    if "soak" not in config.option.markexpr and not os.environ.get("UDIFY_SOAK"):
        left_out = [item for item in items if item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    stands_in = config.getoption("--stand-in")
    for item in items:
        has_one = torch.cuda.is_available() or (stands_in and "gpu" in item.fixturenames)
        if item.get_closest_marker("gpu") and not has_one:
            item.add_marker(pytest.mark.skip(reason="not here: no GPU"))


@pytest.fixture
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[torch.device]:
    """
    The first GPU, number 0, with LSTMs in whole float32, to be compared with a CPU's; or with
    `--stand-in` what stands in for it.
    """
    if not request.config.getoption("--stand-in"):
        monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)
        yield torch.device("cuda", 0)
        return
    device = stand_in.set_up()
    monkeypatch.setattr(torch.nn.Module, "cuda", lambda module, _=None: module.to(device))
    monkeypatch.setattr(util, "device_mapping", lambda _: "cpu")
    # It has no pinned memory, and is there for one thread alone.
    monkeypatch.setattr(device_batches, "prefetched", iter)
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: tensor)
    monkeypatch.setattr(torch.cuda, "device", lambda _: nullcontext())
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with stand_in.used():
        yield device


@pytest.fixture(autouse=True)
def restored_sys_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restores `sys.path`, to which commands add their folder: a longer one slows each import."""
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture(scope="session")
def small_data(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A training file of 40 sentences and a development file of 10, cut from the fixtures."""
    folder = tmp_path_factory.mktemp("small")
    paths = []
    for split, count in (("train", 40), ("dev", 10)):
        name = f"en_ewt-ud-{split}.conllu"
        sentences = islice(read_sentences(str(FIXTURES / "ud" / name)), count)
        write_sentences(sentences, str(folder / name))
        paths.append(str(folder / name))
    return paths[0], paths[1]


@pytest.fixture
def shipped(
    small_data: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Path], Params]:
    """Reads a shipped config for the fixtures, ready for `TrainModel`."""
    from tests.helpers.configs import for_fixtures

    return lambda path: for_fixtures(path, small_data, tmp_path, monkeypatch)


@pytest.fixture(scope="session")
def segmenter(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The archive of a small segmenter of German and French."""
    from tests.saved_segmenter import train_segmenter

    return str(train_segmenter(tmp_path_factory.mktemp("segmenter") / "run"))


@pytest.fixture(scope="session")
def multilingual() -> Any:
    """The shipped parser, which takes seconds to load."""
    from udify_allennlp import Parser

    return Parser.load()
