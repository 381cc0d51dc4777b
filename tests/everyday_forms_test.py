"""The commonest irregular forms of languages: the list, and the score of a model."""

import lzma
import sys

import everyday_forms
import pytest
from everyday_forms import irregular, main, shows_other_words
from word_lists import Word, WordList

from tests.saved_model import save_run

NOUNS = [("cats", "cat"), ("hats", "hat"), ("mats", "mat"), ("beats", "beat"), ("Tots", "tot")]
FEET = [("feet", "foot"), ("meet", "meet"), ("fleet", "fleet")]


def test_an_irregular_form_has_another_rule_than_its_ending():
    words = [Word(form, "NOUN", lemma) for form, lemma in NOUNS + FEET]
    verbs = [Word("feet", "VERB", "feet")]
    assert irregular(words + verbs) == [Word("feet", "NOUN", "foot")]


@pytest.mark.parametrize(
    "upos, is_used",
    [
        (["NOUN", "VERB", "VERB"], True),
        (["NOUN", "VERB", "VERB", "VERB"], False),
        (["NOUN"], False),
        (["VERB"], False),
    ],
)
def test_a_list_needs_verbs_and_half_as_many_nouns(tmp_path, upos, is_used):
    (tmp_path / "languages.tsv").write_text("ud_code\ttables (first wins)\nen\ten\n")
    # Each lemma has two forms, but counts once.
    rows = [f"{form}{n}\tlemma{n}\t{each}\n" for n, each in enumerate(upos) for form in "ab"]
    (tmp_path / "en.tsv.xz").write_bytes(lzma.compress("".join(rows).encode()))
    assert shows_other_words(WordList(tmp_path, "en")) is is_used


def test_list_and_scores_as_a_user_makes_them(tmp_path, monkeypatch, capsys):
    words, texts = tmp_path / "words", tmp_path / "texts"
    words.mkdir()
    texts.mkdir()
    (words / "languages.tsv").write_text("ud_code\ttables (first wins)\nen\ten\n")
    rows = [f"{form}\t{lemma}\tNOUN\n" for form, lemma in NOUNS * 5 + FEET]
    regular = [(f"word{letter}s", f"word{letter}") for letter in "abcdefghijklmnopqrst"]
    odd = [("geese", "goose"), ("mice", "mouse"), ("teeth", "tooth"), ("lice", "louse")]
    rows += [f"{form}\t{lemma}\tNOUN\n" for form, lemma in [*regular, *odd]]
    rows += ["lice\tlice\tVERB\n"]
    (words / "en.tsv.xz").write_bytes(lzma.compress("".join(rows).encode()))
    train = tmp_path / "en_x-ud-train.conllu"
    tokens = [*NOUNS, *regular]
    train.write_text(
        "".join(
            f"{n}\t{form}\t{lemma}\tNOUN\t_\t_\t{n - 1}\t{'dep' if n > 1 else 'root'}\t_\t_\n"
            for n, (form, lemma) in enumerate(tokens, start=1)
        )
        + "\n"
        "1\tMice\tMice\tPROPN\t_\t_\t0\troot\t_\t_\n"
        "2-3\tteeth\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "2\ttee\ttee\tNOUN\t_\t_\t1\tdep\t_\t_\n"
        "3\tth\tth\tNOUN\t_\t_\t1\tdep\t_\t_\n\n"
    )
    text = "His feet hurt a lot.\nMy feet and her feet do not.\nThe geese are here.\n"
    # Commoner, but also a name, a multiword token, a verb, and a part of other words.
    text += "mice teeth lice geese-geese 'geese\n" * 5
    (texts / "wiki.en.txt").write_text(text)
    monkeypatch.setenv("WORDS", str(words))
    monkeypatch.setenv("RAW", str(texts))
    monkeypatch.setattr(everyday_forms, "MOST", 1)
    forms, scores = tmp_path / "forms.tsv", tmp_path / "scores.tsv"

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["everyday_forms.py", *map(str, arguments)])
        return main()

    assert run("list", train, "--out", forms) == 0
    assert forms.read_text() == "lang\tUPOS\tform\tlemma\nen\tNOUN\tfeet\tfoot\n"
    (tmp_path / "run").mkdir()
    assert run("score", save_run(tmp_path / "run"), "--forms", forms, "--out", scores) == 0
    header, english, total = scores.read_text().splitlines()
    assert english.startswith("en\t1\t") and total.startswith("all\t1\t")
    assert "of 1 lemmas are right" in capsys.readouterr().out
    monkeypatch.delenv("WORDS")
    with pytest.raises(SystemExit):
        run("list", train, "--out", forms)
    assert "WORDS is not set" in capsys.readouterr().err
