"""`allennlp ud-score --by direction`, as a user types it."""

import csv
import sys

import pytest

from tests.conftest import FIXTURES
from udify_allennlp import cli
from udify_allennlp.scoring.ignore_punct import of_sentences
from udify_allennlp.text.conllu import read_sentences, write_sentences

UD = FIXTURES / "ud"
GOLD = {name: UD / f"{name}-ud-dev.conllu" for name in ("en_ewt", "fr_gsd")}


@pytest.fixture
def parses(tmp_path):
    """Two parsers: one with the gold relations on the word before, one right but for its ends."""
    for name, path in GOLD.items():
        gold = list(read_sentences(path))
        chains = [s.replace(heads=[str(i) for i in range(len(s))]) for s in gold]
        ends = [s.replace(deprels=[*s.deprels[:-1], "dep"]) for s in gold]
        for folder, parsed in (("chain", chains), ("ends", ends)):
            (tmp_path / folder).mkdir(exist_ok=True)
            write_sentences(parsed, tmp_path / folder / f"{name}.conllu")
    return tmp_path


@pytest.fixture
def execute(monkeypatch, capfd, parses):
    def run(*words, out="out"):
        given = ["allennlp", "ud-score", "--by", "direction", *words, "--out", parses / out]
        monkeypatch.setattr(sys, "argv", list(map(str, given)))
        return (cli.run(), *capfd.readouterr())

    return run


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_parts_make_up_the_whole(execute, parses):
    systems = ["--parsed", f"chain={parses / 'chain'}", "--parsed", f"ends={parses / 'ends'}"]
    code, output, _ = execute(*GOLD.values(), *systems, "--compare", "ends:chain")
    assert code == 0 and "mod-first" in output
    rows = table(parses / "out" / "directions.tsv")
    assert len(rows) == 9 * 2 * 3
    for first, last, both in zip(rows[::3], rows[1::3], rows[2::3]):
        assert int(first["number"]) + int(last["number"]) == int(both["number"])
        for metric in ("chain UAS", "chain LAS", "ends UAS", "ends LAS"):
            weighted = sum(int(r["number"]) * float(r[metric] or 0) for r in (first, last))
            assert weighted == pytest.approx(int(both["number"]) * float(both[metric] or 0), abs=1)
    amod = {(r["treebank"], r["arcs with"]): r for r in rows if r["type"] == "ADJ>NOUN>amod"}
    # French adjectives stand behind, where the word before is a good guess.
    assert float(amod["fr_gsd", "head-first"]["share"]) >= 50
    assert float(amod["en_ewt", "mod-first"]["share"]) > 90
    assert float(amod["fr_gsd", "head-first"]["chain UAS"]) > 80
    assert float(amod["fr_gsd", "mod-first"]["chain UAS"]) == 0

    distances = {(r["treebank"], r["distance"]): r for r in table(parses / "out" / "distances.tsv")}
    for treebank, path in GOLD.items():
        assert float(distances[treebank, "1"]["chain UAS"]) == 100
        assert {distances[treebank, b]["chain UAS"] for b in ("-1", "2", ">2")} == {"0.0000"}
        # Without the arcs of ROOT, which have no distance, the words that are scored.
        gold = list(read_sentences(path))
        whole = of_sentences(zip(gold, gold)).words
        roots = sum(
            h == "0" and u not in ("PUNCT", "SYM") for s in gold for h, u in zip(s.heads, s.upos)
        )
        assert int(distances[treebank, "all"]["number"]) == whole - roots

    differences = table(parses / "out" / "differences.tsv")
    of_amod = [r for r in differences if r["arcs"] == "ADJ>NOUN>amod"]
    assert [r["treebank"] for r in of_amod] == ["en_ewt", "fr_gsd"]  # by the share of mod-first
    one = {r["treebank"]: r for r in differences if r["arcs"] == "distance 1"}
    assert float(one["fr_gsd"]["difference"]) <= 0  # there the chain is right
    assert (parses / "out" / "differences.png").stat().st_size > 10_000
    # Two treebanks: too few for a coefficient.
    correlation = table(parses / "out" / "correlation.tsv")
    assert [tuple(row.values())[1:] for row in correlation[:2]] == [
        ("ADP>NOUN>case", "2", name, "", "", "") for name in ("pearson", "spearman")
    ]
    assert len(correlation) == 2 * 10


