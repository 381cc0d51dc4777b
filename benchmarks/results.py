"""
What docs/results.md was measured with: the commands of its tables, and how long they take.

    python benchmarks/results.py                     # lists them, runs nothing
    UD=ud UD_ENCODER=... python benchmarks/results.py udify low      # runs some, or goes on

UD is the folder with the treebanks' folders (UD_English-EWT and so on), UD_ENCODER the encoder.
What is interrupted goes on with the same command. Tables end up in out/results/NAME; those that
the page shows are kept in docs/results.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple

from udify_allennlp.text.tables import read_rows

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "docs" / "results"
FOLDERS = {
    "low": "UD_Tamil-TTB UD_Irish-IDT UD_Marathi-UFAL UD_Lithuanian-HSE UD_Kazakh-KTB",
    "medium": "UD_Turkish-IMST UD_French-Sequoia UD_Italian-ParTUT UD_Greek-GDT "
    "UD_Afrikaans-AfriBooms UD_Belarusian-HSE",
    "ewt": "UD_English-EWT",
    "four": "UD_Turkish-IMST UD_Greek-GDT UD_Afrikaans-AfriBooms UD_Tamil-TTB",
    "refined": "UD_English-EWT UD_Turkish-IMST UD_Tamil-TTB UD_Marathi-UFAL",
    "small": "UD_Marathi-UFAL",
}
"""
Folders of treebanks, `{low}` in a command; `{all}` are those with training data, and `{roles}` is
the folder of semantic roles.
"""
KINDS = (
    "--lang docs/results/udify_small_cpu.jsonnet --udify {out}/udify "
    "--udify-lang docs/results/udify_lang.jsonnet "
    "--udify-lang-all docs/results/udify_lang_all.jsonnet --external docs/results/thesis.tsv"
)
GRAPHS = "training_config/graph2graph"
REFINED = "'{out}/refined/UDify+RNGTr T3/seed_1"
_FILE = '"model.initial": {"type": "empty"}, "model.embedder.relations": false'
_PREDICATES = '"model.decoders.roles.given": true, "dataset_reader.inputs": ["predicates"'
_TREES = '{"type": "predicted_deps"}'
ROLES = {
    "SynG2G-Tr": "",
    "without key": '"model.embedder.use_key": false',
    "without key and query": f'{_FILE}, "dataset_reader.inputs": ["upos"]',
    "with value": '"model.embedder.use_value": true',
    "given": f"{_PREDICATES}, {_TREES}]",
    "given, without key": f'{_PREDICATES}, {_TREES}], "model.embedder.use_key": false',
    "given, without key and query": f'{_PREDICATES}, "upos"], {_FILE}',
    "given, with value": f'{_PREDICATES}, {_TREES}], "model.embedder.use_value": true',
}
"""Rows of Table 4.6: predicates found, and given."""


def _variants(given: Dict[str, str]) -> str:
    return " ".join(f"--variant '{name}={what}'" for name, what in given.items())


class Study(NamedTuple):
    """
    A name, what it asks, its commands with `FOLDERS` and `{out}` to be filled in, a line each, of
    which one with `{folder}` and `{treebank}` is for each treebank of `refined`; hours on one core
    where they were measured, and what has to be there before.
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
        "2.5",
        "udify",
    ),
    Study(
        "layers",
        "layer attention for each task, for all, the plain sum, and a start at the sum",
        "allennlp ud-ablation docs/results/udify_small_cpu.jsonnet "
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
        "allennlp ud-ablation docs/results/udify_small_cpu.jsonnet "
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
    Study(
        "refined",
        "SynTr, and RNGTr behind UDify, SynTr and no parser (Tables 3.1 to 3.6, Figure 3.3)",
        f"allennlp ud-ablation {GRAPHS}/rngtr_small_cpu.jsonnet {{refined}} --out {{out}}/refined "
        "--seeds 1,2,3 --initial UDify "
        + _variants(
            {
                "UDify": "{out}/udify",
                "UDify+RNGTr T1": '{"model.iterations": 1}',
                "UDify+RNGTr T3 no stop": '{"model.stop": false}',
                "UDify+RNGTr T3": "{}",
                "SynTr": f"{GRAPHS}/syntr_small_cpu.jsonnet",
                "SynTr+RNGTr": f"{GRAPHS}/rngtr_syntr_small_cpu.jsonnet",
                "Empty+RNGTr": f"{GRAPHS}/rngtr_empty_small_cpu.jsonnet",
            }
        )
        + f"\nallennlp predict {REFINED}/{{treebank}}' {{folder}}/{{treebank}}-ud-test.conllu "
        "--every-iteration --output-file {out}/passes/{treebank}.conllu\n"
        "allennlp ud-errors '{tests}' '{out}/passes/*.0.conllu' '{out}/passes/*.1.conllu' "
        "'{out}/passes/*.2.conllu' '{out}/passes/*.3.conllu' --out {out}/passes/errors\n"
        f"allennlp ud-errors '{{tests}}' '{{out}}/refined/UDify/scores' {REFINED}/scores' "
        "'{out}/refined/SynTr/seed_1/scores' '{out}/refined/SynTr+RNGTr/seed_1/scores' "
        "--out {out}/refined/errors",
        "not measured",
        "udify",
    ),
    Study(
        "transitions",
        "the order of Table 2.1: SentTr and StateTr with and without a graph (chapter 2)",
        f"allennlp ud-ablation {GRAPHS}/senttr_small_cpu.jsonnet {{small}} "
        "--out {out}/transitions --seeds 1,2,3 "
        + _variants(
            {
                name: f"{GRAPHS}/{config}_small_cpu.jsonnet"
                for name, config in (
                    ("StateTr", "statetr"),
                    ("StateCLSTr", "statetr_cls"),
                    ("StateTr+G2GTr", "statetr_g2g"),
                    ("StateTr+G2CLSTr", "statetr_g2cls"),
                    ("StateTr+G2GTr+C", "statetr_g2g_c"),
                    ("SentTr", "senttr"),
                    ("SentTr+G2GTr", "senttr_g2g"),
                )
            }
            | {
                "SentTr+G2GTr 7 layers": f"{GRAPHS}/senttr_g2g_small_cpu.jsonnet "
                '{"model.embedder.layers": 7}'
            }
        ),
        "not measured",
    ),
    Study(
        "roles",
        "the rows of Table 4.6: which terms look at syntax when roles are found (chapter 4)",
        f"allennlp ud-ablation {GRAPHS}/syng2g_small_cpu.jsonnet {{roles}} --out {{out}}/roles "
        """--roles -o '{"model.decoders.roles.style": "both"}' """
        + _variants({name: f"{{{what}}}" for name, what in ROLES.items()}),
        "not measured",
    ),
)


