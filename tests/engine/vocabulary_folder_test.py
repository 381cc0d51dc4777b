"""Vocabulary files are read as AllenNLP reads them."""

from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.engine.vocabulary import VocabularyFolder

TEXTS = st.lists(st.text("ab\t \n\u2028İ'", min_size=1, max_size=4), min_size=1, unique=True)


@given(labels=TEXTS, characters=TEXTS)
def test_every_string_has_the_number_that_allennlp_gives_it(labels, characters, tmp_path_factory):
    folder = tmp_path_factory.mktemp("vocabulary")
    counts = {"upos_labels": dict.fromkeys(labels, 1), "characters": dict.fromkeys(characters, 1)}
    Vocabulary(counts).save_to_files(str(folder))
    expected, found = Vocabulary.from_files(str(folder)), VocabularyFolder(folder)
    assert set(found.get_namespaces()) == set(expected.get_namespaces())
    assert found._oov_token == expected._oov_token
    assert found.labels("upos_labels") == [*expected.get_token_to_index_vocabulary("upos_labels")]
    numbers = dict(expected.get_token_to_index_vocabulary("characters"))
    del numbers[expected._padding_token]  # it stands in no file
    assert found.get_token_to_index_vocabulary("characters") == numbers
    assert found.get_token_to_index_vocabulary("lemma_labels") == {}
