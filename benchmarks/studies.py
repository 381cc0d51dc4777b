"""The studies of docs/results.md: their questions and commands. `results.py` runs them."""

import json
from typing import NamedTuple

from study_pretraining import FOLDERS as OF_PRETRAINING
from study_pretraining import FULL, REHEARSAL, SMALL, commands
from study_refined import COMMANDS as REFINED
from study_systems import (
    ALONE,
    GRAPHS,
    OF_LANGUAGES,
    OF_WALS,
    ORDER,
    POSITIONS,
    ROLES,
    SOURCES,
    SYSTEMS,
    positions,
    systems,
    typology_run,
    typology_udify,
    variants,
)
from study_translation import FULL as TRANSLATION
from study_translation import LARGE as LARGE_TRANSLATION
from study_translation import REHEARSAL as TRANSLATION_REHEARSAL
from study_translation import commands as translation_commands

FOLDERS = {
    **OF_PRETRAINING,
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
    "wals": "UD_Amharic-ATT UD_Arabic-PUD UD_Bambara-CRB UD_Basque-BDT UD_Belarusian-HSE "
    "UD_Bhojpuri-BHTB UD_Breton-KEB UD_Cantonese-HK UD_Chinese-GSD UD_English-EWT UD_Erzya-JR "
    "UD_Finnish-TDT UD_Hebrew-HTB UD_Hindi-PUD UD_Italian-ISDT UD_Japanese-GSD "
    "UD_Komi_Permyak-UH UD_Komi_Zyrian-IKDP UD_Komi_Zyrian-Lattice UD_Korean-GSD UD_Marathi-UFAL "
    "UD_Russian-GSD UD_Swedish-Talbanken UD_Tagalog-TRG UD_Tamil-TTB UD_Telugu-MTG "
    "UD_Turkish-IMST UD_Upper_Sorbian-UFAL UD_Warlpiri-UFAL",
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
Treebank folders for placeholders of commands, such as `{low}`; `{all}` are those with training
data, `{roles}` is the folder of semantic roles, `{ud}` the folder of all treebank folders, and
`{encoder}` is UD_ENCODER.
"""
KINDS = (
    "--lang docs/results/udify_small_cpu.jsonnet --udify {out}/udify "
    "--udify-lang docs/results/udify_lang.jsonnet "
    "--udify-lang-all docs/results/udify_lang_all.jsonnet --external docs/results/thesis.tsv"
)
EACH = {"{treebank}": "refined", "{source}": "sources"}
"""The placeholders for the name of each treebank, with their groups in `FOLDERS`."""
BY_ATTRIBUTE = {"type": "udify_feats_by_attribute_decoder"}


class Study(NamedTuple):
    """
    A study: its name, question, and commands, one per line, with placeholders for `FOLDERS` and
    `{out}`; a command with `{folder}` and a name of `EACH` runs for each treebank of a group. Also
    the hours on one core, if measured, and the studies that must run before.
    """

    name: str
    question: str
    command: str
    hours: str
    after: str = ""
    trained: str = ""
    """The space-separated groups of UD_TRAIN and UD_DEV; by default `{all}`."""


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
        "allennlp ud-experiment compare {low} --out {out}/low --seeds 1,2,3 " + KINDS + " "
        """-o '{"trainer.num_epochs": 20}'""",
        "3",
        "udify",
    ),
    Study(
        "medium",
        "the same on six medium treebanks and EWT, one run, 4 epochs",
        "allennlp ud-experiment compare {medium} {ewt} --out {out}/medium " + KINDS + " "
        """-o '{"trainer.num_epochs": 4}'""",
        "2.5",
        "udify",
    ),
    Study(
        "layers",
        "layer attention per task, one for all tasks, the plain sum, and a start from the sum",
        "allennlp ud-experiment ablation docs/results/udify_small_cpu.jsonnet "
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
        "allennlp ud-experiment ablation docs/results/udify_small_cpu.jsonnet "
        "{four} --out {out}/characters --seeds 1,2,3 "
        """-o '{"trainer.num_epochs": 4}' --variant 'without={}' """
        """--variant 'with={"dataset_reader.characters": true, "model.characters": """
        """{"tasks": ["feats", "lemma"], "dim": 64, "widths": [3, 5], "filters": 128, """
        """"dropout": 0.33}}'""",
        "not measured",
    ),
    Study(
        "sampling",
        "small treebanks sampled more often than in proportion to their size",
        "allennlp ud-experiment ablation docs/results/udify.jsonnet {all} --joint "
        "--out {out}/sampling "
        """-o '{"trainer.num_epochs": 1}' --variant 'proportional={}' """
        """--variant 'temperature 5={"data_loader.sampling": "temperature", """
        """"data_loader.temperature": 5}'""",
        "not measured",
    ),
    Study(
        "pieces",
        "wordpieces of a word (section 3.1), layers (Table 3.2), feats by attribute (3.3.1)",
        "allennlp ud-experiment ablation docs/results/udify_small_cpu.jsonnet "
        "{small} --out {out}/pieces --seeds 1,2,3 "
        """-o '{"data_loader.batch_size": 8, "trainer.num_epochs": 4}' """
        + variants(
            {
                name: json.dumps(changes)
                for name, changes in (
                    ("first", {}),
                    *(
                        (how, {"dataset_reader.piece_nodes": True, "model.embedder.pooling": how})
                        for how in ("last", "mean", "max")
                    ),
                    *(
                        (f"layers {mode}", {"model.layer_attention": mode})
                        for mode in (
                            *("last", "second_to_last", "sum_last_four", "concat_last_four"),
                            "sum",
                        )
                    ),
                    *(
                        (f"feats {name}", {"model.decoders.feats": {**BY_ATTRIBUTE, **more}})
                        for name, more in (("attributes", {}), ("both", {"whole": True}))
                    ),
                )
            }
        ),
        "not measured",
    ),
    Study(
        "refined",
        "SynTr, and RNGTr behind UDify, SynTr and no parser (Tables 3.1 to 3.6, Figure 3.3)",
        REFINED,
        "not measured",
    ),
    Study(
        "transitions",
        "the ranking of Table 2.1: SentTr and StateTr with and without a graph (chapter 2)",
        f"allennlp ud-experiment ablation {GRAPHS}/senttr_small_cpu.jsonnet {{small}} "
        "--out {out}/transitions --seeds 1,2,3 "
        # The same amount of work as 8 epochs of larger batches, with more updates.
        """-o '{"data_loader.batch_size": 8, "trainer.num_epochs": 8}' """
        + variants(
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
        "about 7",
    ),
    Study(
        "state_variants",
        "StateTr without skip connection and with separate positions (Tables 2.4 and 2.5), and the "
        "errors of three variants (Figure 2.3)",
        f"allennlp ud-experiment ablation {GRAPHS}/statetr_small_cpu.jsonnet {{small}} "
        "--out {out}/state_variants --seeds 1,2,3 "
        """-o '{"data_loader.batch_size": 8, "trainer.num_epochs": 8}' """
        + variants(
            {
                "StateTr": "{}",
                "StateTr without skip": '{"model.composition_skip": false}',
                "StateTr with separate positions": '{"model.separate_positions": true}',
                "StateTr+G2GTr": f"{GRAPHS}/statetr_g2g_small_cpu.jsonnet",
                "StateTr+G2CLSTr": f"{GRAPHS}/statetr_g2cls_small_cpu.jsonnet",
            }
        )
        + "\nallennlp ud-score --by arcs '{small_tests}' "
        "'{out}/state_variants/StateTr/seed_1/scores' "
        "'{out}/state_variants/StateTr+G2GTr/seed_1/scores' "
        "'{out}/state_variants/StateTr+G2CLSTr/seed_1/scores' --out {out}/state_variants/errors",
        "not measured",
    ),
    Study(
        "roles",
        "the rows of Table 4.6: which terms of role prediction use syntax (chapter 4)",
        f"allennlp ud-experiment ablation {GRAPHS}/syng2g_small_cpu.jsonnet {{roles}} "
        "--out {out}/roles "
        """--roles -o '{"model.decoders.roles.style": "both", "trainer.num_epochs": 3}' """
        + variants({name: f"{{{what}}}" for name, what in ROLES.items()}),
        "about 4",
    ),
    Study(
        "order",
        "from English to 33 languages: four systems, five encoders (Ahmad et al. 2019), 3 seeds",
        "allennlp ud-experiment transfer {order} --source en_ewt --out {out}/order --seeds 1,2,3 "
        """--sentences 400 -o '{"trainer.num_epochs": 8, "trainer.cpu_bfloat16": true}' """
        + systems({name: f"{ORDER}/{file}.jsonnet" for name, file in SYSTEMS.items()})
        + "\nallennlp ud-word-order {order_tests} --scores {out}/order/scores.tsv "
        "--compare SelfAtt-Graph,SelfAtt-Stack:RNN-Graph,RNN-Stack "
        "--compare SelfAtt-Graph,RNN-Graph:SelfAtt-Stack,RNN-Stack "
        "--compare SelfAtt-Graph:RNN-Graph --compare SelfAtt-Stack:RNN-Stack "
        "--out {out}/order/distances\n"
        "allennlp ud-score --by direction '{out}/order/first_400/*.conllu' "
        "--parsed SelfAtt-Graph={out}/order/SelfAtt-Graph/seed_1/scores "
        "--parsed RNN-Graph={out}/order/RNN-Graph/seed_1/scores "
        "--compare SelfAtt-Graph:RNN-Graph --out {out}/order/cells",
        "about 4",
    ),
    Study(
        "supervised",
        "the upper bound of transfer from English: RNN-Graph trained on each language (Table 2)",
        f"allennlp ud-experiment ablation {ORDER}/rnn_graph_small_cpu.jsonnet {{order}} "
        "--out {out}/supervised --seeds 1,2,3 "
        """-o '{"trainer.num_epochs": 8, "trainer.cpu_bfloat16": true}' """
        "--variant 'RNN-Graph supervised={}'",
        "not measured",
    ),
    Study(
        "typology",
        "typology-based positions trained on eleven languages, tested on 31 others (Ji et al. 2023)"
        ", three seeds",
        "allennlp ud-experiment transfer {typology} --out {out}/typology --seeds 1,2,3 "
        + typology_run(SOURCES, 200)
        + positions(POSITIONS)
        + "\nallennlp ud-experiment transfer {sources} --out {out}/typology_seen --seeds 1,2,3 "
        + typology_run(SOURCES, 200)
        + positions(OF_LANGUAGES)
        + "\nallennlp ud-experiment transfer {wals} --out {out}/typology_wals --seeds 1 "
        + typology_run(SOURCES, 200)
        + positions(OF_WALS)
        + "\nallennlp ud-experiment transfer {typology} --out {out}/typology_udify "
        + typology_udify(SOURCES, 6400)
        + "\nallennlp ud-experiment transfer {folder} "
        "--out {out}/typology_alone/{source} --seeds 1 "
        + typology_run("{source}", 50)
        + positions(ALONE)
        + "\nallennlp ud-experiment transfer {folder} --out {out}/typology_udify_alone/{source} "
        + typology_udify("{source}", 1600)
        + "\nallennlp ud-positions {out}/typology/ATTN/seed_1/model "
        "--text {out}/typology/first_200/en_ewt.conllu "
        "--probe {out}/typology/first_200/en_ewt.conllu "
        "{out}/typology/first_200/hi_pud.conllu --out {out}/typology/positions\n"
        + "".join(
            f"allennlp ud-positions '{{out}}/{folder}/{name}/seed_1/model' "
            "--text {out}/typology/first_200/en_ewt.conllu "
            f"--out '{{out}}/typology/positions of {name}'\n"
            for folder, name in (
                ("typology_seen", "MPR"),
                ("typology", "MLP"),
                ("typology", "ATTN random"),
            )
        )
        + "allennlp ud-positions '{out}/typology/ATTN absolute/seed_1/model' "
        "--flip it:ADJECTIVE_AFTER_NOUN=0 "
        "--out {out}/typology/absolute_positions",
        "about 7",
    ),
    Study(
        FULL.name,
        "universal dependencies in pretraining: frozen, across languages, phrases, probed, "
        "fine-tuned (Sun et al. 2021, Tables 3 to 7), three seeds",
        commands(FULL),
        "about 100, estimated",
        trained="pretraining pretraining_dev",
    ),
    Study(
        SMALL.name,
        "the same with 1,500 updates and smaller parsers; one seed of several treebanks",
        commands(SMALL),
        "about 13, estimated",
        trained="pretraining pretraining_dev",
    ),
    Study(
        REHEARSAL.name,
        "the same in a few updates: do all of its commands run on this machine?",
        commands(REHEARSAL),
        "0.3",
        trained="rehearsal rehearsal",
    ),
    Study(
        TRANSLATION.name,
        "six languages and English: students with and without a teacher, balanced directions, a "
        "compressed teacher (chapters 5 and 6)",
        translation_commands(TRANSLATION),
        "1",
    ),
    Study(
        LARGE_TRANSLATION.name,
        "the same for 62 languages, at a size for a GPU",
        translation_commands(LARGE_TRANSLATION),
        "not measured",
    ),
    Study(
        TRANSLATION_REHEARSAL.name,
        "the same in a few updates: do all of its commands run on this machine?",
        translation_commands(TRANSLATION_REHEARSAL),
        "0.1",
    ),
)
