"""The spaCy component: documents in and out."""

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from tests.saved_model import save_run
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.sentence import Sentence
from udify_spacy.component import annotate, from_doc, to_doc

TEXT = "  The  dog doesn't sleep.\n\nIt snores! "


@pytest.fixture(scope="module")
def nlp(tmp_path_factory):
    run = save_run(tmp_path_factory.mktemp("run"))
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.add_pipe("udify", config={"model": str(run)})
    return pipeline


def columns(doc):
    return [(t.pos_, str(t.morph), t.lemma_, t.head.i, t.dep_) for t in doc]


def test_what_the_parser_says_is_set(nlp):
    doc = nlp(TEXT)
    assert doc.text == TEXT and doc.has_annotation("DEP")
    parsed = list(nlp.get_pipe("udify").parser.parse(from_doc(nlp.make_doc(TEXT))))
    assert len(parsed) == 1  # nothing said where sentences end
    sentences = iter(nlp.get_pipe("udify").parser.parse(from_doc(doc)))
    for sent in doc.sents:
        words = [token for token in sent if not token.is_space]
        sentence = next(sentences)
        assert [word.pos_ for word in words] == sentence.upos
        assert [word.lemma_ for word in words] == sentence.lemmas
        assert [str(word.morph) or "_" for word in words] == sentence.feats
        for word, head, deprel in zip(words, sentence.heads, sentence.deprels):
            assert word.head == (words[int(head) - 1] if int(head) else word)
            assert word.dep_ == (deprel if int(head) else "ROOT")


def test_tokens_and_sentences_stay_the_documents_own(nlp):
    before = spacy.blank("en")
    before.add_pipe("sentencizer")
    for text in (TEXT, "", "   ", "One.", "One.  \n  "):
        doc, kept = nlp(text), before(text)
        assert [token.text for token in doc] == [token.text for token in kept]
        assert [sent.text for sent in doc.sents] == [sent.text for sent in kept.sents]
        for token in doc:
            assert token.pos_ != "SPACE" or token.is_space
            assert token.head.sent == token.sent


def test_many_documents_are_as_one_by_one(nlp):
    texts = [TEXT, "", "One.", " ", "Two. Three."]
    for size in (1, 2, 100):
        docs = list(nlp.pipe(texts, batch_size=size))
        assert [columns(doc) for doc in docs] == [columns(nlp(text)) for text in texts]


def test_a_document_of_any_words(nlp):
    doc = Doc(nlp.vocab, ["New York", "_", "é\u0301", "\t"], [True, False, True, False])
    nlp.get_pipe("udify")(doc)
    assert len(list(doc.sents)) == 1 and doc[3].pos_ == "SPACE"
    assert from_doc(doc)[0].forms == ["New York", "_", "é\u0301"]


def test_the_text_is_kept_on_the_way():
    blank = spacy.blank("xx")

    @given(text=st.text("ab.! \n\t😀\u00a0"))
    def check(text):
        assert rebuild(from_doc(blank.make_doc(text))) == (text if text.strip() else "")

    check()


def test_back_and_forth(nlp):
    doc = nlp("The dog doesn't sleep. It snores!")
    parsed = list(nlp.get_pipe("udify").parser.parse(from_doc(doc)))
    again = to_doc(parsed, nlp.vocab)
    assert again.text == doc.text and columns(again) == columns(doc)
    assert [sent.text for sent in again.sents] == [sent.text for sent in doc.sents]
    assert to_doc([], nlp.vocab).text == ""


def test_by_hand(nlp):
    rows = [
        "1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tzu\tzu\tADP\tAPPR\t_\t3\tcase\t_\t_",
        "2\tdem\tder\tDET\tART\tCase=Dat|Number=Sing\t3\tdet\t_\t_",
        "3\tHaus\tHaus\tNOUN\tNN\t_\t0\troot\t_\tSpacesAfter=\\n\\n",
    ]
    doc = to_doc([Sentence("\n".join(rows) + "\n\n")] * 2, nlp.vocab)
    assert doc.text == "zudem Haus zudem Haus "
    assert [token.tag_ for token in doc][:3] == ["APPR", "ART", "NN"]
    assert columns(doc)[3:] == [
        ("ADP", "", "zu", 5, "case"),
        ("DET", "Case=Dat|Number=Sing", "der", 5, "det"),
        ("NOUN", "", "Haus", 5, "ROOT"),
    ]


def test_what_is_not_predicted_stays(nlp):
    doc = Doc(nlp.vocab, ["a", "b"], pos=["X", "X"], lemmas=["c", "d"], tags=["e", "f"])
    annotate(doc, [Sentence.from_words(["a", "b"])])
    assert [(t.pos_, t.lemma_, t.tag_) for t in doc] == [("X", "c", "e"), ("X", "d", "f")]
    assert not doc.has_annotation("DEP")


def test_a_pipeline_is_saved_and_loaded(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    assert columns(spacy.load(tmp_path)(TEXT)) == columns(nlp(TEXT))


def test_without_a_model_it_is_the_one_that_comes_with_the_package():
    nlp = spacy.blank("en")
    nlp.add_pipe("udify")
    doc = nlp("The dog sleeps .")
    assert [word.pos_ for word in doc] == ["DET", "NOUN", "VERB", "PUNCT"]
    assert [word.dep_ for word in doc] == ["det", "nsubj", "ROOT", "punct"]


def test_noun_chunks_by_the_relations_of_ud(nlp):
    rows = [
        ("The", "DET", 2, "det"),
        ("old", "ADJ", 2, "amod"),
        ("dog", "NOUN", 7, "nsubj"),
        ("of", "ADP", 6, "case"),
        ("John", "PROPN", 6, "nmod:poss"),
        ("'s", "PART", 4, "case"),
        ("aunt", "NOUN", 2, "nmod"),
        ("saw", "VERB", 7, "ROOT"),
        ("me", "PRON", 7, "obj"),
        ("and", "CCONJ", 11, "cc"),
        ("two", "NUM", 11, "nummod"),
        ("cats", "NOUN", 8, "conj"),
    ]
    words, pos, heads, deps = map(list, zip(*rows))
    doc = Doc(nlp.vocab, words, pos=pos, heads=heads, deps=deps)
    chunks = [chunk.text for chunk in doc.noun_chunks]
    assert chunks == ["The old dog", "John 's aunt", "me", "two cats"]
    for chunk, after in zip(doc.noun_chunks, [*doc.noun_chunks][1:]):
        assert chunk.end <= after.start
    with pytest.raises(ValueError, match="noun_chunks needs trees"):
        list(Doc(nlp.vocab, ["a"]).noun_chunks)
