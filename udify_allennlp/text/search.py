"""
Constructions in trees, found with XPath by lxml (the extra `search`). A sentence is an element
`sentence`; its words are elements `word`, each inside its head, with columns and features as
attributes.
"""

import re
from functools import lru_cache
from typing import Any

from udify_allennlp.text.errors import InputError
from udify_allennlp.text.non_word_rows import comment
from udify_allennlp.text.raw_text import rebuild, spans
from udify_allennlp.text.sentence import Sentence, fault
from udify_allennlp.text.tree_check import head_number
from udify_command.nearest import did_you_mean

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "misc")
_OF_SENTENCES = ("sent_id", "text")
_ELEMENTS = ("sentence", "word")
_OPERATORS = ("and", "or", "div", "mod")
_NAMESPACES = {"re": "http://exslt.org/regular-expressions"}
_LITERAL = re.compile(r"'[^']*'|\"[^\"]*\"")
_NAME = re.compile(r"(?<![\w:$.-])(@?)\s*([^\W\d][\w.-]*)\s*(\(|:?)")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_GIVES = {float: "a number", bool: "true or false", str: "a text", list: "texts"}


class Query:
    """
    An XPath expression that finds words.

    # Parameters

    xpath : `str`
        An expression such as `//word[@upos='VERB']`. A selected sentence stands for its root.

    # Raises

    `InputError` if it is not XPath, or names an element or a column that does not exist;
    `ImportError`, with the command to install it, without the extra `search`.
    """

    def __init__(self, xpath: str) -> None:
        self._xpath = xpath
        self._find = _compiled(xpath)

    def words(self, tree: Any) -> list[Any]:
        """
        Returns the words found in a tree of `to_xml`, as elements, in the order of the text.

        # Raises

        `InputError` if the expression returns a number or texts instead of elements.
        """
        nodes = _evaluated(self._find, tree)
        if not isinstance(nodes, list) or any(isinstance(node, str) for node in nodes):
            raise InputError(
                f"{self._xpath} returns {_GIVES[type(nodes)]}. Only words can be found: put the "
                "condition into the brackets of //word[...]."
            )
        words = {node[0] if node.tag == "sentence" else node for node in nodes}
        return sorted(words, key=number_of)

    def ids(self, sentence: Sentence) -> list[int]:
        """
        Returns the ids of the words found in a sentence.

        # Raises

        The errors of `words` and `to_xml`.
        """
        return [number_of(word) for word in self.words(to_xml(sentence))]


class Value:
    """
    A value by which words are counted.

    # Parameters

    of : `str`
        A column (`lemma`), a feature (`Case`), or XPath relative to the word (`../@lemma`).

    # Raises

    The errors of `Query`.
    """

    def __init__(self, of: str) -> None:
        xpath = f"@{of}" if re.fullmatch(r"[^\W\d]\w*", of) else of
        _compiled(xpath)  # its errors name what was given
        self._find = _compiled(f"string({xpath})")

    def __call__(self, word: Any) -> str:
        """Returns the value for the element of a word; `_` if it has none."""
        return _evaluated(self._find, word) or "_"


def number_of(word: Any) -> int:
    """Returns the id of the element of a word."""
    return int(word.get("id"))


def to_xml(sentence: Sentence) -> Any:
    """
    Returns the element of a sentence. Words without a head (`_`) are siblings of the root.

    # Raises

    `ConlluError` if a head is neither `_` nor a word of the sentence, or heads form a cycle.
    """
    from lxml import etree

    words = _attributes(sentence)
    dependents: list[list[int]] = [[] for _ in range(len(words) + 1)]
    for word, attributes in enumerate(words, start=1):
        head = attributes["head"]
        number = 0 if head == "_" else head_number(head, len(words))
        if number is None:
            what = f"word {word} has head {head[:40]!r}, outside 0..{len(words)}"
            raise fault(sentence.path, sentence.line_of(word), what, "Correct HEAD.")
        dependents[number].append(word)
    named = {name: comment(sentence, name) for name in _OF_SENTENCES}
    tree = etree.Element("sentence", {name: _clean(value) for name, value in named.items()})
    left = set(range(1, len(words) + 1))
    waiting = [(0, tree)]
    while waiting:
        head_word, element = waiting.pop()
        for word in dependents[head_word]:
            left.remove(word)
            waiting.append((word, etree.SubElement(element, "word", words[word - 1])))
    if left:
        what = f"word {min(left)} is below no root, since heads form a cycle"
        raise fault(sentence.path, sentence.line_of(min(left)), what, "Correct HEAD.")
    return tree


