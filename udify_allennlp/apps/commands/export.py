"""`allennlp ud-export MODEL FOLDER`: the fine-tuned encoder for any other use."""

import argparse

from allennlp.commands.subcommand import Subcommand

from udify_allennlp.apps.analysis.output.files import new_folder
from udify_allennlp.models.extract_encoder import export

_DESCRIPTION = """\
Save the encoder of a trained model as an ordinary Hugging Face folder: config.json,
model.safetensors and the tokenizer. Any program that uses transformers loads it, without
udify_allennlp:

    from transformers import AutoModel, AutoTokenizer
    encoder = AutoModel.from_pretrained("FOLDER")
    tokenizer = AutoTokenizer.from_pretrained("FOLDER")

The config is that of the pretrained encoder. Where the architecture has a pooler (BERT and its
like), transformers says that it is newly initialized: fine-tuning on treebanks does not train one.
Graph-to-graph models give the encoder alone, without the vectors of graph relations, of UPOS and of
the piece for ROOT, for which transformers has no place.

    allennlp ud-export out/ewt/model.tar.gz exported
"""


@Subcommand.register("ud-export")
class ExportEncoder(Subcommand):
    """The fine-tuned encoder as a Hugging Face folder (thesis, chapter 6)."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description=_DESCRIPTION,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            help="Save a model's encoder as a Hugging Face folder.",
        )
        subparser.add_argument("model", help="archive, or folder of a run")
        subparser.add_argument("folder", help="folder to write; it must be new or empty")
        subparser.set_defaults(func=_export)
        return subparser


def _export(args: argparse.Namespace) -> None:
    folder = new_folder(args.folder, "FOLDER")
    export(args.model, folder)
