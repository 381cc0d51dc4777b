"""Texts as numbers of subwords, in the files and with the numbers of M2M-100."""

import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.archives.loading import archive_in
from udify_allennlp.archives.run_folder import model_folder
from udify_allennlp.data import encoder_files
from udify_allennlp.text.files import AnyPath
from udify_allennlp.text.languages import UD_CODES

BOS, PAD, EOS, UNKNOWN = range(4)
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
MODEL, VOCABULARY, LANGUAGES = "sentencepiece.bpe.model", "vocab.json", "languages.json"
# In the order of their numbers (Fan et al. 2020; the list of fairseq's and transformers' M2M-100).
_CODES = """
af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he
hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl
no ns oc or pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi
yo zh zu
"""
M2M_100 = tuple(_CODES.split())
# Sentences of a language that a SentencePiece model is trained on, at most.
_SENTENCES = 20_000


class Subwords:
    """
    A SentencePiece model, the numbers of its pieces, and after them those of language codes.

    # Parameters

    model : `bytes`
        A SentencePiece model.
    numbers : `Dict[str, int]`
        Numbers of its pieces; 0 to 3 are `<s>`, `<pad>`, `</s>` and `<unk>`.
    languages : `Sequence[str]`
        The codes, numbered from the last piece on.

    # Raises

    `ConfigurationError` if the numbers differ, or sentencepiece is not installed.
    """

    def __init__(self, model: bytes, numbers: dict[str, int], languages: Sequence[str]) -> None:
        if [numbers.get(piece) for piece in _SPECIAL] != [BOS, PAD, EOS, UNKNOWN]:
            raise ConfigurationError(
                f"{VOCABULARY} does not number {', '.join(_SPECIAL)} from 0 to 3. Use that of an "
                "M2M-100 model."
            )
        self._model = model
        self._processor = _sentencepiece().SentencePieceProcessor()
        if not model or not self._processor.load_from_serialized_proto(model):
            raise ConfigurationError(f"{MODEL} is empty. Copy it again.")
        self._numbers = numbers
        self._pieces = {number: piece for piece, number in numbers.items()}
        self.languages = tuple(languages)
        self._codes = {lang: len(numbers) + place for place, lang in enumerate(languages)}

    @property
    def size(self) -> int:
        """The number of subwords, including codes."""
        return len(self._numbers) + len(self.languages)

    def same_as(self, other: "Subwords") -> bool:
        """Returns whether the other gives every text and language the same numbers."""
        mine, theirs = ((each._model, each._numbers, each.languages) for each in (self, other))
        return mine == theirs

    def pieces(self, text: str) -> list[str]:
        """Returns the pieces of a text."""
        return list(self._processor.encode(text, out_type=str))

    def numbers(self, texts: list[str]) -> list[list[int]]:
        """Returns the numbers of the pieces of each text, without code and `</s>`."""
        found = self._processor.encode(texts, out_type=str)
        return [[self._numbers.get(piece, UNKNOWN) for piece in pieces] for pieces in found]

    def text(self, numbers: Iterable[int]) -> str:
        """Returns the text of the numbers up to `</s>`; codes and `<unk>` are left out."""
        pieces = []
        for number in numbers:
            if number == EOS:
                break
            if number > UNKNOWN and number in self._pieces:
                pieces.append(self._pieces[number])
        return str(self._processor.decode(pieces)).strip()

    def code(self, lang: str) -> int:
        """
        Returns the number of a language's code.

        # Raises

        `ConfigurationError` if the model has none.
        """
        for name in (lang, UD_CODES.get(lang, lang)):
            if name in self._codes:
                return self._codes[name]
        raise ConfigurationError(
            f"the translation model has no code for the language {lang!r:.40}. Use one of "
            f"{', '.join(self.languages)}."
        )

    def save(self, folder: AnyPath) -> None:
        """Writes the files of M2M-100, and the codes, which these lack."""
        Path(folder, MODEL).write_bytes(self._model)
        for name, value in ((VOCABULARY, self._numbers), (LANGUAGES, self.languages)):
            Path(folder, name).write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: AnyPath) -> "Subwords":
        """
        Loads the subwords from a folder that `save` wrote, or of an M2M-100 model.

        # Raises

        `ConfigurationError` if a file is missing or invalid.
        """
        try:
            languages = Path(folder, LANGUAGES)
            return cls(
                Path(folder, MODEL).read_bytes(),
                _checked(json.loads(Path(folder, VOCABULARY).read_text(encoding="utf-8"))),
                json.loads(languages.read_text("utf-8")) if languages.is_file() else M2M_100,
            )
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            raise ConfigurationError(
                f"{folder} has no subwords of M2M-100 ({' '.join(str(error).split())[:120]}). Name "
                f"a folder with {MODEL} and {VOCABULARY}."
            ) from error

    @classmethod
    def trained(cls, texts: dict[str, list[str]], vocab_size: int) -> "Subwords":
        """
        Trains a unigram model with at most `vocab_size` pieces, for small runs, on the same number
        of sentences of each language, or on all if it has fewer.

        # Parameters

        texts : `Dict[str, List[str]]`
            Lines by language; codes are numbered in alphabetical order.
        """
        some = (line for lang in sorted(texts) for line in _evenly(texts[lang]) if line)
        model = io.BytesIO()
        sentencepiece = _sentencepiece()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=some,
                model_writer=model,
                vocab_size=vocab_size,
                hard_vocab_limit=False,
                character_coverage=0.9999,
                num_threads=1,  # the same model in each run
                minloglevel=2,
            )
        except RuntimeError as error:
            raise ConfigurationError(
                f"No SentencePiece model of {vocab_size} pieces can be trained on this text "
                f"({' '.join(str(error).split())[-120:]}). Set dataset_reader.vocab_size, or use "
                "more text."
            ) from error
        processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
        pieces = map(processor.id_to_piece, range(processor.get_piece_size()))
        ordered = [*_SPECIAL, *(piece for piece in pieces if piece not in _SPECIAL)]
        return cls(model.getvalue(), {each: i for i, each in enumerate(ordered)}, sorted(texts))


