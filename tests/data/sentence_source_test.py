import pytest
from allennlp.common.checks import ConfigurationError

from tests.helpers import DEV, ENCODER
from udify_allennlp.data.sentence_source import UNKNOWN, Origin, origins_of
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.sentence import Sentence

TEXT = "# sent_id = 1\n# lang = qfn\n#treebank=fy_x\n1\ta" + "\t_" * 8 + "\n\n"


@pytest.mark.parametrize(
    "name, source, expected",
    [
        ("treebank", True, "nl_alpino"),
        ("treebank", "file", "nl_alpino"),
        ("treebank", "comment", "fy_x"),
        ("treebank", "=de_gsd", "de_gsd"),
        ("lang", "file", "nl"),
        ("lang", "comment", "qfn"),
        ("lang", "=de", "de"),
    ],
)
def test_the_declared_source_says_it(name, source, expected):
    sentence = Sentence(TEXT, "some/nl_alpino-ud-train.conllu")
    assert Origin(name, source).of(sentence, required=True) == expected


@pytest.mark.parametrize(
    "path, lang",
    [
        ("fi.conllu", "fi"),
        ("a/fi_tdt-ud-dev.conllu.xz", "fi"),
        ("text.conllu", ""),
        ("typ.txt", ""),
    ],
)
def test_a_name_that_is_no_language_leaves_it_to_the_comment(path, lang):
    assert Origin("lang", "file").of(Sentence(TEXT, path)) == (lang or "qfn")
    silent = TEXT.replace("# lang = qfn\n", "")
    assert Origin("lang", "file").of(Sentence(silent, path)) == lang


def test_the_standard_of_a_file_or_a_comment_has_the_code_of_treebanks():
    lang = Origin("lang", "file")
    assert lang.of(Sentence(TEXT.replace("qfn", "nn"), "text.conllu")) == "no"
    assert lang.of(Sentence(TEXT, "nb.conllu")) == "no"
    # Those of which older archives may have labels.
    assert lang.of(Sentence(TEXT, "nn_mine-ud-dev.conllu")) == "nn"
    assert Origin("lang", "comment").of(Sentence(TEXT.replace("qfn", "nn"), "a.conllu")) == "nn"


def test_what_is_not_said_is_unknown_in_prediction_and_an_error_in_training(tmp_path):
    path = tmp_path / "x.conllu"
    row = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    path.write_text("# lang = en\n" + row + row)
    reader = UniversalDependenciesReader(ENCODER, langs="comment")
    with pytest.raises(ConlluError, match=rf"{path}:4: .*no comment `# lang = ...`. Add it, or"):
        reader.table(str(path))
    schema = reader.schema.unannotated()
    table = reader.table_of(list(reader.sentences(str(path))), schema)
    assert [table.values(row, "lang") for row in range(2)] == [["en"], [UNKNOWN]]
    given = reader.table_of(list(reader.sentences(str(path))), schema, lang=["de", "fr"])
    assert [given.values(row, "lang") for row in range(2)] == [["de"], ["fr"]]


def test_a_standard_of_a_language_is_its_treebank():
    assert origins_of("nn") == {"lang": "no", "treebank": "no_nynorsk"}
    assert origins_of("nb") == {"lang": "no", "treebank": "no_bokmaal"}
    assert origins_of("no_nynorsklia") == {"lang": "no", "treebank": "no_nynorsklia"}
    assert origins_of("no") == {"lang": "no"} and origins_of("se") == {"lang": "sme"}


def test_both_origins_stand_in_a_batch():
    reader = UniversalDependenciesReader(ENCODER, treebanks=True, langs=True)
    table = reader.table(DEV)
    assert table.values(3, "treebank") == ["en_ewt"] and table.values(3, "lang") == ["en"]
    assert len(table.columns["lang"].codes) == len(table)


@pytest.mark.parametrize("source", ["path", "=", 3])
def test_other_sources_are_refused(source):
    with pytest.raises(ConfigurationError, match="dataset_reader.langs is"):
        UniversalDependenciesReader(ENCODER, langs=source)
