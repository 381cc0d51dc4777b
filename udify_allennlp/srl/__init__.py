"""
Semantic role labelling: tasks, decoder, span search, senses, scores. The graph that a role labeller
may attend to is in `graph2graph/`; files of roles are read in `text/roles/`.
"""

from udify_allennlp.srl.decoder import RoleDecoder
from udify_allennlp.srl.scores import RoleEvaluator, RoleScores
from udify_allennlp.srl.tasks import GivenPredicates, RolesTask

__all__ = ["GivenPredicates", "RoleDecoder", "RoleEvaluator", "RoleScores", "RolesTask"]