@contextmanager
def source_folder(name: str) -> Iterator[str]:
    """
    Yields the folder with config, subwords and weights of a model: for our models the one within
    the run or archive, otherwise the folder or hub name itself.
    """
    place = os.fspath(archive_in(name))
    run = os.path.join(place, encoder_files.FOLDER, VOCABULARY)
    if not os.path.isfile(place) and not os.path.isfile(run):
        yield name
        return
    with model_folder(name) as folder:
        yield str(folder / encoder_files.FOLDER)


def load_subwords(name: Optional[str], serialization_dir: Optional[str]) -> Optional[Subwords]:
    """
    Loads the subwords of the run if it has some, else those of `name`: an M2M-100 model, as a
    folder or a hub name, or one of our translation models. `None` if there is neither.
    """
    copy = Path(serialization_dir or "", encoder_files.FOLDER)
    if serialization_dir and (copy / MODEL).is_file():
        return Subwords.load(copy)
    if name is None:
        return None
    encoder_files.check_may_leave(name, f"{encoder_files.FOLDER}/{MODEL}")
    with source_folder(name) as folder:
        found = Subwords.load(folder if os.path.isdir(folder) else _fetched(folder))
    keep_subwords(found, serialization_dir)
    return found


def keep_subwords(subwords: Subwords, serialization_dir: Optional[str]) -> None:
    """Writes the subwords into the run folder, and so into its archive."""
    encoder_files.keep(subwords.save, serialization_dir, MODEL)


def _fetched(name: str) -> str:
    """Returns the folder of a model on the hub, with its subwords."""
    from transformers.utils import cached_file

    encoder_files.source(name, None, MODEL)  # asks whether the hub answers
    try:
        paths = [cached_file(name, file) for file in (VOCABULARY, MODEL)]
    except OSError as error:
        raise ConfigurationError(
            f"No subwords could be loaded from {name!r}: {str(error).splitlines()[0]} Use the name "
            "of an M2M-100 model on the Hugging Face hub, or a folder."
        ) from None
    return os.path.dirname(str(paths[0]))


def _checked(numbers: Any) -> dict[str, int]:
    if not isinstance(numbers, dict) or not all(isinstance(n, int) for n in numbers.values()):
        raise ValueError(f"{VOCABULARY} does not number pieces")
    return numbers


def _evenly(lines: list[str]) -> list[str]:
    """Returns at most `_SENTENCES` lines, from all parts of the text."""
    step = -(-len(lines) // _SENTENCES)
    return lines[:: max(step, 1)]


def _sentencepiece() -> Any:
    try:
        import sentencepiece
    except ImportError:
        raise ConfigurationError(
            "Translation needs sentencepiece: pip install 'udify_allennlp[translation]'."
        ) from None
    return sentencepiece
