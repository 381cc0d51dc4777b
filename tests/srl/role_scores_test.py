"""Roles are scored as the scripts of the shared tasks score them."""

import random
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import FIXTURES
from udify_allennlp.scoring.match_counts import Counts
from udify_allennlp.scoring.scorers import Parsed
from udify_allennlp.srl.counts import DependencyCounts, dependency_counts, span_counts
from udify_allennlp.srl.scores import METRICS, RoleCounts, RoleScorer, RoleScores
from udify_allennlp.text.roles.columns import span_cells
from udify_allennlp.text.roles.files import read_roles
from udify_allennlp.text.roles.predicates import Argument, Predicate, with_predicates

SPANS = list(read_roles(FIXTURES / "roles" / "en_hand-train.conll05"))
HEADS = list(read_roles(FIXTURES / "roles" / "en_hand-train.conll09"))


def spans(*arguments, word=3, lemma="go"):
    return Predicate(word, lemma, "01", tuple(Argument(*each) for each in arguments))


def heads(*arguments, word=3, sense="01", lemma="go"):
    return Predicate(
        word, lemma, sense, (), tuple(Argument(label, at, at) for label, at in arguments)
    )


CASES = {
    "right": ([("A0", 1, 2), ("A1", 4, 5)], [("A0", 1, 2), ("A1", 4, 5)], (2, 2, 2)),
    "another label": ([("A0", 1, 2)], [("A1", 1, 2)], (1, 1, 0)),
    "another end": ([("A0", 1, 2)], [("A0", 1, 1)], (1, 1, 0)),
    "V does not count": ([("V", 3, 3)], [("V", 3, 4), ("C-V", 6, 6)], (0, 0, 0)),
    "one of two parts": ([("A1", 1, 2), ("C-A1", 4, 5)], [("A1", 1, 2)], (1, 1, 0)),
    "both parts": ([("A1", 1, 2), ("C-A1", 4, 5)], [("A1", 1, 2), ("C-A1", 4, 5)], (1, 1, 1)),
    "joined parts": ([("A1", 1, 2), ("C-A1", 4, 5)], [("A1", 1, 5)], (1, 1, 0)),
    "a part of nothing is the role": ([("A1", 1, 2)], [("C-A1", 1, 2)], (1, 1, 1)),
    "what is referred to is another role": ([("A0", 1, 1)], [("R-A0", 1, 1)], (1, 1, 0)),
}


@pytest.mark.parametrize("case", CASES)
def test_spans_by_hand(case):
    gold, predicted, expected = CASES[case]
    assert span_counts([spans(*gold)], [spans(*predicted)]) == expected


def test_predicates_of_spans():
    gold, own = [spans(("A0", 1, 1))], ("A0", 1, 1)
    assert span_counts(gold, []) == (1, 0, 0)
    assert span_counts(gold, [spans(own, lemma="come")]) == (1, 0, 0)
    assert span_counts(gold, [spans(own, lemma="come")], all_predicates=True) == (1, 1, 1)
    assert span_counts([], [spans(own)]) == (0, 0, 0)
    assert span_counts([], [spans(own)], all_predicates=True) == (0, 1, 0)


def test_dependencies_by_hand():
    gold = [heads(("A0", 1), ("A1", 5)), heads(word=6)]
    predicted = [heads(("A0", 1), ("A2", 5), ("A0", 7), sense="1", lemma="other"), heads(word=8)]
    found = dependency_counts(gold, predicted)
    assert found.predicates == (2, 2, 1) and found.senses == (2, 2, 1)
    assert found.arguments == (2, 3, 1) and found.unlabelled == (2, 3, 2)
    assert found.labelled == (4, 5, 2) and found.labelled.f1 == pytest.approx(400 / 9)
    other = dependency_counts(gold, [heads(("A0", 1), sense="02")])
    assert other.senses.right == 0 and other.arguments.right == 1
    for same, (lemma, sense) in ((True, ("come", "1")), (False, ("u.s", "01")), (True, ("01", ""))):
        assert dependency_counts(gold, [heads(sense=sense, lemma=lemma)]).senses.right == same
    dotted = [heads(lemma="u.s")]
    assert dependency_counts(dotted, dotted).senses.right == 1
    assert dependency_counts(dotted, [heads(lemma="a.b")]).senses.right == 0
    twice = [heads(("A0", 1), ("A1", 1))]
    assert dependency_counts(twice, [heads(("A1", 1))]).arguments == (2, 1, 1)


