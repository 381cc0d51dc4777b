"""Labels beside punctuation."""

import numpy
import pytest

from tests.helpers.segmentation import bars, cut
from udify_allennlp.segmentation.labels import MULTIWORD, SENTENCE, TOKEN
from udify_allennlp.segmentation.sign_labels import (
    end_at_signs,
    end_before_periods,
    even_hyphens,
    even_runs,
    even_slashes,
    join_groups,
    join_numbers,
)


def relabelled(function, cut, lang):
    """The text with bars where tokens end, after a function has changed the labels."""
    text, ends = bars(cut)
    labels = numpy.zeros(len(text), dtype=numpy.uint8)
    labels[numpy.subtract(ends, 1)] = TOKEN
    function(labels, text, 0, lambda place: lang)
    return "".join(sign + "|" * bool(label) for sign, label in zip(text, labels))


@pytest.mark.parametrize(
    "lang, cut, even",
    [
        ("en", "best|-known well-|off A-B a|-|b", "best|-|known well|-|off A-B a|-|b"),
        ("sk", "best|-known a|-|b", "best-known a|-|b"),
        ("sk", "a-b|-|c", "a-b-c"),
        ("de", "E-Mails E-|Bikes", "E|-|Mails E|-|Bikes"),
        ("zh", "地方-|我", "地方|-|我"),
        ("fr", "dit|-il", "dit|-il"),
        ("ru", "кто|-|то 5|-|го Ростове|-на-|Дону а|-|б", "кто-то 5-го Ростове-на-Дону а|-|б"),
        ("ru", "Кое|-|что кой-|какие окое|-|что", "Кое-что кой-какие окое|-|что"),
        ("ka", "მე|-|20 მე-| 20-|3", "მე-20 მე-| 20-|3"),
        ("en", "a -|b 1-|2", "a -|b 1-|2"),
    ],
)
def test_tokens_end_on_both_sides_of_a_hyphen_or_on_neither(lang, cut, even):
    assert relabelled(even_hyphens, cut, lang) == even


@pytest.mark.parametrize(
    "lang, cut, even",
    [
        ("ru", "км|/ч руб.|/|кг м/|с а/я 5/|6", "км|/|ч руб.|/|кг м|/|с а/я 5/|6"),
        ("pl", "zł./|kg", "zł.|/|kg"),
        ("lv", "a/|s", "a/|s"),
        ("en", "he/she| it—really A/C I/|O", "he|/|she| it|—|really A/C I/O"),
        ("en", "a w|/| b W|/o cd w/ef w/r.|t. kW/h", "a w/| b W/o| cd w/|ef w/r.|t. kW|/|h"),
        ("nb", "og|/eller a/b", "og|/|eller a/b"),
        ("nl", "en/|of w|/ t", "en/of w|/ t"),
        ("pt", "c/|carro", "c/|carro"),
    ],
)
def test_tokens_end_on_both_sides_of_a_slash_or_on_neither(lang, cut, even):
    assert relabelled(even_slashes, cut, lang) == even


@pytest.mark.parametrize(
    "lang, cut, even",
    [
        ("en", ".|..| !|!! ?!| ..|", "...| !!!| ?!| ..|"),
        ("pl", "...| ?|!!|", ".|.|.| ?|!|!|"),
        ("sl", "...| !|!|", ".|.|.| !!|"),
    ],
)
def test_runs_are_one_token_or_one_for_each_sign(lang, cut, even):
    # After a run, the token ends in any case.
    assert relabelled(even_runs, cut, lang).replace("!!| ?", "!! ?") == even.replace(
        "!!| ?", "!! ?"
    )


@pytest.mark.parametrize(
    "lang, text, is_cut",
    [
        ("nn", "Bilen er ny.", True),
        ("vi", "7%.", True),
        ("fi", "Nopeus on 3 m/s.", True),
        ("hr", "Imam ih 5.", True),
        ("hr", "Imam ih 5. Dan", False),
        ("de", "Das war 2019. Dann", True),
        ("en", "He saw Dr. Who", False),
        ("en", "It had etc. in", False),
        ("en", "in the U.S. The", False),
        ("en", "1. The", False),
        ("es", "un plan B.", True),
        ("es", "Dura 3 h. Luego", True),
        ("pt", "um plano B.", False),
        ("pt", "a 5m.", True),
        ("it", "alla lettera f.", False),
        ("en", "a plan B.", False),
    ],
)
def test_the_token_ends_before_a_period_that_ends_a_sentence(lang, text, is_cut):
    labels = numpy.zeros(len(text), dtype=numpy.uint8)
    place = text.rindex(".")
    labels[place] = TOKEN | SENTENCE | MULTIWORD
    end_before_periods(labels, text, 0, lambda place: lang)
    assert labels[place - 1] == TOKEN * is_cut
    assert labels[place] & (TOKEN | SENTENCE) == TOKEN | SENTENCE
    assert bool(labels[place] & MULTIWORD) != is_cut


