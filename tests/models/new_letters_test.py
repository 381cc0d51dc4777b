"""Letters that a tokenizer lacks become pieces; other words are split and encoded as before."""

import json

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import archive_model
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from tests.helpers import DEV, ENCODER, execute
from tests.helpers.tokenizer_settings import UNIGRAM, WORDPIECE
from tests.saved_model import save_run
from udify_allennlp import Parser
from udify_allennlp.archives.run_folder import load_weights, model_folder
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.models.new_letters import unknown_letters, with_letters
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.sentence import Sentence

COPTIC = "ⲁⲛⲟⲕ"
TABLE = "embedder.transformer.embeddings.word_embeddings.weight"


def pieces(settings, word):
    return Tokenizer.from_str(json.dumps(settings)).encode(word, add_special_tokens=False)


@pytest.mark.parametrize("settings", [WORDPIECE, UNIGRAM], ids=["WordPiece", "Unigram"])
def test_words_with_new_letters_are_split_into_known_pieces_and_others_as_before(settings):
    grown = with_letters(settings, COPTIC)
    (unknown,) = {
        token["id"] for token in settings["added_tokens"] if "unk" in token["content"].lower()
    }

    @given(st.text("dogsab" + COPTIC, min_size=1, max_size=8))
    def check(word):
        before, after = pieces(settings, word), pieces(grown, word)
        if set(word) & {*COPTIC}:
            assert unknown in before.ids and unknown not in after.ids
            assert "".join(after.tokens).replace("##", "").lstrip("▁") == word
        else:
            assert (after.ids, after.tokens) == (before.ids, before.tokens)

    check()
    assert pieces(grown, "ϣ").ids == pieces(settings, "ϣ").ids  # still unknown
    assert with_letters(grown, COPTIC) == grown


def test_tokenizers_without_room_are_refused():
    merges = {**WORDPIECE, "model": {**WORDPIECE["model"], "type": "BPE"}}
    with pytest.raises(ConfigurationError, match="is of type BPE"):
        with_letters(merges, COPTIC)
    beyond = {**WORDPIECE["added_tokens"][0], "id": 10**6}
    with pytest.raises(ConfigurationError, match="numbers special pieces beyond"):
        with_letters({**WORDPIECE, "added_tokens": [beyond]}, COPTIC)


def test_letters_that_are_unknown_often_enough():
    tokenizer = WordpieceTokenizer(ENCODER)
    words = ["dog", COPTIC, "ⲁⲁ", "ϣ"]
    assert unknown_letters(tokenizer, words) == sorted({*COPTIC, "ϣ"})
    assert unknown_letters(tokenizer, words, least=2) == ["ⲁ"]


def test_a_model_with_letters_parses_as_before_and_knows_them(tmp_path):
    run = save_run(tmp_path)
    archive_model(str(run), "best.th", include_in_archive=["encoder"])
    text = "".join(
        f"{n}\t{word}\t{word}\tNOUN\t_\t_\t{n - 1}\t{'dep' if n > 1 else 'root'}\t_\t_\n"
        for n, word in enumerate([COPTIC, "dog", "ⲁⲁ"], start=1)
    )
    path = tmp_path / "cop_x-ud-train.conllu"
    write_sentences([Sentence(text + "\n", str(path), 1)], path)
    target = tmp_path / "letters.tar.gz"
    words = ("ud-pack", run, "--precision", "float32", "--letters", path, "--out", target)
    assert execute(*words) == 0
    english = list(read_sentences(DEV))[:10]
    before, after = (
        [sentence.text for sentence in Parser.load(model).parse(english)] for model in (run, target)
    )
    assert after == before
    with model_folder(str(target)) as folder:
        config = json.loads((folder / "encoder" / "config.json").read_text())
        weight, old = (load_weights(place)[TABLE] for place in (folder, run))
    new = 2 * len({*COPTIC})  # at the start of a word, and inside it
    assert len(weight) == config["vocab_size"] == len(old) + new
    assert torch.equal(weight[: len(old)], old)
    with model_folder(str(target)) as folder:
        tokenizer = WordpieceTokenizer(str(folder), str(folder))
        split = tokenizer([COPTIC, "dog"])
    assert tokenizer.unknown_id not in split[0] and len(split[0]) == len(COPTIC)
    assert torch.equal(weight[-1], old[tokenizer.unknown_id])
    assert execute(*words[:-1], tmp_path / "again.tar.gz", "--least", "0") == 1
    # Nothing is left to add.
    assert execute(*("ud-pack", target), *words[2:-1], tmp_path / "again.tar.gz") == 0
    with model_folder(str(tmp_path / "again.tar.gz")) as folder:
        assert torch.equal(load_weights(folder)[TABLE], weight)
