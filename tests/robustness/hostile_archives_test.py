"""
Archives that somebody damaged, or made to do damage: each loads and parses, or is refused in one
line that names it. They are the kept archives with one thing changed.
"""

import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from allennlp import commands

from tests.conftest import FIXTURES, ROOT
from tests.helpers.archives import (
    DELETE,
    Files,
    content,
    edit,
    read,
    setting,
    weights,
    without,
    write,
)
from udify_allennlp import cli

TEXT = "# text = The dog sleeps .\n" + "".join(
    f"{n}\t{form}" + "\t_" * 8 + "\n" for n, form in enumerate(["The", "dog", "sleeps", "."], 1)
)


def lines(name: str, function: Callable[[list[str]], list[str]]) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        found = files[f"vocabulary/{name}.txt"].decode().splitlines()
        files[f"vocabulary/{name}.txt"] = "".join(f"{x}\n" for x in function(found)).encode()

    return change


def nested(depth: int) -> Callable[[Files], None]:
    return content("config.json", b'{"model":' * depth + b"1" + b"}" * depth)


CHANGES: dict[str, Callable[[Files], None]] = {
    "nothing": lambda files: None,
    **{f"meta {v!r:.20}": content("meta.json", v) for v in (b"", b"[]", b"{}", b"\xff", b'"x"')},
    **{
        f"version {v}": content("meta.json", json.dumps({"version": v}).encode())
        for v in (1, None, "x", "9.9.9", [], "")
    },
    "meta with more": content("meta.json", b'{"version": "2.10.1", "more": 1}'),
    "no meta": without("meta.json"),
    "no vocabulary": without("vocabulary"),
    "no encoder": without("encoder"),
    "no weights": without("weights.th"),
    "no namespaces": without("vocabulary/non_padded"),
    "other namespaces": content("vocabulary/non_padded_namespaces.txt", b"x\n"),
    "a weight too wide": edit("mixes", lambda w: torch.zeros(99)),
    "a weight flat": edit("decoders", lambda w: w.flatten()),
    "a weight of words": edit("decoders", lambda w: torch.zeros(w.shape, dtype=torch.long)),
    "a complex weight": edit("decoders", lambda w: w.to(torch.complex64)),
    "a weight of no numbers": edit("decoders", lambda w: w * float("nan")),
    "an infinite weight": edit("embedder", lambda w: w + float("inf")),
    "a sparse weight": edit("decoders.lemma", lambda w: w.to_sparse()),
    "a quantized weight": edit(
        "decoders", lambda w: torch.quantize_per_tensor(w, 0.1, 0, torch.qint8)
    ),
    "a weight missing": weights(lambda s: dict(list(s.items())[:-1])),
    "an encoder's weight missing": weights(lambda s: dict(list(s.items())[1:])),
    "a weight too many": weights(lambda s: s.update(more=torch.ones(2))),
    "no weights at all": weights(lambda s: s.clear()),
    "a list of weights": weights(lambda s: list(s.values())),
    "weights of numbers": weights(lambda s: dict.fromkeys(s, 1.0)),
    "rubbish for weights": content("weights.th", b"PK\x03\x04" + b"x" * 99),
    "no labels": content("vocabulary/feats_labels.txt", b""),
    "one label": content("vocabulary/feats_labels.txt", b"_\n"),
    "labels turned round": lines("feats_labels", lambda found: found[::-1]),
    "labels twice": lines("feats_labels", lambda found: found[:1] * len(found)),
    "a label with a newline": lines("feats_labels", lambda x: [f"a@@NEWLINE@@{i}" for i in x]),
    "a label with a tab": lines("feats_labels", lambda x: [f"a\t{i}" for i in x]),
    "labels not of UTF-8": content("vocabulary/feats_labels.txt", b"\xff\xfe\n"),
    "a label without characters": lines("feats_labels", lambda x: ["", *x[1:]]),
    "lemmas by no rules": lines("lemma_labels", lambda x: [f"x{i}" for i, _ in enumerate(x)]),
    "lemmas of tabs": lines("lemma_labels", lambda x: [f"!\\9;{i}" for i, _ in enumerate(x)]),
    "lemmas past Unicode": lines(
        "lemma_labels", lambda x: [f"!\\ffffff;{i}" for i in range(len(x))]
    ),
    "lemmas of surrogates": lines(
        "lemma_labels", lambda x: [f"!\\d800;{i}" for i in range(len(x))]
    ),
    "more characters": lines("characters", lambda x: [*x, "ж"]),
    "another namespace": content("vocabulary/more_labels.txt", b"x\n"),
    "a lock that is a folder": content("vocabulary/.lock/x", b""),
    "config deep": nested(400),
    "config too deep": nested(100_000),
    "config with NaN": setting("model.dropout", float("nan")),
    "config with a huge number": content("config.json", b'{"model": ' + b"9" * 5000 + b"}"),
    "config with a surrogate": content("config.json", b'{"model": {"type": "\\ud800"}}'),
    "no model": setting("model", DELETE),
    "no reader": setting("dataset_reader", DELETE),
    "no decoders": setting("model.decoders", {}),
    "no embedder": setting("model.embedder", DELETE),
    **{
        f"model {v!r:.20}": setting("model", v) for v in ("x", [], None, 1, {"type": 1}, "os.abort")
    },
    **{
        f"reader {v!r:.20}": setting("dataset_reader", v)
        for v in ("x", [], 1, {"type": None}, {"type": "udify_universal_dependencies"})
    },
    **{
        f"{key} {value!r:.20}": setting(key, value)
        for key, values in {
            "dataset_reader.tasks": (["x"], 1, [1], "upos", []),
            "dataset_reader.characters": (False, "x", 3),
            "dataset_reader.max_pieces": (-1, "x", 10**9, 4),
            "dataset_reader.model_name": (3, None, "../../x", "/dev/zero"),
            "dataset_reader.token_indexers": ({"x": {"type": "pretrained_transformer"}},),
            "validation_dataset_reader": ("x.y", {}, [], {"type": "sharded"}),
            "vocabulary": ("x", {"type": "from_pretrained_transformer"}, [], {"type": 5}),
            "model.decoders.feats": ("x", [], None, {"type": "udify_tag_decoder"}, {}),
            "model.decoders.feats.task": ("lemma", "x", None, 3),
            "model.decoders.feats.adaptive": (False, "x"),
            "model.decoders": (["udify_tag_decoder"], {"": {}}, {"a.b": {}}),
            "model.layer_attention": ("sum", "global", "x", []),
            "model.dropout": ("x", -1, 7, None),
            "model.precision": ("x", 3, "int8", "bfloat16"),
            "model.scores": ("os.abort", {"type": "fbeta"}, 3),
            "model.regularizer": (
                {"regexes": [[".*", "l2"]]},
                {"regexes": [[".*", "os.abort"]]},
                3,
            ),
            "model.embedder": ("udify_encoder", {"_pretrained": {"archive_file": "x"}}),
            "model.embedder.dropout": (3, "x", True),
            "model.embedder.compile": ("x", 3),
            "model.embedder.model_name": ("x", 3),
            "model.characters.dim": (10**15, -1, "x", 9),
            "model.characters.widths": ([10**9], [], ["x"], 3),
            "model.more": (1,),
            "random_seed": ("x",),
            "encoder/config.json:model_type": ("x", "gpt2", None, 3, DELETE),
            "encoder/config.json:hidden_size": (0, 33, "x", -4, 10**9),
            "encoder/config.json:vocab_size": (10, 0, "x"),
            "encoder/config.json:num_hidden_layers": (0, 1, "x", -1),
            "encoder/config.json:num_attention_heads": (0, 7, "x"),
            "encoder/config.json:hidden_act": ("x", 3),
            "encoder/config.json:attn_implementation": ("x/y", "eager"),
            "encoder/config.json:_attn_implementation": ("x/y",),
            "encoder/config.json:auto_map": ({"AutoModel": "x.y"}, 3),
            "encoder/config.json:dtype": ("x", 3, "float16"),
            "encoder/config.json:max_position_embeddings": (1, "x"),
            "encoder/config.json:quantization_config": ({"quant_method": "x"}, 3),
        }.items()
        for value in values
    },
    **{
        f"encoder/{name} {v!r:.20}": content(f"encoder/{name}", v)
        for name in ("config.json", "tokenizer.json", "tokenizer_config.json")
        for v in (b"", b"{}", b"[]", b"\xff\xff", b'{"model": {}}', b"[" * 100_000)
    },
    "no tokenizer": without("encoder/tokenizer"),
    "a tokenizer of more pieces": lambda files: files.update(
        {"encoder/tokenizer.json": files["encoder/tokenizer.json"].replace(b": 99", b": 9999")}
    ),
    "a tokenizer of another class": setting("encoder/tokenizer_config.json:tokenizer_class", "X"),
    "a tokenizer that brings code": setting(
        "encoder/tokenizer_config.json:auto_map", {"AutoTokenizer": ["x.Y", None]}
    ),
}


