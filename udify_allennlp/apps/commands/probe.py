"""`allennlp ud-probe ENCODER --train FILE --dev FILE --test FILE --out FOLDER`: hidden syntax."""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Optional

import numpy
from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.tqdm import Tqdm
from allennlp.common.util import int_to_device

from udify_allennlp.apps.analysis.encoders import PlainEncoder, load_encoder
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.apps.analysis.output.files import (
    names_of,
    numbers,
    total_size_and_time,
    write_table,
)
from udify_allennlp.apps.analysis.output.result_store import KeptResults
from udify_allennlp.apps.analysis.probing.figures import draw_probes
from udify_allennlp.apps.analysis.probing.gold_trees import GoldTree, spanning_tree
from udify_allennlp.apps.analysis.probing.probe import PROBES
from udify_allennlp.apps.analysis.probing.scores import depth_scores, distance_scores
from udify_allennlp.apps.analysis.probing.training import ProbeData, Training, predict, train
from udify_allennlp.apps.analysis.probing.word_vectors import WordVectors
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import (
    MODEL_OR_ENCODER,
    add_cuda_device,
    add_files,
    add_out,
)
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.named_files import files_of

_DEFAULTS = Training()
_SCORES = {"distance": distance_scores, "depth": depth_scores}
_DRAWN_LENGTHS = range(5, 21)
_SCRATCH = "vectors-"


