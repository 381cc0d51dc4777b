"""
Every command with its help line, in the groups of `allennlp --help`. This is the one place: classes
of commands take their lines from here, and the list is shown without importing any of them.
"""

GROUPS: dict[str, dict[str, str]] = {
    "Every day": {
        "setup": "Install AllenNLP beside us and try it; `udify setup`.",
        "train": "Train a model as a config says.",
        "predict": "Parse CoNLL-U or raw text.",
        "evaluate": "Score a model by the CoNLL 2018 script.",
        "ud-parse": "Parse a corpus with many processes or GPUs; can be interrupted.",
        "ud-serve": "Parse over HTTP, with the REST interface of UDPipe.",
        "ud-view": "Draw the trees of a CoNLL-U file, in the terminal or as a web page.",
        "ud-search": "Find constructions in CoNLL-U files with XPath: listed, counted or drawn.",
        "ud-card": "Show what a model was trained on and how it scored; list languages.",
        "ud-configs": "List the configs that are shipped, or copy one to edit.",
    },
    "Archives of models": {
        "ud-pack": "Write a model's archive with weights in fewer bits, or fewer wordpieces.",
        "ud-calibrate": "Measure how reliable a model's probabilities are, and correct them.",
        "ud-bundle": "Put a segmenter into the archive of a parser.",
        "ud-export": "Save a model's encoder as a Hugging Face folder.",
    },
    "Scores and studies": {
        "ud-score": "Score parsed CoNLL-U files, compare them, and show where they are wrong.",
        "ud-role-score": "Score semantic roles as the shared tasks did.",
        "ud-experiment": "Train and compare models on many treebanks.",
        "ud-jackknife": "Parse a training file with models that were trained on its other parts.",
        "ud-join-roles": "Join files of span roles and of dependency roles to one.",
        "ud-vectors": "Make or align vectors of words of several languages.",
    },
    "Analysis": {
        "ud-inspect": "Show a model's layer attention, attention heads, or attention to graphs.",
        "ud-forgotten": "Show what a compressed model has forgotten.",
        "ud-probe": "Measure how much of the trees an encoder's vectors hold.",
        "ud-languages": "Measure which treebanks are near which in an encoder's vectors.",
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
        "graph": "Measure how much a model attends to the graph that it is given.",
    },
    "ud-vectors": {
        "make": "Make aligned vectors of words from a multilingual encoder.",
        "align": "Apply alignment matrices to vectors of words.",
    },
    "ud-experiment": {
        "compare": "Train and compare UDify, Lang and UDify+Lang.",
        "ablation": "Train and compare variants of a config.",
        "transfer": "Train systems on one treebank and score them on many.",
    },
}
"""Commands of several actions, `allennlp ud-inspect layers`, with the help line of each."""
GONE = {
    "push-to-hf": "push-to-hf needs a huggingface_hub below 1.0. Upload the archive of a model "
    "with: hf upload NAME/REPOSITORY model.tar.gz",
}
"""Commands of AllenNLP that cannot work, and what to type instead."""