def marked_text(sentence: Sentence, words: list[int]) -> list[tuple[str, bool]]:
    """
    Returns the text in parts, with True for those of these words; a multiword token is marked as a
    whole.
    """
    text, places = rebuild([sentence]), spans(sentence)
    parts: list[tuple[str, bool]] = []
    end = 0
    for start, stop in sorted({places[word - 1] for word in words}):
        parts += (text[end:start], False), (text[start:stop], True)
        end = stop
    parts.append((text[end:], False))
    shown = [(re.sub(r"\s+", " ", part), is_found) for part, is_found in parts]
    first, last = shown[0][0].lstrip(), shown[-1][0].rstrip()
    return [part for part in [(first, False), *shown[1:-1], (last, False)] if part[0]]


def _attributes(sentence: Sentence) -> list[dict[str, str]]:
    ids = map(str, range(1, len(sentence) + 1))
    rows = zip(
        ids,
        *(sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats),
        *(sentence.heads, sentence.deprels, sentence.misc),
    )
    words = [{**_features(cells[5]), **dict(zip(COLUMNS, cells))} for cells in rows]
    if _NOT_IN_XML.search(sentence.text):
        words = [{name: _clean(cell) for name, cell in word.items()} for word in words]
    return words


@lru_cache(maxsize=4096)
def _features(cell: str) -> dict[str, str]:
    """Returns the features by names that XML can have: `Number_psor` for `Number[psor]`."""
    items = [] if cell == "_" else [item.partition("=") for item in cell.split("|")]
    return {_attribute(name): value for name, _, value in items}


def _attribute(name: str) -> str:
    name = re.sub(r"\W+", "_", name.removesuffix("]"))
    return name if re.match(r"[^\W\d]", name) else f"_{name}"


def _clean(cell: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", cell)


def _compiled(xpath: str) -> Any:
    try:
        from lxml import etree
    except ImportError:
        raise ImportError(
            "Searching trees needs lxml. Install it: pip install 'udify_allennlp[search]'"
        ) from None
    try:
        compiled = etree.XPath(xpath, namespaces=_NAMESPACES, smart_strings=False)
    except etree.XPathSyntaxError as error:
        entries = list(error.error_log)
        column = entries[-1].column if entries else 0
        place = f" at {xpath[column:]!r}" if xpath[column:] else " at its end"
        raise InputError(f"{xpath} is not XPath: it has an error{place}. Correct it.") from None
    _check_names(xpath)
    return compiled


def _check_names(xpath: str) -> None:
    """
    Raises an error for misspelt names, since XPath would find nothing. Features may have any name.
    """
    for at, name, behind in _NAME.findall(_LITERAL.sub("''", xpath)):
        if at:
            column_names = (*COLUMNS, *_OF_SENTENCES)
            if name not in column_names and (name.islower() or name.lower() in column_names):
                nearest = did_you_mean(name.lower(), column_names)
                raise InputError(
                    f"{xpath}: unknown column @{name}.{nearest} Columns are "
                    f"{', '.join(column_names)}."
                )
        elif not behind and name not in (*_ELEMENTS, *_OPERATORS):
            raise InputError(
                f"{xpath}: unknown element {name}. Elements are sentence and word; columns and "
                "features need an @, and texts need quotation marks."
            )


def _evaluated(find: Any, element: Any) -> Any:
    from lxml import etree

    try:
        return find(element)
    except (etree.XPathError, re.error) as error:
        raise InputError(f"{find.path} cannot be evaluated: {error}.") from None
