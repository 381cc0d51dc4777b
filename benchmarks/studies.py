"""The studies of docs/results.md: what each asks, and its commands. `results.py` runs them."""

from typing import Dict, NamedTuple

FOLDERS = {
    "low": "UD_Tamil-TTB UD_Irish-IDT UD_Marathi-UFAL UD_Lithuanian-HSE UD_Kazakh-KTB",
    "medium": "UD_Turkish-IMST UD_French-Sequoia UD_Italian-ParTUT UD_Greek-GDT "
    "UD_Afrikaans-AfriBooms UD_Belarusian-HSE",
    "ewt": "UD_English-EWT",
    "four": "UD_Turkish-IMST UD_Greek-GDT UD_Afrikaans-AfriBooms UD_Tamil-TTB",
    "refined": "UD_English-EWT UD_Turkish-IMST UD_Tamil-TTB UD_Marathi-UFAL",
    "small": "UD_Marathi-UFAL",
    "order": "UD_Arabic-PUD UD_Basque-BDT UD_Bulgarian-BTB UD_Chinese-GSD UD_Croatian-SET "
    "UD_Dutch-LassySmall UD_English-EWT UD_Estonian-EWT UD_Finnish-TDT UD_French-GSD "
    "UD_German-GSD UD_Greek-GDT UD_Hebrew-HTB UD_Hindi-PUD UD_Hungarian-Szeged "
    "UD_Indonesian-GSD UD_Italian-ISDT UD_Japanese-GSD UD_Korean-GSD UD_Norwegian-Nynorsk "
    "UD_Persian-Seraji UD_Polish-LFG UD_Portuguese-GSD UD_Romanian-RRT UD_Russian-GSD "
    "UD_Slovak-SNK UD_Slovenian-SSJ UD_Spanish-GSD UD_Swedish-Talbanken UD_Tamil-TTB "
    "UD_Telugu-MTG UD_Turkish-IMST UD_Ukrainian-IU UD_Vietnamese-VTB",
    "sources": "UD_English-EWT UD_Basque-BDT UD_Finnish-TDT UD_Hebrew-HTB UD_Italian-ISDT "
    "UD_Japanese-GSD UD_Korean-GSD UD_Russian-GSD UD_Swedish-Talbanken UD_Turkish-IMST "
    "UD_Chinese-GSD",
    "typology": "UD_Akkadian-PISANDUB UD_Amharic-ATT UD_Arabic-PUD UD_Assyrian-AS UD_Bambara-CRB "
    "UD_Basque-BDT UD_Belarusian-HSE UD_Bhojpuri-BHTB UD_Breton-KEB UD_Buryat-BDT "
    "UD_Cantonese-HK UD_Chinese-GSD UD_English-EWT UD_Erzya-JR UD_Faroese-FarPaHC "
    "UD_Finnish-TDT UD_Hebrew-HTB UD_Hindi-PUD UD_Italian-ISDT UD_Japanese-GSD "
    "UD_Karelian-KKPP UD_Kazakh-KTB UD_Komi_Permyak-UH UD_Komi_Zyrian-IKDP "
    "UD_Komi_Zyrian-Lattice UD_Korean-GSD UD_Kurmanji-MG UD_Livvi-KKPP UD_Marathi-UFAL "
    "UD_Mbya_Guarani-Thomas UD_Moksha-JR UD_Naija-NSC UD_Russian-GSD UD_Sanskrit-UFAL "
    "UD_Swedish-Talbanken UD_Swiss_German-UZH UD_Tagalog-TRG UD_Tamil-TTB UD_Telugu-MTG "
    "UD_Turkish-IMST UD_Upper_Sorbian-UFAL UD_Warlpiri-UFAL",
}
"""
Folders of treebanks, `{low}` in a command; `{all}` are those with training data, and `{roles}` is
the folder of semantic roles.
"""
KINDS = (
    "--lang docs/results/udify_small_cpu.jsonnet --udify {out}/udify "
    "--udify-lang docs/results/udify_lang.jsonnet "
    "--udify-lang-all docs/results/udify_lang_all.jsonnet --external docs/results/thesis.tsv"
)
GRAPHS = "training_config/graph2graph"
ORDER = "training_config/order_transfer"
TYPOLOGY = "training_config/typology/small_cpu.jsonnet"
REFINED = "'{out}/refined/UDify+RNGTr T3/seed_1"
_FILE = '"model.initial": {"type": "empty"}, "model.embedder.relations": false'
_PREDICATES = '"model.decoders.roles.given": true, "dataset_reader.inputs": ["predicates"'
_TREES = '{"type": "predicted_deps"}'
ROLES = {
    "SynG2G-Tr": "",
    "without key": '"model.embedder.use_key": false',
    "without key and query": f'{_FILE}, "dataset_reader.inputs": ["upos"]',
    "with value": '"model.embedder.use_value": true',
    "given": f"{_PREDICATES}, {_TREES}]",
    "given, without key": f'{_PREDICATES}, {_TREES}], "model.embedder.use_key": false',
    "given, without key and query": f'{_PREDICATES}, "upos"], {_FILE}',
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
    "ATTN WALS-19": f'{{{_FEATURES}: "wals19"}}',
    "ATTN WALS-6": f'{{{_FEATURES}: "wals6"}}',
    "UPR rate 0.01": f'{{{_GENERATOR}: {{"type": "universal"}}, {_FASTER}}}',
    "UPR absolute": f'{{{_GENERATOR}: {{"type": "universal"}}, {_ABSOLUTE}}}',
    "Feat absolute": f'{{{_GENERATOR}: {{"type": "feat"}}, {_ABSOLUTE}}}',
    "ATTN absolute": f"{{{_ABSOLUTE}}}",
}
"""
Sources of positions, relative or absolute (Ji et al. 2023, Table 2, Figure 5), that languages not
trained on have.
"""
OF_LANGUAGES = {
    "MPR": f'{{{_GENERATOR}: {{"type": "per_language"}}}}',
    "ID": f'{{{_GENERATOR}: {{"type": "id"}}}}',
}
"""Those that only languages of training have."""
TYPOLOGY_RUN = (
    "--source en_ewt,eu_bdt,fi_tdt,he_htb,it_isdt,ja_gsd,ko_gsd,ru_gsd,sv_talbanken,tr_imst,zh_gsd "
    """--sentences 200 -o '{"data_loader.epoch_size": 200, "trainer.num_epochs": 10, """
    """"model.embedder.keep_below": 8000}' """
)
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