KEPT = ("all_decoders", "sigmorphon")
CASES = [
    (archive, name)
    for offset, archive in enumerate(KEPT)
    for number, name in enumerate(CHANGES)
    # A third of them in the suite, all with `make soak`.
    if os.environ.get("UDIFY_SOAK") or number % 3 == offset
]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.chdir(ROOT)  # the archives name the fixtures' encoder
    monkeypatch.setenv("ALLENNLP_LOG_LEVEL", "ERROR")
    monkeypatch.setattr(commands, "import_plugins", lambda: None)  # a second each time


def predict(archive: Path, folder: Path, monkeypatch, capfd) -> tuple[int, list[str]]:
    source = folder / "in.conllu"
    source.write_text(TEXT + "\n")
    command = ["allennlp", "predict", str(archive), str(source), "--silent"]
    monkeypatch.setattr(sys, "argv", [*command, "--output-file", str(folder / "out.conllu")])
    code = cli.run()  # an exception would be the traceback
    said = capfd.readouterr().err.splitlines()
    return code, [line for line in said if line.startswith("allennlp: ")]


@pytest.mark.parametrize(("archive", "name"), CASES)
def test_an_archive_parses_or_is_refused_in_one_line(archive, name, tmp_path, monkeypatch, capfd):
    files = read(FIXTURES / "archives" / archive / "model.tar.gz")
    try:
        CHANGES[name](files)
    except (KeyError, StopIteration):
        pytest.skip("this archive has no such part")
    path = write(tmp_path / "model.tar.gz", files)
    before = set(tmp_path.rglob("*"))
    code, said = predict(path, tmp_path, monkeypatch, capfd)
    if code == 0:
        assert not said and (tmp_path / "out.conllu").read_text().count("\n") >= 6
    else:
        assert code == 1 and len(said) == 1, said
        assert said[0].startswith(f"allennlp: error: {path}") and len(said[0]) < 900
        assert set(tmp_path.rglob("*")) - before <= {tmp_path / "in.conllu"}


