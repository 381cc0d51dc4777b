from udify_allennlp.text.newdoc import document_names, with_newdoc
from udify_allennlp.text.sentence import BOM, Sentence

COLUMNS = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC\n"
ROW = "1\ta" + "\t_" * 8


def test_names_are_short_and_unlike():
    assert document_names(["x/fr.txt", "x/de.txt.gz", "v1.2"]) == ["fr", "de", "v1.2"]
    assert document_names(["x/fr.txt", "x/fr.conllu"]) == ["fr.txt", "fr.conllu"]
    assert document_names(["x/fr.txt", "y/fr.txt"]) == ["x/fr.txt", "y/fr.txt"]


def test_the_comment_is_where_conllu_allows_it():
    for head in ("", BOM, COLUMNS, "\n\n", BOM + "\n"):
        given = Sentence(f"{head}# sent_id = 1\n{ROW}\n\n", "a")
        text = f"{head}# newdoc id = fr\n# sent_id = 1\n{ROW}\n\n"
        assert with_newdoc(given, "fr").text == text
    crlf = Sentence(f"{ROW}\r\n\r\n", "a")
    assert with_newdoc(crlf, "fr").text == f"# newdoc id = fr\r\n{ROW}\r\n\r\n"


def test_a_name_that_is_there_stays():
    given = Sentence(f"# newdoc id = other\n{ROW}\n\n", "a")
    assert with_newdoc(given, "fr").text == given.text
