import os
import random
import threading
from contextlib import nullcontext

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader

from tests.conftest import FIXTURES
from tests.helpers import DEV, ENCODER, TRAIN
from tests.helpers.loaders import make_loader
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.kernels import processes as processes_module
from udify_allennlp.text.errors import ConlluError

BAD = sorted((FIXTURES / "conllu" / "bad").glob("*.conllu"))


def epoch(loader):
    """The (file, line) of each sentence of an epoch, batch by batch."""
    return [[(s.path, s.line) for s in batch["sentences"]] for batch in loader]


def sentences(**settings):
    return epoch(make_loader(**settings))


def test_every_sentence_comes_once_in_batches_of_the_size_asked_for():
    batches = sentences(batch_size=7)
    assert max(map(len, batches)) == 7
    everything = [sentence for batch in batches for sentence in batch]
    assert len(everything) == len(set(everything)) == 40


def test_without_shuffling_the_longest_come_first_and_the_length_is_exact():
    loader = make_loader(shuffle=False, batch_size=4)
    state = random.getstate()
    widths = [batch["wordpieces"]["ids"].shape[1] for batch in loader]
    assert widths == sorted(widths, reverse=True) and len(widths) == len(loader)
    assert epoch(loader) == epoch(loader)
    assert random.getstate() == state


def test_worker_processes_read_the_same_sentences_in_the_same_order():
    paths = [DEV, TRAIN, str(FIXTURES / "ud" / "de_gsd-ud-dev.conllu")]
    alone, shared = (make_loader(paths, num_workers=n, shuffle=False) for n in (0, 2))
    first, second = ([i["sentences"].metadata for i in x.iter_instances()] for x in (alone, shared))
    assert [(s.path, s.line, s.text) for s in first] == [(s.path, s.line, s.text) for s in second]
    assert epoch(alone) == epoch(shared)


def test_worker_processes_use_the_cache(tmp_path):
    reader = UniversalDependenciesReader(ENCODER, cache_dir=str(tmp_path))
    for _ in range(2):
        loader = make_loader([DEV, TRAIN], reader, num_workers=2, shuffle=False)
        assert epoch(loader) == sentences(data_path=[DEV, TRAIN], shuffle=False)
        assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("num_workers", [0, 2])
def test_an_invalid_file_is_the_same_error_from_any_process(num_workers):
    with pytest.raises(ConlluError) as expected:
        list(UniversalDependenciesReader(ENCODER).read(str(BAD[0])))
    with pytest.raises(ConlluError) as found:
        make_loader([DEV, str(BAD[0]), str(BAD[1]), TRAIN], num_workers=num_workers)
    assert str(found.value) == str(expected.value)


def test_a_killed_worker_is_an_error_and_not_an_endless_wait(monkeypatch):
    monkeypatch.setattr(UniversalDependenciesReader, "table", lambda *_: os.kill(os.getpid(), 9))
    with pytest.raises(RuntimeError, match="Use fewer data_loader.num_workers than 2"):
        make_loader([DEV, TRAIN], num_workers=2)


def test_the_order_changes_from_epoch_to_epoch():
    loader = make_loader(batch_size=4)
    assert epoch(loader) != epoch(loader)


def test_the_order_follows_from_the_state_of_random_when_the_epoch_begins():
    loader = make_loader(batch_size=4)
    before = random.getstate()
    first = iter(loader)
    after = random.getstate()
    random.seed(99)  # whatever happens during the epoch
    batches = epoch(first)
    random.setstate(before)
    second = iter(loader)
    len(loader)
    assert random.getstate() == after != before
    assert epoch(second) == batches
    assert random.getstate() == after


def test_progress_bars_can_be_turned_off(capsys):
    reader = UniversalDependenciesReader(ENCODER)
    for quiet in (True, False):
        params = Params({"type": "udify", "quiet": quiet})
        DataLoader.from_params(params, reader=reader, data_path=DEV)
        assert ("reading files" in capsys.readouterr().err) is not quiet


