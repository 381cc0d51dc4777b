"""
spaCy's pipeline without an encoder of words in context from elsewhere ("tok2vec"), as `spacy init
config --pipeline morphologizer,trainable_lemmatizer,parser` makes it, with the defaults of that
command and of `spacy train`. Words and sentences are those of the file.
"""

import subprocess
import sys
from pathlib import Path
from typing import List

import spacy
from spacy.tokens import Doc

from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.sentence import Sentence

_PARTS = "morphologizer,trainable_lemmatizer,parser"


def train(files: List[str], folder: Path) -> None:
    """Writes the pipeline that it learns from a training and a development file into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, path in zip(("train", "dev"), files, strict=True):
        plain = folder / f"{split}.conllu"  # it reads no compressed files
        write_sentences(list(read_sentences(path)), plain)
        _spacy("convert", str(plain), str(folder), "--converter", "conllu", "--n-sents", "1")
    config = str(folder / "config.cfg")
    _spacy("init", "config", config, "--lang", "xx", "--pipeline", _PARTS, "--force")
    paths = [f"--paths.{split}={folder / split}.spacy" for split in ("train", "dev")]
    _spacy("train", config, "--output", str(folder), *paths)


def parse(folder: Path, file: str) -> List[Sentence]:
    """Tags and parses the words of a file with the best pipeline of a folder."""
    nlp = spacy.load(folder / "model-best")
    gold = list(read_sentences(file))
    docs = (
        Doc(nlp.vocab, words=each.forms, sent_starts=[True] + [False] * (len(each) - 1))
        for each in gold
    )
    return [_filled(each, doc) for each, doc in zip(gold, nlp.pipe(docs), strict=True)]


def _filled(sentence: Sentence, doc: Doc) -> Sentence:
    """A root is its own head in spaCy, and `ROOT` by name."""
    roots = [token.head.i == token.i for token in doc]
    return sentence.replace(
        lemmas=[token.lemma_ or "_" for token in doc],
        upos=[token.pos_ or "_" for token in doc],
        feats=[str(token.morph) or "_" for token in doc],
        heads=["0" if root else str(token.head.i + 1) for root, token in zip(roots, doc)],
        deprels=["root" if root else token.dep_ for root, token in zip(roots, doc)],
    )


def _spacy(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "spacy", *words], check=True, stdout=subprocess.DEVNULL)
