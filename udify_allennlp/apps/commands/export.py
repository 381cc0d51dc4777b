"""`allennlp ud-export MODEL --out FOLDER`: a model's encoder, or its scores, for other programs."""

import argparse
import importlib.util

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.output.files import new_folder
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import MODEL, add_old, add_out
from udify_allennlp.engine.segmenter import SEGMENTER
from udify_allennlp.kernels.packed_embedding import packed_embeddings
from udify_allennlp.models.extract_encoder import export, load_parser
from udify_allennlp.segmenter.archive import segmenter_of

PRECISIONS = ("int8", "float32")
_PACKAGES = ("onnx", "onnxruntime", "onnxscript")


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

    With --onnx, the whole parser and its segmenter are saved instead, for parsing without PyTorch
    (docs/onnx.md):

      allennlp ud-export multilingual --onnx exported
      udify-onnx exported text.conllu --output-file parsed.conllu
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", metavar="MODEL", help=MODEL)
        out = parser.add_mutually_exclusive_group(required=True)
        add_out(out, "FOLDER", required=False)
        out.add_argument("--onnx", metavar="FOLDER", help="save the parser for udify-onnx")
        add_old(out, "FOLDER", "--out")
        parser.add_argument(
            "--precision",
            choices=PRECISIONS,
            help="precision of products with --onnx; int8, the default, is smaller and faster, "
            "float32 predicts exactly what the model predicts",
        )
        parser.add_argument(
            "--without-integration",
            action="store_true",
            help="omit the layer that UD pretraining puts above the encoder",
        )

    def run(self, args: argparse.Namespace) -> None:
        _export(args)


def _export(args: argparse.Namespace) -> None:
    if args.onnx is not None:
        _export_parser(args.model, args.onnx, args.precision or PRECISIONS[0])
        return
    if args.precision is not None:
        raise ConfigurationError("--precision applies only to --onnx. Remove it.")
    folder = new_folder(args.out, "--out")
    export(args.model, folder, not args.without_integration)


def _export_parser(name: str, target: str, precision: str) -> None:
    missing = [package for package in _PACKAGES if importlib.util.find_spec(package) is None]
    if missing:
        raise ConfigurationError(
            f"--onnx needs {', '.join(missing)}. Install the extra: pip install "
            "'udify_allennlp[onnx]'."
        )
    from udify_allennlp.models import onnx_export
    from udify_allennlp.segmenter import onnx_export as segmenter_export

    with packed_embeddings():  # the table of wordpieces is exported in the form of the archive
        archive = load_parser(name)
    onnx_export.check(archive.model, name)
    reader = archive.validation_dataset_reader
    segmenter = segmenter_of(name)
    folder = new_folder(target, "--onnx")
    onnx_export.export(archive.model, reader, folder, name, precision)
    if segmenter is not None:
        segmenter_export.export(segmenter, folder / SEGMENTER)