def spoilt_heads(sentence, rng):
    """Some predicates and arguments of dependency style left out, moved, renamed, made double."""
    found = []
    for predicate in sentence.predicates:
        new = []
        for each in predicate.heads:
            choice = rng.random()
            if choice < 0.15:
                continue
            if choice < 0.3:
                each = each._replace(label="A0" if each.label == "A1" else "A1")
            if choice > 0.85:
                place = 1 + int(rng.random() * len(sentence))
                each = each._replace(start=place, end=place)
            new += [each, each._replace(label="AM-TMP")] if choice > 0.95 else [each]
        predicate = predicate._replace(heads=tuple(dict.fromkeys(new)))
        choice = rng.random()
        if choice > 0.1:
            lemma = predicate.lemma if choice > 0.3 else ["come", "a.b"][choice > 0.2]
            sense = (
                predicate.sense if choice < 0.6 else ["1", "003", "LV", ""][int(choice * 10) % 4]
            )
            found.append(predicate._replace(lemma=lemma, sense=sense))
    return found


EVAL09 = {
    0: (26, 25, 25, 15, 63, 58, 42, 36),
    1: (26, 24, 24, 15, 63, 55, 43, 32),
    2: (26, 23, 23, 13, 63, 53, 36, 29),
}
"""
By seed what eval09.pl says of these: predicates and arguments, each in gold, predicted, in the
right place, right.
"""


@pytest.mark.parametrize("seed", EVAL09)
def test_figures_that_the_script_of_dependencies_gave(seed):
    rng, total = random.Random(seed), DependencyCounts()
    for sentence in HEADS:
        found = sentence.replace(spoilt_heads(sentence, rng))
        total += dependency_counts(sentence.predicates, found.predicates)
    predicates, arguments = total.predicates, total.arguments
    of_predicates = (*predicates[:2], predicates.right, total.senses.right)
    of_arguments = (*arguments[:2], total.unlabelled.right, arguments.right)
    assert of_predicates + of_arguments == EVAL09[seed]


def spoilt(sentence, rng):
    """Some arguments and predicates left out, moved, renamed."""
    found = []
    for predicate in sentence.predicates:
        new = []
        for each in predicate.spans:
            choice = rng.random()
            if choice < 0.15:
                continue
            if choice < 0.3:
                each = each._replace(label=rng.choice(["A0", "A1", "C-A1", "AM-TMP"]))
            if choice > 0.85:
                each = each._replace(end=each.start)
            new.append(each)
        if rng.random() > 0.1:
            lemma = predicate.lemma if rng.random() > 0.1 else "other"
            found.append(predicate._replace(spans=tuple(new), lemma=lemma))
    return found


def props(sentence, predicates):
    """What the script reads: lemmas of predicates, and a column for each."""
    lemmas = {predicate.word: predicate.lemma for predicate in predicates}
    columns = [span_cells(predicate.spans, len(sentence)) for predicate in predicates]
    first = [lemmas.get(word, "-") for word in range(1, len(sentence) + 1)]
    return "".join(" ".join(row) + "\n" for row in zip(first, *columns)) + "\n"


def pairs(seed):
    rng = random.Random(seed)
    return [(sentence, spoilt(sentence, rng)) for sentence in SPANS]


def counted(found):
    total = Counts()
    for sentence, predicted in found:
        total += span_counts(sentence.predicates, predicted)
    return total


def test_figures_that_the_script_gave():
    """srl-eval.pl on these: 31 correct, 6 in excess, 31 missed."""
    found = counted(pairs(3))
    assert found == (31 + 31, 31 + 6, 31)
    shown = [f"{value:.2f}" for value in (found.precision, found.recall, found.f1)]
    assert shown == ["83.78", "50.00", "62.63"]


