"""The segmenter, trained on fixtures for a few seconds."""

import glob
import json
import random
import sys

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models.archival import load_archive
from hypothesis import given, settings
from tokenizer_bench import RUNS, make_run, seconds

from tests.conftest import FIXTURES
from tests.helpers.official_script import script
from tests.helpers.texts import TEXTS
from tests.saved_model import save_run
from tests.saved_segmenter import FILES
from udify_allennlp import cli
from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.scoring.official import SEGMENTATION, flat_tree
from udify_allennlp.segmentation import tokenizer as tokenizer_module
from udify_allennlp.segmentation.language_input import LanguageInput
from udify_allennlp.segmentation.row import row_of
from udify_allennlp.segmentation.treebanks import Treebanks
from udify_allennlp.segmenter.loader import SegmenterLoader
from udify_allennlp.segmenter.model import Segmenter
from udify_allennlp.segmenter.reader import SegmenterReader
from udify_allennlp.segmenter.torch_scores import TorchScores
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.cutting import MAX_SENTENCE
from udify_allennlp.text.raw_text import lines_of, read_text, rebuild
from udify_allennlp.text.tokenizers import make_tokenizer

FRENCH = str(FIXTURES / "ud" / "fr_gsd-ud-dev.conllu")
ENGLISH = str(FIXTURES / "ud" / "en_ewt-ud-dev.conllu")
LANGS = ["de_gsd", "fr", None]


def document(path=FRENCH):
    (found,) = SegmenterReader().documents(path)
    return found


@pytest.fixture(scope="module")
def model(segmenter):
    return load_archive(segmenter).model.eval()


def test_it_learns(segmenter):
    text = document().text
    sentences = list(read_text(lines_of(text), make_tokenizer(segmenter, "fr")))
    assert rebuild(sentences) == text
    assert any("\tdu\t" in s.text and "\tde\t" in s.text and "\tle\t" in s.text for s in sentences)


def test_it_splits_in_bfloat16(segmenter):
    """As the trainer's validation does in mixed precision."""
    text = document().text
    with torch.autocast("cpu", dtype=torch.bfloat16):
        sentences = list(read_text(lines_of(text), make_tokenizer(segmenter, "fr")))
    assert rebuild(sentences) == text
    assert any("\tdu\t" in s.text and "\tde\t" in s.text for s in sentences)


def test_evaluate_has_the_figures_of_the_script(segmenter, tmp_path, monkeypatch, capsys):
    out, parsed = tmp_path / "metrics.json", tmp_path / "parsed.conllu"
    words = ["evaluate", segmenter, FRENCH, "--output-file", out]
    words += ["--predictions-output-file", parsed]
    monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, words)])
    assert cli.run() == 0
    metrics = json.loads(out.read_text())
    found = list(read_sentences(parsed))
    expected = script(list(read_sentences(FRENCH)), [flat_tree(sentence) for sentence in found])
    assert metrics == {name: pytest.approx(expected[name], abs=1e-9) for name in SEGMENTATION}
    assert metrics["Tokens"] > 90 and metrics["Sentences"] > 50 and metrics["Words"] > 85
    report = capsys.readouterr().out.splitlines()
    assert report[0].split() == ["treebank", "Tokens", "Sentences", "Words"]
    assert report[1].split()[1] == f"{metrics['Tokens']:.2f}"


@pytest.mark.parametrize("how", ["a glob", "commas"])
def test_evaluate_of_several_files_prints_one_table(how, segmenter, monkeypatch, capsys):
    files = str(FIXTURES / "ud" / "*-dev.conllu")
    if how == "commas":
        files = ",".join(sorted(glob.glob(files)))
    monkeypatch.setattr(sys, "argv", ["allennlp", "evaluate", segmenter, files])
    assert cli.run() == 0
    rows = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert rows == ["treebank", "de_gsd", "en_ewt", "fi_tdt", "fr_gsd", "macro"]


@pytest.mark.parametrize("lang", LANGS)
def test_any_text_can_be_rebuilt(segmenter, lang):
    tokenizer = make_tokenizer(segmenter, lang)

    def rebuilt(text):
        sentences = list(read_text(lines_of(text), tokenizer))
        assert rebuild(sentences) == (text if text.strip() else "")

    settings(max_examples=30)(given(TEXTS)(rebuilt))()


