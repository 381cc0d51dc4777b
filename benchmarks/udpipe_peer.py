"""UDPipe 1 for the benchmarks, with its defaults and the development file held out."""

from pathlib import Path

from ufal import udpipe

from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.files import open_compressed, write_whole
from udify_allennlp.text.sentence import Sentence

DEFAULTS, NOTHING = "", "none"
"""Trainer options for a trained and for an omitted component."""


def train(files: list[str], path: Path, tokenizer: str, tagger: str, parser: str) -> None:
    """Trains a model on a training and a development file, and writes it."""
    error = udpipe.ProcessingError()
    sets = (sentences(file) for file in files)
    parts = (tokenizer, tagger, parser)
    model = udpipe.Trainer.train("morphodita_parsito", *sets, *parts, error)
    if error.occurred():
        raise SystemExit(f"{files[0]}: {error.message}")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, [model])


def parse(path: Path, file: str, out: Path) -> list[Sentence]:
    """Tags and parses the words of a file with a model."""
    model, error = udpipe.Model.load(str(path)), udpipe.ProcessingError()
    writer = udpipe.OutputFormat.newConlluOutputFormat()
    with open(out, "w", encoding="utf-8") as target:
        for sentence in sentences(file):
            model.tag(sentence, model.DEFAULT, error)
            model.parse(sentence, model.DEFAULT, error)
            target.write(writer.writeSentence(sentence))
    return list(read_sentences(out))


def sentences(path: str) -> udpipe.Sentences:
    with open_compressed(path) as file:
        text = file.read().decode("utf-8")
    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    reader.setText(text)
    found, sentence = udpipe.Sentences(), udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    return found
