"""Our measures against the script of the shared task (PyPI: udtools), to the last digit."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from tests.helpers.official_script import script
from udify_allennlp.scoring.official import official_counts, scores_of
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.sentence import Sentence

DEPRELS = ["nsubj", "nsubj:pass", "case", "aux", "punct", "nmod:poss", "unknown", "det"]
FEATS = ["_", "Case=Nom", "Case=Nom|Number=Sing", "Number=Sing|Case=Nom", "Typo=Yes"]


def ours(gold, system):
    return scores_of(official_counts(gold, system, "x"))


@st.composite
def sentences(draw, text):
    """Sentences over the characters of `text`, cut into tokens, multiword ones too, at random."""
    found = []
    while text:
        length = draw(st.integers(1, len(text)))
        found.append(draw(sentence(text[:length])))
        text = text[length:]
    return found


@st.composite
def sentence(draw, text):
    rows, words = [], []
    while text:
        length = draw(st.integers(1, min(len(text), 4)))
        form, text = text[:length], text[length:]
        inside = draw(
            st.lists(st.sampled_from(["a", "A", "b", "ab", "b A", "a\u00a0b"]), max_size=3)
        )
        if inside:
            rows.append((f"{len(words) + 1}-{len(words) + len(inside)}", form))
        for word in inside or [form]:
            words.append(word)
            rows.append((str(len(words)), word))
    heads = draw(tree(len(words)))
    lines = []
    for number, form in rows:
        if "-" in number:
            lines.append(f"{number}\t{form}" + "\t_" * 8)
            continue
        lemma, upos, xpos, feats, deprel = (
            draw(st.sampled_from(values))
            for values in (["_", "a", "b"], ["X", "Y"], ["_", "x"], FEATS, DEPRELS)
        )
        head = heads[int(number) - 1]
        cells = (number, form, lemma, upos, xpos, feats, str(head), deprel, "_", "_")
        lines.append("\t".join(cells))
    return Sentence("\n".join(lines) + "\n\n")


@st.composite
def tree(draw, words):
    """Heads of `words` words, one of them 0: each hangs from one that comes before it in a
    random order."""
    order = draw(st.permutations(range(1, words + 1)))
    heads = [0] * words
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[draw(st.integers(0, place - 1))]
    return heads


@st.composite
def two_segmentations(draw):
    text = draw(st.text("abA", min_size=1, max_size=12))
    return draw(sentences(text)), draw(sentences(text))


@pytest.mark.slow
@settings(max_examples=300)
@given(two_segmentations())
def test_any_two_segmentations_of_one_text(pair):
    assert ours(*pair) == script(*pair)


@pytest.mark.slow
@settings(max_examples=150)
@given(st.text("ab", min_size=1, max_size=12).flatmap(sentences), st.data())
def test_other_trees_and_tags_on_the_same_words(gold, data):
    system = []
    for each in gold:
        columns = {
            name: data.draw(st.permutations(getattr(each, name)))
            for name in ("upos", "xpos", "feats", "lemmas", "deprels")
        }
        heads = [str(head) for head in data.draw(tree(len(each)))]
        system.append(each.replace(heads=heads, **columns))
    assert ours(gold, system) == script(gold, system)


@pytest.mark.parametrize(
    "path", sorted((FIXTURES / "ud").glob("*.conllu")), ids=lambda path: path.name
)
def test_fixtures(path):
    """Each with its words moved by one, so that some are right by chance."""
    gold = list(read_sentences(path))
    system = [
        each.replace(
            **{
                name: [*getattr(each, name)[1:], getattr(each, name)[0]]
                for name in ("upos", "xpos", "feats", "lemmas", "deprels")
            }
        )
        for each in gold
    ]
    assert ours(gold, gold) == script(gold, gold)
    assert ours(gold, system) == script(gold, system)