@pytest.mark.parametrize("lang", LANGS)
def test_blocks_make_no_difference(segmenter, lang, monkeypatch):
    text = " ".join(document(path).text for path in (FRENCH, ENGLISH)).replace("\n", " ")
    text += " 我们爱北京。" * 20 + "x" * 300
    whole = list(make_tokenizer(segmenter, lang)(text))
    monkeypatch.setattr(tokenizer_module, "BLOCK", 97)
    assert list(make_tokenizer(segmenter, lang)(text)) == whole


def test_sentences_come_before_all_is_looked_at(segmenter, monkeypatch):
    seen = []
    original = tokenizer_module.SegmenterTokenizer._labels

    def labels(*args):
        seen.append(args[2])
        return original(*args)

    monkeypatch.setattr(tokenizer_module.SegmenterTokenizer, "_labels", labels)
    sentences = iter(make_tokenizer(segmenter, "fr")("Il va. " * 20_000))
    next(sentences)
    assert 1 <= len(seen) <= 3


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("block", [7, 60, 8192])
def test_paragraphs_together_are_as_each_by_itself(segmenter, lang, block, monkeypatch):
    monkeypatch.setattr(tokenizer_module, "BLOCK", block)
    texts = [p.text for path in (FRENCH, ENGLISH) for p in document(path).paragraphs]
    texts += ["  Il va du lit.\n", "\n \n", "我们爱北京。", "\0", "x" * 400, " \u0301"]
    tokenizer = make_tokenizer(segmenter, lang)
    found = [(text, list(sentences)) for text, sentences in tokenizer.together(texts)]
    assert found == [(text, list(tokenizer(text))) for text in texts]


def test_no_break_spaces_are_spaces_to_the_network():
    text = document().text
    generator = random.Random(0)
    others = "".join(generator.choice(" \u00a0\u2007\u2009\u202f") if c == " " else c for c in text)
    expected, found = (row_of([either]).features(slice(0, len(text))) for either in (text, others))
    assert others != text
    for array, other in zip(expected, found):
        assert (array == other).all()


def test_paragraphs_are_not_read_far_ahead(segmenter):
    taken = []
    paragraphs = (taken.append(number) or "Il va. " * 200 for number in range(50))
    next(iter(make_tokenizer(segmenter, "fr").together(paragraphs)))
    assert 1 < len(taken) < 10


def test_standards_stand_for_a_language_and_for_treebanks_that_training_lacks():
    names = ["ko_gsd", "ko_pud", "ko_kaist", "en_ewt"]
    vocab = Vocabulary(tokens_to_add={"lang_labels": names}, non_padded_namespaces=["*labels"])
    standards = {"ko": ["ko_gsd", "ko_pud", "ko_other"], "fr": ["fr_gsd"]}
    told, plain = (Treebanks(vocab, given) for given in (standards, None))
    for lang in ("ko", "ko_modern"):
        assert told.of(lang) == ["ko_gsd", "ko_pud"] and plain.of(lang) == names[:3]
    assert told.of("ko_kaist") == ["ko_kaist"]
    assert told.standard() == ["ko_gsd", "ko_pud", "en_ewt"]
    assert plain.standard() == names
    assert told.of("en") == ["en_ewt"] and told.of("fr") == []


@pytest.mark.parametrize(
    "standards, expected",
    [
        ({"ja": ["ja_gsd", "ja_pud"]}, ["ja_gsd"]),  # as shipped
        ({"ja": ["ja_pud", "ja_gsdluw"]}, ["ja_pud", "ja_gsdluw"]),
        (None, ["ja_gsd", "ja_pud", "ja_gsdluw"]),
    ],
)
def test_the_standard_of_japanese_is_that_of_today(standards, expected):
    names = {"lang_labels": ["ja_gsd", "ja_pud", "ja_gsdluw"]}
    vocab = Vocabulary(tokens_to_add=names, non_padded_namespaces=["*labels"])
    treebanks = Treebanks(vocab, standards)
    assert treebanks.of("ja") == expected and treebanks.of("ja_pud") == ["ja_pud"]


def test_labels_of_a_text_do_not_depend_on_its_batch(model):
    loader = SegmenterLoader(SegmenterReader(), FILES, batch_size=4, window=150, epoch_size=4)
    loader.index_with(model.vocab)
    (batch,) = list(loader)
    network = model.network

    def vectors(rows, length=None):
        part = {name: batch[name][rows, :length] for name in ("hashes", "classes", "mask")}
        return network(network.features(part["hashes"], part["classes"]), part["mask"])

    together = vectors(slice(None))
    for row in range(4):
        length = int(batch["mask"][row].nonzero().max()) + 1
        alone = vectors(slice(row, row + 1), length)
        torch.testing.assert_close(together[row : row + 1, :length], alone, atol=1e-4, rtol=1e-4)


