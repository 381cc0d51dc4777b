"""Japanese raw text cut and analysed by MeCab with UniDic: `pip install fugashi unidic-lite`."""

import lzma
from collections.abc import Iterator
from typing import Any, NamedTuple


class MecabWord(NamedTuple):
    """A word of a text."""

    form: str
    kind: tuple[str, str]
    """UniDic's part of speech and its subtype: `動詞`, `一般`."""
    lemma: str


def words_of_lines(path: str) -> Iterator[tuple[str, list[MecabWord]]]:
    """Yields the lines of a text, compressed by xz, and their words."""
    import fugashi

    tagger = fugashi.Tagger()
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in filter(None, map(str.strip, lines)):
            yield line, [_word(each.surface, each.feature) for each in tagger(line)]


def _word(form: str, feature: Any) -> MecabWord:
    # Lemmas of loanwords name their source: `ケーキ-cake`.
    lemma = (feature.lemma or form).split("-")[0]
    return MecabWord(form, (feature.pos1, feature.pos2), lemma or form)
