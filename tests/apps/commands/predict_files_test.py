"""The places where `predict` read its sentences, which its progress bar shows."""

from types import SimpleNamespace

from udify_allennlp.apps.commands.predict_files import Source
from udify_allennlp.text.input_kinds import TEXT, InputFile
from udify_allennlp.text.tokenizers import make_tokenizer


def test_progress_within_one_long_paragraph(tmp_path):
    """All lines of it are read before its first sentence is known."""
    path = tmp_path / "long.txt"
    path.write_text("The café is open.\nWe went in at once.\n" * 200, encoding="utf-8")
    files = [InputFile(str(path), TEXT, None)] * 2
    predictor = SimpleNamespace(of_text=lambda sentences, lang: sentences)
    source = Source(files, predictor, make_tokenizer("rules", "en"))
    count = sum(1 for _ in source.sentences())
    places = [place.bytes for place in source.places]
    assert count == len(places) == 800 and places == sorted(places)
    assert places[-1] == source.size and places[0] < 50
    assert abs(places[399] - source.size // 2) <= 1
