"""
The checks of `gpu_check.py`: each returns its part of the report, or raises an error if it fails.
"""

import importlib.util
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch
import train_bench
from allennlp.commands.train import train_model_from_file
from gpu_setup import CONFIGS, MBERT, ROOT, TINY, TOY, Setup, table, time_steps

from udify_allennlp.archives.shipped import MULTILINGUAL, archive_of
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.training.trainer import UdifyTrainer

GOAL = 90
"""Seconds for an epoch of UD 2.3."""
TEST_PROCESSES = 6
"""Maximum number of processes that run tests; each takes some memory of the GPU."""
SAME = {"float32": 1.0, "float16": 0.999, "bfloat16": 0.998, "int8": 0.99}
"""Minimum share of predicted arcs, with their deprels, that a precision must not change."""


def tests(setup: Setup) -> str:
    """
    Runs the tests with the mark `gpu`; without a GPU, checks that they are skipped. Files without
    such tests are not read, since some need extras that an installation for a GPU may lack.
    """
    every = sorted((ROOT / "tests").rglob("*_test.py"))
    marked = [str(path) for path in every if "mark.gpu" in path.read_text(encoding="utf-8")]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "-p", "no:cacheprovider"]
    if setup.on_gpu and importlib.util.find_spec("xdist") is not None:
        command += ["-n", str(min(TEST_PROCESSES, os.cpu_count() or 1))]
    done = subprocess.run([*command, *marked], cwd=ROOT, capture_output=True, text=True)
    last = done.stdout.strip().splitlines()[-1:]
    expected = "passed" if setup.on_gpu else "skipped"
    found = re.search(rf"\d+ {expected}", done.stdout)
    if done.returncode or not found or (setup.on_gpu and "skipped" in last[0]):
        raise SystemExit(done.stdout[-1500:] + done.stderr[-500:])
    return f"`pytest -m gpu tests`: {last[0].strip('= ')}\n"


def precision(setup: Setup) -> str:
    """
    Checks in each precision that the loss falls on a few batches, and that no step waits for the
    GPU.
    """
    rows: list[tuple[Any, ...]] = [("precision", "first loss", "last loss", "waits in a step")]
    problems = []
    kinds: dict[str, dict[str, Any]] = {
        "float32": {"trainer.use_amp": False},
        "bfloat16": {"trainer.use_amp": True, "trainer.amp_dtype": "bfloat16"},
        "float16": {"trainer.use_amp": True, "trainer.amp_dtype": "float16"},
    }
    for name, overrides in kinds.items():
        trainer = setup.trainer("tiny.jsonnet", TINY, f"precision_{name}", **overrides)
        batches = list(islice(trainer.data_loader, 4))
        losses = []
        for batch in islice(cycle(batches), setup.size(80, 60)):
            losses.append(trainer.train_step(batch).outputs[0]["loss"])
        first, last = (sum(map(float, part)) / 4 for part in (losses[:4], losses[-4:]))
        waits = _waits(setup, trainer, batches)
        rows.append((name, f"{first:.2f}", f"{last:.2f}", waits))
        if not last < 0.8 * first or waits not in ("none", "not looked for on a CPU"):
            problems.append(name)
    text = table(rows)
    if problems:
        sys.stdout.write(text)
        raise SystemExit(f"wrong in {', '.join(problems)}")
    return text


def _waits(setup: Setup, trainer: UdifyTrainer, batches: list[Any]) -> str:
    """Returns the calls that make the CPU wait for the GPU in a step, as reported by PyTorch."""
    if not setup.on_gpu:
        return "not looked for on a CPU"
    torch.cuda.set_sync_debug_mode("error")
    try:
        for batch in batches:
            trainer.train_step(batch)
    except RuntimeError as error:
        return " ".join(str(error).split())[:200]
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return "none"


def training(setup: Setup) -> str:
    """
    Measures steps, words and sentences per second, memory, the share of the card's rate, and an
    epoch of UD.
    """
    config = "udify_large_gpu.jsonnet" if setup.on_gpu else "tiny.jsonnet"
    rows: list[tuple[Any, ...]] = [
        (
            "encoder",
            "steps/s",
            "words/s",
            "sentences/s",
            "memory, GB",
            "epoch of UD 2.3, s",
            "share",
        )
    ]
    for name, encoder in _encoders(setup):
        trainer = setup.trainer(config, encoder, f"training_{name}")
        speed, batches = time_steps(setup, trainer, setup.size(100, 4))
        epoch = train_bench.UD_SENTENCES / speed.sentences
        rate = train_bench.matrix_rate(trainer)
        seconds = sum(len(batch["layout"]["nodes"]) for batch in batches) / speed.sentences
        share = train_bench.share_of_rate(trainer, batches, seconds, rate)
        rows.append(
            (
                name,
                f"{speed.steps:.1f}",
                f"{speed.words:,.0f}",
                f"{speed.sentences:,.0f}",
                f"{speed.memory / 1e9:.1f}",
                f"{epoch:.0f}",
                f"{share:.1%} of {rate / 1e12:.3g} TFLOPS",
            )
        )
        del trainer, batches
    return (
        f"`{config}`; the goal for an epoch of {train_bench.UD_SENTENCES:,} sentences is "
        f"{GOAL} s. The share is the rate of the encoder's linear layers relative to that of large "
        "matrix products.\n\n" + table(rows)
    )


def _encoders(setup: Setup) -> Iterator[tuple[str, Path]]:
    yield "random, mBERT's size" if setup.on_gpu else "random, tiny", setup.random_encoder()
    if setup.encoder:
        yield "given", setup.encoder


