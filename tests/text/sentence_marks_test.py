"""Punctuation that decides whether a sentence ends."""

from functools import partial

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.segmentation import bars, cut, in_parts
from udify_allennlp.segmentation.floor import floor_of
from udify_allennlp.segmentation.labels import SENTENCE, TOKEN
from udify_allennlp.segmentation.sentence_ends import (
    close_quotes,
    end_before_capitals,
    go_on_after_speech,
    go_on_without_marks,
)
from udify_allennlp.text.sentence_marks import capital_ends, closings, is_unmarked, speeches, stops


@pytest.mark.parametrize(
    "marked",
    [
        "Բարև։| Ես «Անին։ Եմ» եմ։|",
        "کھایا۔| معلوم۔|",
        "नमस्ते।| राम॥|",
        "Եկավ։| Տուն:| Ո՞վ է նա՞:| Նա «Եկավ»:| Արամ: 10:30 արամ: արամ «Եկավ: Տուն»",
        "本当？|すごい！！|「a！」",
        "本当！と聞いた。|なに？って",
        "やった！|とても",
        "甲（乙！）丙",
        # Not at the end of a word, before a quotation mark, an emoji.
        "10։30 نئچ۔نن राम। '' x やった！😊",
    ],
)
def test_stops(marked):
    text, places = bars(marked)
    assert [place + 1 for place in stops(text, 0, len(text))] == places


def test_a_bar_behind_a_hindi_verb_is_a_full_stop():
    text = "दिल्ली | वह घर पर है | मैं यहाँ हूँ|x जाऊँगा |"
    assert [*stops(text, 0, len(text))] == [text.index("है |") + 3, len(text) - 1]


@pytest.mark.parametrize(
    "marked",
    [
        "»Pridi sem.|«| Ona",
        "„Dođi!|“|\nx „Ne.|”)|",
        "甲。|」|",
        'He said "a." Then "b',
        "a, «b» c .“x",
    ],
)
def test_closings(marked):
    text, places = bars(marked.replace('a." ', 'a.|"| '))
    assert [place + 1 for pair in closings(text) for place in pair] == places


@pytest.mark.parametrize(
    "lang, marked",
    [
        ("en", '"Who|?" |asked|?”|he "So?" http://a "So?" He "So"?'),
        ("fr", "—Qui|? —|demanda|! — |dit. — non"),
        ("pl", "Kto? — a"),
        ("ka", '"რა?" თქვა'),
        ("ko", "\"네|?\"|라고 '좋다|.'|고 말"),
        ("ko", '"네?" 라고 "네?"양'),
        ("bm", '"ye?" a'),
        ("de", "er. |»|Was? |„|Wer"),
    ],
)
def test_speeches(lang, marked):
    text, places = bars(marked)
    found = speeches(text, lang, 0, len(text))
    # A span begins at the period.
    assert sorted(place for pair in found for place in pair) == places


@pytest.mark.parametrize(
    "lang, marked",
    [
        ("cs", "„Pojď sem!“| Usmála. „Ano.“| Ne"),
        ("en", 'It is "B." Then the "Corp." and "Who?"'),
        ("ga", '"Anseo!" Usmála'),
        ("it", "Ha piovuto.| Siamo qui?| No!| C'era pagg. Tre il sig. Rossi alle 5. Ma S. Qui"),
        ("it", "@anna Ha piovuto. Siamo qui. «Sì»"),
        ("pt", "Vamos à praia?| Sim!| Claro. Ele veio! e foi"),
        ("pt", "E a PETR4? Subiu! Boa #bolsa"),
        ("cy", "Mae'n dda!| Diolch. Iawn"),
        ("la", "pulchram habet.| Filii cap. V et lib. III"),
        ("ru", "Кто там?| Я. Кто? А. Белый"),
        ("pl", "Pomocy!| Ratunku!| Słyszysz? nie. Ktoś"),
        ("tr", "Geldin mi?| Evet!| İyi? diye sordu ? A"),
        ("hi", "कहाँ हो?| घर पर! 5"),
        ("fa", "کجایی؟| خونه؟ a"),
        ("de", "Hallo.| Danke.| Ein Haus. Er war ehem. Leiter und ging.| Sie"),
        ("da", "Hej.| Tak.| Ja. Nej.| Godt. x"),
        (
            "en",
            "So he went.| Yes.| No. On Yahoo! News the Gen. Smith of Mt. Everest. Attn. Mr. Smith",
        ),
        ("en", "St. Louis. Then\nHello.| Jack.| London.\nWho?! Nobody.| But"),
        ("sv", "Hon kom, dvs. Anna kom.| Bra"),
    ],
)
def test_ends_before_capitals(lang, marked):
    text, places = bars(marked)
    assert sorted(capital_ends(text, lang, 0, len(text))) == places


