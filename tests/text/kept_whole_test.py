"""Addresses and the like stay whole: rules of no language cut them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizer_bench import make_run

from tests.helpers.kept_whole import TEXTS, assembled
from udify_allennlp.text.cutting import MAX_PART
from udify_allennlp.text.kept_whole import continues, spans
from udify_allennlp.text.tokenizers import make_tokenizer


@given(parts=TEXTS, lang=st.sampled_from(["en", "fr", "tr", "zh", "th", "he", None]))
def test_rules_end_nothing_inside_them(parts, lang):
    text, inside = assembled(parts)
    tokens = [token for sentence in make_tokenizer("rules", lang)(text) for token in sentence]
    assert not inside & {place for token in tokens for place in token[:2]}


@given(text=st.text("ab1@#.:/<>&;='\"( w—東e\u0301\u200d👨\ud800"))
def test_spans_are_in_order_and_inside_the_text(text):
    last = 0
    for span in spans(text):
        assert last <= span.start < span.end <= len(text)
        last = span.end
    assert len(continues(text)) == len(text) and not continues(text)[-1:].any()


@pytest.mark.parametrize(
    "marked",
    [
        "See [https://a.b/c?d=e], or ([www.x.org]). Mail [a@b.de]; ask [@me]!",
        "([https://en.wikipedia.org/wiki/Foo_(bar)]) «[http://a.b]»…",
        "请看[https://example.com/a]，谢谢。写信到[foo@bar.com]谢谢 @小明你好",
        "Look at [example.com], ([Foo.co.uk/x?y=1]). 请看[example.org]的。 end.It was.de a.com.x",
        "R[&amp;]D AT&T; [&quot;]hi[&quot;] caf[&eacute;]",
        "[<b>]Hi[</b>] 3 <4> a<b and c>d <<Ciao>> <[a@b.de]> <[https://a.b]>",
        "no@ #1 C# a@b :// http:// x.y",
        "On [2024-11-28], at [12:30:45]. Ring [555-123-4567]; they play [4-3-3] ([1/2/2024]).",
        "第[2024-11-28]回 [28-11-2024]-én 2-0 3:1 1/2 1990-1995 24:00 1-2/3 1:2-3:4 1.1-2-3",
        "[photo.jpg], ([Report-2021.docx]); [~/a_b/c.zip] 文件[a.PDF]在 end.It fine.Py a.js.x",
        "[/usr/local/bin]. and/or /a /a/ km/h he/she/it [src/main.py] [.NET] .Net .XV. a.NET",
        "Hi [:(] [<3] [:-))], [:D]. a:) (:) :(see <3a 8)",
        "[۲٫۵] و [۱۹۹٬۵۰۰] [১,২৫,০০০] [৩:৩০]টায় 1,5 ۲٫ ২1,২",
        "[#हिंदी] [@मोदी]। [#मराठी_भाषा] [#مَدرسة]، [#می\u200cخواهم] [ई@मेल.कॉम] हि#a",
        "[www.example.am]։ [https://a.am/a]։ [https://a.b/c]، x",
        "12345-1-2 1-2-12345 1/2/3/4 1-2-3-4-5-6-7 1:2:3 1,5-2-3",
    ],
)
def test_by_hand(marked):
    """Brackets stand around what is found."""
    text = marked.replace("[", "").replace("]", "")
    found = text
    for span in reversed([*spans(text)]):
        found = f"{found[: span.start]}[{found[span.start : span.end]}]{found[span.end :]}"
    assert found == marked


@pytest.mark.parametrize(
    "text, borders",
    [("foo@bar.com'a", (True, False)), ("l'@ami.", (False, True)), ("'@ami'", (True, True))],
)
def test_a_suffix_or_an_elision_may_be_joined(text, borders):
    """Turkish cases and French articles: whether they are words is not for these rules to say."""
    (span,) = spans(text)
    assert span[2:] == borders


@pytest.mark.parametrize(
    "text, inside",
    [('לצה"ל', [2, 3]), ("ד״ר", [0, 1]), ('ה"עליהום"', []), ('מ"יד', []), ('ש"ח"', [])],
)
def test_hebrew_acronyms_stay_whole(text, inside):
    assert continues(text).nonzero()[0].tolist() == inside


def test_a_character_without_end_is_cut():
    """Or a text of marks alone would have to be looked at in one piece."""
    assert not continues("e" + "\u0301" * 5 * MAX_PART)[MAX_PART - 1 :: MAX_PART].any()
    assert continues(make_run("joined emoji", 400)).any()