def test_all_weights_learn(model):
    loader = SegmenterLoader(SegmenterReader(), FILES, batch_size=8, window=300, epoch_size=8)
    fresh = Segmenter(model.vocab, hidden_dim=8, buckets=[64] * 7, dilations=[1, 2])
    loader.index_with(model.vocab)
    (batch,) = list(loader)
    fresh(**batch)["loss"].backward()
    for name, parameter in fresh.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize("name", [*RUNS, "a megabyte"])
def test_hostile_texts(segmenter, name):
    text = "a" * 2**20 if name == "a megabyte" else make_run(name, 3000)
    sentences = list(make_tokenizer(segmenter, "fr")(text))
    places = [token[:2] for tokens in sentences for token in tokens]
    assert places == sorted(places)
    surfaces = (text[i:j] for i, j in places)
    assert "".join("".join(surface.split()) for surface in surfaces) == "".join(text.split())
    assert max((s[-1].end - s[0].start for s in sentences), default=0) <= MAX_SENTENCE


@pytest.mark.slow
@pytest.mark.parametrize("name", ["letters", "Chinese", "hyphened words", "numbers"])
def test_time_grows_with_the_length(name, segmenter):
    """Also where the network sees it all at once: the search for hyphens took the square."""
    texts = [make_run(name, length) for length in (2_500, 10_000)]
    times = [seconds(lambda: make_tokenizer(segmenter, "fr"), text, 3) for text in texts]
    assert times[1] < 6 * times[0]  # it was 12


@pytest.mark.parametrize("text", ["", " ", "\n", "a", ".", "😀", "\ud800", "\0", "\u0301"])
def test_tiny_texts(segmenter, text):
    sentences = list(make_tokenizer(segmenter)(text))
    assert [len(tokens) for tokens in sentences] == ([1] if text.strip() else [])


def test_the_language_matters_and_may_be_guessed(segmenter, model):
    """French words are split by French rules, whether it is said or seen."""
    text = document().text
    given, guessed = (
        [token.words for s in make_tokenizer(segmenter, lang)(text) for token in s if token.words]
        for lang in ("fr", None)
    )
    assert ("de", "le") in given and ("de", "le") in guessed


def test_a_language_is_its_treebanks():
    """Told `en`, it guesses among the treebanks of English alone; told Middle French, of French."""
    vocab = Vocabulary({"lang_labels": {"en_ewt": 3, "en_gum": 2, "fr_gsd": 1}})
    small = Segmenter(vocab, hidden_dim=8, buckets=[64] * 7, dilations=[1, 2]).eval()
    row = row_of(["1984."])  # py3langid has no guess

    def told(lang):
        shares, langs = LanguageInput(TorchScores(small), small.treebanks, lang).of(row)
        return small.layered(torch.from_numpy(shares) @ small.langs.weight), langs

    names = vocab.get_token_to_index_vocabulary("lang_labels")
    alone = small.layered(small.langs.weight)
    torch.testing.assert_close(told("fr")[0][0], alone[names["fr_gsd"]])
    torch.testing.assert_close(told("en_gum")[0][0], alone[names["en_gum"]])
    with torch.no_grad():
        small.guess.weight.zero_()
        small.guess.bias.zero_()
    both = (alone[names["en_ewt"]] + alone[names["en_gum"]]) / 2
    for lang in ("en", "en_pud"):
        torch.testing.assert_close(told(lang)[0][0], both)
    torch.testing.assert_close(told("frm")[0][0], alone[names["fr_gsd"]])
    for lang in ("xx", "hu", None):
        torch.testing.assert_close(told(lang)[0][0], alone.mean(0))
    assert told("en_gum")[1] == ["en"]


def test_mistakes(segmenter, tmp_path):
    with pytest.raises(ArchiveError, match="no such file"):
        make_tokenizer(str(tmp_path / "none.tar.gz"))
    with pytest.raises(ConfigurationError, match="has no segmenter"):
        make_tokenizer(str(save_run(tmp_path / "parser")))
    with pytest.raises(ConfigurationError, match="nor their sum"):
        Segmenter(Vocabulary(), dilations=[32])
    with pytest.raises(ConfigurationError, match="model.noise has 1 shares"):
        Segmenter(Vocabulary(), noise=[0.1])