@Subcommand.register("ud-probe")
class StructuralProbe(Command):
    """
    Measure how much syntax the vectors of an encoder contain, with the structural probe of Hewitt
    and Manning (2019), as in the thesis, section 4.3.4. A linear map is trained so that squared
    distances between mapped words approximate distances in the tree (or their squared norms
    approximate depths); the encoder itself is not changed. A word's vector is the vector of its
    first wordpiece, as in UDify (Hewitt and Manning use the mean of all its wordpieces). MODEL is a
    trained model (archive or run folder) or any Hugging Face encoder (folder or hub name); several
    are compared, such as an encoder before and after fine-tuning:

      allennlp ud-probe bert-base-multilingual-cased out/ewt/model.tar.gz --layers 12 \\
        --train en_ewt-ud-train.conllu --dev en_ewt-ud-dev.conllu --test en_ewt-ud-test.conllu \\
        --out probe

    FOLDER will hold probe.tsv and probe.json (with the settings, the losses per epoch and the
    correlations by sentence length), trees.png (predicted and gold trees of short sentences, from
    the layer with the lowest development loss) and, for several layers, layers.png.

      uuas           percentage of gold edges in the spanning tree of the distances; no
                     punctuation
      root_accuracy  percentage of sentences whose root has the lowest depth; no punctuation
      spearman       rank correlation of distances or depths, mean over sentence lengths 5 to 50

    Each probe is written to probe.json as soon as it is trained. After an interruption, the same
    command continues with the next one.

    Settings follow the paper and its code: Adam with a learning rate of 0.001, which is divided by
    ten after an epoch without progress, batches of 20 sentences, at most 40 epochs, a map of full
    rank.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add("model", nargs="+", metavar="MODEL", help=MODEL_OR_ENCODER)
        for split, use in (
            ("train", "train the probes"),
            ("dev", "stop their training"),
            ("test", "score them"),
        ):
            add_files(parser, f"--{split}", f"CoNLL-U to {use}")
        add_out(parser, "FOLDER", goes_on=True)
        add(
            "--layers",
            help="layers, such as 0,7-9; 0 is the embedding table (default = 1 to the last)",
        )
        add("--probe", choices=[*PROBES, "both"], default="both", help="kind of probe to train")
        add("--rank", type=int, help="maximum rank of the map (default = the width of the vectors)")
        add("--epochs", type=int, default=_DEFAULTS.epochs, help="maximum number of epochs")
        add(
            "--sentences",
            type=int,
            help="maximum number of sentences to read per file (default = all)",
        )
        add("--draw", type=int, default=3, help="number of test sentences of 5 to 20 words to draw")
        add(
            "--dtype",
            choices=["float16", "float32"],
            default="float16",
            help="dtype of stored vectors",
        )
        add("--seed", type=int, default=_DEFAULTS.seed, help="random seed of the maps and batches")
        add_cuda_device(parser)

    def run(self, args: argparse.Namespace) -> None:
        _probe(args)


def _probe(args: argparse.Namespace) -> None:
    figures.need_scipy()
    for option, least in (("rank", 1), ("epochs", 1), ("sentences", 1), ("draw", 0)):
        value = getattr(args, option)
        if value is not None and value < least:
            raise ConfigurationError(f"--{option} is {value}. It must be at least {least}.")
    check_for_gpu(args.cuda_device)
    can_draw = figures.available()
    device = int_to_device(args.cuda_device)
    settings = Training(rank=args.rank, epochs=args.epochs, seed=args.seed)
    files = {name: ",".join(getattr(args, name)) for name in ("train", "dev", "test")}
    trees = {name: _trees(path, args.sentences) for name, path in files.items()}
    names = names_of(args.model)
    run = {
        **{"models": args.model, "files": files, "layers": args.layers, "probe": args.probe},
        **{"dtype": args.dtype, "draw": args.draw, **settings._asdict()},
        "sentences": {split: len(trees[split]) for split in trees},
        "inputs": {path: total_size_and_time(path) for path in [*args.model, *_paths(files)]},
    }
    encoders = [load_encoder(path, device=device) for path in args.model]
    layers_of = [_layers(encoder, args.layers) for encoder in encoders]
    folder = Path(args.out)
    kept = KeptResults(folder / "probe.json", "--out", run)
    for old in folder.glob(f"{_SCRATCH}*"):  # of a run that was killed
        shutil.rmtree(old)
    kinds = list(PROBES) if args.probe == "both" else [args.probe]
    for name, encoder, layers in zip(names, encoders, layers_of):
        left = [(i, k) for i in layers for k in kinds if not kept.has(model=name, layer=i, probe=k)]
        missing = list(dict.fromkeys(layer for layer, _ in left))
        if not left:
            continue
        with tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=folder) as scratch:
            vectors = _vectors(encoder, trees, missing, Path(scratch), args.dtype)
            for layer, kind in left:
                data = {
                    split: ProbeData(trees[split], vectors[split].layer(layer), device)
                    for split in trees
                }
                title = f"{name}, layer {layer}, {kind}"
                result, predicted = _train_and_score(kind, data, settings, title)
                result = {"model": name, "layer": layer, "probe": kind, **result}
                if kind == "distance":
                    result["trees"] = _drawn(trees["test"], predicted, args.draw)
                kept.add(result)
                write_table(folder / "probe.tsv", _table(kept.results))
    sys.stdout.write(write_table(folder / "probe.tsv", _table(kept.results)))
    if can_draw:
        draw_probes(folder, kept.results)
    kept.finish()


def _paths(files: dict[str, str]) -> list[str]:
    return [path for names in files.values() for path in files_of([names])]


def _layers(encoder: PlainEncoder, text: Optional[str]) -> list[int]:
    layers = numbers(text or f"1-{encoder.num_layers}", "--layers")
    encoder.check_layers(layers)
    return layers


def _trees(path: str, count: Optional[int]) -> list[GoldTree]:
    sentences = (s for file in files_of([path]) for s in read_sentences(file))
    trees = [GoldTree(sentence) for sentence in islice(sentences, count)]
    if not trees:
        raise ConfigurationError(f"{path}: has no sentences. Name another treebank.")
    return trees


def _vectors(
    encoder: PlainEncoder,
    trees: dict[str, list[GoldTree]],
    layers: Sequence[int],
    folder: Path,
    dtype: str,
) -> dict[str, WordVectors]:
    return {
        split: WordVectors(
            encoder, [tree.forms for tree in split_trees], layers, folder / split, dtype
        )
        for split, split_trees in trees.items()
    }


def _train_and_score(kind: str, data: dict[str, ProbeData], settings: Training, title: str) -> Any:
    """Returns a report on a probe, and its predictions for the test sentences."""
    epochs: list[dict[str, Any]] = []
    with Tqdm.tqdm(total=settings.epochs, unit=" epochs", desc=title) as bar:

        def watch(epoch: dict[str, Any]) -> None:
            epochs.append(epoch)
            bar.set_postfix_str(f"dev loss {epoch['dev_loss']:.4f}")
            bar.update(1)

        probe = train(kind, data["train"], data["dev"], settings, watch)
    predicted = predict(probe, data["test"])
    scores = _SCORES[kind](predicted, data["test"].trees)
    best = min(epoch["dev_loss"] for epoch in epochs)
    return {"dev_loss": best, **scores, "epochs": epochs}, predicted


def _drawn(
    trees: Sequence[GoldTree], predicted: Sequence[numpy.ndarray], count: int
) -> list[dict[str, Any]]:
    """Returns the first `count` test sentences that fit on a page, with their trees."""
    chosen = (pair for pair in zip(trees, predicted) if len(pair[0]) in _DRAWN_LENGTHS)
    return [
        {
            "forms": tree.forms,
            "gold": sorted(edge for edge in tree.edges if not tree.punctuation[list(edge)].any()),
            "predicted": sorted(spanning_tree(distances, tree.words)),
        }
        for tree, distances in islice(chosen, count)
    ]


def _table(results: list[dict[str, Any]]) -> list[list[Any]]:
    columns = ["model", "layer", "probe", "uuas", "root_accuracy", "spearman", "dev_loss"]
    return [columns, *([result.get(column) for column in columns] for result in results)]