@pytest.mark.parametrize(
    "lang, cut, joined",
    [
        ("en", "2-|0 3|:1 24/|7 1990|–1995", "2-0 3:1 24/7 1990–1995"),
        ("en", "1,|5 10.|30 F-|16 20|-jarige", "1,5 10.30 F-16 20-jarige"),
        ("en", "80 km|/h 5 mg/|kg", "80 km/h 5 mg/kg"),
        ("ar", "٢|٠|٪ １|００|円", "٢٠|٪ １００|円"),
        ("ro", "80 km|/h 5 mg/|kg 2-|0 x", "80 km|/|h 5 mg|/|kg 2-0 x"),
        # On both sides, on none, between letters, after a small one, around white space.
        ("en", "2|-|0 3:1", "2|-|0 3:1"),
        ("en", "l|-aktar sal-|2010 x.|y 2|, 5", "l|-aktar sal-|2010 x.|y 2|, 5"),
        ("en", "-|5 5|-", "-|5 5|-"),
        ("en", "80 km|/|h km/| h und/|oder", "80 km|/|h km/| h und/|oder"),
    ],
)
def test_nothing_ends_on_one_side_of_a_sign_between_numbers(lang, cut, joined):
    assert relabelled(join_numbers, cut, lang) == joined


@pytest.mark.parametrize(
    "lang, cut, joined",
    [
        ("fr", "1| 250 € et 3| 500| 000 x", "1 250| € et 3 500 000| x"),
        ("fr", "1|\u00a0250,|50| €", "1\u00a0250,50| €"),
        ("fr", "01| 456| 789 et 2| 345| 67", "01| 456| 789 et 2| 345| 67"),
        ("fr", "+33| 145| 678", "+33| 145| 678"),
        ("de", "1| 250| €", "1| 250| €"),
    ],
)
def test_groups_of_three_digits_are_one_number(lang, cut, joined):
    assert relabelled(join_groups, cut, lang) == joined


def test_a_sentence_may_end_between_numbers():
    labels = numpy.array([0, TOKEN | SENTENCE, 0], dtype=numpy.uint8)
    join_numbers(labels, "3.4", 0, lambda place: "en")
    assert labels[1] == TOKEN | SENTENCE


def test_signs_are_cut_in_the_language_only():
    text = "«a» «b»"
    labels = numpy.zeros(len(text), dtype=numpy.uint8)
    labels[2] = TOKEN | MULTIWORD
    end_at_signs(labels, text, 0, "fr", lambda place: "fr" if place < 4 else "mr")
    assert labels.tolist() == [TOKEN, TOKEN, TOKEN, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "lang, text, expected",
    [
        ("de", "Ich schreibe E-Mails.", ["Ich schreibe E - Mails ."]),
        ("be", "Хуткасць вецеру 90 км/г.", ["Хуткасць вецеру 90 км / г ."]),
        ("ru", "Кое-что изменилось.", ["Кое-что изменилось ."]),
        ("cs", "Je to česko-anglický slovník.", ["Je to česko - anglický slovník ."]),
        ("tr", 'Kadın "evet" dedi.', ['Kadın " evet " dedi .']),
        ("fr", "Elle a dit 'non' à Paul.", ["Elle a dit ' non ' à Paul ."]),
        ("en", "“She said ‘no’”.", ["“ She said ‘ no ’ ” ."]),
        ("nn", "Kan du sjå det?", ["Kan du sjå det ?"]),
        ("te", "వయస్సు 30.", ["వయస్సు 30 ."]),
        ("fa", "قیمت ۱۲,۰۰۰ تومان است.", ["قیمت ۱۲,۰۰۰ تومان است ."]),
        ("fr", "Cela coûte 1 250 €.", ["Cela coûte 1 250 € ."]),
        ("ro", "Mașina merge cu 80 km/h.", ["Mașina merge cu 80 km / h ."]),
        ("cy", "Roedd yn mynd 80 km/h.", ["+Yr+oedd yn mynd 80 km/h ."]),
        ("en", "Open README.md in /usr/local/bin :(", ["Open README.md in /usr/local/bin :("]),
        ("zh", "我用Python写PDF文件。", ["我 用 Python 写 PDF 文件 。"]),
    ],
)
def test_shipped(lang, text, expected):
    assert cut(text, lang) == expected
