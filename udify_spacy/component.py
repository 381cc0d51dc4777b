"""
The parser as a component of a spaCy pipeline, which keeps the pipeline's own words and sentences:

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("udify")    # or with config={"model": "model.tar.gz"}

spaCy finds the installed component by itself; in a checkout, import `udify_spacy` first.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Optional

import numpy
from spacy.attrs import DEP, HEAD
from spacy.language import Language
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.tokens import Doc
from spacy.util import minibatch
from spacy.vocab import Vocab

from udify_allennlp.archives.shipped import MULTILINGUAL
from udify_allennlp.parser import Parser
from udify_allennlp.predictors.conllu_predictor import BATCH_SIZE
from udify_allennlp.text.raw_text import Token, blocks, rebuild, spans
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.tree_check import head_number

Tokens = list[Any]
"""The parts of `spacy.tokens.Token` that are used here; spaCy leaves its types incomplete."""
_ENGLISH = "en"  # the language whose noun phrases spaCy finds by other relations than those of UD
_NOMINALS = ("NOUN", "PROPN", "PRON")
_INSIDE = ("acl", "amod", "compound", "det", "flat", "nmod", "nummod")
# spaCy's names for the root's relation, and for a token of white space and its relation.
_ROOT, _SPACE, _SPACE_DEPREL = "ROOT", "SPACE", "dep"


@Language.factory(
    "udify",
    assigns=["token.pos", "token.tag", "token.morph", "token.lemma", "token.head", "token.dep"],
    default_config={
        "model": MULTILINGUAL,
        "precision": None,
        "cuda_device": -1,
        "batch_size": BATCH_SIZE,
    },
)
def make_udify(
    nlp: Language,
    name: str,
    model: str,
    precision: Optional[str],
    cuda_device: int,
    batch_size: int,
) -> "UdifyComponent":
    """
    # Parameters

    model : `str`
        An archive (`model.tar.gz`) or a run folder; by default
        the shipped model.
    precision : `Optional[str]`
    cuda_device : `int`
    batch_size : `int`
        As for `Parser.load`.

    # Raises

    The errors of `Parser.load`.
    """
    if nlp.lang == _ENGLISH:
        nlp.vocab.get_noun_chunks = noun_chunks  # type: ignore[assignment]
    return UdifyComponent(Parser.load(model, precision, cuda_device, batch_size))


class UdifyComponent:
    """
    Sets the predicted part of speech, tag (XPOS), morphology, lemma, head and relation of each
    token. Sentences are those of the document; without them, it is one sentence.

    As usual in spaCy, the root's relation is `ROOT` and its head is itself. The model does not see
    tokens of white space: they are tagged `SPACE` and depend on the token before them.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser = parser

    def __call__(self, doc: Doc) -> Doc:
        return annotate(doc, list(self.parser.parse(from_doc(doc))))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """
        Yields documents whose sentences are parsed together, `batch_size` documents at a time.
        """
        for docs in minibatch(stream, batch_size):
            sentences = [from_doc(doc) for doc in docs]
            parsed = self.parser.parse(sentence for some in sentences for sentence in some)
            for doc, some in zip(docs, sentences):
                yield annotate(doc, [next(parsed) for _ in some])


def noun_chunks(doclike: Any) -> Iterator[tuple[int, int, int]]:
    """
    Yields the noun phrases of an English document, or of a part of it, in spaCy's form: first
    token, end and label. A noun phrase is a nominal with its preceding dependents, except
    prepositions, conjunctions and the words that make it a predicate; it contains no other noun
    phrase.
    """
    doc = doclike.doc
    if not doc.has_annotation("DEP"):
        raise ValueError("noun_chunks needs trees. Add the component udify to the pipeline.")
    label = doc.vocab.strings.add("NP")
    for word in doclike:
        is_part = _base(word) in _INSIDE and word.i < word.head.i
        if word.pos_ in _NOMINALS and not is_part and _base(word) != "flat":
            start = word.i
            for child in reversed(list(word.lefts)):
                if _base(child) not in _INSIDE:
                    break
                start = child.left_edge.i
            yield start, word.i + 1, label


