"""Archives of every kind of model, each with a change or two made at random from a fixed seed."""

import io
import json
import random
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from allennlp.common import Registrable
from allennlp.common.from_params import infer_constructor_params

from tests.helpers.archives import Files, read, weights, write
from tests.saved_kinds import KINDS, SHIPPED, save_kind
from udify_allennlp.archives.shipped import archive_of
from udify_allennlp.config import rooms

SEGMENTER = "segmenter"
NAMES = [*KINDS, *SHIPPED, "multilingual", SEGMENTER]
OUTSIDE = "udify-outside"
"""In the name of everything outside an archive that its config names."""
Change = Callable[[Files, random.Random], None]


def honest(name: str) -> Files:
    """The files of an archive as training, or a release, left it."""
    if name in SHIPPED:
        return read(SHIPPED[name])
    if name in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            run = save_kind(name, Path(folder))
            kept = {path: str(path.relative_to(run)) for path in run.rglob("*") if path.is_file()}
            found = {inner: path.read_bytes() for path, inner in kept.items()}
        found["weights.th"] = found.pop("best.th")
        return {inner: data for inner, data in found.items() if not inner.startswith("given/")}
    shipped = archive_of("multilingual")
    assert shipped is not None
    found = read(shipped)
    if name != SEGMENTER:
        return found
    return {
        inner.removeprefix("segmenter/"): data
        for inner, data in found.items()
        if inner.startswith("segmenter/")
    }


def outside(folder: Path) -> list[str]:
    """Names of things outside an archive, of which the first ones are there."""
    place = folder / OUTSIDE
    return [
        *(str(place), str(place / "model.tar.gz"), str(place / "en.npz"), "/dev/zero"),
        *(f"http://127.0.0.1:9/{OUTSIDE}.tar.gz", f"hf://{OUTSIDE}/model", f"{OUTSIDE}/model"),
    ]


def values(draw: random.Random, names: list[str]) -> Any:
    return draw.choice(
        [
            *(None, True, -1, 0, 1, 3, 10**5, 10**9, 10**15, 10**400, 0.0, -0.5, 1e300),
            *(float("nan"), float("inf"), "", "x", "x" * 100_000, "\ud800", "\x1b[2J", "os.abort"),
            *([], {}, [[]], [10**9] * 9, ["x"] * 1000, {"type": "x"}, {"x": {"x": {}}}),
            *names,
            [draw.choice(names)],
            {"type": "archive", "archive": draw.choice(names)},
        ]
    )


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    inner = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value[:50]) if isinstance(value, list) else inner
    return [*found, *(place for key, each in inner for place in _places(each, (*at, key)))]


def _get(value: Any, at: tuple[Any, ...]) -> Any:
    for key in at:
        value = value[key]
    return value


def _json(files: Files, name: str, change: Callable[[Any], None]) -> None:
    try:
        config = json.loads(files[name])
        change(config)
        files[name] = json.dumps(config).encode()
    except (ValueError, KeyError, TypeError, IndexError):
        return  # an earlier change has taken that place


def _set(files: Files, draw: random.Random, names: list[str], name: str) -> None:
    def change(config: Any) -> None:
        *parents, last = draw.choice(_places(config))
        parent = _get(config, tuple(parents))
        if draw.random() < 0.1 and isinstance(parent, dict):
            del parent[last]
        else:
            parent[last] = values(draw, names)

    _json(files, name, change)


rooms.import_all()
CLASSES = [
    (base, name, found, getattr(found, constructor) if constructor else found.__init__)
    for base, registered in Registrable._registry.items()
    for name, (found, constructor) in registered.items()
    if found.__module__.startswith("udify_allennlp") and ".apps." not in found.__module__
]
"""Every class that a config can name."""


def _class(files: Files, draw: random.Random, names: list[str]) -> None:
    """A registered class at some place of the config, all its settings hostile ones."""

    def change(config: Any) -> None:
        sections = [place for place in _places(config) if isinstance(_get(config, place), dict)]
        place = draw.choice(sections)
        _, name, found, constructor = draw.choice(CLASSES)
        given = infer_constructor_params(found, constructor).items()
        settings = {"type": name} if draw.random() < 0.8 else {}
        for key, parameter in given:
            text = "str" in str(parameter.annotation)
            if draw.random() < (0.8 if text else 0.3):
                settings[key] = draw.choice(names) if text else values(draw, names)
        parent = _get(config, place[:-1])
        parent[place[-1]] = settings if draw.random() < 0.5 else {**parent[place[-1]], **settings}

    _json(files, "config.json", change)


