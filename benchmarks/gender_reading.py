"""
Does the parser read the gender of translated entities as people do?

    python benchmarks/gender_reading.py WINOMT [--model multilingual] [--langs de,fr] [--out TSV]

WINOMT is a folder with en.txt, human_judgements.tsv (language, system_file, index, entity,
translation, found, gender) and, for word alignment, translations/google.en-LANG.txt.xz
(`source ||| translation`). The parser reads the translations that people judged, as
`ud-forgotten --gender` does. Among entities that people judged M or F, "same" is the share (%) with
the same prediction, and "same of read" the share among those predicted M or F; "always M" is the
score of a constant prediction.
"""

import argparse
import csv
import lzma
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple, Optional

import machine  # before allennlp: it applies the fixes that importing allennlp needs

from udify_allennlp import Parser
from udify_allennlp.apps.analysis.forgotten.biases import parsed_texts, source_words
from udify_allennlp.compression.gender_bias import FEMALE, MALE, Gender, read_entities
from udify_allennlp.compression.gender_reading import entity_gender, parsed_words
from udify_allennlp.compression.word_alignment import align_words

HUMAN = {"m": MALE, "f": FEMALE}
HEADER = ("language", "judged", "read", "same", "same of read", "same, male", "same, female")
WORD = re.compile(r"\w+|[^\w\s]")


class Judged(NamedTuple):
    """A translation and the gender that people read in it."""

    sentence: str
    place: int
    translation: str
    gender: str


def read_judgements(folder: Path) -> dict[str, list[Judged]]:
    """Returns by language the judgements of entities that were found and are male or female."""
    entities = read_entities(folder / "en.txt")
    found = defaultdict(list)
    with (folder / "human_judgements.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            gender = HUMAN.get(row["gender"].strip().lower())
            if gender is not None and row["found"].strip().lower() == "y":
                entity = entities[int(row["index"])]
                found[row["language"]].append(
                    Judged(entity.sentence, entity.place, row["translation"], gender)
                )
    return found


def more_pairs(folder: Path, lang: str) -> list[tuple[list[str], list[str]]]:
    """Sentences and translations to align words by."""
    path = folder / "translations" / f"google.en-{lang}.txt.xz"
    if not path.is_file():
        return []
    with lzma.open(path, "rt", encoding="utf-8") as file:
        lines = (line.rstrip("\n").partition(" ||| ") for line in file)
        return [(source_words(source), WORD.findall(target)) for source, _, target in lines]


def read_by(parser: Parser, lang: str, judged: list[Judged], folder: Path) -> list[Gender]:
    parses = parsed_texts(parser, [each.translation for each in judged], lang)
    words = [parsed_words(sentences) for sentences in parses]
    pairs = [
        (source_words(each.sentence), [word.form for word in some])
        for each, some in zip(judged, words)
    ]
    links = align_words(pairs + more_pairs(folder, lang))
    return [
        entity_gender(some, [place for place, source in enumerate(row) if source == each.place])
        for each, some, row in zip(judged, words, links)
    ]


def row_of(lang: str, judged: list[Judged], genders: list[Gender]) -> list[object]:
    def same(known: list[tuple[str, Gender]]) -> Optional[float]:
        return 100 * sum(a == b for a, b in known) / len(known) if known else None

    both = [(each.gender, gender) for each, gender in zip(judged, genders)]
    read = [pair for pair in both if pair[1] in (MALE, FEMALE)]
    parts = [[pair for pair in both if pair[0] == gender] for gender in (MALE, FEMALE)]
    return [lang, len(both), len(read), same(both), same(read), *map(same, parts)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="WINOMT", type=Path)
    parser.add_argument("--model", metavar="MODEL", default="multilingual")
    parser.add_argument("--langs", help="languages such as de,fr; default: all judged ones")
    parser.add_argument("--out", metavar="TSV", type=Path)
    args = parser.parse_args()
    reader = Parser.load(args.model)
    by_lang = read_judgements(args.folder)
    langs = args.langs.split(",") if args.langs else sorted(by_lang)
    read = {lang: read_by(reader, lang, by_lang[lang], args.folder) for lang in langs}
    rows = [row_of(lang, by_lang[lang], read[lang]) for lang in langs]
    every = [each for lang in langs for each in by_lang[lang]]
    rows.append(row_of("all", every, [gender for lang in langs for gender in read[lang]]))
    cells = [[f"{x:.1f}" if isinstance(x, float) else str(x) for x in row] for row in rows]
    sys.stdout.write(machine.describe() + "\n")
    for line in [HEADER, *cells]:
        sys.stdout.write("".join(f"{cell:>15}" for cell in line) + "\n")
    male = 100 * sum(each.gender == MALE for each in every) / len(every)
    sys.stdout.write(f"always M: {male:.1f}\n")
    if args.out:
        table = "".join("\t".join(line) + "\n" for line in [HEADER, *cells])
        args.out.write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()
