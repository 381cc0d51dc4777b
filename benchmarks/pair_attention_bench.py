"""
What does a graph in the attention cost an encoder?

    python benchmarks/pair_attention_bench.py [--lengths 16 32 64 128] [--device cuda]

Times an encoder of the given size with random weights on batches of 2,048 random wordpieces (32
sentences of 64): the forward pass, and forward and backward in training, without a graph and with
one in each of the three parametrizations (Mohammadshahi 2023, chapters 2 to 4). They take turns;
ratios are within a round. Memory is the peak allocation of a step on a GPU, and the tensors kept
for the backward pass on a CPU.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, Optional

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch
import transformers

from udify_allennlp.encoders.graph_attention import GraphAttention
from udify_allennlp.kernels.attention import use_fast_attention
from udify_allennlp.kernels.dropout import use_fast_dropout
from udify_allennlp.modules.relation_ids import relation_ids, relation_rows

PIECES = 2048
KINDS: dict[str, Optional[dict[str, bool]]] = {
    "no graph": None,
    "chapter 2": {},
    "chapter 3": {"layer_norm": True},
    "chapter 4": {"use_key": True, "use_value": False},
}


def trees(batch: int, n: int, labels: int) -> torch.Tensor:
    """
    Returns ids of random trees: each piece depends on an earlier one. Each label is 0.9 times as
    frequent as the one before, about as in all treebanks together: 2,048 words have about 60 of
    200.
    """
    heads = (torch.rand(batch, n) * torch.arange(n)).long()
    found = torch.multinomial(0.9 ** torch.arange(labels), batch * n, True).view(batch, n)
    found[:, 0] = -1
    return relation_ids(heads, found, labels)


def kept(work: Callable[[], torch.Tensor]) -> int:
    """Returns the bytes that autograd keeps for a forward pass, each tensor once."""
    seen: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        seen[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        work()
    return sum(seen.values())


def measure(given: argparse.Namespace, length: int) -> list[str]:
    batch = max(1, PIECES // length)
    config = transformers.BertConfig(
        vocab_size=1000,
        hidden_size=given.hidden,
        num_hidden_layers=given.layers,
        num_attention_heads=given.heads,
        intermediate_size=4 * given.hidden,
    )
    models: dict[str, tuple[Any, Optional[GraphAttention]]] = {}
    for name, settings in KINDS.items():
        torch.manual_seed(0)
        model = transformers.BertModel(config, add_pooling_layer=False).to(given.device)
        use_fast_dropout(model)
        use_fast_attention(model)
        rows = relation_rows(given.labels)
        graph = None if settings is None else GraphAttention(model, rows, **settings)
        models[name] = model, graph if graph is None else graph.to(given.device)
    pieces = torch.randint(1000, (batch, length), device=given.device)
    ids = trees(batch, length, given.labels).to(given.device)
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in KINDS}
    memory: dict[str, int] = {}
    for turn in range(given.repeats + 1):  # the first one warms up
        for name, (model, graph) in models.items():

            def forward(model: Any = model, graph: Any = graph) -> torch.Tensor:
                extra = {} if graph is None else graph(ids)
                return model(input_ids=pieces, **extra).last_hidden_state

            model.eval()
            with torch.no_grad():
                alone = clock(forward, given.device)
            model.train()
            both = clock(lambda f=forward: f().sum().backward(), given.device)  # type: ignore
            if turn:
                seconds[name].append((alone, both))
            elif given.device == "cuda":
                torch.cuda.reset_peak_memory_stats()
                before = torch.cuda.memory_allocated()
                forward().sum().backward()
                memory[name] = torch.cuda.max_memory_allocated() - before
            else:
                memory[name] = kept(forward)
            model.zero_grad()
    lines = []
    base = seconds["no graph"]
    for name, rounds in seconds.items():
        ratios = [
            statistics.median(own[i] / plain[i] for own, plain in zip(rounds, base)) for i in (0, 1)
        ]
        middle = [statistics.median(own[i] for own in rounds) for i in (0, 1)]
        lines.append(
            f"{length:6}{batch:6}  {name:<10}{middle[0]:9.3f}{ratios[0]:8.2f}{middle[1]:11.3f}"
            f"{ratios[1]:8.2f}{memory[name] / 1e6:9.0f}{memory[name] / memory['no graph']:8.2f}"
        )
    return lines


def clock(work: Callable[[], Any], device: str) -> float:
    start = time.perf_counter()
    work()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--lengths", type=int, nargs="+", default=[16, 32, 64, 128, 256])
    parser.add_argument("--hidden", type=int, default=384)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--labels", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    given = parser.parse_args()
    sys.stdout.write(machine.describe() + "\n")
    sys.stdout.write(
        f"encoder    {given.layers} layers of {given.hidden}, {given.labels} labels, "
        f"{given.device}\n"
        f"{'pieces':>6}{'batch':>6}  {'':<10}{'forward':>9}{'ratio':>8}{'+backward':>11}"
        f"{'ratio':>8}{'MB kept':>9}{'ratio':>8}\n"
    )
    for length in given.lengths:
        sys.stdout.write("\n".join(measure(given, length)) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