def _variants(given: Dict[str, str]) -> str:
    return " ".join(f"--variant '{name}={what}'" for name, what in given.items())


def _systems(given: Dict[str, str]) -> str:
    return " ".join(f"--system '{name}={what}'" for name, what in given.items())


def _positions(given: Dict[str, str]) -> str:
    return _systems({name: f"{TYPOLOGY} {what}".strip() for name, what in given.items()})


class Study(NamedTuple):
    """
    A name, what it asks, its commands with `FOLDERS` and `{out}` to be filled in, a line each, of
    which one with `{folder}` and `{treebank}` is for each treebank of `refined`; hours on one core
    where they were measured, and what has to be there before.
    """

    name: str
    question: str
    command: str
    hours: str
    after: str = ""


STUDIES = (
    Study(
        "udify",
        "one model of 48 treebanks, two epochs",
        "allennlp train docs/results/udify.jsonnet -s {out}/udify",
        "1.5",
    ),
    Study(
        "low",
        "UDify, Lang and both kinds of UDify+Lang on five low treebanks, three seeds, 20 epochs",
        "allennlp ud-experiment {low} --out {out}/low --seeds 1,2,3 " + KINDS + " "
        """-o '{"trainer.num_epochs": 20}'""",
        "3",
        "udify",
    ),
    Study(
        "medium",
        "the same on six medium treebanks and EWT, one run, 4 epochs",
        "allennlp ud-experiment {medium} {ewt} --out {out}/medium " + KINDS + " "
        """-o '{"trainer.num_epochs": 4}'""",
        "2.5",
        "udify",
    ),
    Study(
        "layers",
        "layer attention for each task, for all, the plain sum, and a start at the sum",
        "allennlp ud-ablation docs/results/udify_small_cpu.jsonnet "
        "{four} --out {out}/layers --seeds 1,2,3 "
        """-o '{"trainer.num_epochs": 4}' --variant 'task={}' """
        """--variant 'global={"model.layer_attention": "global"}' """
        """--variant 'sum={"model.layer_attention": "sum"}' """
        """--variant 'task from 12={"model.initial_beta": 12}'""",
        "not measured",
    ),
    Study(
        "characters",
        "characters of words for feats and lemmas",
        "allennlp ud-ablation docs/results/udify_small_cpu.jsonnet "
        "{four} --out {out}/characters --seeds 1,2,3 "
        """-o '{"trainer.num_epochs": 4}' --variant 'without={}' """
        """--variant 'with={"dataset_reader.characters": true, "model.characters": """
        """{"tasks": ["feats", "lemma"], "dim": 64, "widths": [3, 5], "filters": 128, """
        """"dropout": 0.33}}'""",
        "not measured",
    ),
    Study(
        "sampling",
        "small treebanks more often than their size says",
        "allennlp ud-ablation docs/results/udify.jsonnet {all} --joint --out {out}/sampling "
        """-o '{"trainer.num_epochs": 1}' --variant 'proportional={}' """
        """--variant 'temperature 5={"data_loader.sampling": "temperature", """
        """"data_loader.temperature": 5}'""",
        "not measured",
    ),
    Study(
        "refined",
        "SynTr, and RNGTr behind UDify, SynTr and no parser (Tables 3.1 to 3.6, Figure 3.3)",
        f"allennlp ud-ablation {GRAPHS}/rngtr_small_cpu.jsonnet {{refined}} --out {{out}}/refined "
        "--seeds 1,2,3 --initial UDify "
        + _variants(
            {
                "UDify": "{out}/udify",
                "UDify+RNGTr T1": '{"model.iterations": 1}',
                "UDify+RNGTr T3 no stop": '{"model.stop": false}',
                "UDify+RNGTr T3": "{}",
                "SynTr": f"{GRAPHS}/syntr_small_cpu.jsonnet",
                "SynTr+RNGTr": f"{GRAPHS}/rngtr_syntr_small_cpu.jsonnet",
                "Empty+RNGTr": f"{GRAPHS}/rngtr_empty_small_cpu.jsonnet",
            }
        )
        + f"\nallennlp predict {REFINED}/{{treebank}}' {{folder}}/{{treebank}}-ud-test.conllu "
        "--every-iteration --output-file {out}/passes/{treebank}.conllu\n"
        "allennlp ud-errors '{refined_tests}' '{out}/passes/*.0.conllu' '{out}/passes/*.1.conllu' "
        "'{out}/passes/*.2.conllu' '{out}/passes/*.3.conllu' --out {out}/passes/errors\n"
        f"allennlp ud-errors '{{refined_tests}}' '{{out}}/refined/UDify/scores' {REFINED}/scores' "
        "'{out}/refined/SynTr/seed_1/scores' '{out}/refined/SynTr+RNGTr/seed_1/scores' "
        "--out {out}/refined/errors",
        "not measured",
        "udify",
    ),
    Study(
        "transitions",
        "the order of Table 2.1: SentTr and StateTr with and without a graph (chapter 2)",
        f"allennlp ud-ablation {GRAPHS}/senttr_small_cpu.jsonnet {{small}} "
        "--out {out}/transitions --seeds 1,2,3 "
        + _variants(
            {
                name: f"{GRAPHS}/{config}_small_cpu.jsonnet"
                for name, config in (
                    ("StateTr", "statetr"),
                    ("StateCLSTr", "statetr_cls"),
                    ("StateTr+G2GTr", "statetr_g2g"),
                    ("StateTr+G2CLSTr", "statetr_g2cls"),
                    ("StateTr+G2GTr+C", "statetr_g2g_c"),
                    ("SentTr", "senttr"),
                    ("SentTr+G2GTr", "senttr_g2g"),
                )
            }
            | {
                "SentTr+G2GTr 7 layers": f"{GRAPHS}/senttr_g2g_small_cpu.jsonnet "
                '{"model.embedder.layers": 7}'
            }
        ),
        "not measured",
    ),
    Study(
        "roles",
        "the rows of Table 4.6: which terms look at syntax when roles are found (chapter 4)",
        f"allennlp ud-ablation {GRAPHS}/syng2g_small_cpu.jsonnet {{roles}} --out {{out}}/roles "
        """--roles -o '{"model.decoders.roles.style": "both"}' """
        + _variants({name: f"{{{what}}}" for name, what in ROLES.items()}),
        "not measured",
    ),
    Study(
        "order",
        "from English to 33 languages: four systems, five encoders (Ahmad et al. 2019), 3 seeds",
        "allennlp ud-transfer {order} --source en_ewt --out {out}/order --seeds 1,2,3 "
        """--sentences 400 -o '{"trainer.num_epochs": 8, "trainer.cpu_bfloat16": true}' """
        + _systems({name: f"{ORDER}/{file}.jsonnet" for name, file in SYSTEMS.items()})
        + "\nallennlp ud-word-order {order_tests} --scores {out}/order/scores.tsv "
        "--compare SelfAtt-Graph,SelfAtt-Stack:RNN-Graph,RNN-Stack "
        "--compare SelfAtt-Graph,RNN-Graph:SelfAtt-Stack,RNN-Stack --out {out}/order/distances\n"
        "allennlp ud-breakdown '{out}/order/first_400/*.conllu' "
        "--parsed SelfAtt-Graph={out}/order/SelfAtt-Graph/seed_1/scores "
        "--parsed RNN-Graph={out}/order/RNN-Graph/seed_1/scores "
        "--compare SelfAtt-Graph:RNN-Graph --out {out}/order/cells",
        "about 4",
    ),
    Study(
        "typology",
        "eleven languages together, 31 others: positions by typology (Ji et al. 2023), three seeds",
        "allennlp ud-transfer {typology} --out {out}/typology --seeds 1,2,3 "
        + TYPOLOGY_RUN
        + _positions(POSITIONS)
        + "\nallennlp ud-transfer {sources} --out {out}/typology_seen --seeds 1,2,3 "
        + TYPOLOGY_RUN
        + _positions(OF_LANGUAGES)
        + "\nallennlp ud-positions {out}/typology/ATTN/seed_1/model "
        "--text {out}/typology/first_200/en_ewt.conllu "
        "--probe {out}/typology/first_200/en_ewt.conllu "
        "{out}/typology/first_200/hi_pud.conllu --out {out}/typology/positions\n"
        "allennlp ud-positions '{out}/typology/ATTN absolute/seed_1/model' "
        "--out {out}/typology/absolute_positions",
        "about 9",
    ),
)
