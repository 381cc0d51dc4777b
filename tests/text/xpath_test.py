"""Constructions in trees, found with XPath."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from tests.helpers import DEV, TRAIN
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.document import Document
from udify_allennlp.text.errors import ConlluError, InputError
from udify_allennlp.text.non_word_rows import multiword_tokens
from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.search import Query, Value, marked_text, to_xml
from udify_allennlp.text.sentence import Sentence

pytest.importorskip("lxml", reason="needs the extra search")
PASSIVE = "//word[word/@deprel='aux:pass' and word/@deprel='obl:agent']"
FRENCH = str(FIXTURES / "ud" / "fr_gsd-ud-dev.conllu")


@pytest.fixture(scope="module")
def document():
    return Document([ParsedSentence(sentence) for sentence in read_sentences(TRAIN)])


def test_passives_with_an_agent(document):
    """As found by walking the tree."""
    wanted = [
        word
        for sentence in document
        for word in sentence
        if {"aux:pass", "obl:agent"} <= {child.deprel for child in word.children}
    ]
    found = [word for match in document.search(PASSIVE) for word in match.words]
    assert [word.form for word in found] == [word.form for word in wanted]
    assert "run" in [word.form for word in found] and all(a is b for a, b in zip(found, wanted))


def test_a_tree_of_elements_is_the_tree(document):
    for sentence in document:
        tree = to_xml(sentence.sentence)
        assert tree.get("text") == sentence.text
        for element in tree.iter("word"):
            word = sentence[int(element.get("id")) - 1]
            assert (element.get("form"), element.get("lemma")) == (word.form, word.lemma)
            assert element.getparent().get("id", "0") == str(word.head)
            assert [child.get("id") for child in element] == [str(c.id) for c in word.children]
            assert all(element.get(name) == value for name, value in word.feats.items())


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_any_cell_can_stand_in_a_tree(words):
    words = [word for word in words if not set(word) & set("\t\n\r") and word.strip(" ")] or ["a"]
    sentence = Sentence.from_words(words).replace(feats=["A[b]=1|1=2"] * len(words))
    assert Query("//word[@A_b='1' and @_1='2']").ids(sentence) == list(range(1, len(words) + 1))


def test_sentences_stand_for_their_roots_and_values_are_read_at_words():
    (sentence, *_) = read_sentences(DEV)
    (root,) = Query("/sentence[.//word]").ids(sentence)
    assert sentence.heads[root - 1] == "0"
    (element,) = Query("/sentence/word").words(to_xml(sentence))
    assert Value("lemma")(element) == sentence.lemmas[root - 1]
    assert Value("count(word)")(element) == str(sentence.heads.count(str(root)))
    assert Value("Nonsense")(element) == "_"


@pytest.mark.parametrize(
    "xpath, message",
    [
        ("//word[", "is not XPath: it has an error at its end"),
        ("//word[@lema='go']", "unknown column @lema. Did you mean lemma?"),
        ("//word[@UPOS='VERB']", "Did you mean upos?"),
        ("//VERB", "unknown element VERB"),
        ("//word[foo()]", "Unregistered function"),
        ("//word[re:test(@form, '(')]", "missing )"),
        ("count(//word)", "returns a number. Only words can be found"),
        ("//word/@lemma", "returns texts"),
    ],
)
def test_mistakes_in_queries(xpath, message):
    with pytest.raises(InputError) as error:
        Query(xpath).ids(Sentence.from_words(["a"]))
    assert message in str(error.value)


def test_names_within_quotes_and_functions_are_not_looked_at():
    sentence = Sentence.from_words(["VERB @lema"])
    query = Query("//word[contains(@form, \"VERB @lema\") or re:test(@form, 'foo')]/self::word")
    assert query.ids(sentence) == [1]


def test_heads_that_make_no_tree():
    cycle = Sentence.from_words(["a", "b"]).replace(heads=["2", "1"])
    with pytest.raises(ConlluError, match="<words>:1: word 1 is below no root"):
        to_xml(cycle)
    with pytest.raises(ConlluError, match="word 1 has head '7', outside 0..2"):
        to_xml(cycle.replace(heads=["7", "0"]))


def test_multiword_tokens_are_marked_whole():
    sentence = next(each for each in read_sentences(FRENCH) if "\tdu\t" in each.text)
    first = next(each.first for each in multiword_tokens(sentence) if each.form == "du")
    parts = marked_text(sentence, [first, first + 1])
    assert [text for text, is_found in parts if is_found] == ["du"]
    assert "".join(text for text, _ in parts) == ParsedSentence(sentence).text
