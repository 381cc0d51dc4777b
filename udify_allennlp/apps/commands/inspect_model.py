"""`allennlp ud-inspect`: the attention of a trained model."""

from allennlp.commands.subcommand import Subcommand

from udify_allennlp.apps.commands.attention import AttentionMaps
from udify_allennlp.apps.commands.command import CommandGroup
from udify_allennlp.apps.commands.graph_attention import GraphAttentionShares
from udify_allennlp.apps.commands.layers import LayerAttention


@Subcommand.register("ud-inspect")
class Inspect(CommandGroup):
    """
    Look inside models. Several are shown side by side, such as an encoder before and after
    fine-tuning.

      allennlp ud-inspect layers out/ewt/model.tar.gz --out layers
      allennlp ud-inspect attention out/ewt/model.tar.gz dev.conllu --out attention
      allennlp ud-inspect graph out/rngtr/model.tar.gz dev.conllu --out graph
    """

    actions = {"layers": LayerAttention, "attention": AttentionMaps, "graph": GraphAttentionShares}
