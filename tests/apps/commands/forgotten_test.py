"""`allennlp ud-forgotten`: tables of parsers and of translation models, as a user types it."""

import csv

import pytest
from allennlp.models.archival import load_archive
from allennlp.predictors import Predictor

from tests.apps.analysis.helpers import run_command, save_run
from tests.helpers import DEV
from tests.helpers.translation import save_translation_run
from udify_allennlp.apps.analysis.forgotten import biases
from udify_allennlp.apps.analysis.forgotten.translations import (
    changed_sentences,
    pairs_by_direction,
    scattered,
)
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.translation.pairs import Pair


@pytest.fixture
def forgotten(monkeypatch, capsys, tmp_path):
    def execute(*words):
        code, said, errors = run_command(
            monkeypatch, capsys, "ud-forgotten", *words, "--out", tmp_path / "out"
        )
        tables = {}
        for path in (tmp_path / "out").glob("*.tsv"):
            with path.open(newline="") as file:
                reader = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
                tables[path.stem] = list(reader)
        return code, said, errors, tables

    return execute


@pytest.fixture(scope="module")
def parser(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("parser"))


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory):
    """A few sentences, once as a treebank of English and once of French."""
    folder = tmp_path_factory.mktemp("treebanks")
    sentences = [s for s in read_sentences(DEV) if len(s) > 2][:8]
    for name in ("en_ewt", "fr_gsd"):
        write_sentences(sentences, folder / f"{name}-ud-test.conllu")
    return folder


def test_a_parser_and_itself(forgotten, parser, treebanks):
    code, said, errors, tables = forgotten(parser, parser, treebanks, "--sentences", 6)
    assert code == 0, errors
    assert set(tables) == {"models", "treebanks", "classes", "labels", "label_classes"}
    head, *rows = tables["classes"]
    assert head[:5] == ["by", "class", "metric", "members", "base"]
    assert {tuple(row[:2]) for row in rows} >= {("all", "all"), ("training words", "none")}
    assert {row[2] for row in rows} == {"LAS", "UFeats", "Lemmas", "UPOS"}
    assert all(float(row[5]) == 0 for row in rows if row[5])
    assert [row[0] for row in tables["models"][1:]] == ["base", parser.name]
    assert "Models, and means over treebanks\n" in said and "label" in said
    # Each word is counted once by its relation, and once by its UPOS.
    by_column = {}
    for column, _, words, *_ in tables["labels"][1:]:
        by_column[column] = by_column.get(column, 0) + int(words)
    files = sorted(treebanks.glob("*.conllu"))
    words = sum(len(s) for path in files for s in list(read_sentences(path))[:6])
    assert by_column == {"deprel": words, "upos": words}


def test_scores_are_those_of_the_parses(
    forgotten, parser, treebanks, capsys, monkeypatch, tmp_path
):
    pruned = tmp_path / "pruned.tar.gz"
    words = ("ud-pack", parser, "--prune", 0.45, "--out", pruned)
    assert run_command(monkeypatch, capsys, *words)[0] == 0
    path = treebanks / "en_ewt-ud-test.conllu"
    code, _, errors, tables = forgotten(parser, pruned, path)
    assert code == 0, errors
    model = load_predictor(str(pruned))
    gold = list(read_sentences(path))
    new = list(model.parse(gold))
    pairs = [pair for g, n in zip(gold, new) for pair in zip(g.upos, n.upos)]
    upos = 100 * sum(a == b for a, b in pairs) / len(pairs)
    (row,) = [row for row in tables["treebanks"] if row[3] == "UPOS"]
    assert float(row[5]) == pytest.approx(upos, abs=1e-3)
    base, other = map(float, row[4:6])
    (row,) = [row for row in tables["classes"] if row[:3] == ["all", "all", "UPOS"]]
    assert float(row[5]) == pytest.approx(100 * (other - base) / base, abs=0.01)


@pytest.fixture(scope="module")
def translators(tmp_path_factory):
    folder = tmp_path_factory.mktemp("translators")
    (folder / "other").mkdir()
    first = save_translation_run(folder / "base")
    second = save_translation_run(folder / "other" / "run", seed=3)
    return first, second


def test_translation_models(forgotten, translators, tmp_path):
    first, second = translators
    senses = tmp_path / "senses.tsv"
    senses.write_text("3\t2\t1\n2\t1\t1\n")
    texts = first / "numbers" / "train.*"
    code, said, errors, tables = forgotten(
        *(first, second, texts, "--sentences", 3, "--senses", senses, senses)
    )
    assert code == 0, errors
    assert set(tables) == {
        *("models", "directions", "classes", "sentences", "texts", "senses"),
    }
    directions = [row[0] for row in tables["directions"] if row[2] == "chrF"]
    assert len(directions) == 6
    assert {tuple(row[:2]) for row in tables["classes"][1:]} == {
        ("all", "all"),
        *((by, "H") for by in ("pair", "source", "target")),
    }
    assert tables["sentences"][1][:2] == ["run", "all"]
    assert tables["senses"][1] == ["base", "2", "50.0000", "50.0000", "100.0000", "100.0000"] + [
        "75.0000"
    ]
    assert "Relative change of mean ownBLEU" in said


