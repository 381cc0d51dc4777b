"""The folder of a corpus, without a model: a shard is saved as it was read."""

import gzip
import lzma
import os
import shutil
from itertools import islice
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError

from tests.helpers import DEV
from udify_allennlp.apps.corpus.folder import CorpusFolder
from udify_allennlp.apps.corpus.records import examine
from udify_allennlp.apps.corpus.shards import save
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.errors import ConlluError


@pytest.fixture
def inputs(tmp_path):
    """Plain, compressed, with odd ends, and empty."""
    folder = tmp_path / "in"
    folder.mkdir()
    text = "".join(s.text for s in islice(read_sentences(DEV), 11)).encode()
    (folder / "a.conllu").write_bytes(text.rstrip(b"\n"))
    (folder / "b.conllu.gz").write_bytes(gzip.compress(text.replace(b"\n", b"\r\n")))
    (folder / "c.conllu.xz").write_bytes(lzma.compress(text))
    (folder / "d.conllu").write_bytes(b"")
    (folder / "e.conllu.gz").write_bytes(gzip.compress(b""))
    return sorted(map(str, folder.iterdir()))


def run(folder, inputs, stop=None, size=3, model="m"):
    """Save the first `stop` shards; gives how many there were."""
    with CorpusFolder(folder, inputs, size, model) as corpus:
        count = 0
        for shard in islice(corpus.shards(), stop):
            save(shard.sentences, shard.target)
            corpus.done(shard.target)
            count += 1
        return count


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def content(path):
    openers = {".gz": gzip.open, ".xz": lzma.open}
    with openers.get(Path(path).suffix, open)(path, "rb") as file:
        return file.read()


@pytest.mark.parametrize("size", [1, 3, 11, 100])
def test_shards_join_to_the_files(tmp_path, inputs, size):
    run(tmp_path / "out", inputs, size=size)
    assert sorted(files(tmp_path / "out")) == [Path(path).name for path in inputs]
    for path in inputs:
        assert content(tmp_path / "out" / Path(path).name) == content(path)


@pytest.mark.parametrize("stop", [0, 1, 3, 4, 5, 9, 13])
def test_resumed_anywhere_the_files_are_the_same_and_no_shard_is_done_twice(tmp_path, inputs, stop):
    total = run(tmp_path / "whole", inputs)
    first = run(tmp_path / "cut", inputs, stop=stop)
    assert first + run(tmp_path / "cut", inputs) == total
    assert files(tmp_path / "cut") == files(tmp_path / "whole")
    assert run(tmp_path / "cut", inputs) == 0


def test_killed_between_the_last_shard_and_the_join(tmp_path, inputs):
    with CorpusFolder(tmp_path / "out", inputs[:1], 3, "m") as corpus:
        for shard in corpus.shards():
            save(shard.sentences, shard.target)
    assert not files(tmp_path / "out")
    assert run(tmp_path / "out", inputs[:1]) == 0
    assert content(tmp_path / "out" / "a.conllu") == content(inputs[0])


def test_what_is_left_is_counted(tmp_path, inputs):
    run(tmp_path / "out", inputs, stop=2)
    with CorpusFolder(tmp_path / "out", inputs, 3, "m") as corpus:
        assert (corpus.total, corpus.left) == (33, 27)


def test_an_input_that_changed_is_refused_and_one_only_touched_is_not(tmp_path, inputs):
    run(tmp_path / "out", inputs, stop=2)
    os.utime(inputs[0], (1, 1))
    run(tmp_path / "out", inputs, stop=1)
    Path(inputs[0]).write_bytes(content(inputs[0]) + b"\n")
    with pytest.raises(
        ConfigurationError, match="a.conllu has changed since its parse was started"
    ):
        run(tmp_path / "out", inputs)


def test_nothing_is_given_out_of_an_input_that_changed(tmp_path, inputs):
    """It would be joined with the rest of the file once that is restored."""
    before, times = content(inputs[0]), Path(inputs[0]).stat()
    with CorpusFolder(tmp_path / "out", inputs[:1], 3, "m") as corpus:
        shards = corpus.shards()
        first = next(shards)
        save(first.sentences, first.target)
        Path(inputs[0]).write_bytes(before.replace(b"NOUN", b"VERB"))
        with pytest.raises(ConfigurationError, match="has changed"):
            next(shards)
    Path(inputs[0]).write_bytes(before)
    os.utime(inputs[0], ns=(times.st_atime_ns, times.st_mtime_ns))
    run(tmp_path / "out", inputs[:1])
    assert content(tmp_path / "out" / "a.conllu") == before


def test_an_input_that_changes_while_it_is_checked_is_refused(tmp_path, inputs, monkeypatch):
    def read(path):
        os.utime(path, (1, 1))
        return []

    monkeypatch.setattr("udify_allennlp.apps.corpus.records.read_sentences", read)
    with pytest.raises(ConfigurationError, match="a.conllu changed while it was read"):
        run(tmp_path / "out", inputs)


def test_another_input_of_the_name_is_refused_even_with_the_same_size_and_time(tmp_path, inputs):
    run(tmp_path / "out", inputs[:1])
    other = tmp_path / "other" / "a.conllu"
    other.parent.mkdir()
    shutil.copy2(inputs[0], other)
    assert run(tmp_path / "out", [str(other)]) == 0  # the same content
    other.write_bytes(content(inputs[0]).replace(b"NOUN", b"VERB"))
    status = Path(inputs[0]).stat()
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    run(tmp_path / "out", inputs[:1])
    with pytest.raises(ConfigurationError, match="other/a.conllu is not .*/in/a.conllu, whose"):
        run(tmp_path / "out", [str(other)])


