"""The systems that studies compare, as changes to a config. `studies.py` lists the studies."""

GRAPHS = "training_config/graph2graph"
ORDER = "training_config/order_transfer"
TYPOLOGY = "training_config/typology/small_cpu.jsonnet"
_FILE = '"model.initial": {"type": "empty"}, "model.embedder.relations": false'
_PREDICATES = '"model.decoders.roles.given": true, "dataset_reader.inputs": ["predicates"'
_TREES = '{"type": "predicted_deps"}'
ROLES = {
    "SynG2G-Tr": "",
    "without key and query": f'{_FILE}, "dataset_reader.inputs": ["upos"]',
    "given": f"{_PREDICATES}, {_TREES}]",
    "given, without key and query": f'{_PREDICATES}, "upos"], {_FILE}',
    "without key": '"model.embedder.use_key": false',
    "with value": '"model.embedder.use_value": true',
    "given, without key": f'{_PREDICATES}, {_TREES}], "model.embedder.use_key": false',
    "given, with value": f'{_PREDICATES}, {_TREES}], "model.embedder.use_value": true',
}
"""Rows of Table 4.6: predicates found, and given."""
_GENERATOR = '"model.embedder.generator"'
_FEATURES = '"model.embedder.features"'
_ABSOLUTE = '"model.embedder.positions": "absolute"'
_FASTER = '"trainer.optimizer.parameter_groups": [[["embedder.generators"], {"lr": 0.01}]]'
POSITIONS = {
    "UPR": f'{{{_GENERATOR}: {{"type": "universal"}}}}',
    "ATTN": "",
    "ATTN random": f'{{{_FEATURES}: "random"}}',
    "ATTN same": f'{{{_FEATURES}: "same"}}',
    "MLP": f'{{{_GENERATOR}: {{"type": "mlp", "hidden_dim": 64}}}}',
    "Feat": f'{{{_GENERATOR}: {{"type": "feat"}}}}',
    "ATTN learned priors": '{"model.embedder.generator.learned_priors": true}',
    "UPR rate 0.01": f'{{{_GENERATOR}: {{"type": "universal"}}, {_FASTER}}}',
    "UPR absolute": f'{{{_GENERATOR}: {{"type": "universal"}}, {_ABSOLUTE}}}',
    "Feat absolute": f'{{{_GENERATOR}: {{"type": "feat"}}, {_ABSOLUTE}}}',
    "MLP absolute": f'{{{_GENERATOR}: {{"type": "mlp", "hidden_dim": 64}}, {_ABSOLUTE}}}',
    "ATTN absolute": f"{{{_ABSOLUTE}}}",
}
"""
Sources of positions, relative or absolute (Ji et al. 2023, Table 2, Figure 5), that also cover
languages absent from training.
"""
OF_WALS = {
    "ATTN WALS-19": f'{{{_FEATURES}: "wals19"}}',
    "ATTN WALS-6": f'{{{_FEATURES}: "wals6"}}',
}
"""Sources for languages with features in WALS; others are an error."""
ALONE = {"T_rel": POSITIONS["UPR"], "T_abs": POSITIONS["UPR absolute"]}
"""Models of one language, with unshared positions (Table 2, mono)."""
OF_LANGUAGES = {
    "MPR": f'{{{_GENERATOR}: {{"type": "per_language"}}}}',
    "ID": f'{{{_GENERATOR}: {{"type": "id"}}}}',
    "ID absolute": f'{{{_GENERATOR}: {{"type": "id"}}, {_ABSOLUTE}}}',
}
"""Sources for training languages only."""
SOURCES = "en_ewt,eu_bdt,fi_tdt,he_htb,it_isdt,ja_gsd,ko_gsd,ru_gsd,sv_talbanken,tr_imst,zh_gsd"
SYSTEMS = {
    "SelfAtt-Graph": "small_cpu",
    "RNN-Graph": "rnn_graph_small_cpu",
    "SelfAtt-Stack": "selfatt_stack_small_cpu",
    "RNN-Stack": "rnn_stack_small_cpu",
    "SelfAtt-Directed": "selfatt_directed_graph_small_cpu",
    "SelfAtt-Absolute": "selfatt_absolute_graph_small_cpu",
    "SelfAtt-NoPosi": "selfatt_no_positions_graph_small_cpu",
}
"""The four systems of Ahmad et al. (2019, Table 2) and the three encoders of Table 3."""


def variants(given: dict[str, str]) -> str:
    """Returns options of `ud-experiment ablation`."""
    return " ".join(f"--variant '{name}={what}'" for name, what in given.items())


def systems(given: dict[str, str]) -> str:
    """Returns options of `ud-experiment transfer`."""
    return " ".join(f"--system '{name}={what}'" for name, what in given.items())


def positions(given: dict[str, str]) -> str:
    """Returns options of `ud-experiment transfer`: the systems of Ji et al. (2023)."""
    return systems({name: f"{TYPOLOGY} {what}".strip() for name, what in given.items()})


def typology_run(source: str, batches: int) -> str:
    """Returns options of a run on one or several treebanks: batches per epoch."""
    return (
        f"--source {source} --sentences 200 -o "
        f"""'{{"data_loader.epoch_size": {batches}, "trainer.num_epochs": 10, """
        """"model.embedder.keep_below": 8000}' """
    )


def typology_udify(source: str, sentences: int) -> str:
    """
    Returns options of UDify (Table 2, mono and multi) with the same number of sentences per epoch
    as the others.
    """
    config = (
        f'docs/results/udify_small_cpu.jsonnet {{"data_loader.epoch_size": {sentences}, '
        '"data_loader.sampling": "uniform", "data_loader.batch_size": 32, '
        '"trainer.num_epochs": 10, "trainer.cpu_bfloat16": true}'
    )
    return f"--seeds 1 --source {source} --sentences 200 " + systems({"UDify": config})
