import hashlib
import json
import logging
import multiprocessing
import os
import pickletools
import shutil
import stat
import threading
import time
import zlib
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from tests.conftest import FIXTURES
from tests.helpers import DEV, ENCODER, TRAIN
from udify_allennlp.data import cache, ud_reader
from udify_allennlp.data.cache import table_key
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.conllu import read_sentences


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


def reader(folder, **settings):
    return UniversalDependenciesReader(ENCODER, cache_dir=str(folder), **settings)


def kept(folder):
    return sorted(folder.glob("*.table"))


def contents(table):
    """All that a table says, in types that can be compared."""
    names = ("lines", "text_offsets", "word_offsets")
    arrays = {name: getattr(table, name).tolist() for name in names}
    columns = {
        name: (c.unit, c.names, c.codes.tolist(), table.offsets(name).tolist())
        for name, c in table.columns.items()
    }
    return arrays, columns, [text.tobytes() for text in table.texts], table.paths


@pytest.fixture
def counted(monkeypatch):
    """The files that were really read, in a list."""
    files = []

    def spy(path, *args):
        files.append(path)
        return read_sentences(path, *args)

    monkeypatch.setattr(ud_reader, "read_sentences", spy)
    return files


@pytest.mark.parametrize("tasks", [[], ["upos"], ["upos", "xpos", "feats", "lemma", "deps"]])
def test_a_table_from_the_cache_is_the_table(folder, counted, tasks):
    plain = UniversalDependenciesReader(ENCODER, tasks=tasks).table(DEV)
    counted.clear()
    first = reader(folder, tasks=tasks).table(DEV)
    again = reader(folder, tasks=tasks).table(DEV)
    assert counted == [DEV]
    assert contents(plain) == contents(first) == contents(again)
    assert len(kept(folder)) == len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("name", ["empty", "bom", "crlf", "empty_nodes"])
def test_unusual_files_are_kept_too(folder, counted, name):
    path = str(FIXTURES / "conllu" / f"{name}.conllu")
    first, again = (reader(folder, tasks=[], check_trees=False) for _ in range(2))
    assert contents(first.table(path)) == contents(again.table(path))
    assert counted == [path]


def test_a_file_with_the_same_bytes_needs_no_reading_whatever_its_name(folder, counted, tmp_path):
    copy = str(shutil.copy(DEV, tmp_path / "copy.conllu"))
    reader(folder).table(DEV)
    table = reader(folder).table(copy)
    assert counted == [DEV]
    assert table.sentence(0).path == copy


def test_everything_that_changes_a_table_changes_its_key(folder, counted, tmp_path):
    path = str(shutil.copy(DEV, tmp_path / "dev.conllu"))
    reader(folder).table(path)
    reader(folder, max_pieces=16, skip_invalid=True).table(path)
    assert len(counted) == 1  # neither changes what is in the table
    reader(folder, tasks=["upos"]).table(path)
    reader(folder, inputs=["xpos"]).table(path)
    assert len(counted) == 3
    with open(path, "a", encoding="utf-8") as file:
        file.write("".join(s.text for s in list(read_sentences(DEV))[:1]))
    assert len(reader(folder).table(path)) == 41 and len(counted) == 4
    encoder = tmp_path / "encoder"
    shutil.copytree(ENCODER, encoder)
    tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    tokenizer.add_tokens(["the"])
    tokenizer.save(str(encoder / "tokenizer.json"))
    UniversalDependenciesReader(str(encoder), cache_dir=str(folder)).table(path)
    assert len(counted) == 5 and len(kept(folder)) == 5


def test_compression_is_part_of_the_key(tmp_path):
    (tmp_path / "a.conllu").write_bytes(b"x")
    (tmp_path / "a.conllu.gz").write_bytes(b"x")
    keys = {table_key(str(tmp_path / name)) for name in ("a.conllu", "a.conllu.gz")}
    assert len(keys) == 2
    assert table_key(str(tmp_path / "a.conllu"), b"a", b"b") != table_key(
        str(tmp_path / "a.conllu"), b"ab", b""
    )


