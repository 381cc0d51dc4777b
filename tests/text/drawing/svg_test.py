import re
import xml.etree.ElementTree as xml

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.drawing.differences import differences
from udify_allennlp.text.drawing.elements import standalone
from udify_allennlp.text.drawing.svg import runs_leftwards, tree_svg
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.sentence import Sentence


def sentence(*rows):
    """From (form, upos, lemma, feats, head, deprel)."""
    lines = [
        f"{i}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{deprel}\t_\t_\n"
        for i, (form, upos, lemma, feats, head, deprel) in enumerate(rows, start=1)
    ]
    return Sentence("".join(lines) + "\n")


GOLD = sentence(
    ("Dogs", "NOUN", "dog", "Number=Plur", 2, "nsubj"),
    ("bark", "VERB", "bark", "Mood=Ind|Tense=Pres", 0, "root"),
    ("loudly", "ADV", "loudly", "_", 2, "advmod"),
)
WRONG = sentence(
    ("Dogs", "PROPN", "dog", "Number=Plur", 2, "obj"),
    ("bark", "VERB", "bark", "Tense=Past", 0, "root"),
    ("loudly", "ADV", "loudly", "_", 1, "advmod"),
)


def drawn(svg):
    """The (class, text) of every text, and the classes of the arcs."""
    root = xml.fromstring(svg)
    name = "{http://www.w3.org/2000/svg}"
    texts = [
        (element.get("class"), element.text)
        for element in root.iter()
        if element.tag in (name + "text", name + "tspan") and element.text
    ]
    arcs = [path.get("class") for path in root.iter(name + "path") if "M" in path.get("d")]
    return texts, [kind for kind in arcs if kind is None or "tip" not in kind]


def test_one_tree_shows_every_column_and_one_arc_a_word():
    texts, arcs = drawn(tree_svg(GOLD))
    assert arcs == [None] * 3
    for expected in [
        ("form", "bark"),
        ("upos", "VERB"),
        ("lemma", "dog"),
        ("feats", "Mood=Ind"),
        ("feats", "Tense=Pres"),
        ("deprel", "advmod"),
    ]:
        assert expected in texts
    assert ("feats", "_") not in texts


def test_a_screen_reader_gets_the_sentence_and_its_arcs():
    for drawing in (tree_svg(GOLD, WRONG), standalone(tree_svg(GOLD, WRONG))):
        root = xml.fromstring(drawing)
        title, *rest = [each for each in root if each.tag.split("}")[1] != "style"]
        assert root.get("role") == "img" and title.text == "Dependency tree: Dogs bark loudly"
        assert root[0] is title
        assert rest[0].text == (
            "Gold: Dogs (NOUN): nsubj of bark; bark (VERB): root; loudly (ADV): advmod of bark. "
            "Predicted: Dogs (NOUN): obj of bark; bark (VERB): root; loudly (ADV): advmod of Dogs"
        )
    hostile = GOLD.replace(deprels=["<b>", "root", "&"])
    assert "<b>" not in tree_svg(hostile) and len(xml.fromstring(tree_svg(hostile)))


def test_without_features_a_sentence_is_narrower():
    full, compact = (tree_svg(GOLD, has_features=has) for has in (True, False))
    widths = [int(xml.fromstring(each).get("width")) for each in (full, compact)]
    assert widths[1] < widths[0]
    kinds = {kind for kind, _ in drawn(compact)[0]}
    assert {"form", "upos", "deprel"} <= kinds and not {"feats", "lemma"} & kinds


def test_differences_worked_by_hand():
    assert differences(GOLD, WRONG) == [
        (True, False, False, False, True, False, False),
        (False, True, False, False, False, False, False),
        (False, False, False, True, False, False, False),
    ]
    texts, arcs = drawn(tree_svg(GOLD, WRONG))
    # One arc of word 1, whose labels differ; one of word 2; two of word 3, whose heads differ.
    assert sorted(map(str, arcs)) == ["None", "None", "gold", "pred"]
    for expected in [
        ("upos gold", "✓ NOUN"),
        ("upos pred", "✗ PROPN"),
        ("feats gold", "✓ Tense=Pres"),
        ("feats pred", "✗ Tense=Past"),
        ("gold", "nsubj"),
        ("pred", "obj"),
        ("deprel gold", "advmod"),
        ("deprel pred", "advmod"),
    ]:
        assert expected in texts


