"""FILLPRED of CoNLL 2009 marks the predicates, also in input without rolesets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from tests.helpers import tensors
from tests.helpers.roles import build, reader
from udify_allennlp.srl.scores import RoleCounts
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.roles.columns import RoleSentence
from udify_allennlp.text.roles.files import read_roles, role_sentence, write_roles
from udify_allennlp.text.roles.predicates import Argument, Predicate, predicates_of
from udify_allennlp.text.roles.styles import DEPENDENCIES, SPANS
from udify_allennlp.text.sentence import Sentence

GOLD = FIXTURES / "roles" / "en_hand-dev.conll09"


def rows(*ends):
    """A block with these FILLPRED, PRED and columns of arguments."""
    blanks = "\t".join(["_"] * 10)
    lines = [f"{i}\tw{i}\t{blanks}\t{' '.join(end.split())}\n" for i, end in enumerate(ends, 1)]
    return "".join(lines).replace(" ", "\t") + "\n"


def blind(text):
    """What the shared task gives: FILLPRED alone is left."""
    lines = [line.split("\t") for line in text.split("\n")]
    kept = ["\t".join([*cells[:13], "_"]) if len(cells) > 1 else "" for cells in lines]
    return "\n".join(kept)


BAD = {
    "another FILLPRED": (rows("_ _ _", "Z see.01 A0"), 2, "FILLPRED is 'Z'. Write Y for a"),
    "another FILLPRED without PRED": (rows("_ _", "y _"), 2, "FILLPRED is 'y'"),
    "no FILLPRED": (rows("_ see.01 A0"), 1, "PRED is 'see.01', but FILLPRED '_'. Write Y in"),
    "no PRED": (
        rows("Y see.01 _", "Y _ _"),
        2,
        "FILLPRED is 'Y' and there are columns of arguments, but PRED is '_'",
    ),
    "only some in PRED": (rows("Y _", "Y see.01"), 2, "the 2th with a PRED, but there are 0"),
    "an empty label": (rows("_ _ _", "Y see.01 A0|"), 2, "column 15 is 'A0|', which has an"),
    "two empty labels": (rows("Y see.01 |"), 1, "column 15 is '|', which has an empty label"),
}


@pytest.mark.parametrize("what", BAD)
def test_faults_have_their_own_line(what, tmp_path):
    text, line, message = BAD[what]
    path = tmp_path / "bad.conll09"
    path.write_text(rows("_ _") + text)
    with pytest.raises(ConlluError) as caught:
        list(read_roles(path))
    assert str(caught.value).startswith(f"{path}:{line + 2}: ") and message in str(caught.value)


@given(words=st.sets(st.integers(1, 6)))
def test_predicates_without_rolesets_come_back(words):
    expected = [Predicate(word, "", "") for word in sorted(words)]
    text = rows(*("Y _" if word in words else "_ _" for word in range(1, 7)))
    block = RoleSentence(text, DEPENDENCIES)
    assert block.predicates == expected and {each.roleset for each in expected} <= {"_"}
    assert RoleSentence(rows(*["_ _"] * 6), DEPENDENCIES).replace(expected).text == text
    sentence = block.sentence()
    assert sentence.misc == ["Pred=_" if word in words else "_" for word in range(1, 7)]
    for style in (DEPENDENCIES, SPANS):  # of spans FRAME is `_`
        written = role_sentence(sentence, style)
        assert RoleSentence(written.text, style).predicates == predicates_of(sentence) == expected
    assert role_sentence(sentence, DEPENDENCIES).text == text


def test_the_chinese_part_has_dashes():
    text = rows("- - _", "Y see.01 A0")
    (predicate,) = RoleSentence(text, DEPENDENCIES).predicates
    assert predicate == Predicate(2, "see", "01", (), (Argument("A0", 2, 2),))


@pytest.mark.parametrize("roles", ["|ArgHeads=A0:2", ""])
def test_what_no_columns_can_hold_is_refused_where_it_was_written(roles):
    """A predicate without roleset that has roles, or stands beside one with a roleset."""
    other = "_" if roles else "Pred=see.01"
    sentence = Sentence.from_words(["a", "b"], "a.conllu", misc=[other, f"Pred=_{roles}"])
    with pytest.raises(ConlluError, match=r"a.conllu:2: word 2 has MISC Pred=_, .* Write Pred=see"):
        role_sentence(sentence, DEPENDENCIES)
    assert len(role_sentence(sentence, SPANS).predicates) == 2 - len(roles[:1])


@pytest.mark.slow
@pytest.mark.parametrize("style", [SPANS, DEPENDENCIES])
def test_a_model_gets_them_as_given_and_fills_them_in(style, tmp_path):
    source, target = tmp_path / "blind.conll09", tmp_path / "filled.conll09"
    source.write_text(blind(GOLD.read_text()))
    model, _ = build(style, given=True)
    batch = tensors(list(reader(style, given=True).read(source)), model.vocab)
    columns = model(**batch)["columns"]
    sentences = [s.replace(**new) for s, new in zip(batch["sentences"], columns, strict=True)]
    write_roles(sentences, target, DEPENDENCIES)
    counts = RoleCounts()
    for gold, its, new in zip(read_roles(GOLD), read_roles(source), read_roles(target)):
        assert [row[12] for row in gold.rows] == [row[12] for row in new.rows]
        assert [p.word for p in gold.predicates] == [p.word for p in its.predicates]
        assert all(p.lemma not in ("", "_") and p.sense for p in new.predicates)
        counts += RoleCounts.of(its.predicates, new.predicates)
    assert counts.scores()["pred_F1"] == 100 and counts.scores()["sense_F1"] == 0
    write_roles(read_sentences(source), target, DEPENDENCIES)
    assert target.read_bytes() == source.read_bytes()
