"""Data loaders of the fixtures."""

from allennlp.common import Params
from allennlp.data import DataLoader, Vocabulary

from tests.helpers import DEV, ENCODER
from udify_allennlp.data.ud_reader import UniversalDependenciesReader


def make_loader(data_path=DEV, reader=None, **settings):
    reader = reader or UniversalDependenciesReader(ENCODER)
    params = Params({"type": "udify", "quiet": True, **settings})
    loader = DataLoader.from_params(params, reader=reader, data_path=data_path)
    loader.index_with(Vocabulary.from_instances(loader.iter_instances()))
    return loader
