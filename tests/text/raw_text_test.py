"""Raw text to CoNLL-U and back, with each tokenizer."""

import gzip
import io
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from udtools import validator

from tests.conftest import FIXTURES
from tests.helpers.texts import TEXTS, check_rebuilt
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.cutting import MAX_SENTENCE
from udify_allennlp.text.errors import ConlluError, InputError
from udify_allennlp.text.raw_text import Token, lines_of, read_lines, read_text, rebuild, spans
from udify_allennlp.text.tokenizers import TOKENIZERS, lines_with, make_tokenizer, sentence_a_line

LANGUAGES = [None, "fr", "zh", "qqq"]


@pytest.fixture(scope="session")
def udpipe_model(tmp_path_factory):
    """A UDPipe 1 model of 100 German sentences: it splits `zum` and `im`."""
    udpipe = pytest.importorskip("ufal.udpipe")
    path = FIXTURES / "ud" / "de_gsd-ud-train.conllu"
    error, sentences = udpipe.ProcessingError(), udpipe.Sentences()
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(path.read_text(encoding="utf-8"))
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = udpipe.Sentence()
    model = udpipe.Trainer.train(
        "morphodita_parsito",
        sentences,
        udpipe.Sentences(),
        "epochs=2;dimension=16",
        "none",
        "none",
        error,
    )
    assert not error.occurred(), error.message
    path = tmp_path_factory.mktemp("udpipe") / "german.udpipe"
    path.write_bytes(model)
    return str(path)


def read(text, tokenizer="rules", lang=None):
    return list(read_text(lines_of(text), make_tokenizer(tokenizer, lang)))


def forms(text, tokenizer="rules", lang=None):
    return [sentence.forms for sentence in read(text, tokenizer, lang)]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", TOKENIZERS)
def test_any_text_can_be_rebuilt(name, lang):
    tokenizer = make_tokenizer(name, lang)
    given(TEXTS)(lambda text: check_rebuilt(text, tokenizer))()


@pytest.mark.slow
def test_any_text_can_be_rebuilt_with_udpipe(udpipe_model):
    tokenizer = make_tokenizer(udpipe_model)

    def rebuilt(text):
        sentences = list(read_text(lines_of(text), tokenizer))
        assert rebuild(sentences) == (text if text.strip() else "")

    given(TEXTS)(rebuilt)()


@pytest.mark.slow
def test_udpipe_sees_little_at_a_time(udpipe_model):
    """Its time grows with the square of a run: of 20,000 brackets seconds, of a million hours."""
    text = 20_000 * "(" + " Im Haus."
    sentences = list(read_text(lines_of(text), make_tokenizer(udpipe_model)))
    assert rebuild(sentences) == text
    assert max(len(rebuild([sentence])) for sentence in sentences) <= MAX_SENTENCE // 2


@given(text=st.text("ab \n\t"), data=st.data())
def test_no_tokenizer_can_lose_text(text, data):
    """Whatever tokens it gives, with white space in and around them, or none at all."""

    def tokenizer(paragraph):
        places = st.lists(st.integers(0, len(paragraph)), max_size=8)
        cuts = sorted(data.draw(places))
        return [[Token(*pair)] for pair in zip(cuts[::2], cuts[1::2])]

    sentences = list(read_text(lines_of(text), tokenizer))
    assert rebuild(sentences) == (text if text.strip() else "")
    assert "".join(form.replace(" ", "") for s in sentences for form in s.forms) == (
        "".join(text.split())
    )


def test_the_same_by_hand():
    text = "\ufeff Mr. Fox\ta|b.  He's\r\nin!\n \nWhy?"
    assert "".join(sentence.text for sentence in read(text[1:], lang="en")) == (
        "# newdoc\n# newpar\n# sent_id = 1\n# text = Mr. Fox a|b.\n"
        "1\tMr.\t_\t_\t_\t_\t_\t_\t_\tSpacesBefore=\\s\n"
        "2\tFox\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\t\n"
        "3\ta\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "4\t|\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "5\tb\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "6\t.\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\s\\s\n\n"
        "# sent_id = 2\n# text = He's in!\n"
        "1\tHe\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "2\t's\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\r\\n\n"
        "3\tin\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "4\t!\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\n\\s\\n\n\n"
        "# newpar\n# sent_id = 3\n# text = Why?\n"
        "1\tWhy\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "2\t?\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n\n"
    )


