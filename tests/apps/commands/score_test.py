"""`allennlp ud-score` as a user types it."""

import sys

import pytest

from tests.conftest import FIXTURES
from tests.helpers import DEV
from tests.helpers.official_script import script
from tests.helpers.treebanks import blemished, spoilt
from udify_allennlp import cli
from udify_allennlp.scoring.official import METRICS, SEGMENTATION, official_scores
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.sentence import Sentence

GERMAN = str(FIXTURES / "ud" / "de_gsd-ud-dev.conllu")
TEST = str(FIXTURES / "ud" / "en_ewt-ud-test.conllu")


@pytest.fixture
def score(monkeypatch, capsys, tmp_path):
    """Runs the command in a folder of its own: exit code, output, last line of what was said."""
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)

    def execute(*words):
        monkeypatch.setattr(sys, "argv", ["allennlp", "ud-score", *map(str, words)])
        code = cli.run()
        said = capsys.readouterr()
        return code, said.out, said.err.splitlines()[-1] if said.err else ""

    return execute


def test_a_column_that_is_golds_own_is_not_scored(score, tmp_path):
    """XPOS of a parse of gold CoNLL-U by a model that does not predict it."""
    golds = {path: list(read_sentences(path)) for path in (DEV, TEST)}
    (tmp_path / "a").mkdir()
    for number, (path, gold) in enumerate(golds.items()):
        new = [blemished(gold[0]), *gold[1:]]
        new = [each.replace(xpos=ours.xpos) for each, ours in zip(new, gold)]
        if number:  # a column that is right in one file alone is what a parser can get right
            new = [each.replace(feats=ours.feats) for each, ours in zip(new, gold)]
        write_sentences(new, tmp_path / "a" / path.rsplit("/", 1)[-1])
    code, output, _ = score(DEV, "a", "--metrics", "UPOS,XPOS,UFeats,AllTags,LAS", "--out", "t.tsv")
    assert code == 0
    figures = dict(zip(*(line.split()[-5:] for line in output.splitlines()[:2])))
    assert [name for name, figure in figures.items() if figure == "-"] == ["XPOS", "AllTags"]
    assert (
        "\na: XPOS is copied from gold for all words, and not scored (use --official to include)\n"
        in output
    )
    assert "\tXPOS\t" not in (tmp_path / "t.tsv").read_text()
    output = score(f"{DEV},{TEST}", "a", "--metrics", "XPOS,UFeats")[1]
    assert [line.split()[-2] for line in output.splitlines()[2:5]] == ["-"] * 3
    assert "100.00" in output.splitlines()[3]
    # All figures on demand; and of gold itself, which no parser kept anything of.
    assert "-" not in score(DEV, "a", "--official", "--metrics", "XPOS,UFeats")[1].split()
    assert score(DEV, DEV, "--metrics", "XPOS")[1].split()[-1] == "100.00"
    # Nothing is compared that is not scored.
    (tmp_path / "b.conllu").write_text((tmp_path / "a" / DEV.rsplit("/", 1)[-1]).read_text())
    differences = score(DEV, "a", "b.conllu", "--metrics", "XPOS,UFeats")[1].split("\n\n")[-1]
    assert [line.split()[0] for line in differences.splitlines()[2:]] == ["UFeats"]


def test_figures_are_those_of_the_script(score, tmp_path):
    predicted = spoilt(DEV, 0.2, tmp_path / "a.conllu")
    code, output, _ = score(DEV, "a.conllu")
    expected = script(list(read_sentences(DEV)), predicted)
    head, row = (line.split() for line in output.splitlines())
    assert code == 0 and head == ["file", *METRICS]
    assert row == ["a.conllu", *(f"{expected[metric]:.2f}" for metric in METRICS)]


def test_other_words_are_aligned_by_their_characters(score, tmp_path):
    """The words of the multiword tokens of German are one word each."""
    gold = list(read_sentences(GERMAN))
    joined = [words_as_tokens(each) for each in gold]
    write_sentences(joined, tmp_path / "joined.conllu")
    output = score(GERMAN, "joined.conllu", "--official", "--out", "scores.tsv")[1]
    expected = script(gold, joined)
    assert output.split()[1:14] == [*SEGMENTATION, *METRICS]
    honest = score(GERMAN, "joined.conllu")[1].split()[18:28]  # only heads are filled in
    assert [figure == "-" for figure in honest] == [metric != "UAS" for metric in METRICS]
    assert expected["Tokens"] == 100 and 80 < expected["Words"] < 100
    rows = [line.split("\t") for line in (tmp_path / "scores.tsv").read_text().splitlines()]
    assert {row[3]: float(row[4]) for row in rows[1:]} == expected


def words_as_tokens(sentence):
    """Multiword tokens as single words, heads in a chain."""
    forms, inside = [], 0
    for row in sentence.text.splitlines():
        number, *cells = row.split("\t")
        if "-" in number and cells:
            first, last = map(int, number.split("-"))
            inside = last - first + 1
            forms.append(cells[0])
        elif number.isdigit():
            if not inside:
                forms.append(cells[0])
            inside = max(inside - 1, 0)
    heads = list(map(str, range(len(forms))))
    return Sentence.from_words(forms).replace(heads=heads)