@pytest.mark.parametrize("seed", range(4))
def test_against_the_script(seed, tmp_path):
    """In the wheel of allennlp-models; perl."""
    spec = find_spec("allennlp_models")
    if shutil.which("perl") is None or spec is None or spec.origin is None:
        pytest.skip("not here: perl and allennlp-models")
    script = Path(spec.origin).parent / "structured_prediction" / "tools" / "srl-eval.pl"
    found = pairs(seed)
    gold, predicted = tmp_path / "gold", tmp_path / "predicted"
    gold.write_text("".join(props(sentence, sentence.predicates) for sentence, _ in found))
    predicted.write_text("".join(props(*pair) for pair in found))
    run = subprocess.run(
        ["perl", script, "-noW", gold, predicted], capture_output=True, text=True, check=True
    )
    overall = next(line for line in run.stdout.splitlines() if "Overall" in line).split()
    own = counted(found)
    wrong = own.predicted - own.right, own.gold - own.right
    assert [int(number) for number in overall[1:4]] == [own.right, *wrong]
    expected = [f"{value:.2f}" for value in (own.precision, own.recall, own.f1)]
    assert overall[4:] == expected


def test_metric_and_scorer_agree():
    golds = [sentence.sentence() for sentence in SPANS]
    predicted = [spoilt(sentence, random.Random(1)) for sentence in SPANS]
    misc = [with_predicates(gold.misc, own) for gold, own in zip(golds, predicted)]
    metric = RoleScores()
    for start in range(0, len(golds), 6):
        part = slice(start, start + 6)
        metric(golds[part], [{"misc": cells} for cells in misc[part]])
    shown = metric.get_metric()
    assert set(shown) == {"span_P", "span_R", "span_F1", "span_all_F1", "pred_F1", "sense_F1"} | {
        "roles_F1"
    }
    assert shown["roles_F1"] == shown["span_F1"] and metric.get_metric(reset=True) == shown
    assert metric.get_metric() == {}
    new = [gold.replace(misc=cells) for gold, cells in zip(golds, misc)]
    scorer = RoleScorer()
    score = scorer.score(Parsed(golds, new, "x", ["misc"]))
    assert scorer.scores(score) == shown
    report = scorer.report([("a", score), ("b", score)])
    assert f"{shown['span_F1']:.2f}" in report and len(report.splitlines()) == 4
    assert scorer.averages([("a", score), ("b", score)])["all"] == shown


def test_both_styles_have_their_figures():
    total = RoleCounts()
    for sentence in HEADS:
        total += RoleCounts.of(sentence.predicates, sentence.predicates)
    scores = total.scores()
    assert set(scores) == {"dep_P", "dep_R", "dep_F1", "dep_args_F1", "pred_F1", "sense_F1"} | {
        "roles_F1"
    }
    assert set(scores.values()) == {100} and set(scores) < set(METRICS)


def test_a_style_that_gold_does_not_have_counts_nothing():
    """Files of one style each, and a labeller of both that is always right: 100, of all, too."""
    both = [
        [mine._replace(heads=theirs.heads) for mine, theirs in zip(a.predicates, b.predicates)]
        for a, b in zip(SPANS, HEADS)
    ]
    rows, metric = [], RoleScores()
    for name, golds in (("spans", SPANS), ("heads", HEADS)):
        sentences = [gold.sentence() for gold in golds]
        new = [s.replace(misc=with_predicates(s.misc, own)) for s, own in zip(sentences, both)]
        metric(sentences, [{"misc": each.misc} for each in new])
        rows.append((name, RoleScorer().score(Parsed(sentences, new, "x", ["misc"]))))
    for scores in (metric.get_metric(), RoleScorer().averages(rows)["all"]):
        assert scores["span_F1"] == scores["dep_F1"] == scores["span_all_F1"] == 100
        assert scores["roles_F1"] == 200 and scores["pred_F1"] == scores["sense_F1"] == 100


def test_what_is_found_in_a_sentence_without_predicates_is_wrong_in_the_file_s_own_style():
    none, found = SPANS[0].sentence().replace(misc=["_"] * 7), SPANS[0].sentence()
    told = RoleScorer().score(Parsed([found, none], [found, found], "x", ["misc"]))
    assert told.all_spans == (3, 6, 3) and told.spans == (3, 3, 3)
    assert told.of_gold().dependencies == DependencyCounts()
    assert told.predicates == (1, 2, 1)
