"""Subcommands of `allennlp`."""

from udify_allennlp.apps.commands.ablation import Ablation
from udify_allennlp.apps.commands.attention import AttentionMaps
from udify_allennlp.apps.commands.bundle import Bundle
from udify_allennlp.apps.commands.experiment import Experiment
from udify_allennlp.apps.commands.export import ExportEncoder
from udify_allennlp.apps.commands.languages import Languages
from udify_allennlp.apps.commands.layers import LayerAttention
from udify_allennlp.apps.commands.parse_corpus import ParseCorpus
from udify_allennlp.apps.commands.predict import PredictTreebank
from udify_allennlp.apps.commands.probe import StructuralProbe
from udify_allennlp.apps.commands.score import ScoreFiles
from udify_allennlp.apps.commands.serve import Serve
from udify_allennlp.apps.commands.teaching import EvaluateTreebanks, TrainParser
from udify_allennlp.apps.commands.view import ViewTrees

__all__ = [
    "Ablation",
    "AttentionMaps",
    "Bundle",
    "EvaluateTreebanks",
    "Experiment",
    "ExportEncoder",
    "Languages",
    "LayerAttention",
    "ParseCorpus",
    "PredictTreebank",
    "ScoreFiles",
    "Serve",
    "StructuralProbe",
    "TrainParser",
    "ViewTrees",
]