def test_a_post_is_no_other_paragraph():
    assert [*capital_ends("@anna\0Ha piovuto. Siamo qui.\0@anna", "it", 0, 40)] == [17]


@pytest.mark.parametrize(
    "lang, text, is_found",
    [
        ("la", "Deus caelum et terram.", True),
        ("la", "Deus caelum et terram", False),
        ("la", "Deus caelum\0et terram.", False),
        ("la", f"Deus {'a' * 203}.", False),
        ("fi", "Deus caelum et terram.", False),
    ],
)
def test_sentences_of_latin_end_in_marks(lang, text, is_found):
    assert is_unmarked(text, lang, 4) == is_found
    labels = numpy.full(len(text), TOKEN | SENTENCE, dtype=numpy.uint8)
    go_on_without_marks(labels[3:4], text, 3, lambda place: lang)
    assert labels[3] == (TOKEN if is_found else TOKEN | SENTENCE)


@given(text=st.text("aB .?\"'“—«0\n", max_size=30), middle=st.integers(0, 30))
def test_parts_do_not_matter(text, middle):
    def labels_by(parts):
        labels = numpy.full(len(text), TOKEN | SENTENCE, dtype=numpy.uint8)
        for start, stop in parts:
            part = labels[start:stop]
            go_on_after_speech(part, text, start, "la", lambda place: "la")
            end_before_capitals(part, text, start, "la", lambda place: "la")
            close_quotes(part, floor, start)
        return labels.tolist()

    floor = floor_of(text, [0], [len(text)])
    blocks = [(part.start, part.stop) for part in floor.blocks(text, middle + 1)]
    assert labels_by(blocks) == labels_by([(0, len(text))])
    whole = [*capital_ends(text, "la", 0, len(text))]
    assert in_parts(partial(capital_ends, text, "la"), text, [middle]) in (whole, sorted(whole))


def test_a_sentence_ends_behind_the_quotation_mark():
    text = "»Pridi.« Ona »x."
    labels = numpy.zeros(len(text), dtype=numpy.uint8)
    labels[[6, 15]] = TOKEN | SENTENCE
    close_quotes(labels, floor_of(text, [0], [len(text)]), 0)
    assert labels.nonzero()[0].tolist() == [6, 7, 15]
    assert (labels & SENTENCE).nonzero()[0].tolist() == [7, 15]


@pytest.mark.parametrize(
    "lang, text, expected",
    [
        ("sl", "»Pridi sem.« Nasmehnila se je.", ["» Pridi sem . «", "Nasmehnila se je ."]),
        ("cs", "„Pojď sem!“ Usmála se.", ["„ Pojď sem ! “", "Usmála se ."]),
        ("hy", "Այո։ Դա ճիշտ է։", ["Այո ։", "Դա ճիշտ է ։"]),
        ("hyw", "Մենք ուրախ էինք: Գնաց:", ["Մենք ուրախ էինք :", "Գնաց :"]),
        ("ja", "嬉しい！ありがとう！", ["嬉しい ！", "ありがとう ！"]),
        ("ko", '"안녕하세요?"라고 물었다.', ['" 안녕하세요 ? " 라고 물었다 .']),
        ("ru", "Кто там? Я. Открой.", ["Кто там ?", "Я .", "Открой ."]),
        ("pl", "Pomocy! Ratunku!", ["Pomocy !", "Ratunku !"]),
        ("it", "Ha piovuto. Siamo rimasti.", ["Ha piovuto .", "Siamo rimasti ."]),
        ("fr", "—Qui es-tu? —demanda l'homme.", ["— Qui es -tu ? — demanda l' homme ."]),
        ("sv", "Hej. Tack. Ja. Nej. Bra.", ["Hej .", "Tack .", "Ja .", "Nej .", "Bra ."]),
        ("la", "In principio creavit Deus caelum.", ["In principio creavit Deus caelum ."]),
    ],
)
def test_shipped(lang, text, expected):
    assert cut(text, lang) == expected
