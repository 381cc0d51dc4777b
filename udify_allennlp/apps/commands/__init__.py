"""Subcommands of `allennlp`."""

from udify_allennlp.apps.commands.bundle import Bundle
from udify_allennlp.apps.commands.calibrate import Calibrate
from udify_allennlp.apps.commands.card import ModelCard
from udify_allennlp.apps.commands.configs import Configs
from udify_allennlp.apps.commands.downstream import Downstream
from udify_allennlp.apps.commands.experiment import Experiment
from udify_allennlp.apps.commands.export import ExportEncoder
from udify_allennlp.apps.commands.forgotten import Forgotten
from udify_allennlp.apps.commands.inspect_model import Inspect
from udify_allennlp.apps.commands.jackknife import Jackknife
from udify_allennlp.apps.commands.languages import Languages
from udify_allennlp.apps.commands.pack import PackModel
from udify_allennlp.apps.commands.parse_corpus import ParseCorpus
from udify_allennlp.apps.commands.positions import Positions
from udify_allennlp.apps.commands.predict import PredictTreebank
from udify_allennlp.apps.commands.probe import StructuralProbe
from udify_allennlp.apps.commands.roles import JoinRoles, ScoreRoles
from udify_allennlp.apps.commands.score import ScoreFiles
from udify_allennlp.apps.commands.search import SearchTrees
from udify_allennlp.apps.commands.serve import Serve
from udify_allennlp.apps.commands.train_evaluate import EvaluateTreebanks, TrainParser
from udify_allennlp.apps.commands.vectors import Vectors
from udify_allennlp.apps.commands.view import ViewTrees
from udify_allennlp.apps.commands.word_order import WordOrder

__all__ = [
    "Bundle",
    "Calibrate",
    "Configs",
    "Downstream",
    "EvaluateTreebanks",
    "Experiment",
    "ExportEncoder",
    "Forgotten",
    "Inspect",
    "Jackknife",
    "Languages",
    "JoinRoles",
    "ModelCard",
    "PackModel",
    "ParseCorpus",
    "Positions",
    "PredictTreebank",
    "ScoreFiles",
    "ScoreRoles",
    "SearchTrees",
    "Serve",
    "StructuralProbe",
    "TrainParser",
    "Vectors",
    "ViewTrees",
    "WordOrder",
]
