"""The generated tables of the shipped model's page."""

from docs.reference import scores

HEADS = "treebank\tlang\tsentences\twords\tUPOS\tUFeats\tLemmas\tUAS\tLAS\traw Tokens"
HEADS += "\traw Sentences\traw Words\traw UPOS\traw UFeats\traw Lemmas\traw UAS\traw LAS"
SOURCES = """# a comment
folder\tlang\tuse\tsentences\tlicence\tcommit\tdate
UD_English-EWT\ten\ttrain\t12544\tCC-BY-SA-4.0\tx\t2026-01-01
UD_English-GUM\ten\tno\t0\tCC-BY-NC-SA-4.0\tx\t2026-01-01
UD_English-PUD\ten\tsplit\t1000\tCC-BY-SA-3.0\tx\t2026-01-01
UD_Manx-Cadhan\tgv\tno\t0\tCC-BY-SA-4.0\tx\t2026-01-01
"""


def line(name, lang, las, lemmas="90.00"):
    return "\t".join(
        [name, lang, "2", "9", "91.00", "92.00", lemmas, "80.00", las]
        + ["99.00", "98.00", "97.00", "90.00", "89.00", lemmas, "70.00", "60.00"]
    )


def test_treebanks_are_grouped_by_what_was_trained_on(tmp_path):
    rows = [line("gv_cadhan", "gv", "30.00", "-"), line("en_gum", "en", "70.00")]
    rows.append(line("en_pud", "en", "84.00"))
    (tmp_path / "s.tsv").write_text("\n".join([HEADS, *rows, line("en_ewt", "en", "86.00")]) + "\n")
    (tmp_path / "t.tsv").write_text(SOURCES)
    summary = scores.averages(tmp_path / "s.tsv", tmp_path / "t.tsv")
    _, *groups = scores.markdown(tmp_path / "s.tsv", tmp_path / "t.tsv").split("### ")
    assert [group.split("\n")[0] for group in groups] == list(scores.GROUPS)
    assert "| Trained on | 2 | 91.00 | 92.00 | 90.00 | 80.00 | 85.00 |" in summary
    assert "| on 10,000 or more | 1 | 91.00" in summary and "| on 1,000 to 9,999 | 1 |" in summary
    assert "| Languages that it was not trained on | 1 | 91.00 | 92.00 | - |" in summary
    assert "| English-EWT |" in groups[0] and "| English-PUD * |" in groups[0]
    assert "English-GUM" in groups[1] and "Manx" in groups[2]
    assert "| CC-BY-NC-SA-4.0 |" in groups[1]


def test_nothing_is_shown_before_anything_is_scored(tmp_path):
    for made in (scores.averages, scores.markdown):
        assert made(tmp_path / "none.tsv", tmp_path / "none.tsv") == ""
