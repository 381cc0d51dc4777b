"""
spaCy's pipeline without a pretrained encoder ("tok2vec"), as configured by
`spacy init config --pipeline morphologizer,trainable_lemmatizer,parser`, with the defaults of that
command and of `spacy train`, except that words and sentences are those of the files. Matrix
products are numpy's: the wheels of blis, which spaCy uses, may lack a kernel for the processor and
then take more than twice as long.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import spacy
from spacy.cli import setup_cli
from spacy.tokens import Doc, Span
from thinc.api import NumpyOps, set_current_ops

from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.gold_text import PARAGRAPH
from udify_allennlp.text.sentence import Sentence

_PARTS = "morphologizer,trainable_lemmatizer,parser"


def train(files: list[str], folder: Path) -> None:
    """Trains a pipeline on a training and a development file, and writes it into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, path in zip(("train", "dev"), files, strict=True):
        plain = folder / f"{split}.conllu"  # it reads no compressed files
        write_sentences(list(read_sentences(path)), plain)
        _spacy("convert", str(plain), str(folder), "--converter", "conllu", "--n-sents", "1")
    config = str(folder / "config.cfg")
    _spacy("init", "config", config, "--lang", "xx", "--pipeline", _PARTS, "--force")
    how = [f"--paths.{split}={folder / split}.spacy" for split in ("train", "dev")]
    # Otherwise spaCy splits the text into its own words, and ignores those that differ.
    how += [f"--corpora.{split}.gold_preproc=true" for split in ("train", "dev")]
    _spacy("train", config, "--output", str(folder), *how)


def parse(folder: Path, file: str) -> list[Sentence]:
    """Tags and parses the words of a file with the best pipeline of a folder."""
    return list(Pipeline(folder).words(file))


class Pipeline:
    """The best pipeline of a folder; it parses one file into another, as our `Parser` does."""

    def __init__(self, folder: Path) -> None:
        _multiply_by_numpy()
        self.nlp = spacy.load(folder / "model-best")

    def words(self, file: str) -> Iterator[Sentence]:
        gold = list(read_sentences(file))
        docs = (
            Doc(self.nlp.vocab, words=each.forms, sent_starts=[True] + [False] * (len(each) - 1))
            for each in gold
        )
        for each, doc in zip(gold, self.nlp.pipe(docs), strict=True):
            yield _filled(each, doc[:])

    def raw(self, file: str) -> Iterator[Sentence]:
        """Yields spaCy's own words, and sentences as segmented by its parser."""
        paragraphs = Path(file).read_text(encoding="utf-8").split(PARAGRAPH)
        for doc in self.nlp.pipe(" ".join(text.split()) for text in paragraphs):
            for span in doc.sents:
                yield _filled(Sentence.from_words([token.text for token in span]), span)

    def parse_file(self, source: str, target: str, silent: bool = True) -> None:
        parsed = self.words if source.endswith(".conllu") else self.raw
        write_sentences(parsed(source), target)


def _filled(sentence: Sentence, span: Span) -> Sentence:
    """
    Returns a sentence with spaCy's annotation. A root is its own head in spaCy, and named `ROOT`.
    """
    roots = [token.head.i == token.i for token in span]
    heads = [token.head.i - span.start + 1 for token in span]
    return sentence.replace(
        lemmas=[token.lemma_ or "_" for token in span],
        upos=[token.pos_ or "_" for token in span],
        feats=[str(token.morph) or "_" for token in span],
        heads=["0" if root else str(head) for root, head in zip(roots, heads)],
        deprels=["root" if root else token.dep_ for root, token in zip(roots, span)],
    )


def _spacy(*words: str) -> None:
    command = [sys.executable, __file__, *words]  # this file is spaCy's command, see the end
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _multiply_by_numpy() -> None:
    set_current_ops(NumpyOps(use_blis=False))


if __name__ == "__main__":
    _multiply_by_numpy()
    setup_cli()
