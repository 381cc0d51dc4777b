"""
Bracketed files are unchanged after reading and writing, or one error gives the line of their fault.
"""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from tests.helpers.phrases import draw_phrases
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.constituents.files import read_trees, write_trees
from udify_allennlp.text.constituents.parsing import parse_tree
from udify_allennlp.text.constituents.sentences import has_tree, sentence_of, tree_of, with_phrases
from udify_allennlp.text.constituents.tree import Phrase, PhraseTree, bare_label
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.output_kinds import check_output, write_output
from udify_allennlp.text.sentence import Sentence

FILES = sorted((FIXTURES / "constituency").glob("*.mrg"))
TRACE = """( (S
    (NP-SBJ-1 (NNP Anna) )
    (VP (VBZ wants)
      (S
        (NP-SBJ (-NONE- *-1) )
        (VP (TO to)
          (VP (VB leave) ))))
    (. .) ))
"""
LABELS = st.sampled_from(["S", "NP-SBJ", "VP", "X=1", "PRT|ADVP", "50%", "a*b"])
WORDS = st.sampled_from(
    ["the", "dog", "(", ")", "1 000", "-LRB-x", "50%", "a|b", "*", "ß", "\u2028"]
)


@st.composite
def trees(draw):
    """Any labelled bracketing, below one TOP."""
    size = draw(st.integers(1, 6))
    phrases = draw_phrases(draw, size, LABELS)
    words = tuple(draw(st.lists(WORDS, min_size=size, max_size=size)))
    sentence = Sentence.from_words(words).replace(
        xpos=draw(st.lists(LABELS, min_size=size, max_size=size))
    )
    return sentence.replace(misc=with_phrases(sentence.misc, phrases))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_texts_of_trees_are_the_file(path):
    assert "".join(tree.text for tree in read_trees(path)).encode() == path.read_bytes()


@given(st.lists(trees(), min_size=1, max_size=3), st.sampled_from([" ", "\n", "\r\n  ", "\n\n"]))
def test_white_space_between_trees_is_kept(tmp_path_factory, sentences, space):
    path = tmp_path_factory.mktemp("trees") / "a.mrg"
    text = "\ufeff" + "".join(space + tree_of(s).brackets().replace(" ", space) for s in sentences)
    path.write_bytes(text.encode())
    read = list(read_trees(path))
    assert "".join(tree.text for tree in read) == text
    assert [tree.tree for tree in read] == [tree_of(sentence) for sentence in sentences]


@given(trees())
def test_a_tree_in_misc_is_the_tree_in_brackets(sentence):
    tree = tree_of(sentence)
    again = sentence_of(parse_tree(tree.brackets()))
    assert tree_of(again) == tree
    assert again.misc == sentence.misc


def test_one_tree_over_many_lines_and_many_in_one():
    read = list(read_trees(FILES[1]))
    assert [tree.line for tree in read] == [1, 2, 3, *range(11, 19), 18, 19]
    assert read[2].text == TRACE
    assert read[2].tree.words == ("Anna", "wants", "*-1", "to", "leave", ".")


def test_empty_nodes_and_function_tags():
    tree = parse_tree(TRACE)
    assert tree.phrases[:3] == (Phrase("", 1, 6), Phrase("S", 1, 6), Phrase("NP-SBJ-1", 1, 1))
    bare = tree.without_empty().with_top().brackets()
    assert bare == (
        "(TOP (S (NP-SBJ-1 (NNP Anna)) (VP (VBZ wants) (S (VP (TO to) (VP (VB leave))))) (. .)))"
    )
    assert tree.without_empty(empty=()) == tree
    assert [*map(bare_label, ("NP-SBJ-1", "NP=2", "S", "-NONE-"))] == ["NP", "NP", "S", ""]


def test_a_sentence_has_words_tags_and_the_tree():
    sentence = list(read_sentences(FILES[1]))[6]
    assert sentence.forms == ["Letters", "(", "two", ")"]
    assert sentence.xpos == ["NNS", "-LRB-", "CD", "-RRB-"]
    assert sentence.misc == ["Parse=(TOP(NP*", "Parse=(PRN*", "Parse=(NP*)", "Parse=*)))"]
    new = sentence.replace(misc=with_phrases(["Gloss=x", *"___"], [Phrase("A|B", 1, 2)]))
    assert new.misc == ["Gloss=x|Parse=(A%7CB*", "Parse=*)", "_", "_"]
    assert has_tree(sentence) and not has_tree(Sentence.from_words(["a"]))