def test_differences_say_how_sure_they_are(score, tmp_path):
    spoilt(GERMAN, 0.30, tmp_path / "a.conllu")
    spoilt(GERMAN, 0.10, tmp_path / "b.conllu", seed=1)
    spoilt(GERMAN, 0.30, tmp_path / "c.conllu", seed=2)
    names = [f"{name}.conllu" for name in "abc"]
    code, output, _ = score(GERMAN, *names, "--metrics", "UPOS,LAS,UAS", "--out", "scores.tsv")
    assert code == 0
    table, better, same = output.split("\n\n")
    assert better.splitlines()[0] == "b.conllu over a.conllu"
    points, low, _, high, p = better.splitlines()[2].split()[1:]
    scores = {line.split()[0]: float(line.split()[1]) for line in table.splitlines()[1:]}
    assert float(points) == pytest.approx(scores["b.conllu"] - scores["a.conllu"], abs=0.011)
    assert 0 < float(low) < float(points) < float(high) and float(p) < 0.001
    assert float(same.splitlines()[2].split()[-1]) > 0.05
    assert same.splitlines()[4].split() == ["UAS", "+0.00", "+0.00", "to", "+0.00", "1.0000"]
    # The same samples each time; without samples no differences.
    assert score(GERMAN, *names, "--metrics", "UPOS,LAS,UAS")[1] == output
    assert score(GERMAN, *names, "--metrics", "UPOS,LAS,UAS", "--samples", 0)[1] == table + "\n"
    rows = [line.split("\t") for line in (tmp_path / "scores.tsv").read_text().splitlines()]
    assert ["de_gsd", "b.conllu", "a.conllu", "UPOS"] in [row[:4] for row in rows]
    assert len(rows) == 1 + 5 * 13


def test_several_treebanks_and_their_mean(score, tmp_path):
    for folder, share in (("a", 0.3), ("b", 0.1)):
        (tmp_path / folder).mkdir()
        for path in (DEV, GERMAN):
            name = "en_ewt" if path == DEV else "de_gsd"
            spoilt(path, share, tmp_path / folder / f"{name}.conllu")
    code, output, _ = score(f"{DEV},{GERMAN}", "a", "b/*.conllu", "--metrics", "LAS")
    assert code == 0
    first, second, differences = output.split("\n\n")
    assert first.split()[0] == "a"
    rows = [dict([line.rsplit(None, 1)]) for line in second.splitlines()[2:]]
    values = [float(value) for row in rows for value in row.values()]
    assert list(rows[2]) == ["macro average"]
    assert values[2] == pytest.approx((values[0] + values[1]) / 2, abs=0.01)
    points = values[2] - float(first.split()[-1])
    assert float(differences.split()[9]) == pytest.approx(points, abs=0.011)


def test_two_files_of_a_treebank_are_two(score, tmp_path):
    (tmp_path / "a").mkdir()
    expected = []
    for seed, path in enumerate((DEV, TEST)):
        name = path.rsplit("/", 1)[-1]
        predicted = spoilt(path, 0.1 + 0.2 * seed, tmp_path / "a" / name, seed)
        expected.append((name, official_scores(read_sentences(path), predicted, name)["LAS"]))
    code, output, _ = score(f"{DEV},{TEST}", "a", "--metrics", "LAS")
    assert code == 0
    rows = [line.rsplit(None, 1) for line in output.splitlines()[2:4]]
    assert rows == [[name, f"{las:.2f}"] for name, las in expected]


@pytest.mark.parametrize(
    "words, message",
    [
        ((DEV, GERMAN), "cannot be scored: the texts differ in the sentence at"),
        ((DEV, "none.conllu"), "none.conllu: no such file or folder"),
        ((DEV, DEV, DEV), "appears twice"),
        (
            (DEV, DEV, "--metrics", "LAS,EULAS"),
            "--metrics has 'EULAS', which is not a metric. Use Tokens,",
        ),
        ((DEV, DEV, "--samples", "-1"), "--samples is -1"),
        ((f"{DEV},{GERMAN}", str(FIXTURES / "ud" / "de*dev*")), "has no file for en_ewt"),
        ((f"{DEV},{TEST}", DEV), "has no file for en_ewt-ud-test.conllu"),
        (("empty.conllu", "./empty.conllu"), "empty.conllu has no sentences. Name files with"),
        (("empty.conllu", "empty.conllu", "b.conllu"), "empty.conllu has no sentences"),
        ((str(FIXTURES / "no*.conllu"), DEV), "matches no file"),
        ((DEV, "broken.conllu"), "broken.conllu:1: the line has 1 columns"),
        ((DEV, DEV, "--out", "no/such.tsv"), "no/such.tsv"),
    ],
)
def test_mistakes_are_one_line(score, tmp_path, words, message):
    (tmp_path / "broken.conllu").write_text("x\n\n")
    for name in ("empty.conllu", "b.conllu"):
        (tmp_path / name).touch()
    code, _, line = score(*words)
    assert code == 1 and line.startswith("allennlp: error: ") and message in line
