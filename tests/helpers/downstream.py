"""Small files of inference and question answering, and an encoder with a layer of structure."""

import json
import lzma
import shutil

import torch

from tests.helpers import ENCODER
from udify_allennlp.encoders.structure_layer import save_layer
from udify_allennlp.modules.structure_integration import StructureLayer

PARAGRAPHS = {
    "en": ("The team lost 308 points in 2015. It won in 2016, at home.", "308 points", "at home"),
    "th": ("ทีมรับของแพนเธอร์ส ยอมแพ้ 308 คะแนน ในปี 2015.", "308", "ในปี 2015"),
    "zh": ("黑豹队在2015年丢了308分。主场赢了。", "308分", "主场"),
    "ru": ("Пантеры сдали 308 очков — в 2015 году.", "308 очков", "Пантеры"),
    "ar": ("تخلى الدفاع عن 308 نقطة في 2015.", "308 نقطة", "الدفاع"),
}
"""By language a paragraph and two answers."""


def squad(lang):
    """A document of SQuAD 1.1 with two questions about the paragraph of a language."""
    paragraph, *answers = PARAGRAPHS[lang]
    entries = [
        {
            "id": f"{lang}-{number}",
            "question": f"Question {number}?",
            "answers": [{"text": answer, "answer_start": paragraph.index(answer)}],
        }
        for number, answer in enumerate(answers)
    ]
    return {"version": "1.1", "data": [{"paragraphs": [{"context": paragraph, "qas": entries}]}]}


def write_squad(path, *langs):
    document = squad(langs[0])
    for lang in langs[1:]:
        document["data"] += squad(lang)["data"]
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


def write_pairs(path, count=12):
    """Pairs of which the label is a word of the hypothesis; compressed where the name says so."""
    labels = ("entailment", "neutral", "contradiction")
    lines = ["premise\thypothesis\tlabel"]
    lines += [f"The {n} came.\tIt {labels[n % 3]} did.\t{labels[n % 3]}" for n in range(count)]
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def encoder_with_layer(folder):
    """The fixtures' encoder as `ud-export` writes one after UD pre-training."""
    shutil.copytree(ENCODER, folder)
    torch.manual_seed(5)
    settings = {"num_labels": 3, "head_dim": 8, "dependent_dim": 4, "shared": True}
    settings = {**settings, "num_heads": 2, "feedforward_dim": 16, "reading": "intended"}
    layer = StructureLayer.made(32, settings)
    with torch.no_grad():
        for parameter in layer.structure.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    save_layer(layer, folder)
    return folder
