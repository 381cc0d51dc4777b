from allennlp.common import Params
from allennlp.data import DataLoader, Vocabulary

from tests.helpers import DEV, ENCODER
from udify_allennlp.data import UniversalDependenciesReader


def sentences(**settings):
    """The (file, line) of each sentence of an epoch, batch by batch."""
    reader = UniversalDependenciesReader(ENCODER)
    params = Params({"type": "udify", "quiet": True, **settings})
    loader = DataLoader.from_params(params, reader=reader, data_path=DEV)
    loader.index_with(Vocabulary.from_instances(loader.iter_instances()))
    return [[(s.path, s.line) for s in batch["sentences"]] for batch in loader]


def test_every_sentence_comes_once_in_batches_of_the_size_asked_for():
    batches = sentences(batch_size=7)
    assert max(map(len, batches)) == 7
    everything = [sentence for batch in batches for sentence in batch]
    assert len(everything) == len(set(everything)) == 40


def test_worker_processes_read_the_same_sentences():
    alone = sentences(shuffle=False)
    shared = sentences(shuffle=False, num_workers=2)
    assert sorted(sum(alone, [])) == sorted(sum(shared, []))


def test_the_order_changes_from_epoch_to_epoch():
    assert sentences(batch_size=4) != sentences(batch_size=4)