def compile(setup: Setup) -> str:  # noqa: A001  # named as in the report
    """Compares `embedder.compile` on and off."""
    rows: list[tuple[Any, ...]] = [("compile", "steps/s", "memory, GB")]
    config = "udify_large_gpu.jsonnet" if setup.on_gpu else "tiny.jsonnet"
    # On a CPU use the backend that only traces; the other compiles for a minute.
    for backend in (None, "inductor" if setup.on_gpu else "eager"):
        overrides = {"model.embedder.compile": backend}
        trainer = setup.trainer(config, setup.random_encoder(), f"compile_{backend}", **overrides)
        speed, _ = time_steps(setup, trainer, setup.size(30, 3))
        rows.append((backend or "off", f"{speed.steps:.2f}", f"{speed.memory / 1e9:.1f}"))
        del trainer
    return table(rows)


def ddp(setup: Setup) -> str:
    """
    Compares the gradients of one process in a group of one with those of a trainer without a group.
    """
    gradients, batch = [], None
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517")
    backend = "nccl" if setup.on_gpu else "gloo"
    torch.distributed.init_process_group(backend, rank=0, world_size=1)
    try:
        for distributed in (False, True):
            torch.manual_seed(0)
            trainer = setup.trainer(
                "tiny.jsonnet", TINY, f"ddp_{distributed}", **{"trainer.use_amp": False}
            )
            batch = batch or next(iter(trainer.data_loader))  # both get the same one
            model: Any = trainer.model
            model.eval()  # no dropout: both see the same
            if distributed:
                model = torch.nn.parallel.DistributedDataParallel(
                    model,
                    device_ids=[0] if setup.on_gpu else None,
                    find_unused_parameters=True,
                )
            model(**batch)["loss"].backward()
            gradients.append(
                [p.grad.clone() for p in trainer.model.parameters() if p.grad is not None]
            )
    finally:
        torch.distributed.destroy_process_group()
    alone, together = gradients
    for one, other in zip(alone, together, strict=True):
        torch.testing.assert_close(one, other)
    return f"{backend}, a group of one: {len(alone)} gradients equal to those without a group.\n"


def parsing(setup: Setup) -> str:
    """
    Measures words per second and memory in each precision, and the number of arcs that differ from
    float32's: of a model trained here, on its training data, so that predictions are confident, and
    of `multilingual`, if it is available.
    """
    shipped = archive_of(MULTILINGUAL)
    models = {"A model trained here": _trained(setup), f"`{MULTILINGUAL}`": shipped}
    texts = []
    wrong = []
    for name, model in models.items():
        if model is None:
            continue
        text, differ = _in_each_precision(setup, model)
        texts.append(f"{name}: {text}")
        if setup.encoder or model == shipped:  # a tiny encoder is rarely confident
            wrong += [f"{name} in {precision}" for precision in differ]
    if wrong:
        sys.stdout.write("\n".join(texts))
        raise SystemExit(f"too many arcs differ: {', '.join(wrong)}")
    return "\n".join(texts)


def _in_each_precision(setup: Setup, model: Path) -> tuple[str, list[str]]:
    """Returns the table of a model and the precisions in which too many arcs differ."""
    gold = list(read_sentences(setup.train))
    words = sum(map(len, gold))
    gold = gold * max(1, setup.size(20_000, 300) // words)
    words = sum(map(len, gold))
    names = ("float32", "bfloat16", "float16") if setup.on_gpu else ("float32", "bfloat16", "int8")
    rows: list[tuple[Any, ...]] = [("precision", "words/s", "memory, GB", "arcs as in float32")]
    first: list[Any] = []
    wrong = []
    for name in names:
        predictor = load_predictor(model, setup.cuda_device, name)
        list(predictor.parse(gold[:64]))
        setup.synchronize()
        if setup.on_gpu:
            torch.cuda.reset_peak_memory_stats()
        start = time.perf_counter()
        parsed = list(predictor.parse(gold))
        seconds = time.perf_counter() - start
        memory = torch.cuda.max_memory_allocated() if setup.on_gpu else machine.peak_resident()
        arcs = [arc for each in parsed for arc in zip(each.heads, each.deprels)]
        first = first or arcs
        same = sum(a == b for a, b in zip(first, arcs)) / len(arcs)
        rows.append((name, f"{words / seconds:,.0f}", f"{memory / 1e9:.2f}", f"{same:.3%}"))
        wrong += [name] if same < SAME[name] else []
        del predictor
    return f"{words:,} words of {setup.train.name}.\n\n" + table(rows), wrong


def graphs(setup: Setup) -> str:
    """Measures the cost of a graph in the attention: `pair_attention_bench.py` on this device."""
    size = MBERT if setup.on_gpu else TOY
    sizes = {
        "lengths": 64,
        "hidden": size["hidden_size"],
        "layers": size["num_hidden_layers"],
        "heads": size["num_attention_heads"],
        "labels": 200,
    }
    options = [word for name, one in sizes.items() for word in (f"--{name}", str(one))]
    command = [sys.executable, str(ROOT / "benchmarks" / "pair_attention_bench.py"), *options]
    command += ["--device", setup.device, "--repeats", str(setup.size(5, 1))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-1500:])
    return (
        f"The goal is 1.35 times the time and 1.25 times the memory.\n\n```text\n{done.stdout}```\n"
    )


def _trained(setup: Setup) -> Path:
    """Returns a model with confident trees: otherwise, rounding would decide near ties."""
    setup.environment(setup.encoder or TINY, setup.train)
    folder = setup.work / "trained"
    config = "udify_small_cpu.jsonnet" if setup.encoder else "tiny.jsonnet"
    overrides = {
        "trainer.cuda_device": setup.cuda_device,
        "trainer.num_epochs": setup.size(12, 3),
        "trainer.use_amp": setup.on_gpu,
    }
    train_model_from_file(str(CONFIGS / config), str(folder), overrides=overrides, force=True)
    return folder