def test_a_token_with_a_line_end_inside():
    (sentence,) = read_text(["10\n", "000 |"], lambda text: [[Token(0, 6), Token(7, 8)]])
    assert sentence.forms == ["10 000", "|"]
    assert sentence.misc == ["SpacesInToken=10\\n000", "SpaceAfter=No"]
    assert "# text = 10 000 |" in sentence.comments
    assert rebuild([sentence]) == "10\n000 |"


@pytest.mark.slow
def test_multiword_tokens_of_udpipe(udpipe_model):
    (sentence,) = read("Im  Haus.", udpipe_model)
    assert sentence.forms[-2:] == ["Haus", "."] and len(sentence) == 4
    assert "1-2\tIm\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\s\\s\n1\tIn\t" in sentence.text
    assert spans(sentence, 3) == [(3, 5), (3, 5), (7, 11), (11, 12)]
    assert rebuild([sentence]) == "Im  Haus."


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("ud/*.conllu")), ids=lambda path: path.name)
def test_treebanks_are_rebuilt_as_their_comments_say(path):
    for sentence in read_sentences(path):
        text = next(c for c in sentence.comments if c.startswith("# text = "))[9:]
        assert rebuild([sentence]).rstrip() == text.rstrip()
        places = spans(sentence)
        assert len(places) == len(sentence) and places == sorted(places)


def test_sentences_and_words_of_several_languages():
    text = "Mr. Fox can't be here. Is he?"
    assert forms(text, lang="en") == [
        ["Mr.", "Fox", "ca", "n't", "be", "here", "."],
        ["Is", "he", "?"],
    ]
    assert forms("J'aime l'eau.", lang="fr") == [["J'", "aime", "l'", "eau", "."]]
    # Scripts without spaces need no language.
    assert forms("我们爱北京。你呢?") == [["我们", "爱", "北京", "。"], ["你", "呢", "?"]]
    assert forms("ไปไหนมา") == [["ไป", "ไหน", "มา"]]
    assert forms("A 😀東京です!") == [["A", "😀", "東京", "です", "!"]]


def test_lines_and_spaces():
    text = "One line. Still it\n\nDon't!\n"
    assert forms(text, "lines", "en") == [
        ["One", "line", ".", "Still", "it"],
        ["Do", "n't", "!"],
    ]
    assert forms(text, "spaces") == [["One", "line.", "Still", "it"], ["Don't!"]]


def test_texts_share_their_ids():
    ids = iter([7, 8])
    texts = ["a", "b"]
    tokenizer = make_tokenizer("spaces")
    comments = [s.comments for text in texts for s in read_text([text], tokenizer, ids)]
    assert [c[:3] for c in comments] == [
        ["# newdoc", "# newpar", f"# sent_id = {i}"] for i in (7, 8)
    ]


def test_files(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress("\ufeffa\u2028b\r\n\n\ufeffc".encode()))
    assert list(read_lines(str(path))) == ["a\u2028b\r\n", "\n", "\ufeffc"]
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(ConlluError, match=r"a\.txt\.gz:\d: the compressed file is damaged"):
        list(read_lines(str(path)))
    path = tmp_path / "b.txt"
    path.write_bytes(b"a\nb\xff\n")
    with pytest.raises(ConlluError, match=r"b\.txt:2: byte 0xff is not UTF-8"):
        list(read_lines(str(path)))


