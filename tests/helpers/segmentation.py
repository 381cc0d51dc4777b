"""Texts cut by the segmenter of the shipped model, in parts or with bars."""

import numpy
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.archives import shipped
from udify_allennlp.segmentation.labels import TOKEN
from udify_allennlp.text.tokenizers import make_tokenizer


def in_parts(find, text, cuts):
    """All matches that `find(start, stop)` yields in the parts of a text between the `cuts`."""
    places = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    return [each for start, stop in zip(places, places[1:]) for each in find(start, stop)]


def texts_in_parts(pieces, langs):
    """Gives a test texts made of some pieces, places to cut them and one of some languages."""
    return given(
        text=st.lists(st.sampled_from(pieces), max_size=12).map("".join),
        cuts=st.lists(st.integers(0, 40), max_size=3),
        lang=st.sampled_from(langs),
    )


def bars(marked):
    """The text without the bars in it, and the number of its characters before each."""
    first, *parts = marked.split("|")
    places = [len(first)]
    for part in parts:
        places.append(places[-1] + len(part))
    return first + "".join(parts), places[:-1]


def cut(text, lang):
    """The sentences of the shipped segmenter; `+` in front of each word in a multiword token."""
    tokenizer = make_tokenizer(str(shipped.archive_of("multilingual")), lang)
    return [
        " ".join(
            "".join(f"+{word}" for word in token.words) or text[token.start : token.end]
            for token in tokens
        )
        for tokens in tokenizer(text)
    ]


def token_ends(rule, of, text, logits=(), own=(), start=0, stop=None, lang=None):
    """
    The places of labels of tokens in a part of a text in the language `lang`, by a rule for the
    language `of`, with logits at some places and labels at others before.
    """
    stop = len(text) if stop is None else stop
    labels, of_end = numpy.zeros(len(text), dtype=numpy.uint8), numpy.zeros(len(text))
    labels[list(own)] = TOKEN
    for place, logit in dict(logits).items():
        of_end[place] = logit
    part = slice(start, stop)
    rule(labels[part], of_end[part], text, start, of, lambda place: lang or of)
    return numpy.flatnonzero(labels).tolist()
