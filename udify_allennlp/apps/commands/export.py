"""`allennlp ud-export MODEL --out FOLDER`: the fine-tuned encoder for other programs."""

import argparse

from allennlp.commands.subcommand import Subcommand

from udify_allennlp.apps.analysis.output.files import new_folder
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import MODEL, add_old, add_out
from udify_allennlp.models.extract_encoder import export


@Subcommand.register("ud-export")
class ExportEncoder(Command):
    """
    Save the encoder of a trained model as an ordinary Hugging Face folder: config.json,
    model.safetensors and the tokenizer. Any program that uses transformers loads it, without
    udify_allennlp:

      from transformers import AutoModel, AutoTokenizer
      encoder = AutoModel.from_pretrained("FOLDER")
      tokenizer = AutoTokenizer.from_pretrained("FOLDER")

    The config is that of the pretrained encoder. If the architecture has a pooler (such as BERT),
    transformers warns that it is newly initialized, since fine-tuning on treebanks does not train
    one. For graph-to-graph models, only the encoder is saved, without the vectors of graph
    relations, UPOS tags and the ROOT piece, which transformers does not support.

      allennlp ud-export out/ewt/model.tar.gz --out exported

    For a model of UD pretraining, the layer above the encoder that reads its soft trees is saved
    next to it, as structure_layer.json and .safetensors. UD_ENCODER=FOLDER uses it as the topmost
    layer; other programs ignore it. --without-integration omits it.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", metavar="MODEL", help=MODEL)
        out = parser.add_mutually_exclusive_group(required=True)
        add_out(out, "FOLDER", required=False)
        add_old(out, "FOLDER", "--out")
        parser.add_argument(
            "--without-integration",
            action="store_true",
            help="omit the layer that UD pretraining puts above the encoder",
        )

    def run(self, args: argparse.Namespace) -> None:
        _export(args)


def _export(args: argparse.Namespace) -> None:
    folder = new_folder(args.out, "--out")
    export(args.model, folder, not args.without_integration)