def test_inputs_may_be_added_and_left_out(tmp_path, inputs):
    run(tmp_path / "whole", inputs)
    run(tmp_path / "out", inputs[:2], stop=2)
    run(tmp_path / "out", inputs[1:])
    assert sorted(files(tmp_path / "out")) == [Path(path).name for path in inputs[1:]]
    run(tmp_path / "out", inputs)
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_a_worker_that_outlives_its_run_cannot_write_into_another(tmp_path, inputs):
    with CorpusFolder(tmp_path / "out", inputs[:1], 3, "old model") as corpus:
        late = next(corpus.shards())
    shutil.rmtree(tmp_path / "out")
    with CorpusFolder(tmp_path / "out", inputs[:1], 3, "m") as corpus:
        for shard in corpus.shards():
            with pytest.raises(FileNotFoundError):
                save([], late.target)
            save(shard.sentences, shard.target)
            corpus.done(shard.target)
        with pytest.raises(FileNotFoundError):  # nor when its file is whole
            save(shard.sentences, shard.target)
    assert content(tmp_path / "out" / "a.conllu") == content(inputs[0])


def test_two_workers_may_save_one_shard_at_a_time(tmp_path, inputs, monkeypatch):
    """As when one was given up for dead; on two machines they may even have the same number."""
    with CorpusFolder(tmp_path / "out", inputs[:1], 100, "m") as corpus:
        shard = next(corpus.shards())
        rename = os.replace

        def save_once_more(scratch, target):
            monkeypatch.setattr(os, "replace", rename)
            save(shard.sentences, shard.target)
            rename(scratch, target)

        monkeypatch.setattr(os, "replace", save_once_more)
        save(shard.sentences, shard.target)
        corpus.done(shard.target)
    assert content(tmp_path / "out" / "a.conllu") == content(inputs[0])


def test_a_full_disk_leaves_nothing_behind_and_names_the_file(tmp_path, inputs, monkeypatch):
    def full(file):
        raise OSError(28, "No space left on device")

    with CorpusFolder(tmp_path / "out", inputs[:1], 3, "m") as corpus:
        for shard in corpus.shards():
            with monkeypatch.context() as patch:
                patch.setattr(os, "fsync", full)
                with pytest.raises(OSError, match="No space left on device: .*/a.conllu/.*/"):
                    save(shard.sentences, shard.target)
            save(shard.sentences, shard.target)
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left on device: .*out/a.conllu'"):
            corpus._join("a.conllu")
    left = [path.name for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert sorted(left) == ["0", "1", "2", "3", "a.conllu.json", "lock", "run.json"]
    monkeypatch.undo()
    assert run(tmp_path / "out", inputs[:1]) == 0
    assert content(tmp_path / "out" / "a.conllu") == content(inputs[0])


def test_half_a_shard_of_a_killed_run_is_cleared_away(tmp_path, inputs):
    with CorpusFolder(tmp_path / "out", inputs[:1], 3, "m") as corpus:
        shard = next(corpus.shards())
        half = Path(shard.target).with_name("0123.part")
        half.write_bytes(b"half a sha")
        next(corpus.shards())
        assert not half.exists()


def test_inputs_can_be_examined_elsewhere_in_any_order(tmp_path, inputs):
    def backwards(paths):
        return [examine(path) for path in reversed(paths)]

    with CorpusFolder(tmp_path / "out", inputs, 3, "m", backwards) as corpus:
        assert (corpus.total, corpus.left) == (33, 33)


def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "a.conllu")
    with pytest.raises(ConfigurationError, match="a.conllu is not a regular file"):
        run(tmp_path / "out", [str(tmp_path / "a.conllu")])


def test_an_input_that_changes_meanwhile_is_refused(tmp_path, inputs):
    with CorpusFolder(tmp_path / "out", inputs[:1], 100, "m") as corpus:
        for shard in corpus.shards():
            save(shard.sentences, shard.target)
            os.utime(inputs[0], (1, 1))
            with pytest.raises(ConfigurationError, match="has changed"):
                corpus.done(shard.target)
    assert not files(tmp_path / "out")


def test_other_settings_are_refused(tmp_path, inputs):
    run(tmp_path / "out", inputs, stop=1)
    with pytest.raises(ConfigurationError, match="started with shard_size 3 and .* shard_size 4"):
        run(tmp_path / "out", inputs, size=4)
    with pytest.raises(ConfigurationError, match="cannot continue with another model"):
        run(tmp_path / "out", inputs, model="n")


def test_files_that_are_not_ours_are_left_alone(tmp_path, inputs):
    before = content(inputs[0])
    with pytest.raises(ConfigurationError, match="exists and does not belong to this run"):
        run(tmp_path / "in", inputs)
    assert content(inputs[0]) == before


def test_two_inputs_of_one_name_are_refused(tmp_path, inputs):
    with pytest.raises(ConfigurationError, match="have the same name"):
        CorpusFolder(tmp_path / "out", [inputs[0], "other/a.conllu"], 3, "m")


def test_an_invalid_input_is_refused_before_anything_is_parsed(tmp_path, inputs):
    with gzip.open(inputs[-1], "ab") as file:
        file.write(b"not a row\n")
    with pytest.raises(ConlluError, match="e.conllu.gz:1:"):
        run(tmp_path / "out", inputs)
    assert not files(tmp_path / "out")


def test_only_one_process_at_a_time(tmp_path, inputs):
    busy = pytest.raises(ConfigurationError, match="Another process is parsing into")
    with CorpusFolder(tmp_path / "out", inputs, 3, "m"), busy:
        run(tmp_path / "out", inputs)
    run(tmp_path / "out", inputs)
