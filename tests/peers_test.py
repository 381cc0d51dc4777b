"""The benchmark of configs beside other parsers: their trees in our form, and the differences."""

import sys

import peers_bench
import spacy
import spacy_peer
from spacy.tokens import Doc

from tests.conftest import FIXTURES
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.sentence import Sentence

FOLDER = FIXTURES / "ud"


def test_what_spacy_finds_fills_the_columns():
    for gold in list(read_sentences(str(FOLDER / "fr_gsd-ud-dev.conllu")))[:20]:
        heads = [int(head) for head in gold.heads]
        doc = Doc(
            spacy.blank("xx").vocab,
            words=gold.forms,
            pos=gold.upos,
            morphs=["" if feats == "_" else feats for feats in gold.feats],
            lemmas=gold.lemmas,
            heads=[(head or own) - 1 for own, head in enumerate(heads, start=1)],
            deps=["ROOT" if name == "root" else name for name in gold.deprels],
        )
        found = spacy_peer._filled(gold.replace(heads=["0"] * len(gold)), doc[:])
        for name in ("upos", "feats", "lemmas", "heads", "deprels"):
            assert getattr(found, name) == getattr(gold, name), name


def test_a_pipeline_learns_from_the_words_of_the_files(tmp_path, monkeypatch):
    """French `du` is the words `de` and `le`; spaCy's own word would be `du`."""
    gold = list(read_sentences(str(FOLDER / "fr_gsd-ud-dev.conllu")))[:10]
    path = str(tmp_path / "some.conllu")
    write_sentences(gold, path)
    monkeypatch.setenv("SPACY_CONFIG_OVERRIDES", "--training.max_steps=1")
    spacy_peer.train([path, path], tmp_path)
    config = spacy.util.load_config(tmp_path / "model-best" / "config.cfg", interpolate=True)
    for split in ("train", "dev"):
        corpus = spacy.registry.resolve({"read": config["corpora"][split]})["read"]
        read = [[token.text for token in each.predicted] for each in corpus(spacy.blank("xx"))]
        assert read == [each.forms for each in gold]
    assert len(spacy_peer.parse(tmp_path, path)) == len(gold)


def test_a_pipeline_parses_words_and_raw_text_from_file_to_file(tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    ruler = nlp.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "dogs"}]], {"POS": "NOUN", "LEMMA": "dog", "MORPH": "Number=Plur"})
    nlp.to_disk(tmp_path / "model-best")
    pipeline = spacy_peer.Pipeline(tmp_path)
    gold = tmp_path / "gold.conllu"
    given = [["Dogs", "do."], ["Few", "do"]]
    write_sentences([Sentence.from_words(words) for words in given], gold)
    (tmp_path / "raw.txt").write_text("Dogs  do. Few\ndo.\n\nSome dogs.\n")
    pipeline.parse_file(str(gold), str(tmp_path / "words"))
    pipeline.parse_file(str(tmp_path / "raw.txt"), str(tmp_path / "raw"))
    words, raw = (list(read_sentences(str(tmp_path / name))) for name in ("words", "raw"))
    assert [each.forms for each in words] == given
    dogs = words[0]
    assert (dogs.upos[0], dogs.lemmas[0], dogs.feats[0]) == ("NOUN", "dog", "Number=Plur")
    assert [" ".join(each.forms) for each in raw] == ["Dogs do .", "Few do .", "Some dogs ."]
    assert raw[-1].upos[1] == "NOUN"


def test_what_is_in_the_table_is_compared_and_not_run_again(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "UD_French-GSD"
    folder.mkdir()
    for split in ("train", "dev", "test"):
        (folder / f"fr_gsd-ud-{split}.conllu").symlink_to(FOLDER / "fr_gsd-ud-dev.conllu")
    out = tmp_path / "out"
    out.mkdir()
    lines = [
        peers_bench.COLUMNS,
        ("fr_gsd", "9", "udpipe", "100", "90.00", "80.00", "85.00", "70.00", "60.00"),
        ("fr_gsd", "9", "tiny", "150", "91.50", "79.00", "86.00", "75.00", "65.25"),
    ]
    table = "".join("\t".join(line) + "\n" for line in lines)
    (out / "scores.tsv").write_text(table)
    words = ["peers_bench.py", str(folder), "--config", "tiny", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    assert peers_bench.main() == 0
    assert (out / "scores.tsv").read_text() == table
    row = capsys.readouterr().out.splitlines()[-1].split()
    assert row == ["fr_gsd", "1.50", "+1.50", "-1.00", "+1.00", "+5.00", "+5.25"]
