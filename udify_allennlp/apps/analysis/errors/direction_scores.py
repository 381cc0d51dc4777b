"""Attachment scores by type, direction and distance of arcs: `ud-score --by direction`."""

import os
import sys
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.errors.figures import BarPanel, draw_bars
from udify_allennlp.apps.analysis.languages.comparisons import Comparison, comparisons
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.apps.analysis.output.files import new_folder, write_table
from udify_allennlp.apps.analysis.output.parsed_paths import parsed_paths
from udify_allennlp.order_transfer.breakdown import (
    HEAD_FIRST,
    MODIFIER_FIRST,
    Cell,
    Key,
    breakdown,
    by_direction,
    by_distance,
    mean,
    total,
    without_punct,
)
from udify_allennlp.order_transfer.word_order import BUCKETS, ArcType, arc_type, correlations
from udify_allennlp.text.conllu import Sentence, read_sentences

Cells = dict[str, dict[Hashable, Cell]]
"""Scores by system, then by kind of arc."""
TABLE_10 = (
    "ADP>NOUN>case,NOUN>NOUN>nmod,ADJ>NOUN>amod,NOUN>VERB>obl,NOUN>VERB>obj,NOUN>VERB>nsubj,"
    "ADV>VERB>advmod,AUX>VERB>aux,VERB>VERB>advcl"
)


def score_directions(
    treebanks: dict[str, str], parsed: dict[str, str], types: str, compare: list[str], out: str
) -> None:
    """
    Prints the tables and writes them into a folder.

    # Parameters

    treebanks : `Dict[str, str]`
        Gold files by the names of treebanks.
    parsed : `Dict[str, str]`
        Parses by name.
    types : `str`
        Types of arcs, such as `ADJ>NOUN>amod`, comma-separated.
    compare : `List[str]`
        Groups of parses, such as `A,B:C`.
    out : `str`
        A folder, new or empty.
    """
    files = _parsed(parsed, treebanks)
    try:
        arc_types = [arc_type(text) for text in types.split(",")]
    except ValueError:
        raise ConfigurationError(
            f"--types is {types!r}. Use types such as ADJ>NOUN>amod, separated by commas."
        ) from None
    pairs = comparisons(compare, list(files))
    by_type: dict[ArcType, dict[str, Cells]] = defaultdict(dict)
    distances: dict[str, Cells] = {}
    for treebank, path in treebanks.items():
        sentences = list(read_sentences(path))
        parses = {
            name: [_read(parsed, path, sentences) for parsed in files_of[treebank]]
            for name, files_of in files.items()
        }
        for kind in arc_types:
            by_type[kind][treebank] = _cells(sentences, parses, by_direction(kind))
        distances[treebank] = _cells(sentences, parses, without_punct(by_distance))
    folder = new_folder(out, "--out")
    scores = [f"{name} {metric}" for name in files for metric in ("UAS", "LAS")]
    rows: list[list[Any]] = [["treebank", "type", "arcs with", "number", "share", *scores]]
    for kind in arc_types:
        for treebank, cells in by_type[kind].items():
            both = {
                name: {**type_cells, "all": total(type_cells.values())}
                for name, type_cells in cells.items()
            }
            for name in (MODIFIER_FIRST, HEAD_FIRST, "all"):
                rows.append([treebank, str(kind), name, *_row(both, name, "all")])
    sys.stdout.write(write_table(folder / "directions.tsv", rows) + "\n")
    rows = [["treebank", "distance", "number", "share", *scores]]
    for treebank, cells in distances.items():
        both = {
            name: {**distance_cells, "all": total(distance_cells.values())}
            for name, distance_cells in cells.items()
        }
        rows += [[treebank, name, *_row(both, name, "all")] for name in (*BUCKETS, "all")]
    sys.stdout.write(write_table(folder / "distances.tsv", rows))
    if pairs:
        kinds = {str(kind): (by_type[kind], MODIFIER_FIRST) for kind in arc_types}
        kinds["distance 1"] = (distances, "1")
        _differences(folder, pairs, kinds)


