"""Words and sentences as objects."""

import copy
import dataclasses
import json
import pickle
from xml.etree import ElementTree

import pytest

from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.sentence import Sentence

TREE = """\
# text = Dogs, she says, sleep.
1	Dogs	dog	NOUN	_	Gender=Masc|Number=Plur	6	nsubj	_	SpaceAfter=No
2	,	,	PUNCT	_	_	1	punct	_	_
3	she	she	PRON	_	_	4	nsubj	_	_
4	says	say	VERB	_	_	6	parataxis	_	SpaceAfter=No
5	,	,	PUNCT	_	_	4	punct	_	_
6	sleep	sleep	VERB	_	_	0	root	_	SpaceAfter=No
7	.	.	PUNCT	_	_	6	punct	_	SpacesAfter=\\n

"""


CONTRACTED = """\
# sent_id = fr-7
1-2	Du	_	_	_	_	_	_	_	_
1	De	de	ADP	_	_	3	case	_	_
2	le	le	DET	_	_	3	det	_	_
3	pain	pain	NOUN	_	_	0	root	_	SpaceAfter=No
4	.	.	PUNCT	_	_	3	punct	_	SpacesAfter=\\n

"""


def test_the_objects_by_hand():
    sentence = ParsedSentence(Sentence(TREE), start=10)
    assert (len(sentence), sentence.conllu) == (7, TREE)
    assert sentence.text == "Dogs, she says, sleep."
    dogs, says, root = sentence[0], sentence[3], sentence.root
    assert dogs.feats == {"Gender": "Masc", "Number": "Plur"} and root.feats == {}
    assert (root.form, root.head, root.parent) == ("sleep", 0, None)
    assert [word.form for word in root.children] == ["Dogs", "says", "."]
    assert dogs.parent is root and says.children == [sentence[2], sentence[4]]
    assert [(word.start, word.end) for word in sentence][:3] == [(10, 14), (14, 15), (16, 19)]
    assert dogs.misc == "SpaceAfter=No" and dogs.xpos == "_"
    assert sentence.to_tree() == (
        "sleep VERB root\n"
        "├── Dogs NOUN nsubj\n"
        "│   └── , PUNCT punct\n"
        "├── says VERB parataxis\n"
        "│   ├── she PRON nsubj\n"
        "│   └── , PUNCT punct\n"
        "└── . PUNCT punct\n"
    )


def test_a_long_chain_is_drawn():
    rows = (f"{i}\tw\t_\tX\t_\t_\t{i - 1}\tdep\t_\t_\n" for i in range(1, 3001))
    sentence = ParsedSentence(Sentence("".join(rows) + "\n"))
    assert len(sentence.to_tree().splitlines()) == 3000


def test_a_model_without_trees_has_no_root():
    sentence = ParsedSentence(Sentence.from_words(["a"]))
    assert sentence[0].head is None and sentence[0].feats == {}
    with pytest.raises(ValueError, match="without the decoder 'deps'"):
        sentence.to_tree()


def test_words_above_and_below():
    sentence = ParsedSentence(Sentence(TREE))
    says, comma = sentence[3], sentence[4]
    assert [word.form for word in says.subtree] == ["she", "says", ","]
    assert [word.form for word in says.descendants] == ["she", ","]
    assert comma.ancestors == [says, sentence.root]
    assert sentence.root.subtree == sentence.words and sentence.root.ancestors == []
    for word in sentence:
        assert all(word in above.descendants for above in word.ancestors)


def test_heads_that_go_round_end():
    sentence = Sentence.from_words(["a", "b", "c"]).replace(heads=["2", "1", "3"])
    a, b, c = ParsedSentence(sentence)
    assert (a.ancestors, b.subtree) == ([b], [a, b])
    assert (c.ancestors, c.descendants, c.subtree) == ([], [], [c])


def test_multiword_tokens_have_the_text_and_words_the_tree():
    sentence = ParsedSentence(Sentence(CONTRACTED), start=0)
    assert [token.text for token in sentence.tokens] == ["Du", "pain", "."]
    (contracted,) = sentence.multiword_tokens
    assert contracted.words == (sentence[0], sentence[1])
    assert (contracted.start, contracted.end) == (0, 2) and sentence.text == "Du pain."
    assert sentence.sent_id == "fr-7"
    assert ParsedSentence(Sentence(TREE)).sent_id is None
    assert sentence.to_dict()["multiword_tokens"] == [{"text": "Du", "words": [1, 2]}]


def test_as_dictionaries_and_json():
    sentence = ParsedSentence(Sentence(TREE), start=10)
    word = dataclasses.asdict(sentence[0])
    assert word["feats"] == {"Gender": "Masc", "Number": "Plur"} and word["start"] == 10
    assert json.loads(sentence.to_json()) == sentence.to_dict()
    assert sentence.to_dict()["words"] == [dataclasses.asdict(word) for word in sentence]
    assert sentence.to_dict()["text"] == "Dogs, she says, sleep."


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_pickled_and_copied(again):
    sentence = ParsedSentence(Sentence(TREE), start=10)
    other = again(sentence)
    assert (other.conllu, other.to_tree()) == (sentence.conllu, sentence.to_tree())
    assert other[0].parent is other.root and other[0] is not sentence[0]
    assert again(sentence[0]).parent.form == "sleep"
    rows = (f"{i}\tw\t_\tX\t_\t_\t{i - 1}\tdep\t_\t_\n" for i in range(1, 3001))
    assert len(again(ParsedSentence(Sentence("".join(rows) + "\n")))[2999].ancestors) == 2999


def test_drawn_for_files_and_notebooks():
    sentence = ParsedSentence(Sentence(TREE))
    drawing = ElementTree.fromstring(sentence.to_svg())  # well-formed, with its style in it
    texts = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Dogs", "nsubj", "VERB"} <= set(texts)
    assert drawing.find("{http://www.w3.org/2000/svg}style") is not None
    assert 'dir="ltr"' in sentence._repr_html_() and sentence.to_svg() in sentence._repr_html_()
    hebrew = ParsedSentence(Sentence.from_words(["שלום"]))
    assert 'dir="rtl"' in hebrew._repr_html_()
