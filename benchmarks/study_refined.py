"""
The commands of the study `refined` (Mohammadshahi 2023, Tables 3.1 to 3.6, Figure 3.3).
`studies.py` lists the studies.
"""

from study_systems import GRAPHS, variants


def epochs(count: int) -> str:
    """Returns the setting for the length of a training."""
    return f'"trainer.num_epochs": {count}'


_RNGTR = f"{GRAPHS}/rngtr_small_cpu.jsonnet"
_UDIFY = "docs/results/udify_small_cpu.jsonnet"
_SYNTR = f"{GRAPHS}/syntr_small_cpu.jsonnet"
_RUN = "{out}/refined/UDify+RNGTr T3/seed_1"
_JACK = (
    '"dataset_reader.inputs": [{"type": "predicted_deps", "folder": "{out}/jackknife/{treebank}"}]'
)
_SYSTEMS = {
    "UDify": f"{_UDIFY} {{{epochs(20)}}}",
    "SynTr": _SYNTR,
    "UDify+RNGTr T3": "{}",
    "Empty+RNGTr": f"{GRAPHS}/rngtr_empty_small_cpu.jsonnet",
    "SynTr+RNGTr": f"{GRAPHS}/rngtr_syntr_small_cpu.jsonnet",
    "UDify+RNGTr T1": '{"model.iterations": 1}',
    "UDify+RNGTr T3 no stop": '{"model.stop": false}',
    # The same number of updates as with three passes, and as after SynTr.
    "UDify+RNGTr T1 60 epochs": f'{{"model.iterations": 1, {epochs(60)}}}',
    "SynTr 80 epochs": f"{_SYNTR} {{{epochs(80)}}}",
}
_MORE = {
    "UDify": "{out}/refined/UDify/seed_1/{treebank}",
    "RNGTr T3 jackknifed": f"{{{_JACK}}}",
    "RNGTr T1 jackknifed": f'{{"model.iterations": 1, {_JACK}}}',
    "RNGTr T3 all tasks": f"{GRAPHS}/rngtr_all_tasks_small_cpu.jsonnet",
}
"""Training trees from parsers that have not seen the sentences; refinement of tags as well."""
_PASSES = " ".join(f"'{{out}}/passes/*.{number}.conllu'" for number in range(4))

COMMANDS = (
    f"allennlp ud-experiment ablation {_RNGTR} {{refined}} --out {{out}}/refined --seeds 1,2,3 "
    f"--initial UDify {variants(_SYSTEMS)}\n"
    f"allennlp ud-jackknife {_UDIFY} {{folder}}/{{treebank}}-ud-train.conllu "
    "--out {out}/jackknife/{treebank} "
    f"""-o '{{{epochs(20)}, "validation_data_path": "{{folder}}/{{treebank}}-ud-dev.conllu"}}'\n"""
    f"allennlp ud-experiment ablation {_RNGTR} {{folder}} --out {{out}}/refined_more/{{treebank}} "
    f"--seeds 1 --initial UDify {variants(_MORE)}\n"
    f"allennlp predict '{_RUN}/{{treebank}}' {{folder}}/{{treebank}}-ud-test.conllu "
    "--every-iteration --output-file {out}/passes/{treebank}.conllu\n"
    f"allennlp ud-score --by arcs '{{refined_tests}}' {_PASSES} --out {{out}}/passes/errors\n"
    "allennlp ud-score --by arcs '{refined_tests}' '{out}/refined/UDify/seed_1/scores' "
    f"'{_RUN}/scores' '{{out}}/refined/SynTr/seed_1/scores' "
    "'{out}/refined/SynTr+RNGTr/seed_1/scores' --out {out}/refined/errors"
)
