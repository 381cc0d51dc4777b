"""
What docs/results.md was measured with: the commands of its tables, and how long they take.

    python benchmarks/results.py                     # lists them, runs nothing
    UD=ud UD_ENCODER=... python benchmarks/results.py udify low      # runs some, or goes on

UD is the folder with the treebanks' folders (UD_English-EWT and so on), UD_ENCODER the encoder.
What is interrupted goes on with the same command. Tables end up in out/results/NAME; those that
the page shows are kept in docs/results.
"""

import argparse
import csv
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "docs" / "results"
FOLDERS = {
    "low": "UD_Tamil-TTB UD_Irish-IDT UD_Marathi-UFAL UD_Lithuanian-HSE UD_Kazakh-KTB",
    "medium": "UD_Turkish-IMST UD_French-Sequoia UD_Italian-ParTUT UD_Greek-GDT "
    "UD_Afrikaans-AfriBooms UD_Belarusian-HSE",
    "ewt": "UD_English-EWT",
    "four": "UD_Turkish-IMST UD_Greek-GDT UD_Afrikaans-AfriBooms UD_Tamil-TTB",
}
"""Folders of treebanks, `{low}` in a command; `{all}` are those with training data."""
KINDS = (
    "--lang training_config/udify_small_cpu.jsonnet --udify {out}/udify "
    "--udify-lang docs/results/udify_lang.jsonnet "
    "--udify-lang-all docs/results/udify_lang_all.jsonnet --external docs/results/thesis.tsv"
)


class Study(NamedTuple):
    """
    A name, what it asks, its command with `FOLDERS` and `{out}` to be filled in, hours on one
    core where they were measured, and what has to be there before.
    """

    name: str
    question: str
    command: str
    hours: str
    after: str = ""


STUDIES = (
    Study(
        "udify",
        "one model of 48 treebanks, two epochs",
        "allennlp train docs/results/udify.jsonnet -s {out}/udify",
        "1.5",
    ),
    Study(
        "low",
        "UDify, Lang and both kinds of UDify+Lang on five low treebanks, three seeds, 20 epochs",
        "allennlp ud-experiment {low} --out {out}/low --seeds 1,2,3 " + KINDS + " "
        """-o '{"trainer.num_epochs": 20}'""",
        "3",
        "udify",
    ),
    Study(
        "medium",
        "the same on six medium treebanks and EWT, one run, 4 epochs",
        "allennlp ud-experiment {medium} {ewt} --out {out}/medium " + KINDS + " "
        """-o '{"trainer.num_epochs": 4}'""",
        "not measured",
        "udify",
    ),
    Study(
        "layers",
        "layer attention for each task, for all, the plain sum, and a start at the sum",
        "allennlp ud-ablation training_config/udify_small_cpu.jsonnet "
        "{four} --out {out}/layers --seeds 1,2,3 "
        """-o '{"trainer.num_epochs": 4}' --variant 'task={}' """
        """--variant 'global={"model.layer_attention": "global"}' """
        """--variant 'sum={"model.layer_attention": "sum"}' """
        """--variant 'task from 12={"model.initial_beta": 12}'""",
        "not measured",
    ),
    Study(
        "characters",
        "characters of words for feats and lemmas",
        "allennlp ud-ablation training_config/udify_small_cpu.jsonnet "
        "{four} --out {out}/characters --seeds 1,2,3 "
        """-o '{"trainer.num_epochs": 4}' --variant 'without={}' """
        """--variant 'with={"dataset_reader.characters": true, "model.characters": """
        """{"tasks": ["feats", "lemma"], "dim": 64, "widths": [3, 5], "filters": 128, """
        """"dropout": 0.33}}'""",
        "not measured",
    ),
    Study(
        "sampling",
        "small treebanks more often than their size says",
        "allennlp ud-ablation docs/results/udify.jsonnet {all} --joint --out {out}/sampling "
        """-o '{"trainer.num_epochs": 1}' --variant 'proportional={}' """
        """--variant 'temperature 5={"data_loader.sampling": "temperature", """
        """"data_loader.temperature": 5}'""",
        "not measured",
    ),
)


def treebanks() -> List[Dict[str, str]]:
    """What docs/results/treebanks.tsv says of each."""
    with open(TABLES / "treebanks.tsv", encoding="utf-8") as file:
        return list(csv.DictReader((line for line in file if line[0] != "#"), delimiter="\t"))


def filled(study: Study, ud: str, out: str) -> str:
    """The command with the paths of this machine."""
    trained = " ".join(row["folder"] for row in treebanks() if row["trained"] == "yes")
    command = study.command.replace("{out}", out)
    for name, folders in {**FOLDERS, "all": trained}.items():
        paths = " ".join(f"{ud}/{folder}" for folder in folders.split())
        command = command.replace(f"{{{name}}}", paths)
    return command


def environment(ud: str) -> Dict[str, str]:
    """UD_TRAIN and UD_DEV of the model of all treebanks; the other studies set their own."""
    rows = [row for row in treebanks() if row["trained"] == "yes"]
    files = {
        split: [f"{ud}/{row['folder']}/{row['name']}-ud-{split}.conllu" for row in rows]
        for split in ("train", "dev")
    }
    return {
        **os.environ,
        "UD_TRAIN": ",".join(files["train"]),
        "UD_DEV": ",".join(path for path in files["dev"] if os.path.exists(path)),
    }


def listing(ud: str, out: str) -> str:
    lines = []
    for study in STUDIES:
        kept = (TABLES / f"{study.name}.tsv").exists()
        lines.append(
            f"{study.name}: {study.question}\n"
            f"  hours on one core: {study.hours}"
            + (f"; after {study.after}" if study.after else "")
            + (f"; in docs/results/{study.name}.tsv" if kept else "; not run in this form yet")
            + f"\n  {filled(study, ud, out)}\n"
        )
    return "\n".join(lines) + "\nRun some: UD=... UD_ENCODER=... make results RUN='udify low'\n"


def run(study: Study, ud: str, out: str) -> None:
    words = shlex.split(filled(study, ud, out))
    if words[1] == "train" and os.path.exists(os.path.join(out, study.name, "config.json")):
        words.append("--recover")
    sys.stdout.write(f"{study.name}: {shlex.join(words)}\n")
    sys.stdout.flush()
    command = [sys.executable, "-m", "udify_allennlp", *words[1:]]
    subprocess.run(command, check=True, cwd=ROOT, env=environment(ud))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    names = [study.name for study in STUDIES]
    parser.add_argument("study", nargs="*", help=f"what to run, of {', '.join(names)}")
    parser.add_argument("--out", default="out/results", help="where runs and tables go")
    given = parser.parse_args()
    ud = os.environ.get("UD", "ud")
    unknown = [name for name in given.study if name not in names]
    if unknown:
        parser.error(f"there is no {unknown[0]}. Choose of {', '.join(names)}.")
    if not given.study:
        sys.stdout.write(listing(ud, given.out))
        return 0
    missing = [row["folder"] for row in treebanks() if not os.path.isdir(f"{ud}/{row['folder']}")]
    if missing or "UD_ENCODER" not in os.environ:
        parser.error(f"set UD (no {missing[0]} in {ud!r})" if missing else "set UD_ENCODER")
    for study in STUDIES:
        if study.name in given.study:
            run(study, ud, given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
