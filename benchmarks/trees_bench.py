"""
How many trees per second does the tree search find, compared with a textbook algorithm?

    python benchmarks/trees_bench.py [--lengths 10 25 ...] [--repeats 3]
    python benchmarks/trees_bench.py --model MODEL --file FILE.conllu [--sentences N]

Scores are "random" (the best-scoring heads are hardly ever a tree, so every sentence needs the
search) or "real" (a tree plus noise: about 8% of sentences need it). The textbook search is the
recursive one of Chu and Liu (1965) and Edmonds (1967), on dictionaries; both find the best tree
with a single root, and their totals must agree. Seconds are CPU seconds. With --model it also
prints the share of the tree search in parsing a file.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Optional
from unittest.mock import patch

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch

from udify_allennlp.decoders import dependency as dependency_decoder
from udify_allennlp.modules.trees import best_trees
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences

LENGTHS = (10, 25, 50, 100, 200, 500)
# The share of sentences whose best-scoring heads are not a tree; the noise is chosen for it.
SEARCHED = 0.08
HEADER = ("scores", "words", "sentences", "searched", "ours /s", "ours ms", "textbook /s", "ratio")
Graph = dict[int, dict[int, float]]


def textbook(scores: Sequence[Sequence[float]]) -> list[int]:
    """
    Returns the heads of the best tree with one child of ROOT, `scores[dependent][head]`; heads[0]
    is 0.

    An arc from ROOT costs more than any tree can gain, so that the best tree has exactly one.
    """
    n = len(scores) - 1
    values = [scores[d][h] for d in range(1, n + 1) for h in range(n + 1) if h != d]
    penalty = (max(values) - min(values)) * (n + 1) + 1
    graph = {
        d: {h: scores[d][h] - (penalty if h == 0 else 0) for h in range(n + 1) if h != d}
        for d in range(1, n + 1)
    }
    heads = chu_liu_edmonds(graph)
    return [0, *(heads[word] for word in range(1, n + 1))]


def chu_liu_edmonds(graph: Graph) -> dict[int, int]:
    """Returns the head of each node in the best tree, `graph[dependent][head]`; ROOT is 0."""
    best = {node: max(heads, key=heads.__getitem__) for node, heads in graph.items()}
    cycle = find_cycle(best)
    if not cycle:
        return best
    new = max(graph) + 1
    contracted: Graph = {new: {}}
    # The arc of `graph` behind an arc into or out of the new node.
    entered: dict[int, int] = {}
    left: dict[int, int] = {}
    for dependent, heads in graph.items():
        for head, score in heads.items():
            if dependent in cycle and head in cycle:
                continue
            if dependent in cycle:  # an arc into the cycle replaces one of its arcs
                gain = score - graph[dependent][best[dependent]]
                if head not in entered or gain > contracted[new][head]:
                    contracted[new][head], entered[head] = gain, dependent
                continue
            row = contracted.setdefault(dependent, {})
            if head not in cycle:
                row[head] = score
            elif dependent not in left or score > row[new]:
                row[new], left[dependent] = score, head
    tree = chu_liu_edmonds(contracted)
    outside = tree.pop(new)
    result = {d: left[d] if head == new else head for d, head in tree.items()}
    result.update({node: best[node] for node in cycle})
    result[entered[outside]] = outside
    return result


def find_cycle(heads: dict[int, int]) -> list[int]:
    """Returns the nodes of a cycle; an empty list for a tree."""
    done = {0}
    for node in heads:
        path: list[int] = []
        while node not in done:
            done.add(node)
            path.append(node)
            node = heads[node]
        if node in path:
            return path[path.index(node) :]
    return []


def random_scores(count: int, n: int) -> torch.Tensor:
    return torch.randn(count, n + 1, n + 1)


def real_scores(count: int, n: int) -> torch.Tensor:
    """
    Returns log-probabilities around random trees: noise, and a lead of the gold arcs, chosen so
    that `SEARCHED` of the sentences have wrong heads that break the tree.
    """
    scores = torch.randn(count, n + 1, n + 1)
    words = torch.arange(1, n + 1)
    # A word's gold head is at most 5 words before it; the first word is under ROOT.
    gold = (words - torch.randint(1, 6, (count, n))).clamp(min=1)
    gold[:, 0] = 0
    heads = gold.unsqueeze(2)
    noise = scores[:, 1:].gather(2, heads)
    low, high = 0.0, 50.0
    for _ in range(20):
        lead = (low + high) / 2
        scores[:, 1:].scatter_(2, heads, noise + lead)
        low, high = (lead, high) if searched(scores) > SEARCHED else (low, lead)
    return scores.log_softmax(2)


def searched(scores: torch.Tensor) -> float:
    """Returns the share of sentences whose best-scoring heads are not a tree with one root."""
    loops = torch.eye(scores.shape[1], dtype=torch.bool)
    heads = scores.masked_fill(loops, -torch.inf).argmax(2)
    heads[:, 0] = 0
    return statistics.mean(
        float(bool(find_cycle(dict(enumerate(row[1:], 1)))) or row[1:].count(0) != 1)
        for row in heads.tolist()
    )


def totals(scores: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
    """Returns the scores of the trees, `(batch,)`, in float64."""
    return scores.double().gather(2, heads.unsqueeze(2))[:, 1:].sum((1, 2))


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Returns CPU seconds, and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def measure(scores: torch.Tensor, repeats: int) -> tuple[float, float, float]:
    """
    Returns CPU seconds per sentence: ours, the textbook's; and the ratio. Medians over repeats.
    """
    mask = torch.ones(scores.shape[:2], dtype=torch.bool)
    rows = scores.double().tolist()
    best_trees(scores, mask)  # warms up
    rounds = []
    for _ in range(repeats):
        ours, found = seconds(lambda: best_trees(scores, mask))
        theirs, trees = seconds(lambda: torch.tensor([textbook(row) for row in rows]))
        rounds.append((ours / len(rows), theirs / len(rows), theirs / ours))
        torch.testing.assert_close(totals(scores, found), totals(scores, trees))
    own, other, ratio = (statistics.median(column) for column in zip(*rounds, strict=True))
    return own, other, ratio


def share(model: str, file: str, sentences: Optional[int]) -> str:
    """Returns the CPU seconds of the tree search within those of parsing a file, in one line."""
    predictor = load_predictor(model)
    read = list(islice(read_sentences(file), sentences))
    spent: list[float] = []

    def timed(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        one, trees = seconds(lambda: best_trees(scores, mask))
        spent.append(one)
        return trees

    predictor.columns(read[:32])  # warms up
    with patch.object(dependency_decoder, "best_trees", timed):
        total, _ = seconds(lambda: predictor.columns(read))
    part, count = sum(spent), len(read)
    return (
        f"parsing    {count} sentences, {total:.2f} s, tree search {part:.3f} s: {part / total:.1%}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument(
        "--lengths", type=int, nargs="+", default=LENGTHS, help="sentence lengths in words"
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--model", help="model archive or run folder, for the share of parsing time"
    )
    parser.add_argument("--file", help="CoNLL-U file that the model parses")
    parser.add_argument("--sentences", type=int, help="read only the first N sentences")
    given = parser.parse_args()
    if min(*given.lengths, given.repeats) < 1:
        parser.error("--lengths and --repeats must be at least 1")
    if (given.model is None) != (given.file is None):
        parser.error("--model and --file must be given together")

    torch.manual_seed(1)
    sys.stdout.write(machine.describe() + "\n")
    sys.stdout.write("".join(f"{name:>12}" for name in HEADER) + "\n")
    for name, make, words in (("random", random_scores, 640), ("real", real_scores, 3200)):
        for n in given.lengths:
            # Few of the long sentences: they are slow, above all by the textbook.
            scores = make(max(words // n, words // 320), n)
            own, other, ratio = measure(scores, given.repeats)
            row = f"{name:>12}{n:12}{len(scores):12}{searched(scores):12.0%}{1 / own:12.1f}"
            sys.stdout.write(f"{row}{1000 * own:12.2f}{1 / other:12.1f}{ratio:12.1f}\n")
            sys.stdout.flush()
    if given.model is not None:
        sys.stdout.write(share(given.model, given.file, given.sentences) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
