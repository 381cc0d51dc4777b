from udify_allennlp.apps.experiments.score_table import METRICS, Score, ScoreTable


def score(treebank, resources, model, value):
    return Score(treebank, resources, model, {metric: value for metric in METRICS})


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
    assert rows[0] == ["treebank", "resources", "model", *METRICS]
    assert [row[:4] for row in rows[6:]] == [
        ["macro average (1)", "zero-shot", "UDify", "10.00"],
        ["macro average (1)", "low", "UDify", "60.00"],
        ["macro average (1)", "low", "Lang", "30.00"],
        ["macro average (1)", "high", "UDify", "80.00"],
        ["macro average (1)", "high", "Lang", "90.00"],
        ["macro average (3/2)", "all", "UDify", "50.00"],
        ["macro average (3/2)", "all", "Lang", "60.00"],
    ]


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
