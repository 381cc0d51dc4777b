"""The mean of the vectors of a sentence's words, from the encoder of a model."""

from collections.abc import Sequence

import torch
from allennlp.nn.util import move_to_device

from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.data.collate import Collator
from udify_allennlp.modules.layout import Layout
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.text.sentence import Sentence


def sentence_vectors(
    predictor: ConlluPredictor, sentences: Sequence[Sentence], lang: str
) -> torch.Tensor:
    """
    Returns the mean word vectors of sentences in the topmost layer, `(sentences, dim)`; the model
    receives `lang` as the language of all of them.
    """
    schema = predictor.reader.schema.unannotated()
    table = predictor.reader.table_of(sentences, schema, lang=lang)
    collate = Collator(table, schema)
    collate.index_with(predictor.model.vocab)
    device = next(predictor.model.parameters()).device
    means: dict[int, torch.Tensor] = {}
    for rows in BucketSampler(shuffle=False).batches(collate.sizes(), seed=0):
        batch = move_to_device(collate(rows), device)
        layout = Layout(**batch["layout"])
        with torch.no_grad():
            words = predictor.model.embedder(batch, layout)[-1]
        sums = words.new_zeros(len(rows), words.shape[1])
        sums.index_add_(0, layout.sentence_of, words)
        counts = layout.mask[:, 1:].sum(1, keepdim=True)
        means.update(zip(rows, sums / counts))
    ordered: list[torch.Tensor] = [means[row] for row in range(len(sentences))]
    return torch.stack(ordered)