def test_the_same_tree_twice_is_drawn_as_one():
    assert tree_svg(GOLD, GOLD) == tree_svg(GOLD)


def test_all_text_is_escaped():
    evil = '<script>alert("&1")</script>'
    svg = tree_svg(sentence((evil, evil, evil, evil, 0, evil)))
    assert "<script" not in svg and '"&1"' not in svg
    xml.fromstring(svg)


def test_hebrew_runs_from_right_to_left():
    hebrew = sentence(("הכלב", "NOUN", "_", "_", 2, "nsubj"), ("נבח", "VERB", "_", "_", 0, "root"))
    assert runs_leftwards(hebrew) and not runs_leftwards(GOLD)

    def places(svg):
        return [int(x) for x in re.findall(r'x="(\d+)" y="\d+" class="form"', svg)]

    assert places(tree_svg(hebrew)) == sorted(places(tree_svg(hebrew)), reverse=True)
    assert places(tree_svg(GOLD)) == sorted(places(tree_svg(GOLD)))


@given(st.lists(st.integers(0, 12), min_size=1, max_size=12), st.data())
def test_any_heads_are_drawn_and_no_two_arcs_lie_on_each_other(raw, data):
    n = len(raw)
    heads = [head % (n + 1) for head in raw]
    heads = [0 if head == word else head for word, head in enumerate(heads, start=1)]
    svg = tree_svg(sentence(*[("w", "X", "w", "_", head, "dep") for head in heads]))
    xml.fromstring(svg)
    spans = re.findall(r"Q\d+,(\d+) (\d+),\d+H(\d+)Q", svg)
    assert len(spans) == sum(head > 0 for head in heads)
    for index, (y, *ends) in enumerate(spans):
        low, high = sorted(map(int, ends))
        for other, *others in spans[:index]:
            if other == y:
                left, right = sorted(map(int, others))
                assert high <= left or right <= low


@given(st.lists(st.integers(0, 12), min_size=1, max_size=12), st.data())
def test_no_line_runs_through_a_label(raw, data):
    n = len(raw)
    heads, guesses = (
        [0 if head % (n + 1) == word else head % (n + 1) for word, head in enumerate(each, start=1)]
        for each in (raw, data.draw(st.permutations(raw)))
    )
    gold = sentence(*[("w", "X", "w", "_", head, "advcl:relcl") for head in heads])
    new = sentence(*[("w", "X", "w", "_", head, "dep") for head in guesses])
    for svg in (tree_svg(gold), tree_svg(gold, new)):
        lines = [
            (int(x), int(top), int(bottom))
            for x, top, bottom in re.findall(r"M(\d+),(\d+)V(\d+)", svg)
        ]
        lines += [
            (int(x), int(top), int(bottom))
            for top, x, bottom in re.findall(r"Q\d+,\d+ \d+,(\d+)H.*? (\d+),\d+V(\d+)", svg)
        ]
        lines += [
            (int(x), int(top), int(bottom))
            for x, bottom, top in re.findall(r"M(\d+),(\d+)V(\d+)Q", svg)
        ]
        found = re.findall(r'<text x="(\d+)" y="(\d+)" class="deprel[^"]*">(.*?)</text>', svg)
        assert found and lines
        for x, y, text in found:
            half = 3.5 * len(re.sub("<.*?>", "", text))
            through = [
                line
                for line in lines
                if abs(line[0] - int(x)) < half and line[1] < int(y) - 4 < line[2]
            ]
            assert not through


