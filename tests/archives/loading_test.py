import errno
import gzip
import io
import json
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import pytest
import torch
from allennlp.models import archival

from tests.conftest import FIXTURES
from udify_allennlp.archives import loading, unpacking
from udify_allennlp.archives.loading import (
    ArchiveError,
    check_config,
    check_weights,
    extracted_archive,
)
from udify_allennlp.archives.run_folder import load_weights

CONFIG = {"model": {"type": "udify_model", "text_field_embedder": {"type": "basic"}}}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which archives are unpacked, to see what is left there."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def saved(state: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(state, buffer)
    return buffer.getvalue()


def write_archive(
    path: Path,
    files: Optional[dict[str, Optional[bytes]]] = None,
    change: Optional[Callable[[tarfile.TarFile], None]] = None,
) -> Path:
    """A small model archive in which `files` replace parts (None: left out)."""
    parts = {
        "config.json": json.dumps(CONFIG).encode(),
        "weights.th": saved({"layer.weight": torch.ones(2, 3)}),
        "vocabulary/upos.txt": b"NOUN\nVERB\n",
        **(files or {}),
    }
    with tarfile.open(path, "w:gz") as tar:
        for name, content in parts.items():
            if content is not None:
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
        if change is not None:
            change(tar)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(ArchiveError) as caught, extracted_archive(path, cleanup=False):
        pass
    message = str(caught.value)
    assert "\n" not in message and message.startswith(str(path))
    return message


def test_a_good_archive_is_unpacked_and_cleaned_up(tmp_path, temporary):
    path = write_archive(tmp_path / "model.tar.gz")
    with extracted_archive(path) as folder:
        names = {path.name for path in Path(folder).iterdir()}
        assert names == {"config.json", "vocabulary", "weights.th"}
        assert (Path(folder) / "vocabulary" / "upos.txt").read_bytes() == b"NOUN\nVERB\n"
    assert not any(temporary.iterdir())
    with extracted_archive(path, cleanup=False) as folder:
        pass
    assert Path(folder).is_dir()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run's folder with 400 kB of weights that gzip could make small."""
    (tmp_path / "vocabulary").mkdir()
    (tmp_path / "vocabulary" / "non_padded_namespaces.txt").write_text("*tags\n")
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "best.th").write_bytes(saved({"weight": torch.zeros(100_000)}))
    return tmp_path


def test_what_allennlp_archives_is_accepted(run, temporary):
    with extracted_archive(archival.archive_model(run, include_in_archive=["encoder"])) as folder:
        assert Path(archival.get_weights_path(folder)).exists()


def test_archives_are_not_compressed_but_any_gzip_reads_them(run):
    loading.install()
    path = archival.archive_model(run, include_in_archive=["encoder"])
    assert Path(path).stat().st_size > 400_000
    with tarfile.open(path, "r:gz") as tar:
        member = tar.extractfile("weights.th")
        assert member is not None and member.read() == (run / "best.th").read_bytes()


def test_flipped_bits_are_noticed_without_compression_too(run, temporary):
    path = Path(archival.archive_model(run, include_in_archive=["encoder"]))
    content = bytearray(path.read_bytes())
    content[200_000] ^= 1
    path.write_bytes(content)
    assert "damaged" in refusal(path)