def _read(parsed: str, path: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """
    Returns the sentences of a parsed file after checking that they are those of the gold file.
    """
    sentences_parsed = list(read_sentences(parsed))
    if [s.forms for s in sentences_parsed] != [s.forms for s in sentences]:
        raise ConfigurationError(f"{parsed} has different words than {path}. Parse that file.")
    return sentences_parsed


def _cells(
    sentences: Sequence[Sentence], parses: Mapping[str, Sequence[list[Sentence]]], key: Key
) -> Cells:
    return {
        name: mean([breakdown(zip(sentences, parsed), key) for parsed in runs])
        for name, runs in parses.items()
    }


def _parsed(
    paths: Mapping[str, str], treebanks: Mapping[str, str]
) -> dict[str, dict[str, Sequence[str]]]:
    """Returns the parsed files by system and treebank: one, or one for each seed."""
    files: dict[str, dict[str, Sequence[str]]] = {}
    for name, path in paths.items():
        if ":" in name or "," in name:
            raise ConfigurationError(
                f"{name!r} is the name of a parse. Use a name without , or :, such as "
                "A=out/a.conllu."
            )
        if not os.path.exists(path):
            raise ConfigurationError(f"{path}: no such file or folder. Name a parse.")
        if not os.path.isdir(path) and len(treebanks) > 1:
            raise ConfigurationError(
                f"{path} is one file, but there are {len(treebanks)} gold files. Name a folder "
                "with a file TREEBANK.conllu for each."
            )
        files_of_runs = [parsed_paths(treebanks, folder) for folder in _folders(Path(path))]
        files[name] = dict(zip(treebanks, zip(*files_of_runs)))
    return files


def _folders(path: Path) -> list[str]:
    """
    Returns the folders with parsed files: the folder itself, or the folders in which
    `ud-experiment` leaves the files of its seeds.
    """
    folders = sorted(path.glob("seed_*/scores")) or [path / "scores"]
    return [str(folder) for folder in folders if folder.is_dir()] or [str(path)]


def _row(cells: Cells, name: str, whole: str) -> list[Any]:
    """Returns the number of arcs, their share of all arcs, and the scores of each system."""
    row_cells = [by_name.get(name, Cell(0, 0, 0)) for by_name in cells.values()]
    count, every = row_cells[0].arcs, next(iter(cells.values()))[whole].arcs
    scores = [
        score for cell in row_cells for score in ((cell.uas, cell.las) if count else (None, None))
    ]
    return [count, 100 * count / every if every else None, *scores]


def _differences(folder: Path, pairs: Sequence[Comparison], kinds: Mapping[str, Any]) -> None:
    rows: list[list[Any]] = [["comparison", "arcs", "treebank", "share", "difference"]]
    table: list[list[Any]] = [
        ["comparison", "arcs", "points", "coefficient", "value", "low", "high"]
    ]
    panels = []
    for pair in pairs:
        for kind, (cells, counted) in kinds.items():
            bars = []
            for treebank, systems in cells.items():
                # All arcs of a type, by how many have the modifier first; those at a distance.
                names = [counted] if counted in BUCKETS else [MODIFIER_FIRST, HEAD_FIRST]
                part = {n: total(systems[n].get(c, Cell(0, 0, 0)) for c in names) for n in systems}
                first = next(iter(systems.values()))
                every = total(first.values()).arcs
                if next(iter(part.values())).arcs:
                    means = {n: (cell.uas + cell.las) / 2 for n, cell in part.items()}
                    share = 100 * first.get(counted, Cell(0, 0, 0)).arcs / every
                    bars.append((share, treebank, pair.difference(means)))
            bars.sort(key=lambda bar: (-bar[0], bar[1]))
            rows += [[str(pair), kind, treebank, share, d] for share, treebank, d in bars]
            shares, gains = [bar[0] for bar in bars], [bar[2] for bar in bars]
            for coefficient, value in correlations(shares, gains).items():
                table.append([str(pair), kind, len(bars), coefficient, *value])
            if bars:
                names_and_shares = [f"{treebank} {share:.0f}%" for share, treebank, _ in bars]
                panels.append(BarPanel(kind, str(pair), names_and_shares, [bar[2] for bar in bars]))
    write_table(folder / "differences.tsv", rows)
    write_table(folder / "correlation.tsv", table)
    if panels and figures.available():
        draw_bars(folder / "differences.png", panels)