def test_a_root_of_another_name_becomes_top():
    for root in ("", "ROOT", "S1", "VROOT", "TOP"):
        tree = sentence_of(parse_tree(f"({root} (S (NN x)))"))
        assert tree_of(tree).brackets() == "(TOP (S (NN x)))"
    assert tree_of(sentence_of(parse_tree("(NN x)"))).brackets() == "(TOP (NN x))"


def test_brackets_nest_as_deep_as_they_like(tmp_path):
    path = tmp_path / "deep.mrg"
    path.write_text("(A " * 20000 + "(B b)" + ")" * 20000)
    (tree,) = read_trees(path)
    assert len(tree.tree.phrases) == 20000
    assert tree_of(tree.sentence()).brackets() == f"(TOP {path.read_text()})"


FAULTS = {
    "an open bracket": ("(S (NN a)", 1, "never closed"),
    "a closing bracket": ("(S (NN a)))", 1, "a closing bracket has no"),
    "a word in front": ("x (S (NN a))", 1, "'x' is outside"),
    "a word behind": ("(S (NN a))\n\ny", 3, "'y' is outside"),
    "no word": ("(S (NN a)\n (NP))", 2, "[(]NP[)] contains no word"),
    "two words": ("(S\n(NN a b))", 2, "'b' has no separate tag"),
    "a word beside brackets": ("(S (NN a)\nb)", 2, "'b' has no separate tag"),
    "brackets beside a word": ("(S a\n(NN b))", 2, "beside the word 'a'"),
    "only empty nodes": ("\n(S (-NONE- *))", 2, "empty nodes and no words"),
    "no UTF-8": (b"(S (NN a)\n(NN \xff))", 2, "0xff is not UTF-8"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_is_said_with_its_line(tmp_path, what):
    text, line, message = FAULTS[what]
    path = tmp_path / "bad.mrg"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConlluError, match=rf"bad\.mrg:{line}: .*{message}.*\. \w.*\.$"):
        list(read_sentences(path))


def test_reading_goes_on_behind_a_fault(tmp_path):
    path = tmp_path / "bad.mrg"
    path.write_text("(S (NN a))\n(S b c)\n(S (-NONE- *))\n(S (NN c))\n")
    errors = []
    read = list(read_sentences(path, errors.append))
    assert [sentence.forms for sentence in read] == [["a"], ["c"]]
    assert [str(error).split(": ")[0] for error in errors] == [f"{path}:{n}" for n in (2, 3)]


@pytest.mark.parametrize("cell", ["(NP*", "*)", "(NP", "x*", "(NP*))"])
def test_brackets_in_misc_that_do_not_match(cell):
    sentence = Sentence.from_words(["a", "b"], "f.conllu", misc=[f"Parse={cell}", "_"])
    with pytest.raises(ConlluError, match=r"^f.conllu:1: word 1 .*"):
        tree_of(sentence)


def test_a_sentence_without_a_tree_cannot_be_written(tmp_path):
    with pytest.raises(ConlluError, match="f.conllu:1: the sentence has no phrase structure"):
        write_trees([Sentence.from_words(["a"], "f.conllu")], tmp_path / "a.mrg")
    assert not (tmp_path / "a.mrg").exists()


def test_files_are_written_as_their_name_says(tmp_path):
    sentences = list(read_sentences(FILES[0]))
    check_output(str(tmp_path / "a.mrg"), ["constituents"])
    write_output(sentences, str(tmp_path / "a.mrg"), ["constituents"])
    assert (tmp_path / "a.mrg").read_bytes() == FILES[0].read_bytes()
    write_sentences(sentences, tmp_path / "a.ptb.gz")
    assert gzip.decompress((tmp_path / "a.ptb.gz").read_bytes()) == FILES[0].read_bytes()
    with pytest.raises(ValueError, match="a.mrg: the ending .mrg is not supported"):
        check_output(str(tmp_path / "a.mrg"))


def test_words_that_brackets_cannot_hold():
    sentence = Sentence.from_words(["(", "1 000", "-LCB-"]).replace(upos=["PUNCT", "NUM", "X"])
    sentence = sentence.replace(misc=with_phrases(sentence.misc, [Phrase("TOP", 1, 3)]))
    brackets = tree_of(sentence).brackets()
    assert brackets == "(TOP (PUNCT -LRB-) (NUM 1\u00a0000) (X -LCB-))"
    assert isinstance(parse_tree(brackets), PhraseTree)
