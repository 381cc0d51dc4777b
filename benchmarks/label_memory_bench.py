"""
How much memory does training take with label sets as large as all of UD's?

    python benchmarks/label_memory_bench.py ENCODER [--labels 110000] [--sentences 32] [--words 25]

Trains a whole UDify model for three steps (forward, backward, clip, AdamW) on random batches,
twice, each in a separate process: with the adaptive softmax for feats and lemmas, and with a plain
one. Labels are drawn uniformly, so nearly every word has a rare one: the worst case. Exits with 1
if the adaptive one takes more than `--limit` GB.
"""

import argparse
import sys
import time
from typing import Any

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.training.optimizers import Optimizer

from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.conllu import Sentence

STEPS = 3
# Wordpieces per word; real text has 1.2 to 1.6.
PIECES = 2
# The label sets of UD 2.3 (thesis, Table 3.2), but for lemma rules, which come from --labels.
LABELS = {"upos": 17, "feats": 24000, "deprel": 45}
NAMESPACES = {
    "upos": "upos_labels",
    "feats": "feats_labels",
    "lemma": "lemma_labels",
    "deprels": "deprel_labels",
}
PLAIN, ADAPTIVE = "plain softmax", "adaptive softmax"


def vocabulary(rules: int) -> Vocabulary:
    sizes = {**LABELS, "lemma": rules}
    # Falling counts: the adaptive softmax wants labels numbered by frequency.
    counts = {
        f"{task}_labels": {f"{task}{label}": size - label for label in range(size)}
        for task, size in sizes.items()
    }
    return Vocabulary(counts)


def build(encoder: str, adaptive: bool, vocab: Vocabulary) -> Model:
    """Returns UDify with the decoders of the thesis (Table 3.3)."""
    decoders: dict[str, dict[str, Any]] = {
        task: {"type": "udify_tag_decoder", "task": task, "adaptive": adaptive and task != "upos"}
        for task in ("upos", "feats", "lemma")
    }
    decoders["deps"] = {"type": "udify_dependency_decoder", "arc_dim": 768, "deprel_dim": 256}
    embedder = {"type": "udify_encoder", "model_name": encoder}
    config = {"type": "udify_multitask", "embedder": embedder, "decoders": decoders}
    return Model.from_params(Params(config), vocab=vocab)


def optimizer_of(model: Model) -> Optimizer:
    """Returns an optimizer with the rates of the thesis (Table 3.3)."""
    groups = [[["^embedder\\."], {"lr": 5e-5}]]
    params = Params({"type": "udify_adamw", "lr": 1e-3, "parameter_groups": groups})
    parameters = [[name, p] for name, p in model.named_parameters() if p.requires_grad]
    return Optimizer.from_params(params, model_parameters=parameters)


def batch(
    vocab: Vocabulary, tokenizer: WordpieceTokenizer, encoder_vocab: int, sentences: int, words: int
) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor], list[Sentence]]:
    """Returns random sentences without padding, in the form of the loader: pieces, gold labels."""
    width = words * PIECES + 2
    ids = torch.randint(encoder_vocab, (sentences, width))
    ids[:, 0], ids[:, -1] = tokenizer.start_id, tokenizer.end_id
    starts = torch.arange(sentences).unsqueeze(1) * width
    pieces = {
        "ids": ids,
        "mask": torch.ones_like(ids, dtype=torch.bool),
        "first": (starts + 1 + torch.arange(words) * PIECES).flatten(),
    }
    gold = {
        field: torch.randint(vocab.get_vocab_size(namespace), (sentences * words,))
        for field, namespace in NAMESPACES.items()
    }
    gold["heads"] = torch.arange(words).repeat(sentences)  # each word under the one before
    return pieces, gold, [Sentence.from_words(["word"] * words)] * sentences


def train(encoder: str, adaptive: bool, rules: int, sentences: int, words: int) -> dict[str, float]:
    """
    Trains for three steps; returns parameters, bytes before and at the peak, and seconds of the
    last step.
    """
    torch.manual_seed(1)
    vocab = vocabulary(rules)
    model = build(encoder, adaptive, vocab).train()
    optimizer = optimizer_of(model)
    tokenizer = WordpieceTokenizer(encoder)
    encoder_vocab = model.embedder.transformer.config.vocab_size
    built = machine.resident()
    for _ in range(STEPS):
        layout = Layout.from_lengths([words] * sentences)
        fields = {"nodes": layout.nodes, "places": layout.places}
        pieces, gold, texts = batch(vocab, tokenizer, encoder_vocab, sentences, words)
        start = time.perf_counter()
        optimizer.zero_grad()
        model(layout=fields, wordpieces=pieces, sentences=texts, **gold)["loss"].backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        seconds = time.perf_counter() - start
    parameters = sum(parameter.numel() for parameter in model.parameters())
    peak = machine.peak_resident()
    return {"parameters": parameters, "built": built, "peak": peak, "seconds": seconds}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("encoder", help="encoder: folder or hub name")
    parser.add_argument(
        "--labels", type=int, default=110_000, help="number of distinct lemma rules"
    )
    parser.add_argument("--sentences", type=int, default=32)
    parser.add_argument("--words", type=int, default=25, help="number of words per sentence")
    parser.add_argument(
        "--limit", type=float, default=6.0, help="memory limit of the adaptive softmax, in GB"
    )
    given = parser.parse_args()

    sizes = {"lemma rules": given.labels, **LABELS}
    lines = [
        machine.describe(),
        f"labels     {', '.join(f'{size} {name}' for name, size in sizes.items())}",
        f"batch      {given.sentences} sentences x {given.words} words x {PIECES} wordpieces",
        f"{'':<18}{'parameters':>12}{'built GB':>10}{'peak GB':>10}{'s/step':>8}",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
    peaks = {}
    for name in (ADAPTIVE, PLAIN):
        # A process has only one peak, so each variant gets its own process.
        adaptive = name == ADAPTIVE
        task = (given.encoder, adaptive, given.labels, given.sentences, given.words)
        result = machine.afresh(train, *task)
        peaks[name] = result["peak"] / 1e9
        figures = f"{result['built'] / 1e9:10.2f}{peaks[name]:10.2f}{result['seconds']:8.1f}"
        sys.stdout.write(f"{name:<18}{result['parameters'] / 1e6:11.1f}M{figures}\n")
        sys.stdout.flush()
    kept = peaks[ADAPTIVE] <= given.limit
    verdict = "under" if kept else "OVER"
    sys.stdout.write(f"{ADAPTIVE}: {verdict} the limit of {given.limit:g} GB\n")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