def treebanks() -> List[Dict[str, str]]:
    """What docs/results/treebanks.tsv says of each."""
    return read_rows(TABLES / "treebanks.tsv")


def filled(study: Study, ud: str, out: str) -> List[str]:
    """The commands with the paths of this machine."""
    rows = treebanks()
    trained = " ".join(row["folder"] for row in rows if row["trained"] == "yes")
    names = {row["folder"]: row["treebank"] for row in rows}
    refined = {folder: names[folder] for folder in FOLDERS["refined"].split()}
    text = study.command.replace("{out}", out)
    text = text.replace("{roles}", os.environ.get("UD_ROLES", "roles"))
    tests = [f"{ud}/{folder}/{name}-ud-test.conllu" for folder, name in refined.items()]
    text = text.replace("{tests}", ",".join(tests))
    for group, folders in {**FOLDERS, "all": trained}.items():
        paths = " ".join(f"{ud}/{folder}" for folder in folders.split())
        text = text.replace(f"{{{group}}}", paths)
    commands: List[str] = []
    for line in text.splitlines():
        each = refined.items() if "{treebank}" in line else [("", "")]
        commands += [
            line.replace("{folder}", f"{ud}/{folder}").replace("{treebank}", name)
            for folder, name in each
        ]
    return commands


def environment(ud: str) -> Dict[str, str]:
    """UD_TRAIN and UD_DEV of the model of all treebanks; the other studies set their own."""
    rows = [row for row in treebanks() if row["trained"] == "yes"]
    files = {
        split: [f"{ud}/{row['folder']}/{row['treebank']}-ud-{split}.conllu" for row in rows]
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
            + "".join(f"\n  {command}" for command in filled(study, ud, out))
            + "\n"
        )
    return "\n".join(lines) + "\nRun some: UD=... UD_ENCODER=... make results RUN='udify low'\n"


def run(study: Study, ud: str, out: str) -> None:
    for text in filled(study, ud, out):
        words = shlex.split(text)
        if words[1] == "train" and os.path.exists(os.path.join(out, study.name, "config.json")):
            words.append("--recover")
        if words[1] == "ud-errors":  # it writes into new folders only
            shutil.rmtree(words[-1], ignore_errors=True)
        if words[1] == "predict":
            os.makedirs(os.path.dirname(words[-1]), exist_ok=True)
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
