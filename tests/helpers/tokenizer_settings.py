"""Settings of two small tokenizers: a `tokenizer.json` of either type."""

import json
from pathlib import Path

from tests.helpers import ENCODER

WORDPIECE = json.loads((Path(ENCODER) / "tokenizer.json").read_text())
UNIGRAM = {
    **WORDPIECE,
    "added_tokens": [
        {**token, "id": number, "content": content}
        for number, (token, content) in enumerate(
            zip(WORDPIECE["added_tokens"], ["<s>", "<pad>", "</s>", "<unk>"])
        )
    ],
    "normalizer": None,
    "pre_tokenizer": {
        "type": "Metaspace",
        "replacement": "▁",
        "prepend_scheme": "always",
        "split": True,
    },
    "post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0]}
    | {"trim_offsets": True, "add_prefix_space": True},
    "padding": {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None}
    | {"pad_id": 1, "pad_type_id": 0, "pad_token": "<pad>"},
    "decoder": None,
    "model": {
        "type": "Unigram",
        "unk_id": 3,
        "byte_fallback": False,
        "vocab": [["<s>", 0.0], ["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0]]
        + [["▁", -3.0], ["dogs", -4.1], ["▁dog", -4.0], ["og", -4.5], ["gs", -4.6]]
        + [[letter, -6.0 - number / 10] for number, letter in enumerate("abdgos")],
    },
}