def damages(data):
    """Every kind of damage, with a name."""
    middle = len(data) // 2
    yield "empty", b""
    yield "one byte", data[:1]
    yield "no header", data[:20]
    yield "half", data[:middle]
    yield "last byte missing", data[:-1]
    yield "one byte more", data + b"\0"
    yield "zeros", bytes(len(data))
    for place in (0, 13, 40, middle, len(data) - 2):
        yield f"flipped at {place}", data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def test_damaged_files_are_read_anew_and_replaced(folder, counted, caplog):
    expected = contents(reader(folder).table(DEV))
    (file,) = kept(folder)
    data = file.read_bytes()
    for name, damaged in damages(data):
        file.unlink()  # the tables above are still mapped
        file.write_bytes(damaged)
        caplog.clear()
        counted.clear()
        with caplog.at_level(logging.WARNING):
            assert contents(reader(folder).table(DEV)) == expected, name
        assert counted == [DEV] and f"{file} is damaged: reading {DEV} again" in caplog.text, name
        assert file.read_bytes() == data, name


def test_an_interrupted_writer_leaves_nothing(folder, monkeypatch):
    def interrupted(file, table):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(cache, "_write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reader(folder).table(DEV)
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_warns_once(tmp_path, caplog):
    (tmp_path / "file").write_text("not a folder")
    with caplog.at_level(logging.WARNING):
        mine = reader(tmp_path / "file" / "cache")
        assert len(mine.table(DEV)) == 40 and len(mine.table(TRAIN)) > 40
    assert caplog.text.count("Tables cannot be kept in") == 1
    assert "Name a writable folder" in caplog.text


def test_a_full_disk_warns_once(folder, monkeypatch, caplog):
    def full(file, table):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache, "_write", full)
    with caplog.at_level(logging.WARNING):
        mine = reader(folder)
        assert len(mine.table(DEV)) == 40 and len(mine.table(TRAIN)) > 40
    assert caplog.text.count("No space left on device") == 1
    assert list(folder.iterdir()) == []


def test_a_pipe_is_neither_waited_for_nor_kept(folder, counted, tmp_path):
    """A treebank may be a pipe, which is read once; from malice, so may a file of the cache."""
    pipe = str(tmp_path / "pipe.conllu")
    os.mkfifo(pipe)
    with open(DEV, "rb") as file:
        text = file.read()
    writer = threading.Thread(target=lambda: Path(pipe).write_bytes(text), daemon=True)
    writer.start()
    assert len(reader(folder).table(pipe)) == 40 and kept(folder) == []
    writer.join(10)
    reader(folder).table(DEV)
    (file,) = kept(folder)
    file.unlink()
    os.mkfifo(file)
    assert len(reader(folder).table(DEV)) == 40


def test_a_file_may_be_read_by_whom_the_umask_says(folder):
    before = os.umask(0o022)
    try:
        reader(folder).table(DEV)
    finally:
        os.umask(before)
    assert stat.S_IMODE(kept(folder)[0].stat().st_mode) == 0o644


def test_what_died_half_written_is_swept_and_what_is_being_written_is_not(folder):
    reader(folder).table(DEV)
    for name, age in (("dead.part", 2 * 86400), ("alive.part", 60)):
        (folder / name).write_text("half")
        os.utime(folder / name, (time.time() - age,) * 2)
    reader(folder).table(DEV)
    assert sorted(path.name for path in folder.glob("*.part")) == ["alive.part"]


def test_a_whole_file_with_a_strange_header_is_read_anew(folder, caplog):
    expected = contents(reader(folder).table(DEV))
    (file,) = kept(folder)
    data = file.read_bytes()
    for old, new in ((b'"columns"', b'"kolumns"'), (b'"arrays"', b'"array "'), (b"<i4", b"<x4")):
        changed = data[:-4].replace(old, new)
        assert changed != data[:-4]
        file.unlink()
        file.write_bytes(changed + zlib.crc32(changed).to_bytes(4, "little"))
        with caplog.at_level(logging.WARNING):
            assert contents(reader(folder).table(DEV)) == expected
        assert f"reading {DEV} again" in caplog.text
        caplog.clear()


