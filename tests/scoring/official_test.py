import pytest

from tests.helpers import DEV
from udify_allennlp.scoring.official import METRICS, official_scores, report
from udify_allennlp.scoring.undefined_scores import macro_average
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.sentence import Sentence


def test_gold_against_itself_is_perfect():
    gold = list(read_sentences(DEV))
    assert official_scores(gold, gold, "dev") == dict.fromkeys(METRICS, 100.0)


def test_one_wrong_head_of_five_words_by_hand():
    text = (
        "1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_\n"
        "2\treads\tread\tVERB\t_\t_\t0\troot\t_\t_\n"
        "3\tlong\tlong\tADJ\t_\t_\t4\tamod\t_\t_\n"
        "4\tbooks\tbook\tNOUN\t_\t_\t2\tobj\t_\t_\n"
        "5\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
    )
    gold = [Sentence(text)]
    predicted = [gold[0].replace(heads=["2", "0", "2", "2", "2"])]
    scores = official_scores(gold, predicted, "five")
    assert scores["UAS"] == scores["LAS"] == pytest.approx(80.0)
    assert scores["CLAS"] == pytest.approx(75.0)  # punctuation is no content word
    assert scores["UPOS"] == 100.0


def test_a_chain_as_long_as_a_sentence_is_scored():
    rows = [
        f"{i}\tw\tw\tX\t_\t_\t{i - 1}\t{'root' if i == 1 else 'dep'}\t_\t_" for i in range(1, 3001)
    ]
    gold = [Sentence("\n".join(rows) + "\n\n")]
    assert official_scores(gold, gold, "chain")["LAS"] == 100.0


@pytest.mark.parametrize(
    "heads, what",
    [
        (["2", "1"], "no word of the sentence is the root"),
        (["0", "0"], "second root"),
        (["0", "3"], "outside 0..2"),
        (["0", "_"], "not a number"),
    ],
)
def test_what_is_no_tree_is_refused(heads, what):
    gold = Sentence.from_words(["a", "b"], "gold.conllu", 7).replace(heads=["0", "1"])
    with pytest.raises(ValueError, match=f"^x: cannot be scored: gold.conllu:[78]: .*{what}"):
        official_scores([gold], [gold.replace(heads=heads)], "x")


def test_a_form_of_nothing_but_spaces_is_refused():
    gold = Sentence.from_words(["a", "\u00a0"], "gold.conllu").replace(heads=["0", "1"])
    with pytest.raises(ValueError, match="gold.conllu:2: the form has only spaces"):
        official_scores([gold], [gold], "x")


def test_a_text_that_ends_too_soon_is_refused():
    gold = Sentence.from_words(["a", "b"]).replace(heads=["0", "1"])
    for sides in (([gold], []), ([], [gold])):
        with pytest.raises(ValueError, match="the texts differ at|the texts differ in .*nothing"):
            official_scores(*sides, "x")


def test_files_that_differ_in_their_words_are_refused():
    gold = list(read_sentences(DEV))
    message = r"^dev: cannot be scored: the texts differ in the sentence at .*dev.conllu:1: gold"
    with pytest.raises(ValueError, match=message):
        official_scores(gold, gold[1:], "dev")


def test_the_table_has_a_row_a_treebank_and_the_mean():
    rows = [("en_ewt", dict.fromkeys(METRICS, 80.0)), ("de_gsd", dict.fromkeys(METRICS, 60.0))]
    assert macro_average(rows, METRICS)["LAS"] == 70.0
    lines = report(rows).splitlines()
    assert [line.split()[0] for line in lines] == ["treebank", "en_ewt", "de_gsd", "macro"]
    assert len(report(rows[:1]).splitlines()) == 2
