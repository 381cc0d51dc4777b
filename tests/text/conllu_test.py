"""Files come back byte for byte, columns are replaced alone, and each fault is named and placed."""

import gzip
import lzma
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from udify_allennlp.text.conllu import (
    ConlluError,
    Sentence,
    check_tree,
    expand_paths,
    read_sentences,
    treebank_name,
    treebank_names,
    write_sentences,
)
from udify_allennlp.text.tree_check import tree_fault

ODD = FIXTURES / "conllu"
BAD = ODD / "bad"
ROW = "1\ta" + "\t_" * 8 + "\n"
VALID = sorted(FIXTURES.glob("ud/*.conllu")) + sorted(ODD.glob("*.conllu"))
COLUMNS = ["lemmas", "upos", "xpos", "feats", "heads", "deprels", "misc"]
CELL = st.text(min_size=1, max_size=5).filter(lambda cell: not set(cell) & set("\t\n\r"))

by_name = pytest.mark.parametrize("path", VALID, ids=lambda path: path.name)


def encode(sentences):
    return "".join(sentence.text for sentence in sentences).encode()


def of(heads, deprels=None):
    blank = Sentence.from_words(["w"] * len(heads))
    return blank.replace(heads=heads, deprels=deprels or ["dep"] * len(heads))


@by_name
def test_reading_and_writing_gives_the_same_bytes(path, tmp_path):
    write_sentences(read_sentences(path), tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == path.read_bytes()
    assert encode(read_sentences(path)) == path.read_bytes()


@by_name
def test_replacing_columns_by_themselves_changes_nothing(path):
    for sentence in read_sentences(path):
        same = sentence.replace(**{name: getattr(sentence, name) for name in COLUMNS})
        assert same.text == sentence.text


@by_name
@pytest.mark.parametrize("name", COLUMNS)
def test_replacing_one_column_leaves_all_others(path, name):
    for sentence in read_sentences(path):
        changed = sentence.replace(**{name: ["new"] * len(sentence)})
        assert getattr(changed, name) == ["new"] * len(sentence)
        assert changed.replace(**{name: getattr(sentence, name)}).text == sentence.text
        assert (changed.path, changed.line) == (sentence.path, sentence.line)


@given(st.data(), st.lists(CELL, min_size=1, max_size=4))
def test_any_cell_survives(data, words):
    words = [word for word in words if word.strip(" ")] or ["a"]
    sentence = Sentence.from_words(words)
    lemmas = data.draw(st.lists(CELL, min_size=len(words), max_size=len(words)))
    changed = sentence.replace(lemmas=lemmas)
    assert changed.forms == words
    assert changed.lemmas == lemmas
    assert changed.upos == changed.misc == ["_"] * len(words)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_tree_fault_agrees_with_climbing_from_every_word(heads):
    def reaches_root(word):
        for _ in heads:
            word = heads[word - 1]
            if word == 0 or word > len(heads):
                return word == 0
        return False

    is_tree = heads.count(0) == 1 and all(map(reaches_root, range(1, len(heads) + 1)))
    found = tree_fault([str(head) for head in heads], ["dep"] * len(heads))
    assert (found is None) == is_tree
    assert found is None or 1 <= found.word <= len(heads)


def test_columns_hold_the_words_alone():
    _, sentence = read_sentences(ODD / "crlf.conllu")
    assert sentence.forms == ["vamos", "nos", "a", "el", "mar"]
    assert sentence.lemmas == ["ir", "nosotros", "a", "el", "mar"]
    assert sentence.upos == ["VERB", "PRON", "ADP", "DET", "NOUN"]
    assert sentence.xpos == sentence.feats == sentence.misc == ["_"] * 5
    assert sentence.heads == ["0", "1", "5", "5", "1"]
    assert sentence.deprels == ["root", "obj", "case", "det", "obl"]
    assert sentence.comments == ["# sent_id = 2", "# text = vámonos al mar"]
    assert (len(sentence), sentence.line, sentence.line_of(3)) == (5, 6, 12)
    assert repr(sentence) == f"<Sentence of 5 words at {ODD / 'crlf.conllu'}:6>"


def test_a_byte_order_mark_hides_no_comment():
    first, _ = read_sentences(ODD / "bom.conllu")
    assert first.comments[0] == "# sent_id = 1"
    bare = Sentence("\ufeff" + Sentence.from_words(["a", "b"]).text)
    assert bare.forms == ["a", "b"]
    assert bare.replace(upos=["X", "Y"]).text.startswith("\ufeff1\ta\t_\tX\t")


def test_unicode_line_separators_are_characters():
    (sentence,) = read_sentences(ODD / "spaces_in_forms.conllu")
    assert sentence.forms == ["10 000", "km", "à\u2028part", "a\u0085b\x0bc"]


def test_enhanced_deps_and_empty_nodes_stay():
    (sentence,) = read_sentences(ODD / "empty_nodes.conllu")
    changed = sentence.replace(heads=["2", "0"]).text.splitlines()
    assert changed[1] == sentence.text.splitlines()[1]
    assert changed[2].endswith("\t2\troot\t1.1:nsubj\t_")
    assert sentence.forms == ["she", "tea"]


def test_sentences_of_several_files_do_not_run_together(tmp_path):
    sources = [ODD / "no_final_newline.conllu", ODD / "bom.conllu", ODD / "crlf.conllu"]
    sentences = [sentence for path in sources for sentence in read_sentences(path)]
    write_sentences(sentences, tmp_path / "all.conllu")
    again = list(read_sentences(tmp_path / "all.conllu"))
    assert [s.forms for s in again] == [s.forms for s in sentences]


@pytest.mark.parametrize("suffix, opener", [("gz", gzip.open), ("xz", lzma.open)])
def test_compressed_files(tmp_path, suffix, opener):
    source = ODD / "crlf.conllu"
    packed = tmp_path / f"x.conllu.{suffix}"
    write_sentences(read_sentences(source), packed)
    with opener(packed) as file:
        assert file.read() == source.read_bytes()
    assert encode(read_sentences(packed)) == source.read_bytes()
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(
        ConlluError, match=r"the compressed file is damaged .* Download or compress"
    ):
        list(read_sentences(packed))


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    def failing():
        yield Sentence.from_words(["a"])
        raise RuntimeError("stop")

    target = tmp_path / "out.conllu"
    target.write_text("old")
    with pytest.raises(RuntimeError, match="stop"):
        write_sentences(failing(), target)
    assert target.read_text() == "old"
    assert [*tmp_path.iterdir()] == [target]


def test_writing_follows_links_and_overwrites_its_own_source(tmp_path):
    target, link = tmp_path / "out.conllu", tmp_path / "link.conllu"
    target.write_bytes((ODD / "crlf.conllu").read_bytes())
    link.symlink_to(target)
    write_sentences((s.replace(upos=["X"] * len(s)) for s in read_sentences(link)), link)
    assert link.is_symlink()
    assert all(set(s.upos) == {"X"} for s in read_sentences(target))


def test_sentences_travel_to_other_processes():
    sentence = pickle.loads(pickle.dumps(Sentence.from_words(["a", "b"], misc=["_", "X=1"])))
    assert (sentence.forms, sentence.misc, len(sentence)) == (["a", "b"], ["_", "X=1"], 2)


# File, line of the fault, what is wrong. The message starts with the path and ends in a remedy.
STRUCTURE = [
    ("missing_column", 2, "the line has 9 columns instead of 10"),
    ("spaces_for_tabs", 2, "the line has 1 columns instead of 10"),
    ("white_space_line", 2, "the line holds only white space"),
    ("empty_column", 2, "column UPOS is empty"),
    ("empty_form", 2, "column FORM is empty"),
    ("blank_form", 2, "column FORM is empty"),
    ("carriage_return", 2, "the line contains a carriage return"),
    ("stray_line", 2, "the line has 1 columns instead of 10"),
    ("comment_inside", 2, "a comment follows the first word of its sentence"),
    ("bad_id", 2, "'two' is not an id"),
    ("zero_id", 1, "'0' is not an id"),
    ("duplicate_id", 3, "id 2 is used twice or out of order; 3 was expected"),
    ("gap_in_ids", 2, "id 3 is out of order; 2 was expected"),
    ("range_backwards", 1, "'2-1' is not an id"),
    ("range_too_long", 3, "the multiword range ends at word 3, the sentence at 2"),
    ("range_too_late", 2, "range 1-2 is out of order, the next word is 2"),
    ("range_overlaps", 3, "range 2-3 overlaps the range before it"),
    ("empty_node_early", 1, "empty node 1.1 is out of order; 0.1 was expected"),
    ("empty_node_gap", 2, "empty node 1.2 is out of order; 1.1 was expected"),
    ("only_comments", 1, "the block has no words"),
    ("detached_comments", 1, "the block has no words"),
    (
        "bom_inside",
        3,
        "the line has a byte order mark, which is allowed only at the start of a file",
    ),
    ("not_utf8", 2, "byte 0xe9 is not UTF-8"),
]
TREES = [
    ("head_missing", 2, "word 2 has head '_', which is not a number"),
    ("head_no_number", 2, "word 2 has head '+1', which is not a number"),
    ("head_out_of_range", 2, "word 2 has head 3, outside 0..2"),
    ("self_loop", 2, "word 2 is its own head"),
    ("cycle", 2, "heads form a cycle: 2 -> 3 -> 2"),
    ("no_root", 1, "no word of the sentence is the root"),
    ("two_roots", 2, "word 2 is a second root in addition to word 1"),
    ("no_deprel", 2, "word 2 has no deprel"),
]


def check_message(error, path, line, what):
    assert str(error).startswith(f"{path}:{line}: {what}. ")
    assert str(error).endswith((".", r"\r\n.")) and len(str(error)) > len(
        f"{path}:{line}: {what}. "
    )


@pytest.mark.parametrize("name, line, what", STRUCTURE)
def test_structural_faults(name, line, what):
    path = BAD / f"{name}.conllu"
    with pytest.raises(ConlluError) as info:
        list(read_sentences(path))
    check_message(info.value, path, line, what)


@pytest.mark.parametrize("name, line, what", TREES)
def test_faults_of_trees(name, line, what):
    path = BAD / f"{name}.conllu"
    (sentence,) = read_sentences(path)
    with pytest.raises(ConlluError) as info:
        check_tree(sentence)
    check_message(info.value, path, line, what)


def test_every_bad_file_is_tested():
    assert {path.stem for path in BAD.glob("*")} == {name for name, *_ in STRUCTURE + TREES}


def test_on_error_skips_the_bad_sentence_alone(tmp_path):
    good = (ODD / "crlf.conllu").read_bytes()
    path = tmp_path / "mixed.conllu"
    path.write_bytes(good + (BAD / "not_utf8.conllu").read_bytes() + good)
    errors = []
    assert encode(read_sentences(path, on_error=errors.append)) == good + good
    (error,) = errors
    check_message(error, path, good.count(b"\n") + 2, "byte 0xe9 is not UTF-8")


def test_good_trees():
    paths = sorted(FIXTURES.glob("ud/*.conllu"))
    sentences = [sentence for path in paths for sentence in read_sentences(path)]
    assert len(paths) >= 8 and len(sentences) > 400
    for sentence in sentences:
        check_tree(sentence)
        # With one head changed it is none: ROOT's dependent hangs from its own.
        root = sentence.heads.index("0")
        (below,) = [n for n, head in enumerate(sentence.heads) if head == str(root + 1)][:1] or [
            root
        ]
        heads = [str(below + 1) if n == root else head for n, head in enumerate(sentence.heads)]
        with pytest.raises(ConlluError):
            check_tree(sentence.replace(heads=heads))
    check_tree(of(["2", "0", "2"], ["nsubj", "dislocated", "obj"]))
    # Climbing must not be recursive.
    check_tree(of([str(head) for head in range(3000)]))


@pytest.mark.parametrize("head", ["-1", "1.0", "01", "²", "١", "9" * 5000])
def test_heads_that_are_no_plain_number_in_range(head):
    with pytest.raises(ConlluError, match="which is not a number|outside 0..2"):
        check_tree(of(["0", head]))


@pytest.mark.parametrize(
    "columns, match",
    [
        ({"forms": ["a", "b"]}, "no column 'forms' to replace. Use lemmas, upos"),
        ({"upos": ["X"]}, "upos has 1 values for 2 words"),
        ({"upos": "XY"}, "upos is one string"),
        ({"upos": ["X", ""]}, "upos: word 2 has ''"),
        ({"heads": ["0", 1]}, "heads: word 2 has 1. Use a string"),
        ({"lemmas": ["a\tb", "c"]}, "lemmas: word 1 .* must not contain tabs or newlines"),
        ({"lemmas": ["a\nb", "c"]}, "must not contain tabs or newlines"),
        ({"lemmas": ["a\rb", "c"]}, "must not contain tabs or newlines"),
    ],
)
def test_replace_refuses(columns, match):
    with pytest.raises(ValueError, match=match):
        Sentence.from_words(["a", "b"]).replace(**columns)


@pytest.mark.parametrize(
    "words, misc, match",
    [
        ([], None, "the sentence has no words"),
        (["a", ""], None, "words: word 2 has ''"),
        (["a\tb"], None, "must not contain tabs or newlines"),
        (["  "], None, "column FORM is empty"),
        ("ab", None, "words is one string"),
        (["a"], ["_", "_"], "misc has 2 values for 1 words"),
    ],
)
def test_from_words_refuses(words, misc, match):
    with pytest.raises(ValueError, match=match):
        Sentence.from_words(words, misc=misc)


def test_a_sentence_is_one_block():
    text = Sentence.from_words(["a"]).text
    with pytest.raises(ConlluError, match="<text>:3: a second sentence starts after a blank line"):
        Sentence(text + text)


@pytest.mark.parametrize(
    "path, name",
    [
        ("ud/UD_English-EWT/en_ewt-ud-train.conllu", "en_ewt"),
        ("en_ewt-ud-test.conllu.gz", "en_ewt"),
        ("cs_pdt-ud-train-l.conllu", "cs_pdt"),
        ("my.news.conllu", "my"),
        ("en_ewt-ud-training.conllu", "en_ewt-ud-training"),
        ("notes", "notes"),
        ("task2/en_ewt-um-covered-test.conllu", "en_ewt"),
        (".hidden", ".hidden"),
    ],
)
def test_treebank_name(path, name):
    assert treebank_name(path) == name
    assert treebank_name(Path(path)) == name


def test_expand_paths(tmp_path, monkeypatch):
    for name in ["b.conllu", "a.conllu", "[c].conllu", "sub/d.conllu"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    assert expand_paths("b.conllu") == ["b.conllu"]
    assert expand_paths("[c].conllu") == ["[c].conllu"]
    assert expand_paths("?.conllu") == ["a.conllu", "b.conllu"]
    assert expand_paths(["b.conllu", "?.conllu"]) == ["b.conllu", "a.conllu"]
    assert expand_paths("**/d.conllu") == [str(Path("sub", "d.conllu"))]
    with pytest.raises(FileNotFoundError, match="'x-.*' matches no file .* Name a CoNLL-U file"):
        expand_paths(["a.conllu", "x-*.conllu"])
    with pytest.raises(FileNotFoundError, match="sub is a folder. Name its files: sub"):
        expand_paths("sub")
    with pytest.raises(FileNotFoundError, match="the list of CoNLL-U files is empty"):
        expand_paths([])


def test_no_two_files_have_one_name():
    dev, test = "ud/en_ewt-ud-dev.conllu", "ud/en_ewt-ud-test.conllu"
    old = "old/en_ewt-ud-dev.conllu"
    assert treebank_names([dev, "ud/de_gsd-ud-dev.conllu"]) == ["en_ewt", "de_gsd"]
    assert treebank_names([dev, test]) == ["en_ewt-ud-dev.conllu", "en_ewt-ud-test.conllu"]
    assert treebank_names([dev, test, old]) == [dev, test, old]


@pytest.mark.parametrize(
    "text, message",
    [
        (
            ROW + "# text = b\n" + ROW,
            "a:2: a comment .* If a sentence begins here, put a blank line",
        ),
        (ROW + ROW, "a:2: id 1 is used twice .* If a sentence begins here, put a blank line"),
        (
            "# global.columns = ID FORM LEMMA PARSEME:MWE\n" + ROW,
            "a:1: the file is CoNLL-U Plus, with",
        ),
        (ROW.replace("a", "\ud83d"), r"a:1: '\\ud83d' is half of a character"),
    ],
)
def test_the_remedy_is_that_of_the_fault(text, message):
    with pytest.raises(ConlluError, match=message):
        Sentence(text, "a")


def test_all_columns_by_name_are_conllu():
    names = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
    assert Sentence(f"# global.columns = {names}\n{ROW}").forms == ["a"]
