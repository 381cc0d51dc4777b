"""The reader of aligned text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Optional, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance
from allennlp.data.fields import MetadataField

from udify_allennlp.translation.aligned_text import aligned_files
from udify_allennlp.translation.pairs import Pair, PairTable, read_texts
from udify_allennlp.translation.subwords import Subwords, keep_subwords, load_subwords


@DatasetReader.register("udify_translation")
class TranslationReader(DatasetReader):
    """
    A reader of aligned text files: `train.en` and `train.de`, plain, .gz or .xz, are in one folder,
    and line 7 of one is the translation of line 7 of the other. The end of a name is the language,
    as any ISO 639 code. Files of three languages have six directions. The data loader of the same
    name makes batches of the pairs.

    # Parameters

    model_name : `Optional[str]`
        An M2M-100 or SMaLL-100 model, as a folder or a hub name, or one of our translation
        models, whose subwords are used. By default a SentencePiece model is trained on the training
        data.
    vocab_size : `int`
        Number of pieces of a new SentencePiece model; above 4.
    directions : `Optional[List[str]]`
        Directions to read, such as `["en-de", "*-en"]`; by default all.
    max_pieces : `int`
        Training pairs with more subwords on a side are left out.
    serialization_dir : `Optional[str]`
        Given by AllenNLP.

    # Raises

    `InputError` for files that are not aligned. `ConfigurationError` if no subwords can be loaded.
    """

    def __init__(
        self,
        model_name: Optional[str] = None,
        vocab_size: int = 8000,
        directions: Optional[list[str]] = None,
        max_pieces: int = 256,
        serialization_dir: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if vocab_size <= 4 or max_pieces < 1:
            raise ConfigurationError(
                f"dataset_reader has vocab_size {vocab_size} and max_pieces {max_pieces}. The "
                "first must be above 4, the second at least 1."
            )
        self._vocab_size = vocab_size
        self._directions = directions
        self._max_pieces = max_pieces
        self._serialization_dir = serialization_dir
        self._subwords = load_subwords(model_name, serialization_dir)

    @property
    def subwords(self) -> Subwords:
        """
        # Raises

        `ConfigurationError` if there are none and no training data was read.
        """
        if self._subwords is None:
            # The reader of development data is another object.
            self._subwords = load_subwords(None, self._serialization_dir)
        if self._subwords is None:
            raise ConfigurationError(
                "dataset_reader has no subwords yet, since they are trained on the training data. "
                "Set model_name, or read training data first."
            )
        return self._subwords

    def table(self, paths: Union[str, Sequence[str]], train: bool = True) -> PairTable:
        """
        Returns the pairs of files. With `train`, subwords are trained and kept if there are none,
        and pairs that are too long are left out.

        # Raises

        `ConfigurationError` if there are none.
        """
        files = aligned_files(paths)
        texts = read_texts(files, self._directions)
        if not texts:
            raise ConfigurationError(
                f"dataset_reader.directions is {self._directions}, but {paths} has none of these. "
                "Use directions such as en-de or *-en."
            )
        if self._subwords is None and train:
            self._subwords = load_subwords(None, self._serialization_dir)
        if self._subwords is None and train:
            lines: dict[str, list[str]] = {}
            for _, by_lang in texts:
                for lang, some in by_lang.items():
                    lines.setdefault(lang, []).extend(some)
            self._subwords = Subwords.trained(lines, self._vocab_size)
            keep_subwords(self._subwords, self._serialization_dir)
        most = self._max_pieces if train else None
        table = PairTable(texts, self.subwords, self._directions, most)
        if not len(table):
            raise ConfigurationError(
                f"{paths} has no pairs of sentences. Name aligned files with text."
            )
        return table

    def pair(self, text: str, source: str, target: str) -> Pair:
        """Returns a sentence to translate."""
        return Pair((source, target), self.subwords.numbers([text])[0], [], text)

    def text_to_instance(self, text: str, source: str, target: str) -> Instance:
        return pair_instance(self.pair(text, source, target))

    def _read(self, file_path: Union[str, Sequence[str]]) -> Iterable[Instance]:
        return self._instances(self.table(file_path, train=False))

    @staticmethod
    def _instances(table: PairTable) -> Iterator[Instance]:
        for row in range(len(table)):
            yield pair_instance(table[row])


def pair_instance(pair: Pair) -> Instance:
    """Returns a pair as an instance."""
    return Instance({"pairs": MetadataField(pair)})
