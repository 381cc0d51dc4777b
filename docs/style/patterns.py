"""What a sentence must not have, each with its cure and an example."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

ALL = ("page", "help", "docstring", "message")
CODE = ("help", "docstring")
TEXTS = ("help", "docstring", "message")
_QUESTION = re.compile(r"\?\W*$")


@dataclass(frozen=True)
class Pattern:
    """
    A pattern in passages of some `kinds`.

    # Parameters

    regex : `str`
        Searched for in a passage, in upper and lower case; code between backticks is a word.

    cure : `str`
        What to write instead, for messages.

    wrong, right : `str`
        An example, which the pattern matches, and the same as it should be, which it does not.

    kinds : `tuple[str, ...]`
        Kinds of `passages.Passage`.
    """

    regex: str
    cure: str
    wrong: str
    right: str
    kinds: tuple[str, ...] = ALL

    def finds(self, kind: str, text: str) -> bool:
        """Returns whether a passage that is no question has the pattern."""
        if kind not in self.kinds or _QUESTION.search(text):
            return False
        return bool(re.search(self.regex, _without_code(text), re.IGNORECASE))


PATTERNS = (
    Pattern(
        r"^\W*what(ever)?\b",
        "a noun",
        "What parses a shard.",
        "The parser of a shard.",
        CODE,
    ),
    Pattern(
        r"^\W*(who|where|which|when|why|that (is|are|has|have))\b",
        "a noun",
        "Where the words of a tree lie.",
        "The positions of the words of a tree.",
        CODE,
    ),
    Pattern(
        r"^\W*how\b",
        "'the number of', 'the way', or the verb that is meant",
        "How many words.",
        "The number of words.",
        CODE,
    ),
    Pattern(
        r"^\W*whether\b",
        "'Returns whether' for functions, 'True if' for properties",
        "Whether figures can be drawn.",
        "Returns whether figures can be drawn.",
        CODE,
    ),
    Pattern(
        r"^\W*(of|per ?cent|those (of|that|whose|in|with)|that of|each (with|of)|all that)\b",
        "the noun that is missing",
        "Of the bootstrap; 0: none.",
        "The number of bootstrap samples; 0 disables the bootstrap.",
        CODE,
    ),
    Pattern(
        r"^\W*(as|by|with|without|within|from|before|after|at|on|in|between|to|for|about|into|under"
        r"|over|behind|during|against|among|across)\b"
        r"(?!.*, (?!what|which)\w+ (is|are|can|has|have|gets|goes)\b)",
        "a verb or a noun before it",
        "By gold UPOS, the most frequent first.",
        "Returns the kinds by gold UPOS, the most frequent first.",
        CODE,
    ),
    Pattern(
        r"^\W*\w+('s|s')( own)?[,.;]",
        "the noun that is missing",
        "AllenNLP's, with errors that are for users.",
        "AllenNLP's function, with errors that are for users.",
        CODE,
    ),
    Pattern(
        r"^\W*meanwhile\b|\bmeanwhile\W*$",
        "a verb, with 'within the context'",
        "Meanwhile transformers logs errors alone.",
        "Silences transformers, except for errors, within the context.",
        CODE,
    ),
    Pattern(
        r": (by )?(what|how|whether|where the)\b",
        "a noun after the colon",
        "The tables of one layer: what attention takes.",
        "The tables of one layer: the arguments of attention.",
        CODE,
    ),
    Pattern(
        r"\b(of|for|with|from|than|unlike|behind|beside|by) what(ever)?\b",
        "a noun",
        "The probability of what is predicted.",
        "The probability of the prediction.",
    ),
    Pattern(
        r"^\W*what (is|are|cannot|can|has|does|was|were|gold|else)\b"
        r"[^,]*\b(is|are|stays?|becomes?)\b",
        "a noun and its verb",
        "What cannot be loaded is one line that says so.",
        "Archives that cannot be loaded give a one-line error.",
        ("page",),
    ),
    Pattern(
        r"\bthere (is|are|was|were) not\b|\bthat (is|are) not there\b",
        "'unknown', 'missing', 'does not exist'",
        "A setting that there is not is refused.",
        "Unknown settings are rejected.",
    ),
    Pattern(
        r"\b(all|what|which|who|where) else\b",
        "the noun that is meant",
        "All else that is said of this run: out.log",
        "Full log: out.log",
    ),
    Pattern(
        r"\b(is|are|was|were|be|been|being) (said|told|begun|gone on with)\b",
        "an active verb: 'the card shows', 'the model receives', 'start'",
        "A file whose writing was begun.",
        "An incomplete file.",
    ),
    Pattern(
        r"\b(say|says|said|tell|tells|told) of\b",
        "'show', 'report', 'reveal'",
        "The words that a card tells of.",
        "The words that a card reports.",
    ),
    Pattern(
        r"\bmend(s|ed|ing)?\b",
        "'fix', 'correct', 'repair'",
        "Mends the installation.",
        "Repairs the installation.",
    ),
    Pattern(
        r"\b(of|in|into|for|with|only|makes?|hold|exactly|at most|first) so (many|much)\b"
        r"(?! (that|as)\b)",
        "'this many', or the number's name",
        "Cuts files into so many parts.",
        "Cuts files into this many parts.",
        TEXTS,
    ),
    Pattern(
        r"\bgo(es)? on\b(?! to\b)",
        "'continue', 'resume'",
        "A recovered run goes on where it stopped.",
        "A recovered run continues where it stopped.",
    ),
    Pattern(
        r"\b(is|are) asked for\b",
        "'requested', 'needed', 'on demand'",
        "Sentences are made when they are asked for.",
        "Sentences are made on demand.",
    ),
    Pattern(
        r"(?<!\bthere )\b(is|are) no (?!longer|more|less|older|newer)(?=[a-z`])",
        "'is not a', 'has no', 'does not'",
        "The file is no archive of a model.",
        "The file is not a model archive.",
        TEXTS,
    ),
    Pattern(
        r"\bthere is no (such|command|option|setting|language|task|tokenizer|encoding|column)\b",
        "'unknown', 'does not exist'",
        "There is no task 'pos'.",
        "Unknown task 'pos'.",
        TEXTS,
    ),
    Pattern(
        r"\b(says?|tells?) (how|what|which|whether|where|who)\b",
        "'shows', 'determines', 'states'",
        "The name says what the file holds.",
        "The name determines the file's format.",
        TEXTS,
    ),
    Pattern(
        r"(?<!instead )\bof (its|their) own\b(?! [a-z])",
        "'its own ...', 'a separate ...'",
        "Each treebank has a model of its own.",
        "Each treebank has its own model.",
        TEXTS,
    ),
    Pattern(
        r"\bin the place of\b",
        "'instead of', 'as a replacement of'",
        "Words stand in the place of wordpieces.",
        "Words are used instead of wordpieces.",
        TEXTS,
    ),
    Pattern(
        r"\banew\b",
        "'again', 're-...'",
        "The file is written anew.",
        "The file is rewritten.",
        TEXTS,
    ),
    Pattern(
        r"\bwhatever\b",
        "'for any', 'regardless of'",
        "Raw text is split whatever its name is.",
        "Raw text is split regardless of its name.",
        TEXTS,
    ),
    Pattern(
        r"\bas (it|they|(the )?\w+) (has|have) (it|them)\b",
        "'as in', or the verb that is meant",
        "Arguments as the encoder has them.",
        "Arguments as in the encoder.",
        TEXTS,
    ),
    Pattern(
        r"\b(take|takes|taken) (it|them|one) (out|off)\b"
        r"|\b(leave|leaves) ((it|them|one|this) )?out\b",
        "'remove', 'omit', 'skip'",
        "Take it out.",
        "Remove it.",
        TEXTS,
    ),
)

SPELLINGS = {
    "analyze": "analyse",
    "artifact": "artefact",
    "behavior": "behaviour",
    "canceled": "cancelled",
    "center": "centre",
    "centered": "centred",
    "color": "colour",
    "favor": "favour",
    "gray": "grey",
    "initialise": "initialize",
    "labeled": "labelled",
    "labeling": "labelling",
    "modeling": "modelling",
    "neighbor": "neighbour",
    "normalise": "normalize",
    "optimise": "optimize",
    "organise": "organize",
    "quantise": "quantize",
    "randomise": "randomize",
    "recognise": "recognize",
    "serialise": "serialize",
    "summarise": "summarize",
    "tokenise": "tokenize",
    "traveled": "travelled",
    "whilst": "while",
}
"""British with -ize, as in 'tokenizer' and 'optimizer', which are the field's."""

