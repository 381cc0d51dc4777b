import time

import huggingface_hub
import pytest
from allennlp.common.checks import ConfigurationError
from huggingface_hub import constants

from tests.helpers import ENCODER
from udify_allennlp.data import encoder_files
from udify_allennlp.data.ud_reader import UniversalDependenciesReader


class Deaf:
    """A network that does not answer."""

    asked = 0

    def head(self, address, timeout):
        type(self).asked += 1
        raise OSError("Name or service not known")


@pytest.fixture
def no_network(monkeypatch, tmp_path):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub, "get_session", Deaf)
    monkeypatch.setattr(Deaf, "asked", 0)
    encoder_files._ask_the_hub.cache_clear()
    yield
    encoder_files._ask_the_hub.cache_clear()


def test_a_hub_name_without_network_fails_at_once(no_network):
    start = time.monotonic()
    for _ in range(2):
        with pytest.raises(ConfigurationError, match="model_name 'no-such/encoder': .* connect"):
            UniversalDependenciesReader("no-such/encoder")
    assert time.monotonic() - start < 5 and Deaf.asked == 1


def test_folders_need_no_hub(no_network):
    UniversalDependenciesReader(ENCODER)
    assert Deaf.asked == 0 and not constants.HF_HUB_OFFLINE
