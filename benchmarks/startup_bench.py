"""
How long does `allennlp predict` take to parse one sentence, and where does the time go?

    python benchmarks/startup_bench.py MODEL [--repeats 5]

MODEL is an archive or a run folder. Each repeat starts two fresh processes: one that only imports
torch, transformers and allennlp, and one that runs the command. They take turns, so that a slow
moment of the machine affects both.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine

Seconds = tuple[float, float]

# AllenNLP can only be imported with our fixes. We also disable garbage collection while importing;
# other programs do not, so neither does this.
IMPORT = """
import gc, os
gc.disable = lambda: None
import torch, transformers
import udify_allennlp
import allennlp.commands
os._exit(0)
"""

# Runs the command in its arguments, as the script `allennlp` does, and writes (stage, clock, CPU)
# to the file named first: the stages of the whole process, and the time spent inside them.
COMMAND = """
import functools, json, sys, time
file, started = sys.argv.pop(1), float(sys.argv.pop(1))
stages = []

def moment(name):
    stages.append((name, time.time() - started, time.process_time()))

class Watch:  # the first of our modules that is imported once AllenNLP is
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "udify_allennlp.archives.loading":
            moment("libraries")

def timed(owner, name, stage):
    found = getattr(owner, name)
    function = getattr(found, "__func__", found)  # of a class method, which subclasses share
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = time.time(), time.process_time()
        result = function(*args, **kwargs)
        inside.append((stage, time.time() - start[0], time.process_time() - start[1]))
        return result
    setattr(owner, name, wrapper if function is found else classmethod(wrapper))

inside = []
sys.meta_path.insert(0, Watch)
from udify_allennlp import cli
from udify_allennlp.apps.commands import predict
from udify_allennlp.archives import loading
moment("ours")
from allennlp.data import Vocabulary
from allennlp.models import Model, archival
timed(loading, "unpack", "unpack")
timed(loading, "check_parts", "check")
timed(archival, "_load_dataset_readers", "tokenizer")
timed(Vocabulary, "from_files", "vocabulary")
timed(Model, "from_params", "build")
timed(Model, "load", "model")
load = predict._get_predictor
def loaded(args):
    moment("command line")
    predictor = load(args)
    moment("load")
    return predictor
predict._get_predictor = loaded
code = cli.run()
moment("parse")
with open(file, "w") as out:
    json.dump([stages, inside], out)
sys.exit(code)
"""

WORDS = ["The", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "."]
SENTENCE = "".join(f"{n}\t{word}" + "\t_" * 8 + "\n" for n, word in enumerate(WORDS, 1)) + "\n"


def run(code: str, *arguments: str) -> Seconds:
    """Returns the wall-clock and CPU seconds of a fresh process, from its start to its end."""
    clock, before = time.time(), os.times()
    environment = {**os.environ, "ALLENNLP_LOG_LEVEL": "WARNING", "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", code, *arguments]
    subprocess.run(command, env=environment, check=True, stderr=subprocess.DEVNULL)
    after = os.times()
    cpu = after.children_user + after.children_system
    return time.time() - clock, cpu - before.children_user - before.children_system


def command(model: str, folder: Path) -> dict[str, Seconds]:
    """Returns the stages of one run of the command, in order."""
    source, marks = folder / "in.conllu", folder / "marks.json"
    source.write_text(SENTENCE)
    words = ["predict", model, str(source), "--silent", "--output-file", str(folder / "out.conllu")]
    words += ["--include-package", "udify_allennlp"]
    whole = run(COMMAND, str(marks), repr(time.time()), *words)
    stages, inside = json.loads(marks.read_text())

    def sums(name: str) -> Seconds:
        # A registered class calls the `from_params` of its base: the outermost call is the longest.
        found = [(clock, cpu) for stage, clock, cpu in inside if stage == name]
        return max(found, default=(0.0, 0.0))

    moments = {name: (clock, cpu) for name, clock, cpu in stages}
    weights = minus(minus(sums("model"), sums("vocabulary")), sums("build"))
    return {
        "imports: torch, transformers, allennlp": moments["libraries"],
        "imports: ours": minus(moments["ours"], moments["libraries"]),
        "command line and plugins": minus(moments["command line"], moments["ours"]),
        "archive: unpack": sums("unpack"),
        "archive: check": sums("check"),
        "reader and tokenizer": sums("tokenizer"),
        "vocabulary": sums("vocabulary"),
        "build the model": sums("build"),
        "load weights": weights,
        "parse and write": minus(moments["parse"], moments["load"]),
        "start to parse": moments["parse"],
        "end of the process": minus(whole, moments["parse"]),
    }


def minus(a: Seconds, b: Seconds) -> Seconds:
    return a[0] - b[0], a[1] - b[1]


def median(rows: list[Seconds]) -> Seconds:
    clock, cpu = zip(*rows, strict=True)
    return statistics.median(clock), statistics.median(cpu)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="model archive (model.tar.gz) or run folder")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")

    imports: list[Seconds] = []
    commands: list[dict[str, Seconds]] = []
    with tempfile.TemporaryDirectory() as folder:
        run(IMPORT)  # warms up: the files of the libraries come from the disk once
        for _ in range(arguments.repeats):
            imports.append(run(IMPORT))
            commands.append(command(arguments.model, Path(folder)))
    size = sum(file.stat().st_size for file in [Path(arguments.model)] if file.is_file())
    lines = [machine.describe(), f"model      {Path(arguments.model).name}, {size / 1e6:.0f} MB"]
    lines.append(f"{'median of ' + str(arguments.repeats):44}{'clock s':>9}{'CPU s':>9}")
    for stage in commands[0]:
        clock, cpu = median([stages[stage] for stages in commands])
        lines.append(f"{stage:44}{clock:9.2f}{cpu:9.2f}")
    clock, cpu = median(imports)
    lines.append(f"{'yardstick: the three libraries alone':44}{clock:9.2f}{cpu:9.2f}")
    pairs = [(run["start to parse"], only) for run, only in zip(commands, imports, strict=True)]
    clock, cpu = median([(run[0] / only[0], run[1] / only[1]) for run, only in pairs])
    lines.append(f"{'start to parse / yardstick':44}{clock:9.2f}{cpu:9.2f}")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
