"""Roles in MISC and in columns: a round trip of writing and reading; faults have a line."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.roles.columns import RoleSentence, span_cells
from udify_allennlp.text.roles.files import holds_roles, read_roles, role_sentence, write_roles
from udify_allennlp.text.roles.predicates import (
    Argument,
    Predicate,
    predicates_of,
    split_roleset,
    with_predicates,
)
from udify_allennlp.text.roles.styles import DEPENDENCIES, SPANS, style_of
from udify_allennlp.text.sentence import BOM, Sentence

ROLES = FIXTURES / "roles"
FILES = sorted(ROLES.glob("en_hand-*"))
LABELS = st.sampled_from(["A0", "A1", "C-A1", "R-A0", "AM-TMP", "V"])
ODD = st.text("aA.%|=,: é-", min_size=1).filter(lambda text: text.strip() == text)


@st.composite
def predicates(draw, words):
    """Nested spans and arguments of some words, labels once a word."""
    found = []
    for word in sorted(draw(st.sets(st.integers(1, words), max_size=3))):
        spans = []
        for label, a, b in draw(
            st.lists(st.tuples(LABELS, st.integers(1, words), st.integers(1, words)), max_size=4)
        ):
            new = Argument(label, min(a, b), max(a, b))
            if all(fits(new, other) for other in spans):
                spans.append(new)
        spans.sort(key=lambda each: (each.start, -each.end))
        heads = draw(st.lists(st.tuples(LABELS, st.integers(1, words)), max_size=4, unique=True))
        own = tuple(Argument(label, at, at) for label, at in sorted(heads, key=lambda h: h[1]))
        sense = draw(st.sampled_from(["01", "LV", ""]))
        found.append(Predicate(word, draw(st.sampled_from(["be", "do_up"])), sense, (*spans,), own))
    return found


def fits(a, b):
    """Brackets of the two nest, and are not the same."""
    apart = a.end < b.start or b.end < a.start
    inside = (a.start - b.start) * (a.end - b.end) <= 0 and a[1:] != b[1:]
    return apart or inside


def block(words, style):
    if style == SPANS:
        return "".join(f"w{i}\tX\t*\t*\t-\t-\n" for i in range(words)) + "\n"
    blanks = "\t".join(["_"] * 12)
    return "".join(f"{i}\tw{i}\t{blanks}\n" for i in range(1, words + 1)) + "\n"


@given(data=st.data(), words=st.integers(1, 8), style=st.sampled_from([SPANS, DEPENDENCIES]))
def test_columns_and_misc_tell_the_same(data, words, style):
    expected = data.draw(predicates(words))
    empty = {"heads": ()} if style == SPANS else {"spans": ()}
    expected = [predicate._replace(**empty) for predicate in expected]
    first = RoleSentence(block(words, style), style)
    written = first.replace(expected)
    assert RoleSentence(written.text, style).predicates == expected
    assert written.replace([]).text == first.text
    assert written.replace([]).replace(expected).text == written.text
    sentence = written.sentence()
    assert predicates_of(sentence) == expected and sentence.forms == first.forms
    assert with_predicates(sentence.misc, []) == ["_"] * words
    assert role_sentence(sentence, style).text == written.text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_come_back_byte_for_byte(path, tmp_path):
    sentences = list(read_roles(path))
    raw = path.read_bytes()
    assert len(sentences) in (7, 20) and "".join(s.text for s in sentences).encode() == raw
    rebuilt = [s.replace([]).replace(s.predicates) for s in sentences]
    assert "".join(s.text for s in rebuilt).encode() == raw
    assert {s.style for s in sentences} == {path.suffix[1:]}
    (tmp_path / "a.gz").write_bytes(gzip.compress(raw.replace(b"\n", b"\r\n")))
    windows = list(read_roles(tmp_path / "a.gz"))
    assert [s.predicates for s in windows] == [s.predicates for s in sentences]
    again = "".join(s.replace([]).replace(s.predicates).text for s in windows)
    assert again.encode() == raw.replace(b"\n", b"\r\n")


def test_what_is_beside_roles_comes_back(tmp_path):
    text = "a|b\tX\t(S(NP=*\t(PER*)\t-\t-\nc\tY\t*))\t*\t-\t-\n\n"
    sentence = RoleSentence(text, SPANS).sentence()
    assert role_sentence(sentence, SPANS).text == text
    path = tmp_path / "a.conll"
    for content, expected in ((text, True), (sentence.text, False), ("# x\n" + text, False)):
        path.write_text(content)
        assert holds_roles(path) is expected
    assert not holds_roles(tmp_path / "none.conll") and not holds_roles(FILES[0].parent)


def test_by_hand():
    sentence = list(read_roles(ROLES / "en_hand-dev.conll05"))[4]
    say, sleep = sentence.predicates
    assert (say.word, say.lemma, say.sense, say.roleset) == (5, "say", "01", "say.01")
    assert say.spans == (
        Argument("A1", 1, 4),
        Argument("V", 5, 5),
        Argument("A0", 6, 6),
        Argument("C-A1", 8, 11),
    )
    assert sentence.sentence().misc[4] == "Pred=say.01|Args=A1:1-4,V:5-5,A0:6-6,C-A1:8-11"
    assert span_cells(sleep.spans, 11)[1:9:7] == ["(A0*)", "(V*)"]
    tree = list(read_roles(ROLES / "en_hand-dev.conll09"))[0].sentence()
    assert tree.lemmas[1] == "break" and tree.heads[0] == "2" and tree.deprels[0] == "nsubj"
    assert tree.misc[1] == "Pred=break.01|ArgHeads=A0:1,A1:5,AM-TMP:6"


def test_gold_columns_stay_where_the_file_has_them(tmp_path):
    row = "{0}\t{1}\t{1}\tP{1}\tNN\tPNN\tgold\tparsed\t{2}\t{3}\t{4}\tx\t_\t_\n"
    first = row.format(1, "a", 0, 2, "root") + row.format(2, "b", 1, 0, "obj")
    text = f"{first}\n\n{row.format(1, 'c', 0, 0, 'root')}\n"
    source, target = tmp_path / "a.conll09.gz", tmp_path / "b.conll09"
    source.write_bytes(gzip.compress(text.encode()))
    sentences = [block.sentence() for block in read_roles(source)]
    write_roles(sentences, target, DEPENDENCIES)
    assert target.read_text() == text.replace("\n\n\n", "\n\n")
    parsed = [
        s.replace(
            lemmas=["L"] * len(s), heads=["0", "1"][: len(s)], misc=["Pred=c.01", "_"][: len(s)]
        )
        for s in [*sentences[::-1], Sentence.from_words(["d"])]
    ]
    write_roles([parsed[1], parsed[0], parsed[2]], target, DEPENDENCIES)
    rows = [block.rows for block in read_roles(target)]
    assert [row[2:12:2] for row in rows[0]] == [
        ["a", "NN", "gold", "0", "root"],
        ["b", "NN", "gold", "1", "obj"],
    ]
    assert [row[3:13:2] for row in rows[0]] == [
        ["L", "PNN", "parsed", "0", "x"],
        ["L", "PNN", "parsed", "1", "x"],
    ]
    assert rows[0][0][13] == rows[1][0][13] == "c.01" and rows[1][0][2] == "c"
    assert rows[2][0][2:12] == ["L", "L", *["_"] * 4, "0", "0", "_", "_"]


@given(label=ODD, lemma=ODD)
def test_whatever_a_label_is_misc_can_hold_it(label, lemma):
    lemma = split_roleset(lemma)[0]
    predicate = Predicate(1, lemma, "01", (Argument(label, 1, 2),), (Argument(label, 2, 2),))
    misc = with_predicates(["SpaceAfter=No", "_"], [predicate])
    sentence = Sentence.from_words(["a", "b"], misc=misc)
    assert predicates_of(sentence) == [predicate]
    assert with_predicates(misc, []) == ["SpaceAfter=No", "_"]


def test_spaces_between_columns_and_several_roles_of_a_word():
    aligned = "Who   WP  *  *  -   -     (A0*)\nsaw   VBD *  *  01  see   (V*)\n\n"
    (predicate,) = RoleSentence(aligned, style_of(aligned)).predicates
    assert predicate.spans == (Argument("A0", 1, 1), Argument("V", 2, 2))
    text = block(2, DEPENDENCIES).replace("_\t_\n", "Y\tsee.01\tA0|A1\n", 1)
    text = text.replace("_\t_\n", "_\t_\t_\n")
    sentence = RoleSentence(text, style_of(text))
    assert [a.label for a in sentence.predicates[0].heads] == ["A0", "A1"]
    assert sentence.replace([]).replace(sentence.predicates).text == text


BAD = {
    "a short line": ("a\tX\t*\t*\t-\n\n", 1, "has 5 columns, but conll05 has at least 6"),
    "an uneven line": (
        "a\tX\t*\t*\t-\t-\nb\tX\t*\n\n",
        2,
        "has 3 columns, but the first line of its",
    ),
    "an empty column": ("a\tX\t\t*\t-\t-\n\n", 1, "a column is empty"),
    "a column too many": ("a\tX\t*\t*\t-\t-\t*\n\n", 1, "there are 1 columns of arguments, but 0"),
    "a column missing": ("a\tX\t*\t*\t-\tgo\n\n", 1, "the 1th with a FRAME, but there are 0"),
    "an open span": ("a\tX\t*\t*\t1\tgo\t(A0*\n\n", 1, "opens 'A0', which is never closed"),
    "a closed span": ("a\tX\t*\t*\t1\tgo\t*)\n\n", 1, "'*)', which closes no span"),
    "no span": ("a\tX\t*\t*\t1\tgo\tA0\n\n", 1, "'A0', which is not a bracket of a span"),
    "a wrong id": (
        block(3, DEPENDENCIES).replace("\n2\t", "\n5\t"),
        2,
        "id is '5', but 2 was expected",
    ),
}


@pytest.mark.parametrize("fault", BAD)
def test_faults_are_named_with_file_and_line(fault, tmp_path):
    text, line, message = BAD[fault]
    path = tmp_path / "bad.conll"
    path.write_text(block(1, SPANS) + text if "id" not in fault else text)
    line += 0 if "id" in fault else 2
    with pytest.raises(ConlluError) as caught:
        list(read_roles(path))
    said = str(caught.value)
    assert said.startswith(f"{path}:{line}: ") and message in said and "\n" not in said
    errors = []
    found = list(read_roles(path, errors.append))
    assert len(errors) == 1 and len(found) == (0 if "id" in fault else 1)


@given(data=st.data(), file=st.sampled_from(FILES))
def test_whatever_a_file_holds_it_is_read_or_refused(data, file, tmp_path_factory):
    raw = bytearray(file.read_bytes()[:600])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        new = data.draw(st.sampled_from([b"\xff", *map(str.encode, ["", *"\t\n(*)\r |_", BOM])]))
        raw[at : at + data.draw(st.integers(0, 2))] = new
    path = tmp_path_factory.mktemp("fuzz") / file.name
    path.write_bytes(raw)
    errors = []
    for sentence in read_roles(path, errors.append):
        try:
            found = sentence.sentence()
        except ConlluError as error:
            errors.append(error)
        else:
            assert predicates_of(found) == sentence.predicates
    for error in errors:
        assert str(error).startswith(f"{path}:") and "\n" not in str(error)


def test_other_faults(tmp_path):
    path = tmp_path / "bad.conll"
    path.write_bytes(b"a\tX\t*\t*\t-\t-\n\xff\tX\t*\t*\t-\t-\n\n")
    with pytest.raises(ConlluError, match=":2: byte 0xff is not UTF-8"):
        list(read_roles(path))
    sentence = Sentence.from_words(["a", "b"], misc=["Pred=go|Args=A0:1-3", "_"])
    with pytest.raises(ConlluError, match=":1: word 1 has MISC .* cannot be read"):
        predicates_of(sentence)
    with pytest.raises(ValueError, match="overlap. Brackets must nest"):
        span_cells([Argument("A0", 1, 2), Argument("A1", 2, 3)], 3)
