"""Subcommands of `allennlp`."""

from udify_allennlp.commands.attention import AttentionMaps
from udify_allennlp.commands.experiment import Experiment
from udify_allennlp.commands.export import ExportEncoder
from udify_allennlp.commands.languages import Languages
from udify_allennlp.commands.layers import LayerAttention
from udify_allennlp.commands.parse_corpus import ParseCorpus
from udify_allennlp.commands.predict import PredictTreebank
from udify_allennlp.commands.probe import StructuralProbe
from udify_allennlp.commands.serve import Serve
from udify_allennlp.commands.teaching import EvaluateTreebanks, TrainParser
from udify_allennlp.commands.view import ViewTrees

__all__ = [
    "AttentionMaps",
    "EvaluateTreebanks",
    "Experiment",
    "ExportEncoder",
    "Languages",
    "LayerAttention",
    "ParseCorpus",
    "PredictTreebank",
    "Serve",
    "StructuralProbe",
    "TrainParser",
    "ViewTrees",
]
