import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from tests.helpers.tags import decode, encoded
from udify_allennlp.decoders.lemma import LemmaDecoder
from udify_allennlp.decoders.tag import TagDecoder, TagScores
from udify_allennlp.text.conllu import Sentence
from udify_allennlp.text.lemma_rules import make_rule


def make(task, labels, **settings):
    vocab = Vocabulary()
    for label in labels:
        vocab.add_token_to_namespace(label, f"{task}_labels")
    torch.manual_seed(0)
    return TagDecoder(vocab, task, input_dim=4, **settings).eval()


def test_smoothed_loss_of_two_words_by_hand():
    decoder = make("upos", ["NOUN", "VERB"], label_smoothing=0.1)
    words = torch.randn(3, 4)
    log_prob = decoder.output.log_prob(words)
    expected = -(0.95 * log_prob[0, 1] + 0.05 * log_prob[0, 0])
    expected = expected - (0.95 * log_prob[1, 0] + 0.05 * log_prob[1, 1])
    loss = decoder.loss(decoder.scores(encoded(words)), {"upos": torch.tensor([1, 0, -1])})
    torch.testing.assert_close(loss, expected / 2)


def test_predictions_are_the_strings_of_the_best_labels():
    decoder = make("feats", ["_", "Case=Nom", "Number=Sing|Person=3"])
    words = torch.randn(4, 4)
    sentences = [Sentence.from_words(["a", "b", "c"]), Sentence.from_words(["d"])]
    columns = decode(decoder, words, sentences)
    best = [decoder._labels[label] for label in decoder.output.log_prob(words).argmax(-1)]
    assert columns == [{"feats": best[:3]}, {"feats": best[3:]}]


def test_lemmas_are_edited_forms_and_never_empty():
    rule = make_rule("walking", "walk")
    decoder = make("lemma", [rule])
    sentence = Sentence.from_words(["talking", "ing", "x"])
    columns = decode(decoder, torch.randn(3, 4), [sentence])
    assert columns[0]["lemmas"][0] == "talk"
    assert all(columns[0]["lemmas"])


def test_the_decoder_of_lemmas_is_that_task_with_an_adaptive_softmax():
    vocab = Vocabulary()
    for number in range(1500):
        vocab.add_token_to_namespace(make_rule("aa", "a" * number + "b"), "lemma_labels")
    decoder = LemmaDecoder(vocab, input_dim=4)
    assert decoder.task.name == "lemma" and decoder.targets == ("lemma",)
    assert len(decoder.output.clusters) == 2


def test_bad_settings_are_refused():
    with pytest.raises(ConfigurationError, match="task 'pos'"):
        make("pos", ["NOUN"])
    with pytest.raises(ConfigurationError, match="decoders.xpos has no labels"):
        make("xpos", [])


def test_clusters_start_where_a_config_says():
    labels = [make_rule("aa", "a" * number + "b") for number in range(1500)]
    sizes = [
        len(make("lemma", labels, adaptive=True, **s).output.clusters)
        for s in ({}, {"min_labels": 1501}, {"min_labels": 1500})
    ]
    assert sizes == [2, 0, 2]


def test_a_hidden_layer_stands_before_the_softmax():
    decoder = make("upos", ["NOUN", "VERB"], label_smoothing=0.0, hidden_dim=3)
    words, gold = torch.randn(2, 4), torch.tensor([1, 0])
    hidden = torch.clamp(words @ decoder.hidden.weight.T + decoder.hidden.bias, min=0)
    log_prob = (hidden @ decoder.output.linear.weight.T + decoder.output.linear.bias).log_softmax(1)
    scores = decoder.scores(encoded(words))
    expected = -(log_prob[0, 1] + log_prob[1, 0]) / 2
    torch.testing.assert_close(decoder.loss(scores, {"upos": gold}), expected)
    with pytest.raises(ConfigurationError, match="decoders.upos.hidden_dim is 0. Use 1 or more"):
        make("upos", ["NOUN"], hidden_dim=0)


def lemmas(*labels):
    """A decoder whose best labels are the later ones."""
    decoder = make("lemma", labels, label_smoothing=0.1)
    with torch.no_grad():
        decoder.output.linear.weight.zero_()
        decoder.output.linear.bias.copy_(torch.arange(len(labels)))
    return decoder


def test_a_lemma_that_is_missing_is_not_learned():
    known, missing = make_rule("walking", "walk"), make_rule("was", "_")
    decoder = lemmas(known, "l|", missing)
    words = torch.randn(3, 4)
    loss = [
        decoder.loss(TagScores(words[:count]), {"lemma": torch.tensor(labels)})
        for count, labels in ((3, [0, 2, 1]), (3, [0, -1, 1]), (1, [2]))
    ]
    torch.testing.assert_close(loss[0], loss[1])
    assert loss[2] == 0


def test_nor_predicted_by_a_model_that_learned_it():
    known, missing = make_rule("walking", "walk"), make_rule("was", "_")
    sentence = Sentence.from_words(["talking", "_"])
    decoder, words = lemmas("l|", known, missing), torch.randn(2, 4)
    columns = decode(decoder, words, [sentence])
    assert columns == [{"lemmas": ["talk", "_"]}]
    found = decoder.probabilities(TagScores(words), [sentence], columns, {})["LemmaProb"]
    expected = decoder.output.log_prob(words)[:, :2].softmax(-1)[:, 1]
    torch.testing.assert_close(found, expected)


def test_but_where_no_lemma_is_known_at_all():
    decoder = lemmas(make_rule("was", "_"))
    assert decode(decoder, torch.randn(1, 4), [Sentence.from_words(["was"])]) == [{"lemmas": ["_"]}]


def test_a_lemma_takes_no_letter_of_another_script():
    rules = [make_rule("сел", "сесть"), make_rule("went", "go"), make_rule("dogs", "dog")]
    rules.append(make_rule("أعلنت", "אעלנ"))
    decoder, words = lemmas(*rules), torch.randn(4, 4)  # the best is Hebrew, whatever the word
    sentence = Sentence.from_words(["cats", "собак", "3", "Арабский"])
    columns = decode(decoder, words, [sentence])
    assert columns[0]["lemmas"] == ["cat", "соба", "אעלנ", "арабски"]
    found = decoder.probabilities(TagScores(words), [sentence], columns, {})["LemmaProb"]
    log_prob = decoder.output.log_prob(words).softmax(-1)
    torch.testing.assert_close(found, log_prob[range(4), [2, 2, 3, 2]])
