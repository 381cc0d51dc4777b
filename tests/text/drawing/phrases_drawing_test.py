"""Phrases as bars under words, and as text."""

from udify_allennlp.text.constituents.parsing import parse_tree
from udify_allennlp.text.constituents.sentences import sentence_of
from udify_allennlp.text.drawing.differences import COLUMNS, differences
from udify_allennlp.text.drawing.phrases import lines_of, text_of
from udify_allennlp.text.drawing.svg import tree_svg
from udify_allennlp.text.sentence import Sentence

GOLD = sentence_of(parse_tree("(TOP (S (NP (NNP Anna)) (VP (VBD saw) (NP (PRP her)))))"))
OTHER = sentence_of(parse_tree("(TOP (S (NP (NNP Anna)) (VP (VBD saw)) (NP (PRP her))))"))


def shown(lines):
    return [[(bar.label, bar.start, bar.end, bar.mark) for bar in line] for line in lines]


def test_lines_by_hand():
    """The smallest phrases stand next to the words; what only one has is marked."""
    assert shown(lines_of(GOLD, None)) == [
        [("NP", 1, 1, ""), ("NP", 3, 3, "")],
        [("VP", 2, 3, "")],
        [("S", 1, 3, "")],
    ]
    assert shown(lines_of(GOLD, OTHER)) == [
        [("NP", 1, 1, ""), ("NP", 3, 3, "")],
        [("VP", 2, 2, "pred")],
        [("VP", 2, 3, "gold")],
        [("S", 1, 3, "")],
    ]
    assert lines_of(Sentence.from_words(["a"]), None) == []


def test_words_whose_brackets_differ():
    column = COLUMNS.index("phrases")
    assert [row[column] for row in differences(GOLD, OTHER)] == [False, True, True]


def test_the_drawing_has_them_and_tags():
    drawing = tree_svg(GOLD, OTHER)
    for part in ('class="phrase gold">VP ✓', 'class="phrase pred">VP ✗', ">VBD<", ">S<"):
        assert part in drawing
    assert ">_<" not in drawing


def test_the_tree_as_text():
    tree = parse_tree("(TOP (S (NP (NNP Anna)) (VP (VBD sang))) (. .))")
    assert text_of(tree) == (
        "TOP\n├── S\n│   ├── NP\n│   │   └── NNP Anna\n│   └── VP\n│       └── VBD sang\n└── . .\n"
    )