def _base(word: Any) -> str:
    """Returns the relation without its subtype."""
    return str(word.dep_.partition(":")[0])


def from_doc(doc: Doc) -> list[Sentence]:
    """
    Returns the sentences of a document, without annotation; a sentence of only white space is left
    out. MISC keeps white space as `read_text` does, so `rebuild` restores the document's text.
    """
    tokens = [
        [Token(word.idx, word.idx + len(word)) for word in words]
        for words in map(_words, _sentences(doc))
        if words
    ]
    return [
        Sentence("\n".join([f"# text = {text}", *rows]) + "\n\n", "<doc>")
        for rows, text in blocks(doc.text, tokens)
    ]


def to_doc(sentences: Iterable[Sentence], vocab: Vocab) -> Doc:
    """
    Returns a document of parsed sentences, such as `ParsedSentence.sentence`. A token is a word:
    spaCy has no multiword tokens, so the words of one are separate tokens. White space is at most
    one space.
    """
    parsed = list(sentences)
    words: list[str] = []
    spaces: list[bool] = []
    starts: list[Any] = []
    for sentence in parsed:
        end = len(rebuild([sentence]))
        places = spans(sentence)
        words += sentence.forms
        spaces += [place[1] < after for place, (after, _) in zip(places, [*places[1:], (end, end)])]
        starts += [index == 0 for index in range(len(sentence))]
    return annotate(Doc(vocab, words, spaces, sent_starts=starts), parsed)


def annotate(doc: Doc, sentences: list[Sentence]) -> Doc:
    """
    Sets the annotation that is not `_` in the columns of `sentences`, which are those of
    `from_doc(doc)`, and returns the same document.
    """
    heads = numpy.zeros(len(doc), dtype=numpy.int64)
    deprels = [_ROOT] * len(doc)
    parsed = iter(sentences)
    for tokens in _sentences(doc):
        words = _words(tokens)
        for token in tokens:
            if _is_space(token):
                token.pos_ = _SPACE
                first = words[0].i if words else token.i
                heads[token.i] = token.i - 1 if token.i > tokens[0].i else first
                deprels[token.i] = _ROOT if heads[token.i] == token.i else _SPACE_DEPREL
        if words:
            sentence = next(parsed)
            _set_tags(words, sentence)
            for word, head, deprel in zip(words, sentence.heads, sentence.deprels):
                number = head_number(head, len(words))
                if number:
                    heads[word.i], deprels[word.i] = words[number - 1].i, deprel
                else:
                    heads[word.i] = word.i
    if any("0" in sentence.heads for sentence in sentences):
        relative = (heads - numpy.arange(len(doc))).astype(numpy.uint64)
        names = numpy.array([doc.vocab.strings.add(name) for name in deprels], dtype=numpy.uint64)
        columns: Any = numpy.stack([relative, names], axis=1)
        doc.from_array([HEAD, DEP], columns)
    return doc


def _set_tags(words: Tokens, sentence: Sentence) -> None:
    columns = (sentence.upos, sentence.xpos, sentence.feats, sentence.lemmas)
    for word, upos, xpos, feats, lemma in zip(words, *columns):
        if upos in POS_IDS:
            word.pos_ = upos
        if xpos != "_":
            word.tag_ = xpos
        if feats != "_":
            word.set_morph(feats)
        if lemma != "_" or word.text == "_":
            word.lemma_ = lemma


def _sentences(doc: Doc) -> list[Tokens]:
    if not len(doc):
        return []
    return [list(sent) for sent in doc.sents] if doc.has_annotation("SENT_START") else [list(doc)]


def _words(tokens: Tokens) -> Tokens:
    return [token for token in tokens if not _is_space(token)]


def _is_space(token: Any) -> bool:
    return not token.text.strip()
