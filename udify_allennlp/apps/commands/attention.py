"""`allennlp ud-inspect attention MODEL FILE --out FOLDER`: the attention of an encoder's heads."""

import argparse
from itertools import islice
from typing import Any

from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm

from udify_allennlp.apps.analysis.attention.page import AttentionMap, attention_page
from udify_allennlp.apps.analysis.encoders import PlainEncoder, load_encoder
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.apps.analysis.output.files import names_of, new_folder, numbers, write_json
from udify_allennlp.apps.commands.command import Action
from udify_allennlp.apps.commands.options import MODEL_OR_ENCODER, add_out
from udify_allennlp.text.conllu import Sentence, read_sentences


class AttentionMaps(Action):
    """
    Draw the attention of an encoder's heads on one sentence (thesis, figures 4.5 to 4.8). MODEL is
    a trained model (archive or run folder) or any Hugging Face encoder (folder or hub name);
    several are shown side by side, such as an encoder before and after fine-tuning:

      allennlp ud-inspect attention bert-base-multilingual-cased out/ewt dev.conllu \\
        --sentence 3 --layers 7,10,11 --heads 3,4 --out attention

    FOLDER will hold attention.json (shares), attention.png and attention.html, a page for a browser
    that needs neither scripts nor the network. Layers, heads and sentences are numbered from 1. The
    attention from a word is the mean over its wordpieces, the attention to a word their sum;
    attention to special pieces such as [SEP], often most of it, is left out. With --pieces, all
    pieces are shown.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", nargs="+", metavar="MODEL", help=MODEL_OR_ENCODER)
        parser.add_argument("file", metavar="FILE", help="CoNLL-U file; its trees are ignored")
        parser.add_argument(
            "--sentence", type=int, default=1, help="number of the sentence in FILE (default = 1)"
        )
        parser.add_argument(
            "--layers", help="layers, such as 1,7-9 (default = the last layer of the first MODEL)"
        )
        parser.add_argument(
            "--heads", help="heads, such as 1,3-4 (default = all heads of the first MODEL)"
        )
        parser.add_argument(
            "--pieces",
            action="store_true",
            help="show wordpieces, including special ones, instead of words",
        )
        add_out(parser, "FOLDER")

    def run(self, args: argparse.Namespace) -> None:
        _attention(args)


def _attention(args: argparse.Namespace) -> None:
    can_draw = figures.available()
    names = names_of(args.model)
    layers = numbers(args.layers, "--layers") if args.layers else []
    heads = numbers(args.heads, "--heads") if args.heads else []
    words = _sentence(args.file, args.sentence).forms
    folder = new_folder(args.out, "--out")
    columns: list[list[AttentionMap]] = []
    with Tqdm.tqdm(args.model, unit=" models") as paths:
        for path, name in zip(paths, names):
            encoder = load_encoder(path, attentions=True)
            layers = layers or [encoder.num_layers]
            heads = heads or list(range(1, encoder.num_heads + 1))
            columns.append(_maps(encoder, name, words, layers, heads, args.pieces))
    rows = [list(row) for row in zip(*columns, strict=True)]
    write_json(
        folder / "attention.json",
        {
            "words": words,
            "maps": [_record(item, args.pieces) for column in columns for item in column],
        },
    )
    page = attention_page(" ".join(words), rows)
    (folder / "attention.html").write_text(page, encoding="utf-8")
    if can_draw:
        panels = [[figures.MapPanel(m.title, m.labels, m.values) for m in row] for row in rows]
        figures.draw_maps(folder / "attention.png", panels)


def _maps(
    encoder: PlainEncoder,
    name: str,
    words: list[str],
    layers: list[int],
    heads: list[int],
    of_pieces: bool,
) -> list[AttentionMap]:
    encoder.check_layers(layers, lowest=1)
    for head in heads:
        if not 1 <= head <= encoder.num_heads:
            raise ConfigurationError(
                f"--heads has {head}, but {encoder.name} has heads 1 to {encoder.num_heads}. Name "
                "one of these."
            )
    if of_pieces:
        labels, shares = encoder.attentions(words)
    else:
        labels, shares = words, encoder.word_attentions(words)
    return [
        AttentionMap(name, layer, head, labels, shares[layer - 1, head - 1].numpy())
        for layer in layers
        for head in heads
    ]


def _record(item: AttentionMap, of_pieces: bool) -> dict[str, Any]:
    return {
        "model": item.model,
        "layer": item.layer,
        "head": item.head,
        **({"wordpieces": item.labels} if of_pieces else {}),
        "attention": [[round(share, 5) for share in row] for row in item.values.tolist()],
    }


def _sentence(path: str, number: int) -> Sentence:
    if number >= 1:
        for sentence in islice(read_sentences(path), number - 1, number):
            return sentence
    count = sum(1 for _ in read_sentences(path))
    raise ConfigurationError(f"{path}: has no sentence {number}, only 1 to {count}.")
