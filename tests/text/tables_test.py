"""Tables are read by the names of their columns; what stands behind `#` is for people."""

from udify_allennlp.text.line_reader import read_rows


def test_rows_have_the_names_of_the_columns(tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text("# how it was made\ntreebank\tLAS\nen_ewt\t85.7\n# a note\nde_gsd\t-\n")
    assert read_rows(path) == [
        {"treebank": "en_ewt", "LAS": "85.7"},
        {"treebank": "de_gsd", "LAS": "-"},
    ]
