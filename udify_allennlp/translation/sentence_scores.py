"""Scores of single translations."""

from udify_allennlp.translation.scores import load_sacrebleu


def chrf3(translation: str, reference: str) -> float:
    """
    chrF3 of a sentence, from 0 to 1: characters up to six at a time, and recall weighs three times
    as much as precision (Mohammadshahi 2023, section 5.3.3). sacrebleu gives 0 to 100.
    """
    score = load_sacrebleu().sentence_chrf(
        translation, [reference], char_order=6, word_order=0, beta=3
    )
    return float(score.score) / 100
