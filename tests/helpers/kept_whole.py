"""Texts of addresses, tags, entities, dates and single characters, with others between them."""

from hypothesis import strategies as st

WHOLE = [
    *("https://example.com/a?b=c&d=1", "http://user.example.org/~me/index.html#top", "ftp://a.b/c"),
    *(
        "example.com",
        "mail.example.org/a/b",
        "www.beispiel.de",
        "https://en.wikipedia.org/wiki/Foo_(bar)",
        "@user@host.social",
    ),
    *("first.last@mail.example.co.uk", "jean-paul+x@exemple.fr", "@john_doe", "#metoo", "<b>"),
    *("</a>", "<br />", '<a href="http://a.b/c?d. E" class=x>', "&quot;", "&#8217;", "&nbsp;"),
    *("2024-11-28", "28/11/2024", "12:30:45", "555-123-4567"),
    *(
        "👨\u200d👩\u200d👧\u200d👦",
        "🏴\U000e0067\U000e0062\U000e007f",
        "👍🏽",
        "e\u0301",
        "ស្រ",
        "🇩🇪",
    ),
]
BETWEEN = [
    " ",
    "  ",
    "\n",
    ", ",
    ". ",
    "! ",
    "? He ",
    " («",
    "») ",
    "。",
    "，我们",
    " the dog ",
    " 5 ",
]
TEXTS = st.lists(st.tuples(st.sampled_from(WHOLE), st.sampled_from(BETWEEN)), max_size=8)


def assembled(parts):
    """A text of pieces, and the places inside one."""
    text, inside = "", set()
    for whole, behind in parts:
        inside.update(range(len(text) + 1, len(text) + len(whole)))
        text += whole + behind
    return text, inside