def test_a_single_file(execute, parses):
    path = parses / "chain" / "en_ewt.conllu"
    given = (GOLD["en_ewt"], "--parsed", f"a={path}", "--types", "DET>NOUN>det")
    assert execute(*given)[0] == 0
    rows = table(parses / "out" / "directions.tsv")
    assert len(rows) == 3 and rows[0]["treebank"] == "en_ewt"
    assert not (parses / "out" / "differences.tsv").exists()


def test_the_folder_of_a_system_is_the_mean_of_its_seeds(execute, parses):
    for seed, name in enumerate(("chain", "ends"), start=1):
        (parses / "both" / f"seed_{seed}").mkdir(parents=True)
        (parses / "both" / f"seed_{seed}" / "scores").symlink_to(parses / name)
    (parses / "one").mkdir()
    (parses / "one" / "scores").symlink_to(parses / "chain")
    names = ("chain", "ends", "both", "one")
    systems = [word for name in names for word in ("--parsed", f"{name}={parses / name}")]
    assert execute(*GOLD.values(), *systems)[0] == 0
    for name in ("directions", "distances"):
        for row in table(parses / "out" / f"{name}.tsv"):
            if row["number"] != "0":
                for metric in ("UAS", "LAS"):
                    chain, ends, both, one = (float(row[f"{name} {metric}"]) for name in names)
                    assert both == pytest.approx((chain + ends) / 2, abs=1e-3) and one == chain


def test_gold_files_of_one_treebank_are_two(execute, parses):
    golds = [parses / f"en_ewt-ud-{split}.conllu" for split in ("dev", "test")]
    (parses / "splits").mkdir()
    for gold, sentences in zip(golds, (list(read_sentences(x)) for x in GOLD.values())):
        write_sentences(sentences, gold)
        write_sentences(sentences, parses / "splits" / gold.name)
    assert execute(*golds, "--parsed", f"same={parses / 'splits'}")[0] == 0
    rows = table(parses / "out" / "distances.tsv")
    assert {row["treebank"] for row in rows} == {gold.name for gold in golds}
    assert all(float(row["same LAS"]) == 100 for row in rows if row["number"] != "0")


def test_gold_without_heads_is_one_line(execute, parses):
    gold = [s.replace(heads=["_"] * len(s)) for s in read_sentences(GOLD["en_ewt"])]
    path = parses / "en_ewt-ud-dev.conllu"
    write_sentences(gold, path)
    code, _, errors = execute(path, "--parsed", f"a={parses / 'chain' / 'en_ewt.conllu'}")
    assert code == 1 and "en_ewt-ud-dev.conllu:" in errors and "needs a head" in errors


@pytest.mark.parametrize(
    "words, message",
    [
        (("--parsed", "none.conllu"), "none.conllu: no such file or folder"),
        (("--parsed", "a=none.conllu"), "none.conllu: no such file or folder"),
        (("--parsed", "a:b={chain}"), "Use a name without , or :"),
        (("--parsed", "a={chain}", "a={empty}"), "use a different name for each parse"),
        (("--parsed", "a={chain}/en_ewt.conllu"), "is one file, but there are 2 gold files"),
        (("--parsed", "a={empty}"), "empty has no file for en_ewt. Add one"),
        (("--parsed", "a={chain}", "--types", "NOUN"), "Use types such as ADJ>NOUN>amod"),
        (("--parsed", "a={chain}", "--compare", "a:b"), "--compare is 'a:b'. Use two groups of a"),
        (("--parsed", "a={chain}", "--compare", "a"), "--compare is 'a'. Use two groups of a"),
        (("--parsed", "a={swapped}"), "has different words than"),
    ],
)
def test_what_cannot_be_is_one_line(execute, parses, words, message):
    (parses / "empty").mkdir()
    (parses / "swapped").mkdir()
    for name, other in (("en_ewt", "fr_gsd"), ("fr_gsd", "en_ewt")):
        data = (parses / "chain" / f"{other}.conllu").read_bytes()
        (parses / "swapped" / f"{name}.conllu").write_bytes(data)
    folders = {name: parses / name for name in ("chain", "empty", "swapped")}
    code, _, errors = execute(*GOLD.values(), *(word.format(**folders) for word in words))
    assert code == 1 and message in errors and not (parses / "out").exists()
