"""
One hypothesis profile, the paths of shipped files, an environment without networks, and skips that
are loud.
"""

import os

# Before transformers and tokenizers are imported, which read these once.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import udify_allennlp  # noqa: E402, F401, I001  (before anything imports allennlp)

from itertools import islice  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any, Iterator, Tuple  # noqa: E402

import pytest  # noqa: E402
import torch  # noqa: E402
from hypothesis import settings  # noqa: E402

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
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not reason.startswith(NOT_HERE):
            report.outcome = "failed"
            report.longrepr = (
                f"skipped in CI: {reason}\nRun `make install`. A test that some machines cannot "
                f"run says so: let the reason begin with {NOT_HERE!r}."
            )
    return report


def pytest_collection_modifyitems(config: pytest.Config, items: list) -> None:
    """Soak tests run where they are asked for by their mark only, GPU tests where there is one."""
    if "soak" not in config.option.markexpr and not os.environ.get("UDIFY_SOAK"):
        left_out = [item for item in items if item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        if item.get_closest_marker("gpu") and not torch.cuda.is_available():
            item.add_marker(pytest.mark.skip(reason="not here: no GPU"))


@pytest.fixture(scope="session")
def small_data(tmp_path_factory: pytest.TempPathFactory) -> Tuple[str, str]:
    """A training file of 40 sentences and a development file of 10, cut from the fixtures."""
    folder = tmp_path_factory.mktemp("small")
    paths = []
    for split, count in (("train", 40), ("dev", 10)):
        name = f"en_ewt-ud-{split}.conllu"
        sentences = islice(read_sentences(str(FIXTURES / "ud" / name)), count)
        write_sentences(sentences, str(folder / name))
        paths.append(str(folder / name))
    return paths[0], paths[1]


@pytest.fixture(scope="session")
def segmenter(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The archive of a small segmenter of German and French."""
    from tests.saved_segmenter import train_segmenter

    return str(train_segmenter(tmp_path_factory.mktemp("segmenter") / "run"))