TERMS = {
    "deprel": ("dependency label", "dependency relation"),
    "development data": ("dev set", "dev data", "validation set", "validation data"),
    "hub name": ("name on the hub",),
    "multiword token": ("contraction", "MWT"),
    "no such file or folder": ("no such file or directory",),
    "pretrained": ("pre-trained",),
    "pretraining": ("pre-training",),
    "rejected": ("refused", "refuses"),
    "run folder": (
        "folder of a run",
        "folder of the run",
        "run's folder",
        "serialization directory",
    ),
    "shipped model": ("model in the package", "model that ships"),
    "UPOS": ("POS tag", "universal POS"),
    "wordpiece": ("word piece", "subword token"),
}
"""One name per thing in help, docstrings and messages, with the names that are not used."""


def faults(kind: str, text: str) -> Iterator[str]:
    """Yields the cure of each fault in a passage."""
    yield from (pattern.cure for pattern in PATTERNS if pattern.finds(kind, text))
    if kind in TEXTS:
        yield from (
            f"'{right}' for '{wrong}'"
            for right, wrongs in TERMS.items()
            for wrong in wrongs
            if re.search(rf"\b{wrong}(s|es)?\b", _without_code(text), re.IGNORECASE)
        )
    words = set(re.findall(r"[a-z]+", _without_code(text).lower()))
    for wrong, right in SPELLINGS.items():
        if words & _inflected(wrong):
            yield f"'{right}' for '{wrong}'"


def _inflected(word: str) -> set[str]:
    stem = word.removesuffix("e")
    endings = ("e", "es", "ed", "er", "ing") if word.endswith("ise") else ("", "s")
    return {stem + ending for ending in endings}


def _without_code(text: str) -> str:
    """The passage with code as a word and without what other people said, between quotes."""
    return re.sub(
        r"https?://\S+", "URL", re.sub(r'"[^"]*"', '"quoted"', re.sub(r"`[^`]*`", "`x`", text))
    )
