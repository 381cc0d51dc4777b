"""
Graph-to-Graph Transformers (Mohammadshahi 2023): refinement of parses by attention to them, and
semantic roles with attention to parses.
"""

from udify_allennlp.graph2graph.graph_transitions import GraphTransitionModel
from udify_allennlp.graph2graph.initial import InitialGraph
from udify_allennlp.graph2graph.predicted_trees import PredictedTrees
from udify_allennlp.graph2graph.refinement import RefinementModel
from udify_allennlp.graph2graph.refining_trainer import RefiningTrainer
from udify_allennlp.graph2graph.state_transitions import StateTransitionModel
from udify_allennlp.graph2graph.transition_decoder import TransitionDecoder
from udify_allennlp.graph2graph.with_graph import GraphInputModel

__all__ = [
    "GraphInputModel",
    "GraphTransitionModel",
    "InitialGraph",
    "PredictedTrees",
    "RefinementModel",
    "RefiningTrainer",
    "StateTransitionModel",
    "TransitionDecoder",
]