def _paths(files: Files, draw: random.Random, names: list[str]) -> None:
    """Another place for each text that a setting can be a place in, and copies taken out."""

    def change(config: Any) -> None:
        for place in _places(config):
            parent = _get(config, place[:-1])
            key = str(place[-1])
            if key in ("model_name", "vectors", "archive", "teacher", "start", "folder"):
                parent[place[-1]] = draw.choice(names)
            if key in ("embedder", "dataset_reader") and draw.random() < 0.3:
                parent[key].update(cache_dir=names[0], more_vectors=names[2])

    _json(files, "config.json", change)
    if draw.random() < 0.7:
        copies = [name for name in files if name.startswith(("encoder/", "initial/"))]
        for name in draw.sample(copies, min(len(copies), draw.choice([1, 1, 9]))):
            del files[name]


def _encoder_paths(files: Files, draw: random.Random, names: list[str]) -> None:
    keys = {
        "encoder/config.json": (
            *("backbone", "_name_or_path", "name_or_path", "adapter", "base_model_name_or_path"),
            *("auto_map", "quantization_config", "architectures", "text_config", "encoder"),
        ),
        "encoder/tokenizer_config.json": (
            *("tokenizer_file", "vocab_file", "merges_file", "name_or_path", "auto_map"),
            *(
                "chat_template",
                "tokenizer_class",
                "fast_tokenizer_files",
                "special_tokens_map_file",
            ),
        ),
    }
    for name, found in keys.items():
        _json(files, name, lambda c, found=found: c.update({draw.choice(found): names[0]}))


