"""`allennlp ud-calibrate MODEL DEV`: reliable probabilities."""

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
    Measure how reliable the probabilities of `allennlp predict --probabilities` are, on sentences
    that the model was not trained on, and find temperatures that correct them. The table shows for
    each entry the share of correct words, and the mean distance between probability and share of
    correct words over ten bins (the expected calibration error), before and after. Deprels count
    only where the head is correct.

      allennlp ud-calibrate out/ewt/model.tar.gz en_ewt-ud-dev.conllu --out calibrated.tar.gz

    The new archive is the same model with these temperatures. Predictions do not change; only their
    probabilities do.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", metavar="MODEL", help=MODEL)
        add_files(parser, "treebanks", "CoNLL-U with gold columns")
        add_out(
            parser, "FILE", "the archive to write: the same model with temperatures", required=False
        )
        parser.add_argument(
            "--report", metavar="FOLDER", help="a folder for the table, as TSV, and the figure"
        )

    def run(self, args: argparse.Namespace) -> None:
        _calibrate(args)


def _calibrate(args: argparse.Namespace) -> None:
    if args.out and not args.out.endswith(".tar.gz"):
        raise ConfigurationError(f"--out is {args.out}. Name a file that ends in .tar.gz.")
    predictor = load_predictor(args.model)
    paths = files_of(args.treebanks)
    calibrations = calibrate(predictor, [s for path in paths for s in read_sentences(path)])
    sys.stdout.write(_table(calibrations))
    if args.report:
        _report(calibrations, Path(args.report))
    if args.out:
        rewritten(args.model, args.out, functools.partial(_with, calibrations))


def _with(
    calibrations: list[Calibration], folder: Path, config: dict[str, Any], state: State
) -> State:
    config["model"]["temperatures"] = {
        calibration.name: round(calibration.temperature, 4) for calibration in calibrations
    }
    return state


def _rows(calibrations: list[Calibration]) -> list[list[str]]:
    rows = [["entry", "words", "right", "error", "temperature", "error after"]]
    for calibration in calibrations:
        errors = [
            f"{calibration.error(bins):.4f}" for bins in (calibration.before, calibration.after)
        ]
        words = sum(one.words for one in calibration.before)
        cells = [f"{calibration.right:.4f}", errors[0], f"{calibration.temperature:.2f}", errors[1]]
        rows.append([calibration.name, str(words), *cells])
    return rows


def _table(calibrations: list[Calibration]) -> str:
    return "".join("".join(f"{cell:>13}" for cell in row) + "\n" for row in _rows(calibrations))


def _report(calibrations: list[Calibration], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [["entry", "temperature", "words", "probability", "right"]]
    for calibration in calibrations:
        for temperature, bins in (
            (1.0, calibration.before),
            (calibration.temperature, calibration.after),
        ):
            for one in bins:
                numbers = [f"{one.probability:.4f}", f"{one.right:.4f}"]
                rows.append([calibration.name, f"{temperature:.4f}", str(one.words), *numbers])
    text = "".join("\t".join(row) + "\n" for row in rows)
    (folder / "reliability.tsv").write_text(text, encoding="utf-8")
    if figures.available():
        _draw(calibrations, folder / "reliability.png")


def _draw(calibrations: list[Calibration], path: Path) -> None:
    figure = figures.new_figure(3.2 * len(calibrations), 3.4)
    for number, calibration in enumerate(calibrations, 1):
        axes = figure.add_subplot(1, len(calibrations), number)
        axes.plot([0, 1], [0, 1], color="0.8", linewidth=1)
        for bins, name, color in zip(
            (calibration.before, calibration.after), _names(calibration), figures.COLORS
        ):
            axes.plot(
                [one.probability for one in bins],
                [one.right for one in bins],
                marker="o",
                markersize=3,
                color=color,
                label=name,
            )
        axes.set_title(calibration.name.removesuffix("Prob"))
        axes.set_xlabel("probability")
        axes.legend(fontsize=7)
        if number == 1:
            axes.set_ylabel("share of correct words")
    figure.savefig(path)


def _names(calibration: Calibration) -> list[Optional[str]]:
    before, after = (calibration.error(bins) for bins in (calibration.before, calibration.after))
    return [f"error {before:.3f}", f"with {calibration.temperature:.2f}: {after:.3f}"]