@pytest.mark.parametrize(
    "settings",
    [
        {"sampling": "uniform"},
        {"sampling": "temperature", "temperature": 5.0, "epoch_size": 150},
        {"epoch_size": 30},
    ],
    ids=lambda settings: "_".join(map(str, settings.values())),
)
def test_sampling_of_treebanks(settings):
    """Bounds of batches and the one draw stay; the length is right to a few batches."""
    random.seed(1)  # "a few" is for one draw, whatever ran before
    german = str(FIXTURES / "ud" / "de_gsd-ud-dev.conllu")
    loader = make_loader([DEV, german, TRAIN], batch_size=7, max_wordpieces=200, **settings)
    state = random.getstate()
    batches = epoch(loader)
    random.setstate(state)
    again = list(loader)
    assert [[(s.path, s.line) for s in batch["sentences"]] for batch in again] == batches
    assert epoch(loader) != batches
    assert all(len(b["sentences"]) <= 7 for b in again)
    assert all(b["wordpieces"]["ids"].numel() <= 200 or len(b["sentences"]) == 1 for b in again)
    assert abs(len(batches) - len(loader)) <= 0.1 * len(loader) + 1
    everything = [sentence for batch in batches for sentence in batch]
    expected = settings.get("epoch_size") or len(list(loader.iter_instances()))
    assert len(everything) == expected
    if settings.get("sampling") == "uniform":
        assert abs(sum(path == german for path, _ in everything) - expected / 2) < 1


def test_weights_multiply_the_shares_of_treebanks():
    german = str(FIXTURES / "ud" / "de_gsd-ud-dev.conllu")
    settings = {"sampling": "uniform", "epoch_size": 120}
    for weights, share in (({}, 1 / 2), ({"de_gsd": 3}, 3 / 4), ({"en_ewt": 2.5}, 2 / 7)):
        loader = make_loader([DEV, german], weights=weights, **settings)
        everything = [sentence for batch in epoch(loader) for sentence in batch]
        assert len(everything) == 120
        assert abs(sum(path == german for path, _ in everything) - share * 120) < 1
    with pytest.raises(ConfigurationError, match=r"'fr_gsd': 2. Name a treebank that is read"):
        make_loader([DEV, german], weights={"fr_gsd": 2}, **settings)
    with pytest.raises(ConfigurationError, match=r"'de_gsd': 0. .* and a number above 0"):
        make_loader([DEV, german], weights={"de_gsd": 0}, **settings)
    for without_shares in ({}, {"per_group": 10}, {"one_language": True, "epoch_size": 5}):
        reader = UniversalDependenciesReader(ENCODER, langs=True)
        with pytest.raises(ConfigurationError, match="an epoch has no such shares"):
            make_loader(german, weights={"de_gsd": 2}, reader=reader, **without_shares)


@pytest.mark.parametrize("settings", [{}, {"sampling": "uniform", "epoch_size": 40}])
def test_processes_share_an_epoch(monkeypatch, settings):
    """Together every sentence once, and as many batches for each as its loader says."""
    loader = make_loader(batch_size=7, **settings)
    monkeypatch.setattr(processes_module, "is_distributed", lambda: True)
    distributed = torch.distributed
    for processes in (1, 2, 3, 8):
        monkeypatch.setattr(distributed, "get_world_size", lambda n=processes: n)
        draws = []

        def broadcast(tensor, src, draws=draws):
            draws.append(int(tensor))
            tensor.fill_(draws[0])  # the first process's draw

        monkeypatch.setattr(distributed, "broadcast", broadcast)
        shares = []
        for rank in range(processes):
            monkeypatch.setattr(distributed, "get_rank", lambda rank=rank: rank)
            shares.append(epoch(loader))
        together = [sentence for share in shares for batch in share for sentence in batch]
        assert len(together) == len(set(together)) == 40
        assert {len(share) for share in shares} == {len(loader)}
        assert len(set(draws)) == processes