def _labels(files: Files, draw: random.Random, names: list[str]) -> None:
    found = [name for name in files if "vocabulary/" in name and name.endswith(".txt")]
    if not found:
        return
    name = draw.choice(found)
    lines = files[name].split(b"\n")
    files[name] = draw.choice(
        [
            lambda: b"\n" * draw.choice([10, 10**6]),
            lambda: b"\n".join([lines[0][:20]] * draw.choice([2, 200_000])),
            lambda: b"x" * 3_000_000,
            lambda: b"\n".join(draw.sample(lines, len(lines))),
            lambda: b"\n".join(lines[: len(lines) // 2]),
            lambda: b"\n".join(str(n).encode() for n in range(200_000)),
            lambda: draw.randbytes(1000),
            lambda: b"\r\n".join(lines),
            lambda: b"",
        ]
    )()


def _weights(files: Files, draw: random.Random, names: list[str]) -> None:
    def change(state: dict[str, torch.Tensor]) -> Any:
        name = draw.choice(sorted(state))
        old = state[name]
        if old.numel() > 10**7:
            return  # an earlier change has made it so
        new = [
            *(lambda: torch.zeros(9), lambda: old.flatten(), lambda: old.half(), lambda: old[:0]),
            lambda: torch.zeros(1).expand(10**5, 10**5),
            lambda: torch.zeros(10**6, dtype=torch.int8).expand(50, -1),
            lambda: old.new_full(old.shape, float("nan")) if old.is_floating_point() else old[:0],
            lambda: torch.sparse_coo_tensor(torch.zeros(1, 0).long(), torch.zeros(0), (10**9,)),
            lambda: torch.zeros(10**3).to_sparse(),
        ]
        state[name] = draw.choice(new)()
        if draw.random() < 0.2:
            state.update({f"{OUTSIDE}.{n}": torch.zeros(1) for n in range(1000)})
        if draw.random() < 0.1:
            del state[name]

    try:
        weights(change)(files)
    except (KeyError, RuntimeError, ValueError, NotImplementedError):
        return


def _tokenizer(files: Files, draw: random.Random, names: list[str]) -> None:
    part = draw.choice(["normalizer", "pre_tokenizer", "post_processor", "decoder"])
    evil = {"type": "Replace", "pattern": {"Regex": "(x+x+)+y"}, "content": "x" * 1000}
    nested: Any = evil
    kind = draw.choice(["normalizers", "pretokenizers"])  # both would double it each time
    for _ in range(100):
        nested = {"type": "Sequence", kind: [nested]}
    split = {"type": "Split", "pattern": {"Regex": "(?:.*)*$"}, "behavior": "Isolated"}
    growing = {"type": "Prepend", "prepend": "x" * 100_000}
    doubling = {"type": "Replace", "pattern": {"Regex": "."}, "content": "xx"}
    bomb = {"type": "Sequence", "normalizers": [doubling] * 40}
    parts = [evil, nested, {**split, "invert": True}, growing, bomb]
    parts += [{"type": "Precompiled", "precompiled_charsmap": "AAAA"}, {"type": "x"}, None, []]

    def change(settings: Any) -> None:
        if draw.random() < 0.6:
            settings[part] = draw.choice(parts)
            return
        piece = {"special": False, "lstrip": True, "rstrip": True, "normalized": True}
        added = {"id": draw.choice([0, 99, 10**9, 2**32 - 1]), "content": "e", **piece}
        model = settings["model"]
        draw.choice(
            [
                lambda: settings["added_tokens"].append({**added, "single_word": False}),
                lambda: model["vocab"].update({"x": draw.choice([10**9, 2**32 - 1, -1])}),
                lambda: model.update(max_input_chars_per_word=10**18),
                lambda: model.update(unk_token="x"),
                lambda: model.update(type=draw.choice(["BPE", "Unigram", "WordLevel"])),
                lambda: settings.update(truncation={"max_length": 0}),
                lambda: settings.update(padding={"strategy": {"Fixed": 10**9}}),
            ]
        )()

    _json(files, "encoder/tokenizer.json", change)


def _bytes(files: Files, draw: random.Random, names: list[str]) -> None:
    name = draw.choice(sorted(name for name in files if files[name]) or [""])
    data = bytearray(files.get(name, b""))
    for _ in range(draw.randint(1, 9) if data else 0):
        data[draw.randrange(len(data))] = draw.randrange(256)
    files[name or "x"] = bytes(data[: draw.choice([None, None, len(data) // 2])])


def _arrays(files: Files, draw: random.Random, names: list[str]) -> None:
    """Vectors that are many more, or wider, than their bytes."""
    found = sorted(name for name in files if name.endswith(".npz"))
    if not found:
        _set(files, draw, names, "config.json")
        return
    buffer = io.BytesIO()
    shape = draw.choice(["(1000000000, 100)", "(0, 8)", "(1, 1000000000)", "(-1, 8)", "(2, 3)"])
    descr = draw.choice(["<f4", "|O", "<f8", "<U1000000", "|V8"])
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name in ("words", "vectors"):
            file.writestr(f"{name}.npy", array + bytes(draw.choice([0, 100, 50_000_000])))
    files[draw.choice(found)] = buffer.getvalue()


def _inner(files: Files, draw: random.Random, names: list[str]) -> None:
    """A change in the archive within the archive, or in the model within the model."""
    name = "initial/model.tar.gz"
    with tempfile.TemporaryDirectory() as folder:
        if name in files:
            path = Path(folder, "model.tar.gz")
            path.write_bytes(files[name])
            inner = read(path)
            change(inner, draw, names)
            files[name] = write(path, inner).read_bytes()
            return
    within = {name.removeprefix("segmenter/"): data for name, data in files.items()}
    within = {name: within[name] for name in within if f"segmenter/{name}" in files}
    if not within:
        _class(files, draw, names)
        return
    change(within, draw, names)
    for name in [name for name in files if name.startswith("segmenter/")]:
        del files[name]
    files.update({f"segmenter/{name}": data for name, data in within.items()})


def _settings(files: Files, draw: random.Random, names: list[str]) -> None:
    found = sorted(name for name in files if name.endswith(".json") and files[name])
    if found:
        _set(files, draw, names, draw.choice(["config.json", *found]))


CHANGES = {
    **{"settings": _settings, "class": _class, "paths": _paths, "encoder's paths": _encoder_paths},
    **{"labels": _labels, "weights": _weights, "tokenizer": _tokenizer, "bytes": _bytes},
    **{"vectors": _arrays, "inner": _inner},
}


def change(files: Files, draw: random.Random, names: list[str]) -> list[str]:
    """Changes an archive; gives the names of the changes."""
    done = []
    for _ in range(draw.choice([1, 1, 1, 2])):
        done.append(draw.choice(list(CHANGES)))
        CHANGES[done[-1]](files, draw, names)
    return done