@pytest.mark.parametrize("seed", range(300 if os.environ.get("UDIFY_SOAK") else 20))
def test_an_archive_with_flipped_bytes_parses_or_is_refused(seed, tmp_path, monkeypatch, capfd):
    """In a member, so that no checksum but the member's own tells."""
    files = read(FIXTURES / "archives" / KEPT[seed % 2] / "model.tar.gz")
    draw = random.Random(seed)
    name = draw.choice(sorted(name for name in files if files[name]))
    damaged = bytearray(files[name])
    for _ in range(draw.randint(1, 9)):
        damaged[draw.randrange(len(damaged))] = draw.randrange(256)
    files[name] = bytes(damaged[: draw.choice([None, None, draw.randrange(len(damaged))])])
    path = write(tmp_path / "model.tar.gz", files)
    code, said = predict(path, tmp_path, monkeypatch, capfd)
    if code:
        assert code == 1 and len(said) == 1 and said[0].startswith(f"allennlp: error: {path}")


@pytest.mark.parametrize("key", ["serialization_dir", "cache_dir"])
@pytest.mark.parametrize("part", ["dataset_reader", "model.embedder"])
def test_an_archive_writes_nowhere_else(part, key, tmp_path, monkeypatch, capfd):
    files = read(FIXTURES / "archives" / "all_decoders" / "model.tar.gz")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    setting(f"{part}.{key}", str(elsewhere))(files)
    code, _ = predict(write(tmp_path / "model.tar.gz", files), tmp_path, monkeypatch, capfd)
    assert code == 0 and not any(elsewhere.iterdir())
