"""
Are CoNLL-U files identical after reading and writing, and lemmas after applying their rules?

    python benchmarks/roundtrip.py FILE_OR_FOLDER...

Checks for each `.conllu` file that the bytes written back are those read, that each sentence is a
tree with one root, and that each lemma rule restores its lemma from the form. Exits with 1 if any
check fails.
"""

import argparse
import platform
import sys
import time
from pathlib import Path

from tqdm import tqdm

from udify_allennlp.text.conllu import check_tree, read_sentences
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.lemma_rules import apply_rule, make_rule


class RoundTrip:
    """Totals over all files; `failures` has one line for each failure."""

    def __init__(self) -> None:
        self.sentences = 0
        self.pairs = 0
        self.rules: set[str] = set()
        self.identical = 0
        self.bad_trees = 0
        self.bad_lemmas = 0
        self.failures: list[str] = []

    def add(self, path: Path) -> None:
        errors: list[ConlluError] = []
        sentences = list(read_sentences(path, on_error=errors.append))
        self.failures += [str(error) for error in errors]
        if "".join(sentence.text for sentence in sentences).encode() == path.read_bytes():
            self.identical += 1
        else:
            self.failures.append(f"{path}: the file differs after reading and writing")
        for sentence in sentences:
            self.sentences += 1
            try:
                check_tree(sentence)
            except ConlluError as error:
                self.bad_trees += 1
                self.failures.append(str(error))
            for form, lemma in zip(sentence.forms, sentence.lemmas):
                self.pairs += 1
                rule = make_rule(form, lemma)
                self.rules.add(rule)
                if apply_rule(form, rule) != lemma:
                    self.bad_lemmas += 1
                    self.failures.append(f"{sentence.path}: {form!r} -> {lemma!r} by {rule!r}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path, help="files or folders to search")
    files: list[Path] = []
    for path in parser.parse_args().paths:
        files += sorted(path.rglob("*.conllu")) if path.is_dir() else [path]
    if not files:
        parser.error("No .conllu file was found under the given paths.")

    result = RoundTrip()
    start = time.perf_counter()
    for path in tqdm(files, unit="file"):
        result.add(path)
    seconds = time.perf_counter() - start

    for failure in result.failures:
        tqdm.write(failure)
    lines = [
        f"python {platform.python_version()}, {seconds:.1f} s",
        f"files      {result.identical} of {len(files)} byte-identical",
        f"sentences  {result.sentences}, {result.bad_trees} not a tree with one root",
        f"lemmas     {result.pairs}, {result.bad_lemmas} lost, {len(result.rules)} distinct rules",
    ]
    tqdm.write("\n".join(lines))
    return 1 if result.failures else 0


if __name__ == "__main__":
    sys.exit(main())
