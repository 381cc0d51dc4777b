"""
Every command with its help line, in the groups of `allennlp --help`. This is the only place for
them: command classes take their help lines from here, and the list is shown without importing any
of them.
"""

GROUPS: dict[str, dict[str, str]] = {
    "Every day": {
        "setup": "Install AllenNLP and test it; `udify setup`.",
        "train": "Train a model from a config.",
        "predict": "Parse CoNLL-U or raw text.",
        "evaluate": "Score a model by the CoNLL 2018 script.",
        "ud-parse": "Parse a corpus with many processes or GPUs; resumable.",
        "ud-serve": "Parse over HTTP, with the REST interface of UDPipe.",
        "ud-view": "Draw the trees of a CoNLL-U file, in the terminal or as a web page.",
        "ud-search": "Find constructions in CoNLL-U files with XPath: listed, counted or drawn.",
        "ud-card": "Show a model's training data and scores; list languages.",
        "ud-configs": "List the shipped configs, or copy one to edit.",
    },
    "Archives of models": {
        "ud-pack": "Write a model's archive with weights in fewer bits, or with fewer wordpieces.",
        "ud-calibrate": "Measure how reliable a model's probabilities are, and correct them.",
        "ud-bundle": "Put a segmenter into the archive of a parser.",
        "ud-export": "Save a model's encoder for transformers, or its parser for onnxruntime.",
    },
    "Scores and studies": {
        "ud-score": "Score parsed CoNLL-U files, compare them, and analyse their errors.",
        "ud-role-score": "Score semantic roles as the shared tasks did.",
        "ud-experiment": "Train and compare models on many treebanks.",
        "ud-downstream": "Fine-tune encoders for inference (XNLI) or question answering (XQuAD).",
        "ud-jackknife": "Parse a training file with models trained on its other parts.",
        "ud-join-roles": "Join files of span roles and dependency roles.",
        "ud-vectors": "Make or align word vectors for several languages.",
    },
    "Analysis": {
        "ud-inspect": "Show a model's layer attention, attention heads, or attention to graphs.",
        "ud-forgotten": "Show what a compressed model has forgotten.",
        "ud-probe": "Measure how much syntax an encoder's vectors hold.",
        "ud-languages": "Measure distances between treebanks in an encoder's vectors.",
        "ud-word-order": "Compare word order across languages.",
        "ud-positions": "Inspect typology-based position embeddings.",
    },
    "AllenNLP's own": {
        "build-vocab": "Build a vocabulary from a config.",
        "cached-path": "Cache remote files.",
        "checklist": "Run a model through a suite of the package checklist.",
        "count-instances": "Count the training instances of a config.",
        "diff": "Compare the weights of two checkpoints.",
        "find-lr": "Find a range of learning rates.",
        "print-results": "Print the metrics of many runs.",
        "test-install": "Import all of AllenNLP.",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
ACTIONS: dict[str, dict[str, str]] = {
    "ud-inspect": {
        "layers": "Show which layers of the encoder each task uses.",
        "attention": "Draw the attention of an encoder's heads on a sentence.",
        "graph": "Measure how much a model attends to its graph.",
    },
    "ud-vectors": {
        "make": "Make aligned word vectors from a multilingual encoder.",
        "align": "Apply alignment matrices to word vectors.",
    },
    "ud-downstream": {
        "nli": "Fine-tune and score encoders on natural language inference.",
        "qa": "Fine-tune and score encoders on question answering.",
    },
    "ud-experiment": {
        "compare": "Train and compare UDify, Lang and UDify+Lang.",
        "ablation": "Train and compare variants of a config.",
        "transfer": "Train systems on one treebank and score them on many.",
    },
}
"""
Commands with several actions, `allennlp ud-inspect layers`, with the help line of each action.
"""
GONE = {
    "push-to-hf": "push-to-hf needs a huggingface_hub below 1.0. Upload the archive of a model "
    "with: hf upload NAME/REPOSITORY model.tar.gz",
}
"""Commands of AllenNLP that cannot work, and their replacements."""
