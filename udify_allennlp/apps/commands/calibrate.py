"""`allennlp ud-calibrate MODEL DEV`: probabilities that can be believed."""

import argparse
import functools
import sys
from pathlib import Path
from typing import Any, Optional

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.errors.calibration import Calibration, calibrate
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import MODEL, add_files, add_out
from udify_allennlp.archives.rewriting import State, rewritten
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.named_files import files_of


@Subcommand.register("ud-calibrate")
class Calibrate(Command):
    """
    Say how far the probabilities of `allennlp predict --probabilities` can be believed, on
    sentences that the model was not trained on, and find temperatures with which they can. For each
    entry: how many words are right, and the mean distance of probability and share of right words,
    over tenths (the expected calibration error), before and after; of deprels where the head is
    right.

      allennlp ud-calibrate out/ewt/model.tar.gz en_ewt-ud-dev.conllu --out calibrated.tar.gz

    The archive that is written is the same model with these temperatures. Predictions do not
    change; only what is said of them does.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", metavar="MODEL", help=MODEL)
        add_files(parser, "treebanks", "CoNLL-U with gold columns")
        add_out(parser, "FILE", "the archive of the same model with temperatures", required=False)
        parser.add_argument(
            "--report", metavar="FOLDER", help="a folder for the table as TSV, and the figure"
        )

    def run(self, args: argparse.Namespace) -> None:
        _calibrate(args)


def _calibrate(args: argparse.Namespace) -> None:
    if args.out and not args.out.endswith(".tar.gz"):
        raise ConfigurationError(f"--out is {args.out}. Name a file that ends in .tar.gz.")
    predictor = load_predictor(args.model)
    paths = files_of(args.treebanks)
    found = calibrate(predictor, [s for path in paths for s in read_sentences(path)])
    sys.stdout.write(_table(found))
    if args.report:
        _report(found, Path(args.report))
    if args.out:
        rewritten(args.model, args.out, functools.partial(_with, found))


def _with(found: list[Calibration], folder: Path, config: dict[str, Any], state: State) -> State:
    config["model"]["temperatures"] = {each.name: round(each.temperature, 4) for each in found}
    return state


def _rows(found: list[Calibration]) -> list[list[str]]:
    rows = [["entry", "words", "right", "error", "temperature", "error then"]]
    for each in found:
        errors = [f"{each.error(bins):.4f}" for bins in (each.before, each.after)]
        words = sum(one.words for one in each.before)
        cells = [f"{each.right:.4f}", errors[0], f"{each.temperature:.2f}", errors[1]]
        rows.append([each.name, str(words), *cells])
    return rows


def _table(found: list[Calibration]) -> str:
    return "".join("".join(f"{cell:>13}" for cell in row) + "\n" for row in _rows(found))


def _report(found: list[Calibration], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [["entry", "temperature", "words", "probability", "right"]]
    for each in found:
        for temperature, bins in ((1.0, each.before), (each.temperature, each.after)):
            for one in bins:
                numbers = [f"{one.probability:.4f}", f"{one.right:.4f}"]
                rows.append([each.name, f"{temperature:.4f}", str(one.words), *numbers])
    text = "".join("\t".join(row) + "\n" for row in rows)
    (folder / "reliability.tsv").write_text(text, encoding="utf-8")
    if figures.available():
        _draw(found, folder / "reliability.png")


def _draw(found: list[Calibration], path: Path) -> None:
    figure = figures.new_figure(3.2 * len(found), 3.4)
    for number, each in enumerate(found, 1):
        axes = figure.add_subplot(1, len(found), number)
        axes.plot([0, 1], [0, 1], color="0.8", linewidth=1)
        for bins, name, color in zip((each.before, each.after), _names(each), figures.COLORS):
            axes.plot(
                [one.probability for one in bins],
                [one.right for one in bins],
                marker="o",
                markersize=3,
                color=color,
                label=name,
            )
        axes.set_title(each.name.removesuffix("Prob"))
        axes.set_xlabel("probability")
        axes.legend(fontsize=7)
        if number == 1:
            axes.set_ylabel("share of words that are right")
    figure.savefig(path)


def _names(each: Calibration) -> list[Optional[str]]:
    before, after = (each.error(bins) for bins in (each.before, each.after))
    return [f"error {before:.3f}", f"with {each.temperature:.2f}: {after:.3f}"]
