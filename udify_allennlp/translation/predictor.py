"""Translation of lines of text."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Optional

import numpy
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.util import JsonDict
from allennlp.data import Vocabulary
from allennlp.predictors import Predictor

from udify_allennlp.data.bucket_sampler import BucketSampler, Sizes
from udify_allennlp.data.encoder_files import check_may_leave
from udify_allennlp.text.languages import language_code
from udify_allennlp.translation.architecture import config_of, placement_of
from udify_allennlp.translation.model import TranslationModel
from udify_allennlp.translation.pairs import Pair
from udify_allennlp.translation.reader import TranslationReader

AT_A_TIME = 1000
"""Number of lines that are sorted by length together."""


@Predictor.register("udify_translation")
class TranslationPredictor(Predictor):
    """
    A predictor that translates lines of text.

    # Parameters

    model : `Model`
        `udify_translation`.
    dataset_reader : `DatasetReader`
        `udify_translation`.
    """

    _model: TranslationModel
    _dataset_reader: TranslationReader

    @property
    def model(self) -> TranslationModel:
        return self._model

    @property
    def reader(self) -> TranslationReader:
        return self._dataset_reader

    def translate(
        self,
        lines: Iterable[str],
        source: str,
        target: str,
        at_a_time: int = AT_A_TIME,
        batch_size: int = 32,
        max_wordpieces: int = 2000,
    ) -> Iterator[str]:
        """
        Yields a translation of each line, in order; an empty one for an empty line. Batches have
        lines of similar length, sorted `at_a_time`.

        # Parameters

        lines : `Iterable[str]`
        source, target : `str`
            Languages, by code or name.
        at_a_time : `int`
        batch_size, max_wordpieces : `int`
            See `BucketSampler`.

        # Raises

        `InputError` or `ConfigurationError` for a language that the model does not have.
        """
        codes = [self.language(lang) for lang in (source, target)]
        sampler = BucketSampler(batch_size, max_wordpieces, shuffle=False)
        rest = iter(lines)
        while chunk := list(islice(rest, at_a_time)):
            yield from self._translated([self._pair(line, *codes) for line in chunk], sampler)

    def language(self, lang: str) -> str:
        """Returns the model's code of a language, which is given by code or name."""
        known = self._model.subwords.languages
        code = lang if lang in known else language_code(lang, known)
        self._model.subwords.code(code)
        return code

    def predict_json(self, inputs: JsonDict) -> JsonDict:
        """Translates an object with `text`, `source` and `target`, and adds `translation`."""
        try:
            text, source, target = (inputs[name] for name in ("text", "source", "target"))
        except KeyError as error:
            raise ConfigurationError(
                f"The input has no {error}. Use objects with text, source and target."
            ) from None
        (translation,) = self.translate([text], source, target)
        return {**inputs, "translation": translation}

    def _pair(self, line: str, source: str, target: str) -> Pair:
        pair = self._dataset_reader.pair(line.strip(), source, target)
        # Code and `</s>` are positions, too.
        most = self._model.network.config.max_position_embeddings - 2
        return pair._replace(source=pair.source[:most])

    def _translated(self, pairs: Sequence[Pair], sampler: BucketSampler) -> list[str]:
        lengths = numpy.array([len(pair.source) + 2 for pair in pairs])
        filled = numpy.flatnonzero(lengths > 2)
        found = [""] * len(pairs)
        sizes = Sizes(numpy.ones_like(lengths), lengths, lengths)
        for batch in sampler.batches(sizes.of(filled), sampler.draw()):
            rows = filled[batch].tolist()
            for row, text in zip(rows, self._model.translate([pairs[row] for row in rows])):
                found[row] = text
        return found


def pretrained_predictor(
    name: str, cuda_device: int = -1, placement: Optional[str] = None
) -> TranslationPredictor:
    """
    Returns a predictor for an M2M-100 or SMaLL-100 model of transformers, unchanged.

    # Parameters

    name : `str`
        A folder or a hub name.
    cuda_device : `int`
        The GPU's number; -1 for the CPU.
    placement : `Optional[str]`
        Placement of its language codes; see `placement_of`.

    # Raises

    `ConfigurationError` if it cannot be loaded.
    """
    check_may_leave(name, "weights for a part that its config loads from elsewhere")
    where = placement or placement_of(config_of(name))
    model: Any = TranslationModel(Vocabulary.empty(), start=name, placement=where)
    check_for_gpu(cuda_device)
    if cuda_device >= 0:
        model.cuda(cuda_device)
    return TranslationPredictor(model.eval(), TranslationReader(name))
