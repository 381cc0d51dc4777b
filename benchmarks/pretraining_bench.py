"""
What does universal structure add to the cost of a masked language model?

    python benchmarks/pretraining_bench.py [--lengths 64 128 256] [--device cuda]

Times an encoder of the given size with random weights, as built by `udify_pretraining`, on one
batch of random wordpieces: the forward and backward pass of masked pieces alone (the first phase),
with the integration layer (the second phase), and of the trees. They take turns; ratios are within
a round. Memory is the peak allocation of a step on a GPU, and the tensors kept for the backward
pass on a CPU.
"""

import argparse
import statistics
import sys
from collections.abc import Callable
from typing import Any

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch
import torch.nn.functional as F
import transformers
from pair_attention_bench import clock, kept

from udify_allennlp.modules.structure_integration import Integration
from udify_allennlp.modules.universal_structure import UniversalStructure
from udify_allennlp.pretraining.masked_head import MaskedHead


class Steps:
    """The losses of one batch."""

    def __init__(self, given: argparse.Namespace, length: int) -> None:
        torch.manual_seed(0)
        config = transformers.BertConfig(
            vocab_size=given.vocabulary,
            hidden_size=given.hidden,
            num_hidden_layers=given.layers,
            num_attention_heads=given.heads,
            intermediate_size=4 * given.hidden,
        )
        self.encoder: Any = transformers.BertModel(config, add_pooling_layer=False)
        self.structure = UniversalStructure(given.hidden, given.labels)
        self.integration = Integration(
            given.hidden, given.labels, given.heads, 4 * given.hidden, reading=given.reading
        )
        self.head = MaskedHead(given.hidden, self._table())
        self.parts = torch.nn.ModuleList(
            [self.encoder, self.structure, self.integration, self.head]
        ).to(given.device)
        shape, device = (given.batch, length), given.device
        self.ids = torch.randint(given.vocabulary, shape, device=device)
        self.mask = torch.ones(shape, dtype=torch.bool, device=device)
        self.chosen = torch.rand(shape, device=device) < 0.15
        self.heads = torch.randint(length, shape, device=device)
        self.labels = torch.randint(given.labels, shape, device=device)
        self.places = torch.arange(self.ids.numel(), device=device)

    def _table(self) -> torch.Tensor:
        table: torch.Tensor = self.encoder.get_input_embeddings().weight
        return table

    def _states(self) -> torch.Tensor:
        states: torch.Tensor = self.encoder(input_ids=self.ids).last_hidden_state
        return states

    def _masked(self, vectors: torch.Tensor) -> torch.Tensor:
        scores = self.head(vectors[self.chosen], self._table())
        return F.cross_entropy(scores, self.ids[self.chosen])

    def masked(self) -> torch.Tensor:
        return self._masked(self._states())

    def integrated(self) -> torch.Tensor:
        states = self._states()
        soft = self.structure.soft(self.structure(states, self.mask))
        return self._masked(self.integration(states, soft, self.mask))

    def trees(self) -> torch.Tensor:
        arcs, (dependents, heads) = self.structure(self._states(), self.mask)
        rows = self.places - self.places % arcs.shape[1] + self.heads.flatten()
        found = self.structure.labels(dependents.flatten(0, 1), heads.flatten(0, 1)[rows])
        arc_loss = F.cross_entropy(arcs.flatten(0, 1), self.heads.flatten())
        return arc_loss + F.cross_entropy(found, self.labels.flatten())


def measure(given: argparse.Namespace, length: int) -> list[str]:
    steps = Steps(given, length)
    kinds: dict[str, Callable[[], torch.Tensor]] = {
        "masked pieces": steps.masked,
        "with structure": steps.integrated,
        "trees": steps.trees,
    }
    seconds: dict[str, list[float]] = {name: [] for name in kinds}
    memory: dict[str, int] = {}
    for turn in range(given.repeats + 1):  # the first one warms up
        for name, loss in kinds.items():
            taken = clock(lambda f=loss: f().backward(), given.device)  # type: ignore
            if turn:
                seconds[name].append(taken)
            elif given.device == "cuda":
                torch.cuda.reset_peak_memory_stats()
                before = torch.cuda.memory_allocated()
                loss().backward()
                memory[name] = torch.cuda.max_memory_allocated() - before
            else:
                memory[name] = kept(loss)
            steps.parts.zero_grad()
    lines = []
    base = seconds["masked pieces"]
    for name, rounds in seconds.items():
        ratio = statistics.median(own / plain for own, plain in zip(rounds, base))
        lines.append(
            f"{length:6}{given.batch:6}  {name:<15}{statistics.median(rounds):9.3f}{ratio:8.2f}"
            f"{memory[name] / 1e6:9.0f}{memory[name] / memory['masked pieces']:8.2f}"
        )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--lengths", type=int, nargs="+", default=[64, 128, 256])
    parser.add_argument("--batch", type=int, default=6)
    parser.add_argument("--hidden", type=int, default=384)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--labels", type=int, default=39)
    parser.add_argument("--vocabulary", type=int, default=30_000)
    parser.add_argument("--reading", choices=("intended", "literal"), default="intended")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    given = parser.parse_args()
    sys.stdout.write(machine.describe() + "\n")
    sys.stdout.write(
        f"encoder    {given.layers} layers of {given.hidden}, {given.labels} labels, "
        f"{given.vocabulary} pieces, {given.reading}, {given.device}\n"
        f"{'pieces':>6}{'batch':>6}  {'':<15}{'seconds':>9}{'ratio':>8}{'MB kept':>9}{'ratio':>8}\n"
    )
    for length in given.lengths:
        sys.stdout.write("\n".join(measure(given, length)) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
