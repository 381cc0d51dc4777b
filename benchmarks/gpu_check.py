"""
Checks that all GPU code works on this GPU, measures its speed, and writes one report.

    make gpu-check                                   # fixtures, random weights of mBERT's size
    python benchmarks/gpu_check.py --encoder FOLDER --train FILE --dev FILE --report docs/gpu.md

Each check is a separate process with its own time limit, so that one that fails or hangs does not
affect the others; its last output is then in the report. No network is needed. `--device cpu`
rehearses everything in miniature on a machine without a GPU; the report says so, and its figures
are meaningless.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import gpu_checks
from gpu_setup import FIXTURES, ROOT, Setup, has_gpu, heading

LIMITS = {
    "tests": 150,
    "precision": 120,
    "training": 150,
    "compile": 150,
    "ddp": 60,
    "parsing": 120,
    "graphs": 60,
}
"""Time limit of each check in seconds; together they should take less than ten minutes."""
HEADINGS = {
    "tests": "Tests that need a GPU",
    "precision": "Training in float32, bfloat16 and float16 with a scaler",
    "training": "Training speed",
    "compile": "torch.compile",
    "ddp": "Distributed training on one card",
    "parsing": "Parsing in each precision",
    "graphs": "Graphs in the attention",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--encoder", type=Path, help="folder of an encoder that is also timed")
    parser.add_argument("--train", type=Path, default=FIXTURES / "ud/en_ewt-ud-train.conllu")
    parser.add_argument("--dev", type=Path, default=FIXTURES / "ud/de_gsd-ud-dev.conllu")
    parser.add_argument("--report", type=Path, help="Markdown file to write (default: print only)")
    parser.add_argument(
        "--only",
        choices=tuple(LIMITS),
        action="append",
        help="run only this check; repeat for several",
    )
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)  # of a child
    given = parser.parse_args()
    if given.work is not None:
        setup = Setup(given.device, given.encoder, given.train, given.dev, given.work)
        sys.stdout.write(getattr(gpu_checks, given.only[0])(setup))
        return 0
    if given.device == "cuda" and not has_gpu():
        parser.error("PyTorch finds no GPU. Rehearse the checks without one: --device cpu")
    return run(given)


def run(given: argparse.Namespace) -> int:
    """
    Runs all checks, one after the other, and writes the report after each, so that an interrupted
    run has one too; returns 1 if one failed.
    """
    start = time.monotonic()
    head = heading(given.device)
    parts: list[str] = []
    failed: list[str] = []
    report = head
    with tempfile.TemporaryDirectory() as work:
        for name in given.only or LIMITS:
            said, passed, seconds = check(name, given, Path(work))
            verdict = "passed" if passed else "**failed**"
            parts.append(f"## {HEADINGS[name]}\n\n{verdict}, {seconds:.0f} s\n\n{said.strip()}\n")
            sys.stderr.write(f"{name}: {verdict}, {seconds:.0f} s\n")
            failed += [] if passed else [name]
            faults = ", ".join(failed) or "nothing"
            total = f"{time.monotonic() - start:.0f} s in all; failed: {faults}.\n"
            report = "\n".join([head, total, *parts])
            if given.report:
                given.report.parent.mkdir(parents=True, exist_ok=True)
                given.report.write_text(report, encoding="utf-8")
    sys.stdout.write(report)
    return bool(failed)


def check(name: str, given: argparse.Namespace, work: Path) -> tuple[str, bool, float]:
    """Returns the output of a check, whether it passed, and its seconds."""
    paths: dict[str, Any] = {"--train": given.train, "--dev": given.dev, "--encoder": given.encoder}
    command = [sys.executable, __file__, "--device", given.device, "--only", name]
    for option, path in {**paths, "--work": work}.items():
        command += [option, str(path)] if path else []
    start = time.monotonic()
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMITS[name], env=environment()
        )
        said, passed = done.stdout, done.returncode == 0
        if not passed:
            said += code(done.stderr[-1500:])
    except subprocess.TimeoutExpired as error:
        stderr = error.stderr.decode(errors="replace") if error.stderr else ""
        said, passed = f"not done after {LIMITS[name]} s\n{code(stderr[-1500:])}", False
    return said, passed, time.monotonic() - start


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "ALLENNLP_LOG_LEVEL": "ERROR",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }


def code(text: str) -> str:
    return f"\n```text\n{text.strip()}\n```\n"


if __name__ == "__main__":
    sys.exit(main())
