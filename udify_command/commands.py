"""The commands that there are, as `allennlp --help` lists them without importing any."""

COMMANDS = {
    "setup": "Install AllenNLP beside us and try it; `udify setup`.",
    "train": "Train a model as a config says.",
    "predict": "Parse CoNLL-U or raw text.",
    "evaluate": "Score a model by the CoNLL 2018 script.",
    "ud-configs": "List the configs that are shipped, or copy one to edit.",
    "ud-parse": "Parse a corpus with many processes or GPUs; can be interrupted.",
    "ud-serve": "Parse over HTTP, with the REST interface of UDPipe.",
    "ud-view": "Draw the trees of a CoNLL-U file as a web page.",
    "ud-card": "Say what a model was trained on and how it scored.",
    "ud-pack": "Write a model's archive with weights in float16 or int8.",
    "ud-bundle": "Put a segmenter into the archive of a parser.",
    "ud-score": "Score parsed CoNLL-U files; say whether one is better than another.",
    "ud-errors": "Show where parses are wrong, and what each iteration mends.",
    "ud-experiment": "Train and compare UDify, Lang and UDify+Lang on many treebanks.",
    "ud-ablation": "Train and compare variants of a config on many treebanks.",
    "ud-jackknife": "Parse a training file with models that were trained on its other parts.",
    "ud-transfer": "Train systems on one treebank and score them on many.",
    "ud-word-order": "Measure how the orders of words of languages differ.",
    "ud-vectors": "Make aligned vectors of words from a multilingual encoder.",
    "ud-align": "Apply alignment matrices to vectors of words.",
    "ud-export": "Save a model's encoder as a Hugging Face folder.",
    "ud-layers": "Show which layers of the encoder each task uses.",
    "ud-probe": "Measure how much of the trees an encoder's vectors hold.",
    "ud-languages": "Measure which treebanks are near which in an encoder's vectors.",
    "ud-attention": "Draw the attention of an encoder's heads on a sentence.",
    "ud-graph-attention": "Measure how much a model attends to the graph that it is given.",
    "build-vocab": "AllenNLP: build a vocabulary from a config.",
    "cached-path": "AllenNLP: cache remote files.",
    "checklist": "AllenNLP: run a model through a suite of the package checklist.",
    "count-instances": "AllenNLP: count the training instances of a config.",
    "diff": "AllenNLP: compare the weights of two checkpoints.",
    "find-lr": "AllenNLP: find a range of learning rates.",
    "print-results": "AllenNLP: print the metrics of many runs.",
    "test-install": "AllenNLP: import all of it.",
}
GONE = {
    "push-to-hf": "push-to-hf needs a huggingface_hub below 1.0. Upload the archive of a model "
    "with: hf upload NAME/REPOSITORY model.tar.gz",
}
"""Commands of AllenNLP that cannot work, and what to type instead."""
