"""Gender and sense bias of translation models: before and after compression."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.forgotten.tables import Row, Tables, times_100
from udify_allennlp.compression.gender_bias import (
    FEMALE,
    MALE,
    Entity,
    Gender,
    bias_of,
    gender_f1,
    read_entities,
    stereotype_bias,
)
from udify_allennlp.compression.gender_reading import entity_gender, parsed_words
from udify_allennlp.compression.sense_bias import read_choices, sense_bias
from udify_allennlp.compression.word_alignment import align_words
from udify_allennlp.parser import Parser
from udify_allennlp.text.sentence import Sentence

WINOMT = ("en.txt", "en_pro.txt", "en_anti.txt")
"""All sentences, those for and those against a stereotype."""
Wino = tuple[list[Entity], list[Entity], list[Entity]]


def read_winomt(folder: str) -> Wino:
    """
    The three files of WinoMT in a folder.

    # Raises

    `ConfigurationError` if one is missing; `InputError` if one has another format.
    """
    for name in WINOMT:
        if not (Path(folder) / name).is_file():
            raise ConfigurationError(
                f"--gender {folder}: has no {name}. Name a folder with {', '.join(WINOMT)}."
            )
    every, pro, anti = (read_entities(Path(folder) / name) for name in WINOMT)
    return every, pro, anti


def sentences_of(wino: Wino) -> list[str]:
    """Returns each sentence of the three files once."""
    return list(dict.fromkeys(entity.sentence for part in wino for entity in part))


def parsed_texts(parser: Parser, texts: Sequence[str], lang: str) -> list[list[Sentence]]:
    """Returns the parsed sentences of each text; an empty list for an empty text."""
    parses: list[list[Sentence]] = [[] for _ in texts]
    for sentence in parser.stream(texts, lang):
        parses[sentence.text_index].append(sentence.sentence)
    return parses


def read_genders(
    parser: Parser, lang: str, translations: Mapping[str, str], entities: Iterable[Entity]
) -> list[Gender]:
    """
    Returns the gender of the translation of each entity, according to `parser`.

    # Parameters

    lang : `str`
        The language of the translations.
    translations : `Mapping[str, str]`
        Translations by sentence: those of all entities, and optionally further ones, which improve
        the alignment of words.
    """
    sources = list(translations)
    parses = parsed_texts(parser, list(translations.values()), lang)
    words = dict(zip(sources, map(parsed_words, parses)))
    links = align_words(
        [(source_words(source), [word.form for word in words[source]]) for source in sources]
    )
    alignment = dict(zip(sources, links))
    return [
        entity_gender(
            words[entity.sentence],
            [
                place
                for place, source in enumerate(alignment[entity.sentence])
                if source == entity.place
            ],
        )
        for entity in entities
    ]


def source_words(sentence: str) -> list[str]:
    """Returns the space-separated words, as WinoMT counts them, without surrounding punctuation."""
    return [word.strip(".,;:!?\"'") or word for word in sentence.split()]


def gender_row(
    parser: Parser, lang: str, translations: Mapping[str, str], wino: Wino
) -> list[Optional[float]]:
    """
    Returns F1 of male and female entities, psi and psi* of a model's translations, all times 100.
    """
    entities = [entity for part in wino for entity in part]
    genders = iter(read_genders(parser, lang, translations, entities))
    every, pro, anti = (
        [(entity.gender, gender) for entity, gender in zip(part, genders)] for part in wino
    )
    return [
        *(100 * gender_f1(every, gender) for gender in (MALE, FEMALE)),
        times_100(bias_of(every)),
        times_100(stereotype_bias(bias_of(pro), bias_of(anti))),
    ]


def gender_table(tables: Tables, rows: Sequence[Row]) -> None:
    """Writes gender.tsv (Tables 5.6 and 5.12)."""
    head = ["language", "model", "F1 male", "F1 female", "psi", "psi*"]
    tables.write("gender", [head, *rows], "Gender bias on WinoMT, times 100")


def sense_table(tables: Tables, files: Mapping[str, str]) -> None:
    """Writes senses.tsv (Table 5.7) of files of choices, by the names of models."""
    rows: list[Row] = [["model", "words", "SFII", "SPDI", "MFS", "MFS+", "AVG"]]
    for name, path in files.items():
        choices = read_choices(Path(path))
        bias = sense_bias(choices)
        rows.append([name, len(choices), *bias, bias.average])
    tables.write("senses", rows, "Bias towards frequent senses, in percent")