def test_losing_and_winning_sentences_by_hand(translators):
    one, two, three = "This is a good book.", "Das ist ein gutes Buch.", "x"
    pairs = [Pair(("en", "de"), [5], [6], one, two)] * 3 + [Pair(("en", "ja"), [5], [6], one, two)]
    sources = {("en", "de"): pairs[:3], ("en", "ja"): pairs[3:]}
    base = {("en", "de"): [two, three, two], ("en", "ja"): [two]}
    new = {("en", "de"): [one, two, two], ("en", "ja"): [three]}
    losing, winning = changed_sentences(sources, base, new)  # none into a language of two scripts
    assert losing.outcome == "losing" and winning.outcome == "winning"
    assert losing.base_score == 1 and losing.score < 0.5
    assert (losing.base_off_target, losing.off_target) == (False, True)
    assert (winning.base_off_target, winning.off_target)[1] is False


def test_lambda_of_a_model_with_itself_is_1(translators):
    predictor = Predictor.from_archive(load_archive(str(translators[0])))
    sources = pairs_by_direction(predictor, [str(translators[0] / "numbers" / "train.*")], 2)
    (pair, _) = sources["en", "de"]
    base = {("en", "de"): [pair.target_text, ""]}
    sentences = [
        each._replace(base=each.compressed or "eins", compressed=each.compressed or "eins")
        for each in changed_sentences(
            {("en", "de"): [pair, pair]}, base, {("en", "de"): ["", pair.target_text]}
        )
    ]
    assert len(sentences) == 2
    assert scattered(predictor, predictor, sentences) == (2, 1.0)


class FixedParser:
    """Reads gender from the article: what a parser does, without weights."""

    GENDERS = {"le": "Masc", "la": "Fem"}

    def stream(self, texts, lang):
        for index, text in enumerate(texts):
            words = text.split()
            if not words:
                continue
            feats = [f"Gender={self.GENDERS[w]}" if w in self.GENDERS else "_" for w in words]
            sentence = Sentence.from_words(words).replace(
                upos=["DET" if w in self.GENDERS else "NOUN" for w in words],
                heads=["2", *["0"] * (len(words) - 1)],
                deprels=["det", *["root"] * (len(words) - 1)],
                feats=feats,
            )
            yield type("Parsed", (), {"sentence": sentence, "text_index": index})


def test_gender_is_read_where_the_entity_is_aligned(tmp_path):
    names = ["nurse", "cook", "judge", "guard"]
    lines = [f"{'male' if i % 2 else 'female'}\t1\tthe {n}\t{n}" for i, n in enumerate(names * 4)]
    for file in biases.WINOMT:
        (tmp_path / file).write_text("".join(f"{line}\n" for line in lines))
    wino = biases.read_winomt(str(tmp_path))
    assert len(biases.sentences_of(wino)) == 4
    texts = {f"the {n}": f"{'le' if n != 'nurse' else 'la'} {n.upper()}" for n in names}
    row = biases.gender_row(FixedParser(), "fr", texts, wino)
    # Female entities: nurse is right, judge is read as male.
    assert row == pytest.approx([80, 200 / 3, 100 * (0.8 - 2 / 3) / (0.8 + 2 / 3), 0])


def test_mistakes_are_one_line(forgotten, parser, treebanks, translators, tmp_path):
    first, second = translators
    texts = first / "numbers" / "train.*"
    for words, what in (
        ((parser, first, treebanks), "is a different kind of model than BASE"),
        ((parser, parser, treebanks, "--gender", tmp_path), "--gender is for translation models"),
        ((parser, parser, treebanks, "--sentences", 0), "--sentences is 0. Use 1 or more"),
        ((first, second, texts, "--gender", tmp_path), "--gender and --gender-langs go together"),
        ((first, second, texts, "--senses", DEV), "--senses has 1 files for 2 models"),
        (
            (first, second, texts, "--gender", tmp_path, "--gender-langs", "de", "--sentences", 1),
            "has no en.txt. Name a folder with en.txt, en_pro.txt, en_anti.txt",
        ),
    ):
        code, _, errors, _ = forgotten(*words)
        assert code == 1 and what in errors and errors.rstrip().count("allennlp: error") == 1, words
        for path in (tmp_path / "out").glob("*"):
            path.unlink()
