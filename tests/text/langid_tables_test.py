import pytest

from udify_allennlp.text import langid_tables
from udify_allennlp.text.langid_tables import language_identifier

pytest.importorskip("py3langid")
TEXTS = ["The dog sleeps, and the cat does not.", "Der Hund schläft.", "\u0441\u043e\u043d", ""]


def test_tables_that_were_kept_give_the_same_languages(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.delenv("UDIFY_CACHE", raising=False)
    plain = [language_identifier().rank(text) for text in TEXTS]
    monkeypatch.setenv("UDIFY_CACHE", str(folder))
    assert [language_identifier().rank(text) for text in TEXTS] == plain
    assert len(list(folder.iterdir())) == 3
    monkeypatch.setattr(langid_tables, "_keep", None)  # nothing is read, and so nothing kept
    kept = language_identifier()
    assert [kept.rank(text) for text in TEXTS] == plain


def test_damaged_tables_are_read_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("UDIFY_CACHE", str(tmp_path))
    language_identifier()
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:100])
    assert language_identifier().classify(TEXTS[0])[0] == "en"
    assert all(path.stat().st_size > 100 for path in tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("UDIFY_CACHE", str(tmp_path / "file"))
    assert language_identifier().classify(TEXTS[0])[0] == "en"
    assert "cannot be kept" in caplog.text
