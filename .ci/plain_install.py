"""
Do the README's commands work in an environment installed by the README alone?

Builds the wheel, installs it into a new environment without extras and developers' tools, and tests
there: every module, the help of every command, the three commands of AllenNLP with
`--include-package`, raw text, `Predictor` in a program that does not import this package, and each
feature that needs an extra, which must give a one-line message.

    python .ci/plain_install.py FOLDER
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UD = ROOT / "fixtures" / "ud"
ALL_MODULES = """
import importlib, pkgutil
import udify_allennlp, udify_command
count = 0
for package in (udify_command, udify_allennlp):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
            count += 1
assert count > 280, count
"""
ALL_HELP = """
import contextlib, io, sys
import udify_allennlp.plugin
from allennlp.commands import Subcommand, parse_args
names = list(Subcommand.list_available())
assert len(names) > 20, names
for name in names:
    text = io.StringIO()
    sys.argv = ["allennlp", name, "--help"]
    with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
        parse_args("allennlp")
    assert text.getvalue().startswith(f"usage: allennlp {name}"), (name, text.getvalue())
"""
PREDICTOR = """
from allennlp.predictors import Predictor
from allennlp.models.archival import load_archive
import sys
predictor = Predictor.from_path(sys.argv[1])
print(predictor.dump_line(predictor.predict_json({"sentence": "It works ."})))
"""
EXTRAS = {
    "serve": "allennlp ud-serve multilingual",
    "viz": "allennlp ud-languages multilingual --test $UD_DEV --out languages",
    "ray": "allennlp ud-parse multilingual text.txt --out parses --ray auto",
    "udpipe": "allennlp predict multilingual text.txt --tokenizer some.udpipe",
    "storage": "allennlp predict s3://bucket/model.tar.gz text.txt",
    "spacy": "python -c 'import udify_spacy'",
    "onnx": "allennlp ud-export multilingual --onnx exported",
    "search": f"allennlp ud-search //word {UD / 'en_ewt-ud-dev.conllu'}",
    "pandas": "python -c 'import udify_allennlp as u; u.Parser.load()(\"It works.\").to_pandas()'",
    "allennlp": "python -c 'import udify_allennlp.plugin; "
    "from allennlp.data.tokenizers import SpacyTokenizer as S; S()'",
}
"""By extra, what must end with a line that says how to install it."""


class Environment:
    """
    A new environment with the package and nothing else of ours.

    # Parameters

    folder : `Path`
        Made anew.
    """

    def __init__(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        self.work = folder / "work"
        self.work.mkdir(parents=True)
        self._bin = folder / "venv" / "bin"
        kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
        self._environ = {
            **kept,
            "PATH": f"{self._bin}:{kept['PATH']}",
            "UD_TRAIN": str(UD / "en_ewt-ud-train.conllu"),
            "UD_DEV": str(UD / "en_ewt-ud-dev.conllu"),
            "UD_ENCODER": str(ROOT / "fixtures" / "encoder"),
        }
        self.run(f"{sys.executable} -m pip wheel -q --no-deps -w {folder} {ROOT}")
        self.run(f"{sys.executable} -m venv {folder / 'venv'}")
        # The README's line; pinned, so that it is a change of ours that turns this red.
        wheel = f"{folder}/udify_allennlp-*.whl"
        self.run(f"python -m pip install -q -c {ROOT}/constraints.txt {wheel}")

    def run(self, command: str, code: int = 0) -> str:
        """What a command prints; it must end with `code`."""
        print(f"$ {command}", flush=True)
        shell = ["bash", "-c", command]
        done = subprocess.run(
            shell, env=self._environ, cwd=self.work, capture_output=True, text=True
        )
        if done.returncode != code:
            sys.exit(f"{done.stdout}{done.stderr}\nended with {done.returncode}: {command}")
        return done.stdout if not code else done.stderr

    def python(self, code: str, *words: str) -> str:
        """What a program prints."""
        (self.work / "program.py").write_text(code)
        return self.run(" ".join(["python program.py", *words]))


def main() -> None:
    plain = Environment(Path(sys.argv[1]).resolve())
    (plain.work / "text.txt").write_text("The neighbour's dog never barks. It sleeps.\n")
    (plain.work / "some.udpipe").write_text("not a model")
    # The first start installs AllenNLP.
    parsed = plain.run("allennlp predict multilingual text.txt")
    assert "\tnever\tnever\tADV\t" in parsed, parsed
    (plain.work / "hungarian.txt").write_text(
        "A bátyám orvostudományt tanul egy közeli egyetemen.\n", encoding="utf-8"
    )
    said = plain.run("allennlp predict multilingual hungarian.txt 2>&1 >/dev/null")
    assert "looks Hungarian (hu), which the model was not trained on" in said, said
    plain.run("python -m pip check")
    plain.python(ALL_MODULES)
    plain.python(ALL_HELP)
    include = "--include-package udify_allennlp"
    plain.run(f"allennlp train {ROOT}/training_config/tiny.jsonnet {include} -s out")
    plain.run(f"allennlp predict out/model.tar.gz $UD_DEV {include} --output-file parsed.conllu")
    assert "LAS" in plain.run(f"allennlp evaluate out/model.tar.gz $UD_DEV {include}")
    assert "\tworks\t" in plain.python(PREDICTOR, "out/model.tar.gz")
    for extra, command in EXTRAS.items():
        said = plain.run(command, code=1).strip().splitlines()
        wanted = f"pip install 'udify_allennlp[{extra}]'"
        if wanted not in said[-1] or (command.startswith("allennlp") and len(said) > 1):
            sys.exit("\n".join([*said, f"does not name the extra {extra} in one line: {command}"]))
    print("plain install: all works")


if __name__ == "__main__":
    main()