def test_a_file_that_changes_while_it_is_read_is_not_kept(folder, monkeypatch, tmp_path):
    path = shutil.copy(DEV, tmp_path / "dev.conllu")

    def slow(path, *args):
        yield from read_sentences(path, *args)
        with open(path, "ab") as file:
            file.write(b"\n")

    monkeypatch.setattr(ud_reader, "read_sentences", slow)
    assert len(reader(folder).table(str(path))) == 40
    assert kept(folder) == []


def test_skipped_sentences_are_reported_every_time(folder, caplog):
    bad = str(sorted((FIXTURES / "conllu" / "bad").glob("*.conllu"))[0])
    for _ in range(2):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            reader(folder, skip_invalid=True).table(bad)
        assert f"{bad}: skipped " in caplog.text
    assert kept(folder) == []


def write_often(folder, barrier, results):
    mine = reader(folder)
    barrier.wait()
    for _ in range(5):
        for file in kept(folder):
            file.unlink(missing_ok=True)
        results.put(hashlib.sha256(repr(contents(mine.table(DEV))).encode()).hexdigest())


def test_writers_and_readers_at_the_same_time_all_get_the_table(folder):
    context = multiprocessing.get_context("fork")
    barrier, results = context.Barrier(3), context.Queue()
    workers = [
        context.Process(target=write_often, args=(folder, barrier, results)) for _ in range(3)
    ]
    for worker in workers:
        worker.start()
    found = {results.get(timeout=60) for _ in range(15)}
    for worker in workers:
        worker.join()
    assert found == {hashlib.sha256(repr(contents(reader(folder).table(DEV))).encode()).hexdigest()}
    assert len(list(folder.iterdir())) == 1


def test_the_environment_names_the_folder_unless_the_config_does(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("UDIFY_CACHE", str(tmp_path / "elsewhere"))
    reader(folder).table(DEV)
    assert len(kept(folder)) == 1 and not kept(tmp_path / "elsewhere")
    UniversalDependenciesReader(ENCODER).table(DEV)
    assert len(kept(tmp_path / "elsewhere")) == 1
    monkeypatch.delenv("UDIFY_CACHE")
    UniversalDependenciesReader(ENCODER).table(TRAIN)
    assert len(kept(folder)) == len(kept(tmp_path / "elsewhere")) == 1


def test_a_kept_table_is_arrays_and_json_and_can_only_be_read(folder):
    table = reader(folder).table(DEV)
    table = reader(folder).table(DEV)
    data = kept(folder)[0].read_bytes()
    with pytest.raises(ValueError):
        list(pickletools.genops(data))
    start = len(cache.MAGIC) + 8
    length = int.from_bytes(data[len(cache.MAGIC) : start], "little")
    header = json.loads(data[start : start + length])
    assert {place["dtype"] for place in header["arrays"].values()} == {"|u1", "<i4", "<i8"}
    with pytest.raises(ValueError, match="read-only"):
        table.columns["pieces"].codes[0] = 1


def test_a_table_outlives_its_file(folder):
    reader(folder).table(DEV)
    table = reader(folder).table(DEV)
    before = contents(table)
    Path(kept(folder)[0]).unlink()
    assert contents(table) == before


def test_the_version_is_raised_when_tables_change(tmp_path):
    """
    Old files of the cache must not be taken for new ones. If this fails on purpose, because tables,
    lemma rules or checks have changed, raise `cache.VERSION` and put in the new digest.
    """
    digest = hashlib.sha256()
    for name in ("en_ewt", "de_gsd"):
        path = str(FIXTURES / "ud" / f"{name}-ud-train.conllu")
        reader(tmp_path / name).table(path)
        digest.update(kept(tmp_path / name)[0].read_bytes())
    assert (cache.VERSION, digest.hexdigest()[:16]) == (2, "e1a4f42460c59f8b")
