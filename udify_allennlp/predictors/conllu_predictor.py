"""CoNLL-U or JSON lines in, CoNLL-U out."""

from typing import Any, Dict, List, Sequence, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.predictors import Predictor

from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.kernels.memory import give_back
from udify_allennlp.text.conllu import BOM, Sentence, missing_end
from udify_allennlp.text.json_lines import json_line
from udify_allennlp.text.sentence import Columns


@Predictor.register("udify")
class ConlluPredictor(Predictor):
    """
    Parses CoNLL-U files (`allennlp predict --use-dataset-reader`) and lines of
    `{"sentence": "words between spaces"}`.

    Of a CoNLL-U file only the predicted columns change. However many sentences come in a batch,
    they are parsed in buckets of similar length that fit in memory, and come out in their order.
    """

    def __init__(self, model: Model, dataset_reader: DatasetReader, frozen: bool = True) -> None:
        super().__init__(model, dataset_reader, frozen)
        if not isinstance(dataset_reader, UniversalDependenciesReader):
            raise ConfigurationError(
                "The predictor 'udify' needs a model whose dataset_reader is "
                "udify_universal_dependencies."
            )
        dataset_reader.annotated = False
        self._sampler = BucketSampler(shuffle=False)

    def load_line(self, line: str) -> JsonDict:
        """`ConfigurationError` if it has no text under `sentence`."""
        try:
            return json_line(line)
        except ValueError as error:
            raise ConfigurationError(str(error)) from None

    def dump_line(self, outputs: JsonDict) -> str:
        """A CoNLL-U block with the blank line behind it."""
        return str(outputs["conllu"])

    def predict(self, sentence: str) -> JsonDict:
        """Parse words separated by spaces; the CoNLL-U is under `conllu`."""
        return self.predict_json({"sentence": sentence})

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        words = json_dict["sentence"].split()
        if not words:
            raise ConfigurationError('A line has an empty "sentence". Take the line out.')
        return self._dataset_reader.text_to_instance(Sentence.from_words(words))

    def predict_instance(self, instance: Instance) -> JsonDict:
        return self.predict_batch_instance([instance])[0]

    def predict_batch_instance(self, instances: List[Instance]) -> List[JsonDict]:
        """Of each sentence its `words`, its predicted columns, and its CoNLL-U as `conllu`."""
        return [
            {"words": sentence.forms, **columns, "conllu": block(sentence.replace(**columns))}
            for sentence, columns in self._columns(instances)
        ]

    def parse(self, instances: Sequence[Instance]) -> List[Sentence]:
        """The sentences with the predicted columns in them."""
        return [sentence.replace(**columns) for sentence, columns in self._columns(instances)]

    def _columns(self, instances: Sequence[Instance]) -> List[Tuple[Sentence, Columns]]:
        results: Dict[int, Tuple[Sentence, Columns]] = {}
        batches = list(self._sampler.get_batch_indices(instances))
        for batch in batches:
            outputs = self._model.forward_on_instances([instances[index] for index in batch])
            for index, output in zip(batch, outputs):
                field: Any = instances[index]["sentences"]
                results[index] = (field.metadata, output["columns"])
        if len(batches) > 1:  # each had its own shapes; in bfloat16 a tenth of a gigabyte
            give_back()
        return [results[index] for index in range(len(instances))]


def block(sentence: Sentence) -> str:
    """
    CoNLL-U that another block can follow. A byte order mark may only stand at the start of a file,
    and this may be the second one; the last block of a file may lack its blank line.
    """
    text = sentence.text.removeprefix(BOM)
    return text + missing_end(text)
