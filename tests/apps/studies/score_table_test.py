import pytest

from udify_allennlp.apps.studies.score_table import METRICS, Score, ScoreTable


def score(treebank, resources, model, value, seed=None):
    return Score(treebank, resources, model, dict.fromkeys(METRICS, value), seed)


TABLE = ScoreTable(
    [
        score("en_a", "high", "UDify", 80.0),
        score("en_a", "high", "Lang", 90.0),
        score("hsb_b", "low", "UDify", 60.004),
        score("hsb_b", "low", "Lang", 30.0),
        score("tl_c", "zero-shot", "UDify", 10.0),
    ],
    ["UDify", "Lang"],
)


def test_averages_worked_by_hand():
    rows = [line.split("\t") for line in TABLE.tsv().splitlines()]
    spreads = [f"{metric} ±" for metric in METRICS]
    assert rows[0] == ["treebank", "resources", "model", *METRICS, "runs", *spreads]
    assert {tuple(row[11:]) for row in rows[1:]} == {("1", *[""] * len(METRICS))}
    assert [row[:4] for row in rows[6:]] == [
        ["macro average (1)", "zero-shot", "UDify", "10.00"],
        ["macro average (1)", "low", "UDify", "60.00"],
        ["macro average (1)", "low", "Lang", "30.00"],
        ["macro average (1)", "high", "UDify", "80.00"],
        ["macro average (1)", "high", "Lang", "90.00"],
        ["macro average (2)", "all but zero-shot", "UDify", "70.00"],
        ["macro average (2)", "all but zero-shot", "Lang", "60.00"],
    ]


def averages(scores, models):
    table = ScoreTable(scores, models)
    return {
        (group.resources, row.model): (group.name, row.values[0], group.comparable)
        for group in table.groups
        for row in group.rows
        if group.name.startswith("macro")
    }


def test_zero_shot_treebanks_move_no_other_average():
    """UDify parses them and Lang cannot: averaged in, they would lower UDify alone."""
    same = [score("a", "low", model, 50.0) for model in ("UDify", "Lang")]
    found = averages([*same, score("z", "zero-shot", "UDify", 1.0)], ["UDify", "Lang"])
    for resources in ("low", "all but zero-shot"):
        assert found[resources, "UDify"] == found[resources, "Lang"]
    assert found["zero-shot", "UDify"] == ("macro average (1)", 1.0, True)
    assert ("zero-shot", "Lang") not in found


def test_only_treebanks_that_every_model_has_are_averaged():
    """A run that failed, or has not been made yet, changes no comparison of the others."""
    scores = [
        score("a", "low", "UDify", 10.0),
        score("a", "low", "Lang", 20.0),
        score("b", "low", "UDify", 90.0),
    ]
    found = averages(scores, ["UDify", "Lang"])
    assert found["low", "UDify"] == ("macro average (1 of 2)", 10.0, True)
    assert found["low", "Lang"] == ("macro average (1 of 2)", 20.0, True)


def test_averages_over_different_treebanks_have_no_winner():
    scores = [
        score("a", "low", "UDify", 10.0),
        score("b", "low", "UDify", 30.0),
        score("c", "low", "Lang", 90.0),
    ]
    assert averages(scores, ["UDify", "Lang"])["low", "UDify"] == (
        "macro average (2/1 of 3)",
        20.0,
        False,
    )
    table = ScoreTable(scores, ["UDify", "Lang"])
    assert "**" not in table.markdown() and "textbf" not in table.latex()


def test_markdown_has_the_best_in_bold():
    lines = TABLE.markdown().splitlines()
    assert {line.count("|") for line in lines} == {len(METRICS) + 4}
    assert lines[2].startswith("| en_a | high | UDify | 80.00 |")
    assert lines[3].startswith("|  |  | Lang | **90.00** |")
    assert lines[6].startswith("| tl_c | zero-shot | UDify | 10.00 |")


def test_latex():
    lines = TABLE.latex().splitlines()
    assert r"hsb\_b & low & UDify & \textbf{60.00} & " in TABLE.latex()
    rows = [line for line in lines if line.endswith(r"\\")]
    assert {line.count("&") for line in rows} == {len(METRICS) + 2}


def test_equal_figures_are_both_best():
    table = ScoreTable([score("a", "low", model, 1.0) for model in "xy"], ["x", "y"])
    assert table.markdown().splitlines()[3].count("**1.00**") == len(METRICS)


def test_seeds_are_one_row_with_their_spread():
    """Seeds 1 and 2 of two treebanks: means 11 and 30, deviations sqrt(2) and 2 sqrt(2)."""
    table = ScoreTable(
        [
            score("a", "low", "Lang", 10.0, 1),
            score("a", "low", "Lang", 12.0, 2),
            score("b", "low", "Lang", 28.0, 1),
            score("b", "low", "Lang", 32.0, 2),
            score("a", "low", "UDify", 11.5),
        ],
        ["UDify", "Lang"],
    )
    lines = table.markdown().splitlines()
    assert lines[2].startswith("| a | low | UDify | **11.50** | ")
    assert lines[3].startswith("|  |  | Lang | 11.00 ± 1.41 | ")
    assert lines[4].startswith("| b | low | Lang | 30.00 ± 2.83 | ")
    rows = [line.split("\t") for line in table.tsv().splitlines()]
    assert rows[2][3:4] + rows[2][11:13] == ["11.00", "2", "1.41"]
    assert r"Lang & 11.00 $\pm$ 1.41 & " in table.latex()


def test_the_spread_of_an_average_is_of_the_averages_of_each_seed():
    """19 with seed 1 and 22 with seed 2; with a seed that lacks a treebank there is none."""
    scores = [
        score("a", "low", "Lang", 10.0, 1),
        score("a", "low", "Lang", 12.0, 2),
        score("b", "low", "Lang", 28.0, 1),
        score("b", "low", "Lang", 32.0, 2),
    ]
    row = ScoreTable(scores, ["Lang"]).groups[2].rows[0]
    assert (row.values[0], row.spread[0], row.runs) == (20.5, pytest.approx(3 / 2**0.5), 2)
    row = ScoreTable(scores[:3], ["Lang"]).groups[2].rows[0]
    assert (row.values[0], row.spread[0]) == (19.5, None)  # each treebank counts once


def test_figures_that_are_not_known_win_nothing():
    other = Score("a", "low", "Other", {"LAS": 70.0})
    table = ScoreTable([score("a", "low", "UDify", 60.0), other], ["Other", "UDify"])
    first, second = table.markdown().splitlines()[2:4]
    assert first == "| a | low | Other | - | - | - | - | **70.00** | - | - | - |"
    assert second.count("**60.00**") == 7 and "| 60.00 |" in second


def test_a_column_that_gold_leaves_empty_is_in_no_average():
    """Treebank b has no lemmas: the average of Lemmas is that of a alone, for both models."""
    values = {metric: 40.0 for metric in METRICS if metric not in ("Lemmas", "BLEX")}
    scores = [score("a", "low", model, 20.0) for model in ("Lang", "UDify")]
    scores += [Score("b", "low", model, values) for model in ("Lang", "UDify")]
    table = ScoreTable(scores, ["Lang", "UDify"])
    average = dict(zip(METRICS, table.groups[2].rows[0].values))
    assert average["UPOS"] == 30.0 and average["Lemmas"] == average["BLEX"] == 20.0
    assert table.markdown().splitlines()[4].split(" | ")[5] == "-"
