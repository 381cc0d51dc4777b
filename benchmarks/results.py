"""
Runs the commands behind the tables of docs/results.md, and lists their times.

    python benchmarks/results.py                     # lists the commands only
    UD=ud UD_ENCODER=... python benchmarks/results.py udify low      # runs some, or resumes

UD is the folder with the treebank folders (UD_English-EWT and so on), UD_ENCODER the encoder,
UD_VECTORS the folder with word vectors (for `order`), UD_TEXTS raw texts and UD_PHRASES a folder
with bracketed files, such as ewt.train.mrg.xz (both for `pretraining`).
`translation` needs neither UD nor UD_ENCODER, but UD_PARALLEL, a folder with aligned texts
(tatoeba/eng-spa/train.eng and train.spa, flores200/devtest.eng and so on, also .xz), and UD_WINOMT,
a folder with WinoMT. Resume an interrupted run with the same command. Tables are written to
out/results/NAME; those shown on the page are kept in docs/results.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from studies import EACH, FOLDERS, STUDIES, Study
from study_pretraining import PLACES as OF_PRETRAINING
from study_translation import PLACES as OF_TRANSLATION

from udify_allennlp.text.line_reader import read_rows

Figure = TypeVar("Figure")
NEW_FOLDERS = ("ud-score", "ud-word-order", "ud-positions")
"""Commands that write only into new folders."""
WRITES = {
    "evaluate": "--output-file",
    "ud-pack": "--out",
    "ud-forgotten": "--out",
    "python": "--out",
}
"""
Commands that are not repeated once their file is there, or the last table of their folder, with the
option that names it.
"""
LAST_TABLE = {"ud-forgotten": "gender.tsv"}
ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "docs" / "results"


def treebanks() -> list[dict[str, str]]:
    """Returns the rows of docs/results/treebanks.tsv."""
    return read_rows(TABLES / "treebanks.tsv")


def filled(study: Study, ud: str, out: str) -> list[str]:
    """Returns the commands with the paths of this machine."""
    rows = treebanks()
    trained = " ".join(row["folder"] for row in rows if row["trained"] == "yes")
    names = {row["folder"]: row["treebank"] for row in rows}
    text = study.command.replace("{out}", out)
    text = text.replace("{roles}", os.environ.get("UD_ROLES", "roles"))
    text = text.replace("{ud}", ud).replace("{encoder}", os.environ.get("UD_ENCODER", "encoder"))
    for place, variable in {**OF_PRETRAINING, **OF_TRANSLATION}.items():
        text = text.replace(place, os.environ.get(variable, place.strip("{}")))
    for group, separator in (("refined", ","), ("order", " "), ("small", ",")):
        tests = [
            f"{ud}/{folder}/{names[folder]}-ud-test.conllu" for folder in FOLDERS[group].split()
        ]
        text = text.replace(f"{{{group}_tests}}", separator.join(tests))
    for group, members in {**FOLDERS, "all": trained}.items():
        paths = " ".join(f"{ud}/{folder}" for folder in members.split())
        text = text.replace(f"{{{group}}}", paths)
    commands: list[str] = []
    for line in text.splitlines():
        group = next((FOLDERS[group] for mark, group in EACH.items() if mark in line), None)
        for folder in group.split() if group else [""]:
            command = line.replace("{folder}", f"{ud}/{folder}")
            for mark in EACH:
                command = command.replace(mark, names.get(folder, ""))
            commands.append(command)
    return commands


def environment(ud: str, study: Study) -> dict[str, str]:
    """
    Returns UD_TRAIN and UD_DEV for `allennlp train`; the other commands set their own. All
    development and test files are UD_HELD_OUT.
    """
    rows = [row for row in treebanks() if row["trained"] == "yes"]
    groups = dict.fromkeys(("train", "dev"), [row["folder"] for row in rows])
    if study.trained:
        groups = dict(zip(groups, [FOLDERS[name].split() for name in study.trained.split()]))
    files = {
        split: [
            f"{ud}/{row['folder']}/{row['treebank']}-ud-{split}.conllu"
            for row in rows
            if row["folder"] in groups[split]
        ]
        for split in groups
    }
    return {
        **os.environ,
        "UD_TRAIN": ",".join(files["train"]),
        "UD_DEV": ",".join(path for path in files["dev"] if Path(path).exists()),
        "UD_HELD_OUT": f"{ud}/*/*-ud-dev.conllu,{ud}/*/*-ud-test.conllu",
    }


def folders(chosen: Sequence[Study], ud: str) -> list[str]:
    """
    Returns the treebank folders that some studies read; `udify` reads all its training treebanks.
    """
    words = [word for study in chosen for text in filled(study, ud, "") for word in text.split()]
    all_of_them = any(study.name == "udify" for study in chosen)
    words += [
        folder
        for study in chosen
        for name in study.trained.split()
        for folder in (f"{ud}/{each}" for each in FOLDERS[name].split())
    ]
    paths = {f"{ud}/{row['folder']}": row for row in treebanks()}
    return [
        path
        for path, row in paths.items()
        if (all_of_them and row["trained"] == "yes") or any(path in word for word in words)
    ]


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
        variables, words = split_variables(text)
        name = "python" if words[0] == "python" else words[1]
        if name == "train":
            folder = Path(words[words.index("-s") + 1])
            if _is_there(folder, "metrics.json", "model.tar.gz"):
                continue
            if (folder / "config.json").exists():
                words.append("--recover")
        if name == "ud-export":
            # Rewritten, it would count as another encoder than the measured one.
            if _is_there(Path(words[-1]), "model.safetensors", "config.json", "tokenizer.json"):
                continue
            shutil.rmtree(words[-1], ignore_errors=True)
        if name in WRITES and WRITES[name] in words:
            path = Path(words[words.index(WRITES[name]) + 1])
            if (ROOT / path / LAST_TABLE.get(name, "")).is_file():
                continue
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            if name in LAST_TABLE:
                shutil.rmtree(ROOT / path, ignore_errors=True)
        if name in NEW_FOLDERS:
            shutil.rmtree(words[-1], ignore_errors=True)
        if name == "predict":
            Path(words[-1]).parent.mkdir(parents=True, exist_ok=True)
        sys.stdout.write(f"{study.name}: {shlex.join(words)}\n")
        sys.stdout.flush()
        program = [sys.executable] + ["-m", "udify_allennlp"] * (name != "python")
        env = {**environment(ud, study), **variables}
        subprocess.run([*program, *words[1:]], check=True, cwd=ROOT, env=env)


def split_variables(text: str) -> tuple[dict[str, str], list[str]]:
    """Returns the variables that a command sets before its name, and its words."""
    words = shlex.split(text)
    count = next(i for i, word in enumerate(words) if "=" not in word)
    return dict(word.split("=", 1) for word in words[:count]), words[count:]


def _is_there(folder: Path, *names: str) -> bool:
    return all((ROOT / folder / name).is_file() for name in names)


def needed(chosen: Sequence[Study]) -> list[str]:
    """Returns the environment variables that some studies need besides UD."""
    translation = [study for study in chosen if "{parallel}" in study.command]
    names = {study.name for study in chosen}
    pretraining = any(name.startswith("pretraining") for name in names)
    return [
        *["UD_ENCODER"] * (len(translation) < len(chosen)),
        *["UD_VECTORS"] * ("order" in names),
        *["UD_TEXTS", *OF_PRETRAINING.values()] * pretraining,
        *list(OF_TRANSLATION.values()) * bool(translation),
    ]


def gathered(
    description: str, study: str, figures: Callable[[Path], Iterable[Figure]]
) -> tuple[list[Figure], Path]:
    """
    Reads the arguments of a script that gathers the figures of a study: returns the figures of its
    folder, and the path of their table.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("--out", metavar="TSV", type=Path, required=True)
    given = parser.parse_args()
    found = list(figures(given.folder))
    if not found:
        parser.error(f"{given.folder} has no results. Run `make results RUN={study}` first.")
    return found, given.out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    names = [study.name for study in STUDIES]
    parser.add_argument("study", nargs="*", help=f"studies to run: {', '.join(names)}")
    parser.add_argument("--out", default="out/results", help="folder for runs and tables")
    given = parser.parse_args()
    ud = os.environ.get("UD", "ud")
    unknown = [name for name in given.study if name not in names]
    if unknown:
        parser.error(f"Unknown study {unknown[0]}. Choose from {', '.join(names)}.")
    if not given.study:
        sys.stdout.write(listing(ud, given.out))
        return 0
    chosen = [study for study in STUDIES if study.name in given.study]
    missing = [path for path in folders(chosen, ud) if not Path(path).is_dir()]
    if missing:
        parser.error(f"Set UD: {missing[0]} does not exist.")
    for name in needed(chosen):
        if name not in os.environ:
            parser.error(f"Set {name}.")
    for study in chosen:
        run(study, ud, given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
