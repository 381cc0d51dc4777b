import pytest

from tests.helpers import DEV
from udify_allennlp.scoring.official import METRICS, macro_average, official_scores, report
from udify_allennlp.text.conllu import read_sentences


def test_gold_against_itself_is_perfect():
    gold = list(read_sentences(DEV))
    assert official_scores(gold, gold, "dev") == {metric: 100.0 for metric in METRICS}


def test_one_wrong_head_of_five_words_by_hand():
    text = (
        "1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_\n"
        "2\treads\tread\tVERB\t_\t_\t0\troot\t_\t_\n"
        "3\tlong\tlong\tADJ\t_\t_\t4\tamod\t_\t_\n"
        "4\tbooks\tbook\tNOUN\t_\t_\t2\tobj\t_\t_\n"
        "5\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
    )
    gold = [sentence_of(text)]
    predicted = [gold[0].replace(heads=["2", "0", "2", "2", "2"])]
    scores = official_scores(gold, predicted, "five")
    assert scores["UAS"] == scores["LAS"] == pytest.approx(80.0)
    assert scores["CLAS"] == pytest.approx(75.0)  # punctuation is no content word
    assert scores["UPOS"] == 100.0


def sentence_of(text):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.conllu"
        path.write_text(text, encoding="utf-8")
        return next(iter(read_sentences(str(path))))


def test_a_chain_as_long_as_a_sentence_is_scored():
    rows = [
        f"{i}\tw\tw\tX\t_\t_\t{i - 1}\t{'root' if i == 1 else 'dep'}\t_\t_" for i in range(1, 3001)
    ]
    gold = [sentence_of("\n".join(rows) + "\n\n")]
    assert official_scores(gold, gold, "chain")["LAS"] == 100.0


def test_files_that_differ_in_their_words_are_refused():
    gold = list(read_sentences(DEV))
    with pytest.raises(ValueError, match="dev: the CoNLL 2018 script refuses it"):
        official_scores(gold, gold[1:], "dev")


def test_the_table_has_a_row_a_treebank_and_the_mean():
    rows = [("en_ewt", dict.fromkeys(METRICS, 80.0)), ("de_gsd", dict.fromkeys(METRICS, 60.0))]
    assert macro_average(rows)["LAS"] == 70.0
    lines = report(rows).splitlines()
    assert [line.split()[0] for line in lines] == ["treebank", "en_ewt", "de_gsd", "macro"]
    assert len(report(rows[:1]).splitlines()) == 2
