"""Archives with one thing changed."""

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

Files = dict[str, bytes]


def read(path: Path) -> Files:
    with tarfile.open(path) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar if m.isreg()}  # type: ignore


def write(path: Path, files: Files) -> Path:
    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def setting(path: str, value: Any) -> Callable[[Files], None]:
    """Another value in config.json, or in `encoder/config.json:...`."""
    name, _, path = ("config.json:" + path if ":" not in path else path).partition(":")

    def change(files: Files) -> None:
        config = json.loads(files[name])
        *parents, last = path.split(".")
        inner = config
        for key in parents:
            inner = inner[key]
        if value is DELETE:
            del inner[last]
        else:
            inner[last] = value
        files[name] = json.dumps(config).encode()

    return change


DELETE = object()


def content(name: str, value: bytes) -> Callable[[Files], None]:
    return lambda files: files.update({name: value})


def without(prefix: str) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        for name in [name for name in files if name.startswith(prefix)]:
            del files[name]

    return change


def weights(edit: Callable[[dict[str, torch.Tensor]], Any]) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        state = torch.load(io.BytesIO(files["weights.th"]), weights_only=True)
        edited = edit(state)
        buffer = io.BytesIO()
        torch.save(state if edited is None else edited, buffer)
        files["weights.th"] = buffer.getvalue()

    return change


def first(state: dict[str, torch.Tensor], part: str) -> str:
    return next(name for name in state if part in name)


def edit(part: str, function: Callable[[torch.Tensor], Any]) -> Callable[[Files], None]:
    def change(state: dict[str, torch.Tensor]) -> None:
        name = first(state, part)
        state[name] = function(state[name])

    return weights(change)