def test_flipped_bits_of_weights_in_a_folder_are_noticed(tmp_path):
    unpacking.unpack(FIXTURES / "archives" / "all_decoders" / "model.tar.gz", str(tmp_path))
    weights = tmp_path / "weights.th"
    assert load_weights(tmp_path)
    content = bytearray(weights.read_bytes())
    content[len(content) // 2] ^= 1
    assert torch.load(io.BytesIO(content), weights_only=True)  # PyTorch takes it as it is
    weights.write_bytes(content)
    for load in (load_weights, loading.load_archive):
        with pytest.raises(ArchiveError, match="weights.th: is damaged, .* --recover") as told:
            load(tmp_path)
        assert "\n" not in str(told.value)


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> Callable:
    def add(tar: tarfile.TarFile) -> None:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, target
        tar.addfile(member)

    return add


@pytest.mark.parametrize(
    "name", ["../evil", "a/../../evil", "/tmp/udify-evil", "C:\\evil", "\\evil", "a\\..\\..\\evil"]
)
def test_paths_out_of_the_archive_are_rejected(tmp_path, temporary, name):
    message = refusal(write_archive(tmp_path / "model.tar.gz", {name: b"evil"}))
    assert "points outside the archive" in message
    assert not any(temporary.iterdir())
    assert not (tmp_path / "evil").exists() and not Path("/tmp/udify-evil").exists()


def test_a_name_that_no_file_can_have_is_rejected(tmp_path, temporary):
    def add(tar: tarfile.TarFile) -> None:
        member = tarfile.TarInfo("x")
        member.pax_headers = {"path": "vocabulary/a\0b"}
        tar.addfile(member)

    assert "outside the archive" in refusal(write_archive(tmp_path / "model.tar.gz", change=add))
    assert not any(temporary.iterdir())


def test_modes_and_owners_of_an_archive_are_not_taken_over(tmp_path, temporary):
    def add(tar: tarfile.TarFile) -> None:
        for kind, name in ((tarfile.DIRTYPE, "folder"), (tarfile.REGTYPE, "folder/program")):
            member = tarfile.TarInfo(name)
            member.type, member.mode, member.uid = kind, 0o6777 if kind == b"0" else 0, 4711
            tar.addfile(member)

    with extracted_archive(write_archive(tmp_path / "model.tar.gz", change=add)) as folder:
        found = Path(folder, "folder", "program").stat()
        assert found.st_mode & 0o6111 == 0 and found.st_uid == os.getuid()


def test_a_python_without_safe_filters_unpacks(tmp_path, temporary, monkeypatch):
    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    path = write_archive(tmp_path / "model.tar.gz")
    with extracted_archive(path) as folder:
        assert (Path(folder) / "vocabulary" / "upos.txt").read_bytes() == b"NOUN\nVERB\n"


@pytest.mark.parametrize(
    "change",
    [
        link("escape", "/etc"),
        link("escape", "../../somewhere"),
        link("inside", "config.json"),
        link("hard", "/etc/passwd", tarfile.LNKTYPE),
        link("pipe", "", tarfile.FIFOTYPE),
        link("device", "", tarfile.CHRTYPE),
    ],
)
def test_links_and_devices_are_rejected(tmp_path, temporary, change):
    message = refusal(write_archive(tmp_path / "model.tar.gz", change=change))
    assert "is a link or a device" in message
    assert not any(temporary.iterdir())


class Evil:
    """Runs a command when it is unpickled without a check."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple:
        return os.system, (f"touch {self.path}",)


def test_code_in_weights_does_not_run(tmp_path, temporary):
    weights = saved({"layer.weight": Evil(tmp_path / "ran")})
    message = refusal(write_archive(tmp_path / "model.tar.gz", {"weights.th": weights}))
    assert "weights.th: rejected" in message and "system" in message
    assert not (tmp_path / "ran").exists()
    assert not any(temporary.iterdir())


def test_code_in_weights_does_not_run_when_the_environment_switches_safety_off(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    weights = tmp_path / "weights.th"
    weights.write_bytes(saved({"layer.weight": Evil(tmp_path / "ran")}))
    with pytest.raises(ArchiveError, match="rejected"):
        check_weights(weights)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "weights", [b"", b"\x00\x01garbage", saved({"w": torch.ones(50)})[:-40], saved([1]), saved({})]
)
def test_weights_without_named_tensors(tmp_path, weights):
    path = tmp_path / "weights.th"
    path.write_bytes(weights)
    if weights == saved({}):  # a model without parameters is odd, but no danger
        check_weights(path)
    else:
        with pytest.raises(ArchiveError, match="weights.th"):
            check_weights(path)


def test_old_weight_files_load(tmp_path):
    path = tmp_path / "weights.th"
    torch.save({"w": torch.ones(2)}, path, _use_new_zipfile_serialization=False)
    assert not zipfile.is_zipfile(path)  # it is of the old kind
    check_weights(path)
    evil = {"w": Evil(tmp_path / "ran")}
    torch.save(evil, path, _use_new_zipfile_serialization=False)
    with pytest.raises(ArchiveError, match="rejected"):
        check_weights(path)
    assert not (tmp_path / "ran").exists()


def test_an_archive_unpacks_to_a_multiple_of_its_size_at_most(tmp_path, temporary, monkeypatch):
    zeros = bytes(80 << 20)  # 80 kB when they are compressed
    path = write_archive(tmp_path / "model.tar.gz", {"zeros": zeros})
    assert "unpacks to more than" in refusal(path) and unpacking.MAX_UNPACKED in refusal(path)
    assert not any(temporary.iterdir())
    monkeypatch.setenv(unpacking.MAX_UNPACKED, "0.1")
    with extracted_archive(path) as folder:
        assert Path(folder, "zeros").stat().st_size == len(zeros)
    monkeypatch.setenv(unpacking.MAX_UNPACKED, "much")
    with (
        pytest.raises(ArchiveError, match="Set it to a number of gigabytes"),
        extracted_archive(path),
    ):
        pass


def test_what_stands_behind_the_archive_or_in_a_header_counts_too(tmp_path, temporary):
    path = write_archive(tmp_path / "model.tar.gz")
    path.write_bytes(path.read_bytes() + gzip.compress(bytes(80 << 20)))
    assert "unpacks to more" in refusal(path)

    def long_name(tar: tarfile.TarFile) -> None:
        member = tarfile.TarInfo("x")
        member.type, member.size = tarfile.GNUTYPE_LONGNAME, 80 << 20
        tar.addfile(member, io.BytesIO(bytes(80 << 20)))

    assert "unpacks to more" in refusal(write_archive(path, change=long_name))


def test_an_archive_has_so_many_files_at_most(tmp_path, temporary):
    many: dict[str, Optional[bytes]] = {f"x/{number}": b"" for number in range(2001)}
    assert "more than 2000 files" in refusal(write_archive(tmp_path / "model.tar.gz", many))
    assert not any(temporary.iterdir())


@pytest.mark.parametrize("key", ["attn_implementation", "_attn_implementation"])
def test_an_encoder_that_names_its_code_is_rejected(tmp_path, temporary, key):
    config = json.dumps({"text_config": {key: "someone/kernel"}, "model_type": "bert"}).encode()
    message = refusal(write_archive(tmp_path / "model.tar.gz", {"encoder/config.json": config}))
    assert "encoder/config.json: rejected" in message and key in message


def test_a_config_tells_no_place_to_write_to(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(
        '{"dataset_reader": {"serialization_dir": "/x", "cache_dir": "/x", "type": "a"}, '
        '"model": {"embedder": [{"serialization_dir": "/x"}]}}'
    )
    assert check_config(path) == {"dataset_reader": {"type": "a"}, "model": {"embedder": [{}]}}


def test_a_full_disk_leaves_the_archive_that_was_there(run, monkeypatch):
    path = Path(archival.archive_model(run, include_in_archive=["encoder"]))
    good = path.read_bytes()
    add = tarfile.TarFile.addfile

    def full(self: tarfile.TarFile, member: tarfile.TarInfo, *args: Any) -> None:
        if member.name == "weights.th":
            raise OSError(errno.ENOSPC, "No space left on device")
        add(self, member, *args)

    monkeypatch.setattr(tarfile.TarFile, "addfile", full)
    before = sorted(run.iterdir())
    with pytest.raises(OSError, match="No space left") as caught:
        archival.archive_model(run)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == good and sorted(run.iterdir()) == before


def test_an_archive_is_the_same_whenever_and_by_whom_it_is_made(run, tmp_path):
    first = Path(archival.archive_model(run, include_in_archive=["encoder"])).read_bytes()
    for path in run.rglob("*"):
        os.utime(path, (1, 1))
        path.chmod(0o700)
    assert Path(archival.archive_model(run, include_in_archive=["encoder"])).read_bytes() == first


BAD_CONFIGS = {
    "jsonnet import": ("{model: import '/etc/passwd'}", "not plain JSON"),
    "jsonnet environment": ("{\"a\": std.extVar('HOME')}", "not plain JSON"),
    "module": ('{"model": {"type": "os.path"}}', "would import a module"),
    "module and constructor": ('{"model": {"type": "evil:main"}}', "would import a module"),
    "deep": ('{"a": [[{"b": {"type": "x.y"}}]]}', "would import a module"),
    "hidden": ('{"a": {"type": "x.y", "type": "good"}}', "would import a module"),
    "another archive": ('{"a": {"_pretrained": {"archive_file": "x"}}}', "another archive"),
    "remote": ('{"a": {"trust_remote_code": true}}', "trust_remote_code"),
    "list": ("[]", "not a JSON object"),
    "nested": ("[" * 100_000, "not plain JSON"),
    "empty": ("", "not plain JSON"),
    "latin": ('{"a": "\udce9"}', "not plain JSON"),
}


@pytest.mark.parametrize("name", BAD_CONFIGS)
def test_configs_that_could_run_code_are_rejected(tmp_path, temporary, name):
    text, reason = BAD_CONFIGS[name]
    content = text.encode(errors="surrogateescape")
    message = refusal(write_archive(tmp_path / "model.tar.gz", {"config.json": content}))
    assert "config.json" in message and reason in message


def test_harmless_dots_are_accepted(tmp_path):
    path = tmp_path / "config.json"
    harmless = {"path": "a.b", "types": "x.y", "type": "udify_a", "trust_remote_code": False}
    path.write_text(json.dumps(harmless))
    assert check_config(path) == harmless
    for change in ({"type": "a.b"}, {"trust_remote_code": True}):
        path.write_text(json.dumps({**harmless, **change}))
        with pytest.raises(ArchiveError):
            check_config(path)


@pytest.mark.parametrize("part", ["config.json", "weights.th", "vocabulary/upos.txt"])
def test_missing_parts_are_named(tmp_path, temporary, part):
    message = refusal(write_archive(tmp_path / "model.tar.gz", {part: None}))
    assert f"has no {part.split('/')[0]}" in message


def test_files_that_are_no_archive(tmp_path, temporary):
    path = tmp_path / "model.tar.gz"
    assert "no such file" in refusal(path)
    whole = write_archive(path, {"extra": os.urandom(30_000)}).read_bytes()
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w"):
        pass
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0xFF
    for content in (b"", b"PK\x03\x04", os.urandom(500), plain.getvalue(), bytes(damaged)):
        path.write_bytes(content)
        assert "not a gzipped tar file, or a damaged" in refusal(path)
    for length in range(1, len(whole), 997):
        path.write_bytes(whole[:length])
        refusal(path)
    path.unlink()
    path.mkdir()
    assert "cannot be unpacked" in refusal(path)
    assert not any(temporary.iterdir())


def test_allennlp_loads_through_the_checks(tmp_path, temporary):
    loading.install()
    loading.install()
    assert archival.extracted_archive is extracted_archive
    bad = write_archive(tmp_path / "model.tar.gz", {"../evil": b""})
    with pytest.raises(ArchiveError, match="points outside"):
        archival.load_archive(bad)
    with pytest.raises(ArchiveError, match="no such file"):
        archival.load_archive(tmp_path / "absent.tar.gz")
    with pytest.raises(ArchiveError, match="config.json: no such file"):
        archival.load_archive(tmp_path)
    (tmp_path / "config.json").write_text('{"model": {"type": "x.y"}}')
    with pytest.raises(ArchiveError, match="would import a module"):
        archival.load_archive(tmp_path)
    assert not any(temporary.iterdir())


def test_weights_of_a_folder_are_checked_before_they_are_loaded(tmp_path):
    (tmp_path / "best.th").write_bytes(saved({"w": Evil(tmp_path / "ran")}))
    with pytest.raises(ArchiveError, match="rejected"):
        archival._load_model({}, archival.get_weights_path(tmp_path), tmp_path, -1)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes."),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_model_that_is_too_large_is_not_called_damaged(tmp_path, monkeypatch, error):
    def load(*args: Any, **kwargs: Any) -> None:
        raise error

    monkeypatch.setitem(loading._original, "load_archive", load)
    path = tmp_path / "model.tar.gz"
    with pytest.raises(ArchiveError, match="does not fit into memory .*use another device"):
        loading.load_archive(write_archive(path))
