"""The speed of translation models beside each other, and the table of the study `translation`."""

import json
import sys

import pytest
import translation_bench
import translation_table

from tests.helpers.translation import save_translation_run


def run(monkeypatch, module, *words):
    monkeypatch.setattr(sys, "argv", ["x", *map(str, words)])
    module.main()


def rows_of(path):
    return [line.split("\t") for line in path.read_text().splitlines()]


def test_a_row_for_each_model_and_times_of_the_first(tmp_path, monkeypatch, capsys):
    large = save_translation_run(tmp_path / "large", architecture={"decoder_layers": 2})
    small = save_translation_run(tmp_path / "small", architecture={"decoder_layers": 1})
    for folder in (large, small):
        archive(folder)
    text, out = large / "numbers" / "train.en*", tmp_path / "speed.tsv"
    words = (large, small, "--text", text, "--from", "en", "--to", "de", "--out", out)
    run(monkeypatch, translation_bench, *words, "--sentences", 3, "--repeats", 1)
    head, first, second = rows_of(out)
    assert head == list(translation_bench.HEADER)
    assert [first[0], second[0]] == ["large", "small"]
    assert first[5] == first[7] == "1.0000" and float(second[4]) > 0
    assert float(second[1]) < float(first[1])
    assert "3 sentences" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        run(monkeypatch, translation_bench, large, "--text", large / "numbers" / "*", *words[4:])
    assert "--text names 3 files" in capsys.readouterr().err


def archive(folder):
    from allennlp.models.archival import archive_model

    archive_model(str(folder), weights="best.th")


def test_figures_of_all_files_are_in_one_table(tmp_path, monkeypatch, capsys):
    (tmp_path / "tatoeba").mkdir()
    (tmp_path / "forgotten").mkdir()
    scores = {"chrF": 30.126, "chrF/H2VL": 20.0, "chrF/AVG": 25.0, "chrF/en-gl": 20.0}
    (tmp_path / "tatoeba" / "teacher.json").write_text(json.dumps(scores))
    (tmp_path / "tatoeba" / "alone.json").write_text(json.dumps({"chrF": 29.0}))
    table = "model\tMB\tchrF\nbase\t36.2\t30.1\nint8\t9.1\t29.9\n"
    (tmp_path / "forgotten" / "models.tsv").write_text(table)
    run(monkeypatch, translation_table, tmp_path, "--out", tmp_path / "all.tsv")
    head, *rows = rows_of(tmp_path / "all.tsv")
    assert head == ["table", "row", "column", "figure"] and len(rows) == 9
    assert ["tatoeba", "teacher", "chrF", "30.13"] in rows
    assert ["forgotten/models", "int8", "MB", "9.1"] in rows
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["tatoeba", "chrF", "H2VL", "AVG", "all"] in shown
    assert ["teacher", "20.00", "25.00", "30.13"] in shown and ["alone", "-", "-", "29.00"] in shown


def test_a_folder_without_results_is_refused(tmp_path, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        run(monkeypatch, translation_table, tmp_path, "--out", tmp_path / "all.tsv")
    assert "has no results. Run `make results RUN=translation` first" in capsys.readouterr().err