def test_mistakes(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="Unknown tokenizer 'rule'. Use rules, lines, spaces"):
        make_tokenizer("rule")
    (tmp_path / "a.udpipe").write_text("text")
    pytest.importorskip("ufal.udpipe")
    with pytest.raises(InputError, match=r"a\.udpipe is not a UDPipe 1 model"):
        make_tokenizer(str(tmp_path / "a.udpipe"))
    with pytest.raises(ValueError, match="the token 0:2 after 2 characters"):
        list(read_text(["abc"], lambda text: [[Token(1, 2), Token(0, 2)]]))


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sentencex", None)
    with pytest.raises(InputError, match="Install it: pip install sentencex"):
        make_tokenizer("rules")


@pytest.mark.parametrize("lang", ["en", "th", None])
@pytest.mark.parametrize("name", ["rules", "lines"])
def test_what_is_seen_as_one_character_stays_in_one_word(name, lang):
    tokenize = make_tokenizer(name, lang)

    def words(text):
        return [text[t.start : t.end] for sentence in tokenize(text) for t in sentence]

    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    flags = ["\U0001f1eb\U0001f1f7", "\U0001f1e9\U0001f1ea"]
    heart, thumb = "\u2764\ufe0f", "\U0001f44d\U0001f3fd"
    assert words(f"I {heart} {family} ok") == ["I", heart, family, "ok"]
    assert words("".join(flags)) == flags  # no space between: two words
    assert words(f"{thumb}yes") == [thumb, "yes"]
    assert words("e\u0301te\u0301 \u0915\u094d\u0937") == ["e\u0301te\u0301", "\u0915\u094d\u0937"]
    assert set(words(flags[0] * 150)) == {flags[0]}  # more than is looked at in one part


@given(text=st.text("a \u0301\u200d\ufe0f\U0001f1eb\U0001f3fd\U0001f468!", max_size=12))
def test_no_word_ends_inside_a_cluster(text):
    breaker = pytest.importorskip("icu4py.breakers").CharacterBreaker
    ends = {0, *itertools.accumulate(map(len, breaker(text, "en")))}
    for sentence in make_tokenizer("lines")(text):
        for token in sentence:
            assert token.end in ends or text[token.end : token.end + 1].isspace()


WHITE = [chr(code) for code in range(0x110000) if chr(code).isspace()]


@given(text=st.text([*WHITE, "a", "b", ".", "|", "\\", "é"]))
def test_no_white_space_stands_raw_in_conllu(text):
    sentences = list(read_text(lines_of(text), make_tokenizer("rules")))
    assert rebuild(sentences) == (text if text.strip() else "")
    rows = "".join(sentence.text for sentence in sentences)
    assert {character for character in rows if character.isspace()} <= {"\t", "\n", " "}
    for sentence in sentences:
        assert not any(" " in misc for misc in sentence.misc)


def test_any_white_space_makes_valid_conllu(tmp_path):
    path = tmp_path / "a.conllu"
    write_sentences(read("".join(f"a{white}b.{white}" for white in WHITE)), path)
    errors = io.StringIO()
    assert (
        validator.Validator(lang="ud", level=1, output=errors).validate_file(str(path)).passed()
    ), errors.getvalue()
    found = list(read_sentences(path))
    assert "SpacesAfter=\\u00A0" in path.read_text() and "\\u2028" in path.read_text()
    assert rebuild(found) == "".join(f"a{white}b.{white}" for white in WHITE)


def test_lines_with_the_words_of_another_tokenizer():
    def two(paragraph):
        middle = len(paragraph) // 2
        yield [Token(0, middle, ("x", "y"))]
        yield [Token(middle, len(paragraph))]

    text = "abcd\nef\n\ngh"
    sentences = list(read_text(lines_of(text), sentence_a_line(two)))
    assert [sentence.forms for sentence in sentences] == [["x", "y", "cd"], ["x", "y", "f"]] * 1 + [
        ["x", "y", "h"]
    ]
    assert rebuild(sentences) == text
    for name in ("lines", "spaces"):
        assert lines_with(name) == name
    assert lines_with("rules") == "lines:rules" == lines_with("lines:rules")
    assert forms("The dog. It\nsleeps.", "lines:rules") == forms("The dog. It\nsleeps.", "lines")
