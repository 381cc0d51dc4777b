"""A corpus on Ray: first what needs no Ray, then the command on one machine and on two."""

import gzip
import pickle
import sys
from itertools import islice
from pathlib import Path

import pytest

from tests.helpers import DEV
from tests.saved_model import save_run
from udify_allennlp import cli
from udify_allennlp.apps.corpus import ray_corpus
from udify_allennlp.apps.corpus.folder import CorpusFolder
from udify_allennlp.apps.corpus.ray_cluster import one_line, room
from udify_allennlp.apps.corpus.ray_corpus import TRIES, RayWorker, examine_row, find_unseen, read
from udify_allennlp.apps.corpus.shards import save
from udify_allennlp.text.conllu import read_sentences, write_sentences


@pytest.fixture
def inputs(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    write_sentences(islice(read_sentences(DEV), 12), folder / "a.conllu")
    write_sentences(islice(read_sentences(DEV), 30), folder / "b.conllu.gz")
    (folder / "c.conllu.gz").write_bytes(gzip.compress(b""))
    return sorted(map(str, folder.iterdir()))


@pytest.fixture
def one_machine(monkeypatch):
    monkeypatch.setattr(ray_corpus, "this_node", lambda: "10.0.0.7")


@pytest.fixture
def allennlp(monkeypatch, capfd):
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)

    def execute(*words):
        monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, words)])
        return cli.run(), capfd.readouterr().err

    return execute


def save_as_read():
    def work(shard):
        save(shard.sentences, shard.target)
        return len(shard.sentences)

    return work


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def texts(path):
    return [sentence.text for sentence in read_sentences(path)]


def rows(unfinished):
    return [row for item in unfinished for row in read({"unfinished": pickle.dumps(item)})]


def test_readers_and_workers_do_what_one_machine_does(tmp_path, inputs):
    with CorpusFolder(tmp_path / "out", inputs, 5, "m") as corpus:
        worker = RayWorker(save_as_read)
        results = [worker(row) for row in rows(corpus.unfinished())]
        assert sum(result["count"] for result in results) == corpus.total == 42
        for result in results:
            assert result["error"] == ""
            corpus.done(result["target"])
    for path in inputs:
        assert texts(tmp_path / "out" / Path(path).name) == texts(path)
    with CorpusFolder(tmp_path / "out", inputs, 5, "m") as corpus:
        assert not rows(corpus.unfinished())


def test_the_row_of_an_examined_input_holds_its_record_or_the_error(inputs, one_machine):
    assert pickle.loads(examine_row({"path": inputs[0]})["record"]).sentences == 12
    Path(inputs[0]).write_text("not a row\n")
    error = examine_row({"path": inputs[0]})["error"]
    assert error.startswith("on machine 10.0.0.7: ConlluError: ") and "a.conllu:1:" in error


def test_a_reader_that_does_not_see_the_input_says_where(tmp_path, inputs, one_machine):
    with CorpusFolder(tmp_path / "out", inputs[:1], 5, "m") as corpus:
        (item,) = corpus.unfinished()
        Path(inputs[0]).unlink()
        (row,) = rows([item])
    assert "on machine 10.0.0.7: FileNotFoundError" in row["error"] and inputs[0] in row["error"]
    assert RayWorker(save_as_read)(row)["error"] == row["error"]


def test_a_worker_that_cannot_start_says_where(one_machine):
    def setup():
        raise ValueError("no such\nmodel")

    answer = RayWorker(setup)({"shard": b"", "error": ""})["error"]
    assert answer == "a worker could not start on machine 10.0.0.7: ValueError: no such model"


def failing(shard):
    raise ValueError("no memory")


@pytest.mark.parametrize(
    "deaths, work, reason",
    [(0, failing, "on machine 10.0.0.7: ValueError: no memory"), (TRIES, None, "its worker died")],
)
def test_a_shard_is_given_up_after_failures_and_after_deaths(
    tmp_path, inputs, one_machine, deaths, work, reason
):
    with CorpusFolder(tmp_path / "out", inputs[:1], 5, "m") as corpus:
        row = rows(corpus.unfinished())[0]
        Path(f"{pickle.loads(row['shard']).target}.begun").write_bytes(b"." * deaths)
        error = RayWorker(lambda: work)(row)["error"]
        assert f"a.conllu, sentences 1 to 5 failed {TRIES} times; the last time, {reason}." in error
        assert rows(corpus.unfinished())[0] == row  # another run counts anew
        assert RayWorker(save_as_read)(row)["count"] == 5


def test_what_a_machine_does_not_see_is_named(tmp_path, inputs):
    assert find_unseen(inputs, str(tmp_path)) == ""
    assert find_unseen([*inputs, "/no/such"], str(tmp_path)).startswith("cannot see /no/such. ")
    # Of a folder that is not shared only the new file in it is missing.
    unseen = find_unseen([*inputs, str(tmp_path / "token")], str(tmp_path))
    assert unseen.startswith(f"cannot see {tmp_path}. Input, output and model must have")


def test_workers_fit_by_what_they_take():
    machine = {"CPU": 8.0, "GPU": 2.0}
    assert [room(machine, 1, 0), room(machine, 3, 0), room(machine, 1, 0.5)] == [8, 2, 4]
    assert [room(machine, 16, 0), room({"CPU": 8.0}, 1, 1), room(machine, 0.5, 1)] == [0, 0, 2]


def test_of_a_stack_trace_the_last_line_is_told():
    assert one_line(ValueError("Trace\n  line 3\nImportError: x\n\n")) == "ImportError: x"
    assert one_line(ValueError()) == "ValueError"


def test_without_ray_one_line_says_what_to_install(allennlp, inputs, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    words = ["ud-parse", tmp_path, inputs[0], "--out", tmp_path / "out", "--ray", "auto"]
    code, errors = allennlp(*words)
    assert code == 1 and "pip install 'udify_allennlp[ray]'" in errors.splitlines()[-1]
    code, errors = allennlp(*words, "--cuda-device", "0")
    assert code == 1 and "use --worker-gpus 1" in errors.splitlines()[-1]


def test_a_cluster_that_is_not_there_is_one_line_at_once(allennlp, inputs, tmp_path):
    pytest.importorskip("ray", reason="no Ray: make install EXTRAS=dev,ray")
    words = ["ud-parse", tmp_path, inputs[0], "--out", tmp_path / "out", "--ray", "127.0.0.1:1"]
    code, errors = allennlp(*words)
    assert code == 1 and "'127.0.0.1:1' cannot be used: " in errors.splitlines()[-1]


@pytest.mark.slow
def test_files_of_the_command_are_those_of_one_machine(allennlp, inputs, tmp_path, monkeypatch):
    pytest.importorskip("ray", reason="no Ray: make install EXTRAS=dev,ray")
    (tmp_path / "run").mkdir()
    words = ["ud-parse", save_run(tmp_path / "run"), f"{tmp_path}/in/*", "--shard-size", 5]
    code, errors = allennlp(*words, "--out", tmp_path / "ray", "--ray", "local", "--workers", 1)
    assert code == 0 and "42/42 " in errors and "sentences/s" in errors
    assert allennlp(*words, "--out", tmp_path / "here")[0] == 0
    assert files(tmp_path / "ray") == files(tmp_path / "here") and len(files(tmp_path / "ray")) == 3
    # What was done on Ray is done for one machine, too.
    assert "42/42 " in allennlp(*words, "--out", tmp_path / "ray")[1]