SPANISH = Sentence("""\
1\tNo\tno\tADV\t_\t_\t2\tadvmod\t_\t_
2-3\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
2\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t_\t_
2.1\tyo\tyo\tPRON\t_\tA=B|C=D\t_\t_\t2:nsubj\t_
3\tnos\tnosotros\tPRON\t_\t_\t2\tobj\t_\t_
4-4\tadministrativamente\t_\t_\t_\t_\t_\t_\t_\t_
4\ta\ta\tX\t_\t_\t2\tdep\t_\t_

""")


def placed(svg, kind):
    """By text, where the middles of the texts of a class are."""
    root = xml.fromstring(svg)
    return {
        element.text: int(element.get("x"))
        for element in root.iter("{http://www.w3.org/2000/svg}text")
        if kind in element.get("class").split()
    }


def test_a_range_is_a_bracket_under_its_words():
    svg = tree_svg(SPANISH)
    forms, surface = placed(svg, "form"), placed(svg, "range")
    assert list(surface) == ["vámonos", "administrativamente"]
    (start, y, end), (low, _, high) = (
        map(int, found) for found in re.findall(r'"range" d="M(\d+),(\d+)v4H(\d+)v-4"', svg)
    )
    # From the first word to the last, over the empty node, without the neighbours.
    assert forms["No"] < start < forms["vamos"] < forms["nos"] < end < forms["a"]
    assert low < forms["a"] < high
    # Under the forms, above the tags; and the long surface form of a short word has room.
    rows = {kind: int(found) for found, kind in re.findall(r'y="(\d+)" class="(\w+)"', svg)}
    assert rows["form"] < y < rows["range"] < rows["upos"]
    assert forms["a"] - forms["nos"] > 8 * len("administrativamente") / 2
    assert 'class="range"' not in tree_svg(GOLD)


def test_an_empty_node_stands_in_its_place_without_an_arc():
    svg = tree_svg(SPANISH)
    forms = placed(svg, "form")
    assert sorted(forms, key=forms.get) == ["No", "vamos", "yo", "nos", "a"]
    assert set(placed(svg, "empty")) == {"yo", "PRON", "A=B", "C=D"}
    assert placed(svg, "id") == {"2.1": forms["yo"]} and "<title>empty node, DEPS 2:nsubj" in svg
    texts, arcs = drawn(svg)
    assert len(arcs) - len(placed(svg, "range")) == 4
    tips = [int(x) + 3 for x in re.findall(r'class="tip" d="M(\d+),', svg)]
    assert forms["yo"] not in tips and forms["No"] in tips


def test_without_its_empty_nodes_a_sentence_is_drawn_as_ever():
    """Arcs and words keep their order and levels."""
    bare = Sentence(
        "".join(line for line in SPANISH.text.splitlines(True) if re.match(r"\d+\t|\n", line))
    )
    with_nodes, without = (placed(tree_svg(each), "deprel") for each in (SPANISH, bare))
    assert list(with_nodes) == list(without)
    wrong = bare.replace(heads=["2", "0", "1", "2"])
    texts, arcs = drawn(tree_svg(SPANISH, wrong))
    assert arcs.count("gold") == arcs.count("pred") == 1 and ("form empty", "yo") in texts


def test_an_empty_node_before_the_first_word():
    first = Sentence("0.1\te\t_\t_\t_\t_\t_\t_\t0:root\t_\n1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n")
    forms = placed(tree_svg(first), "form")
    assert forms["e"] < forms["a"]


def test_words_without_a_head_have_no_arc():
    assert drawn(tree_svg(sentence(("a", "X", "a", "_", "_", "_"))))[1] == []


@pytest.mark.parametrize("head", ["1", "2", "x", "-1"])
def test_a_head_that_cannot_be_drawn_is_refused(head):
    with pytest.raises(ConlluError, match="<text>:1: word 1 has head"):
        tree_svg(sentence(("a", "X", "a", "_", head, "dep")))


def test_other_words_are_refused():
    with pytest.raises(ConlluError, match="the words differ from those of"):
        tree_svg(GOLD, sentence(("a", "X", "a", "_", 0, "root")))