def test_mistakes_are_clear():
    reader = UniversalDependenciesReader(ENCODER)
    with pytest.raises(ConfigurationError, match="num_workers is -1"):
        make_loader(num_workers=-1)
    with pytest.raises(ConfigurationError, match="batch_size is 0"):
        make_loader(batch_size=0)
    with pytest.raises(ConfigurationError, match="data_loader has shuffle false and a sampling"):
        make_loader(shuffle=False, sampling="uniform")
    with pytest.raises(ConfigurationError, match="it needs a dataset_reader of type"):
        make_loader(reader=DatasetReader())
    with pytest.raises(ValueError, match="Call index_with"):
        iter(DataLoader.from_params(Params({"type": "udify"}), reader=reader, data_path=DEV))


def test_files_without_sentences_are_refused():
    with pytest.raises(ConfigurationError, match=r"empty\.conllu has no sentences\. Name files"):
        make_loader(data_path=[str(FIXTURES / "conllu" / "empty.conllu")])


def test_for_a_gpu_a_thread_pins_and_queues_copies_of_wordpieces_alone(monkeypatch):
    """The same without a GPU: what would be asked of it is written down."""
    expected = list(make_loader(shuffle=False))
    loader = make_loader(shuffle=False)
    loader.set_target_device(torch.device("cuda:1"))
    devices, threads, pinned, moved = [], set(), [], []

    def pin_memory(tensor):
        threads.add(threading.current_thread().name)
        pinned.append(tensor)
        return tensor

    def to(tensor, device, non_blocking):
        moved.append((device, non_blocking, tensor.data_ptr()))
        return tensor

    monkeypatch.setattr(torch.cuda, "device", lambda d: devices.append(d) or nullcontext())
    monkeypatch.setattr(torch.Tensor, "pin_memory", pin_memory)
    monkeypatch.setattr(torch.Tensor, "to", to)
    batches = list(loader)
    for batch, plain in zip(batches, expected, strict=True):
        for field in ("wordpieces", "layout"):
            for name, tensor in plain.pop(field).items():
                assert torch.equal(batch[field][name], tensor)
        del plain["sentences"]
        for name, tensor in plain.items():
            assert torch.equal(batch[name], tensor)
    assert threads == {"udify-prefetch"}
    assert set(devices) == {torch.device("cuda:1")}
    assert len(pinned) == 10 * len(batches) and len(moved) == 5 * len(batches)
    fields = [batch[name] for batch in batches for name in ("wordpieces", "layout")]
    pieces = {tensor.data_ptr() for field in fields for tensor in field.values()}
    assert {pointer for _, _, pointer in moved} == pieces
    assert {(device, queued) for device, queued, _ in moved} == {(torch.device("cuda:1"), True)}


def test_characters_go_to_the_gpu_with_the_wordpieces(monkeypatch):
    loader = make_loader(reader=UniversalDependenciesReader(ENCODER, characters=True))
    moved = []
    monkeypatch.setattr(torch.cuda, "device", lambda _: nullcontext())
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: tensor)
    monkeypatch.setattr(torch.Tensor, "to", lambda t, *_, **__: moved.append(t.data_ptr()) or t)
    loader.set_target_device(torch.device("cuda:0"))
    batch = next(iter(loader))
    assert {t.data_ptr() for t in batch["characters"].values()} <= set(moved)
    assert batch["lemma"].data_ptr() not in moved


@pytest.mark.gpu
def test_on_a_gpu_wordpieces_are_moved_and_labels_wait_in_pinned_memory():
    expected = list(make_loader(shuffle=False))
    loader = make_loader(shuffle=False)
    loader.set_target_device(torch.device("cuda:0"))
    for batch, plain in zip(loader, expected, strict=True):
        for field in ("wordpieces", "layout"):
            for name, tensor in batch[field].items():
                assert tensor.device == torch.device("cuda:0")
                assert torch.equal(tensor.cpu(), plain[field][name])
        for name in ("upos", "feats", "lemma", "deprels", "heads"):
            assert batch[name].is_pinned() and torch.equal(batch[name], plain[name])
    next(iter(loader))
    assert all(thread.name != "udify-prefetch" for thread in threading.enumerate())
