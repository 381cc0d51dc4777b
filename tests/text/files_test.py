"""Files appear whole or not at all, and equal content gives equal bytes."""

import errno
import gzip
import lzma
import os
import resource
import threading
from contextlib import contextmanager

import pytest

from udify_allennlp.text.files import (
    DAMAGED,
    compress,
    compression,
    fingerprint,
    keep_names,
    open_compressed,
    size_and_time,
    whole_file,
    write_whole,
)

TEXT = "1\tß\n".encode() * 50_000
NAMES = ["a.conllu", "a.conllu.gz", "a.conllu.xz"]


@contextmanager
def full_disk():
    """No file can grow beyond 1000 bytes: writing more fails, as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read_again(tmp_path, name):
    with whole_file(tmp_path / name) as file:
        for start in range(0, len(TEXT), 1000):
            file.write(TEXT[start : start + 1000])
    with open_compressed(tmp_path / name) as file:
        assert file.read() == TEXT
    plain = (tmp_path / name).read_bytes() == TEXT
    assert plain == (compression(name) == "") and [*tmp_path.iterdir()] == [tmp_path / name]


@pytest.mark.parametrize("name", NAMES)
def test_equal_content_gives_equal_bytes(tmp_path, monkeypatch, name):
    paths = [tmp_path / name, tmp_path / f"other.{name}"]
    for path, now in zip(paths, (1e9, 2e9)):
        monkeypatch.setattr("time.time", lambda now=now: now)
        with whole_file(path) as file:
            file.write(TEXT)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert fingerprint(paths[:1]) == fingerprint(paths[1:])


@pytest.mark.parametrize("name", NAMES)
def test_nobody_sees_a_part_of_it(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(TEXT)
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() != b"old"


@pytest.mark.parametrize("error", [RuntimeError("stop"), KeyboardInterrupt(), OSError("stop")])
@pytest.mark.parametrize("name", NAMES)
def test_an_error_in_the_block_leaves_the_old_file_alone(tmp_path, name, error):
    (tmp_path / name).write_bytes(b"old")
    with pytest.raises(type(error)) as caught, whole_file(tmp_path / name) as file:
        file.write(TEXT)
        raise error
    assert caught.value is error
    assert (tmp_path / name).read_bytes() == b"old" and [*tmp_path.iterdir()] == [tmp_path / name]


@pytest.mark.slow
@pytest.mark.parametrize("size", [2000, 5_000_000])  # fails when it is closed, when it is written
@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk_leaves_nothing_and_is_told_by_the_name_of_the_file(tmp_path, name, size):
    with full_disk(), pytest.raises(OSError) as caught, whole_file(tmp_path / name) as file:
        file.write(os.urandom(size))
    assert caught.value.errno == errno.EFBIG
    assert caught.value.filename == str(tmp_path / name)
    assert [*tmp_path.iterdir()] == []


def test_so_does_a_disk_that_is_found_full_later(tmp_path, monkeypatch):
    def full(file):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device: .*/a.conllu'"):
        write_whole(tmp_path / "a.conllu", [TEXT])
    assert [*tmp_path.iterdir()] == []


def test_it_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    done = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (done.append("content"), fsync(file)))
    monkeypatch.setattr(os, "replace", lambda *names: (done.append("name"), replace(*names)))
    write_whole(tmp_path / "a", [TEXT])
    keep_names(tmp_path)
    assert done == ["content", "name", "content"]


def test_a_missing_folder_is_told_by_the_name_of_the_file(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "none" / "a", [TEXT])
    assert caught.value.filename == str(tmp_path / "none" / "a")


def test_a_link_stays_a_link(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("a.conllu.gz")  # which is not there yet
    for text in (b"one", b"two"):
        with whole_file(link) as file:
            file.write(text)
        assert link.is_symlink()
        assert gzip.decompress((tmp_path / "a.conllu.gz").read_bytes()) == text


@pytest.mark.parametrize("name", NAMES)
def test_a_pipe_is_written_to(tmp_path, name):
    path = tmp_path / name
    os.mkfifo(path)
    found = []
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    with whole_file(path) as file:
        file.write(TEXT)
    reader.join()
    path.unlink()
    path.write_bytes(found[0])
    assert open_compressed(path).read() == TEXT


def test_the_standard_output_is_written_to_where_it_is_a_pipe():
    """`/dev/stdout` then is a link to something without a name."""
    read, write = os.pipe()
    write_whole(f"/dev/fd/{write}", [b"a", b"b"])
    os.close(write)
    with open(read, "rb") as file:
        assert file.read() == b"ab"


def test_the_name_of_the_scratch_can_be_given(tmp_path):
    scratch = tmp_path / "scratch"
    with whole_file(tmp_path / "a.gz", scratch) as file:
        file.write(b"a")
        assert [*tmp_path.iterdir()] == [scratch]
    assert [*tmp_path.iterdir()] == [tmp_path / "a.gz"]
    with pytest.raises(RuntimeError), whole_file(tmp_path / "a.gz", scratch):
        raise RuntimeError
    assert [*tmp_path.iterdir()] == [tmp_path / "a.gz"]


@pytest.mark.parametrize("how", ["", ".gz", ".xz"])
def test_compressed_parts_are_joined_as_they_are(tmp_path, how):
    path = tmp_path / f"a{how}"
    write_whole(path, [compress(b"a", how), compress(b"", how), compress(b"b", how)])
    assert open_compressed(path).read() == b"ab"
    assert compress(TEXT, how) == compress(TEXT, how)


@pytest.mark.parametrize("how", [".gz", ".xz"])
def test_damage_is_told_when_it_is_read(tmp_path, how):
    path = tmp_path / f"a{how}"
    whole = compress(TEXT, how)
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]
    for data in (whole[:-9], flipped, b"no " + whole):
        path.write_bytes(data)
        with open_compressed(path) as file, pytest.raises(DAMAGED):
            file.read()


def test_ends_of_names_say_what_is_compressed():
    names = ["a.gz", "a.xz", "a.GZ", "a.zip", "gz", ".gz"]
    assert [compression(name) for name in names] == [".gz", ".xz", "", "", "", ""]


def test_a_fingerprint_is_of_bytes_and_conditions_not_of_names(tmp_path):
    for name, data in (("a", b"1"), ("b", b"1"), ("c", b"2")):
        (tmp_path / name).write_bytes(data)
    a, b, c = (tmp_path / name for name in "abc")
    assert fingerprint([a]) == fingerprint([b])
    several = [[a], [c], [a, c], [c, a]]
    assert len({fingerprint(paths) for paths in several}) == len(several)
    conditions = [(), (b"x",), (b"x", b"y"), (b"xy",), (b"",)]
    assert len({fingerprint([a], *each) for each in conditions}) == len(conditions)


def test_size_and_time_change_with_the_file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"1")
    os.utime(path, ns=(5, 7))
    assert size_and_time(path) == [1, 7]
    os.utime(path, ns=(5, 8))
    assert size_and_time(path) == [1, 8]


def test_the_other_formats_readers_agree(tmp_path):
    for name, reader in (("a.gz", gzip.open), ("a.xz", lzma.open)):
        with whole_file(tmp_path / name) as file:
            file.write(TEXT)
        assert reader(tmp_path / name).read() == TEXT
