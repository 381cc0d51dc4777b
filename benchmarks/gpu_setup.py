"""The resources of the checks of `gpu_check.py`: a device, files, trainers, a clock."""

import json
import os
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple, Optional

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch
import train_bench
import transformers

from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.training.trainer import UdifyTrainer

ROOT = Path(__file__).resolve().parent.parent
CONFIGS = ROOT / "training_config"
FIXTURES = ROOT / "fixtures"
TINY = FIXTURES / "encoder"
MBERT = {
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
}
TOY = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
}
MBERT_PIECES = 119_547


def has_gpu() -> bool:
    return torch.cuda.is_available()


def heading(device: str) -> str:
    name = torch.cuda.get_device_name() if device == "cuda" else "none"
    note = "" if device == "cuda" else "\n\n**A rehearsal on a CPU: its figures mean nothing.**"
    lines = "\n".join(
        f"    {line}" for line in [f"GPU        {name}", *machine.describe().split("\n")]
    )
    return f"# What was run on a GPU\n\nWritten by `make gpu-check`.{note}\n\n{lines}\n"


class Setup(NamedTuple):
    """The resources of the checks; `work` is a folder that they share."""

    device: str
    encoder: Optional[Path]
    train: Path
    dev: Path
    work: Path

    @property
    def on_gpu(self) -> bool:
        return self.device == "cuda"

    @property
    def cuda_device(self) -> int:
        return 0 if self.on_gpu else -1

    def size(self, whole: int, rehearsal: int) -> int:
        return whole if self.on_gpu else rehearsal

    def random_encoder(self) -> Path:
        """Returns a BERT of mBERT's size with random weights, and an available tokenizer."""
        folder = self.work / "random_encoder"
        if not folder.exists():
            source = self.encoder or TINY
            tokenizer = transformers.AutoTokenizer.from_pretrained(str(source))
            size: dict[str, Any] = MBERT if self.on_gpu else TOY
            pieces = max(len(tokenizer), self.size(MBERT_PIECES, 1000))
            config = transformers.BertConfig(vocab_size=pieces, **size)
            transformers.BertModel(config).save_pretrained(folder)
            tokenizer.save_pretrained(folder)
        return folder

    def many_sentences(self) -> Path:
        """
        Returns the training file repeated many times, so that batches are as full as those of a
        large corpus.
        """
        path = self.work / self.train.name
        if not path.exists():
            sentences = list(read_sentences(self.train))
            words, enough = 0, self.size(150_000, 1_500)
            taken = []
            for sentence in cycle(sentences):
                taken.append(sentence)
                words += len(sentence)
                if words >= enough:
                    break
            write_sentences(iter(taken), str(path))
        return path

    def environment(self, encoder: Path, train: Path) -> None:
        os.environ.update(UD_ENCODER=str(encoder), UD_TRAIN=str(train), UD_DEV=str(self.dev))

    def trainer(self, config: str, encoder: Path, name: str, **overrides: Any) -> UdifyTrainer:
        """Returns a trainer that is ready for its first step."""
        self.environment(encoder, self.many_sentences())
        settings = {"trainer.cuda_device": self.cuda_device, **overrides}
        if not self.on_gpu:
            settings["data_loader.max_wordpieces"] = 600
        folder = str(self.work / name)
        return train_bench.make_trainer(str(CONFIGS / config), folder, json.dumps(settings))

    def synchronize(self) -> None:
        if self.on_gpu:
            torch.cuda.synchronize()


class Speed(NamedTuple):
    """Measurements of steps on ready batches: seconds of each, and their peak memory in bytes."""

    steps: float
    sentences: float
    words: float
    memory: int


def time_steps(setup: Setup, trainer: UdifyTrainer, steps: int) -> tuple[Speed, list[Any]]:
    batches = list(islice(trainer.data_loader, min(steps, 8)))
    for batch in batches[:3]:
        trainer.train_step(batch)
    setup.synchronize()
    if setup.on_gpu:
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    sentences = words = 0
    for batch in islice(cycle(batches), steps):
        trainer.train_step(batch)
        sentences += len(batch["layout"]["nodes"])
        words += len(batch["layout"]["places"])
    setup.synchronize()
    seconds = time.perf_counter() - start
    memory = torch.cuda.max_memory_allocated() if setup.on_gpu else machine.peak_resident()
    return Speed(steps / seconds, sentences / seconds, words / seconds, memory), batches


def table(rows: list[tuple[Any, ...]]) -> str:
    head, *body = [" | ".join(map(str, row)) for row in rows]
    lines = [head, "---|" * (len(rows[0]) - 1) + "---", *body]
    return "\n".join(f"| {line} |" if "---" not in line else f"|{line}|" for line in lines) + "\n"
