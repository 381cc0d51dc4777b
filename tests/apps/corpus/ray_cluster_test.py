"""Two nodes on this machine, one of which dies in the middle."""

import os
import time

import pytest

from tests.helpers import DEV
from udify_allennlp.apps.corpus.folder import CorpusFolder
from udify_allennlp.apps.corpus.ray_cluster import connected
from udify_allennlp.apps.corpus.ray_corpus import check_shared, examine_on_ray, parse_on_ray
from udify_allennlp.apps.corpus.shards import save
from udify_allennlp.text.conllu import read_sentences

pytestmark = pytest.mark.skipif(
    not os.environ.get("UDIFY_RAY_NODES"),
    reason="not here: takes a minute, set UDIFY_RAY_NODES=2 to run it",
)


def test_a_node_that_dies_costs_nothing_but_time(tmp_path):
    pytest.importorskip("ray", reason="no Ray: make install EXTRAS=dev,ray")
    from ray.cluster_utils import Cluster

    def save_slowly():  # inside the test: the workers cannot import this file
        def work(shard):
            time.sleep(0.3)
            save(shard.sentences, shard.target)
            return len(shard.sentences)

        return work

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    second = cluster.add_node(num_cpus=1)
    try:
        with connected(cluster.address):
            corpus = CorpusFolder(tmp_path / "out", [str(DEV)], 3, "m", examine_on_ray)
            check_shared([str(DEV)], tmp_path / "out")
            with corpus:
                results = parse_on_ray(corpus.unfinished(), save_slowly, None, 1, 0)
                targets = []
                for target, _ in results:
                    targets.append(target)
                    corpus.done(target)
                    if len(targets) == 4:
                        cluster.remove_node(second, allow_graceful=False)
                assert not corpus.left
    finally:
        cluster.shutdown()
    assert len(targets) == len(set(targets))
    (parsed,) = (path for path in (tmp_path / "out").iterdir() if path.is_file())
    assert [s.text for s in read_sentences(parsed)] == [s.text for s in read_sentences(DEV)]
