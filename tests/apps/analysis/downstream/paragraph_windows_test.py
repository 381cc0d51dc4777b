"""Windows over paragraphs, and spans of pieces as spans of characters."""

from types import SimpleNamespace

import pytest
import tokenizers
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from tests.helpers import ENCODER
from tests.helpers.downstream import PARAGRAPHS
from udify_allennlp.apps.analysis.downstream.answering import Answering
from udify_allennlp.apps.analysis.downstream.fine_tuning import Padding
from udify_allennlp.apps.analysis.downstream.questions import Answer, Question
from udify_allennlp.apps.analysis.downstream.windows import Windows, answer_of, best_span
from udify_allennlp.data.wordpieces import WordpieceTokenizer

BERT = WordpieceTokenizer(ENCODER)


def sentencepiece():
    """Pieces of single characters with the space before them, as XLM-R has them."""
    letters = sorted({letter for text, *_ in PARAGRAPHS.values() for letter in text} | {*"Qy?"})
    scores = [(piece, -1.0) for letter in letters for piece in (letter, f"▁{letter}")]
    special = [(piece, 0.0) for piece in ("<s>", "</s>", "<pad>", "<unk>")]
    backend = tokenizers.Tokenizer(tokenizers.models.Unigram([*special, *scores], unk_id=3))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    backend.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 1)],
    )
    names = {"cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    return SimpleNamespace(
        pretrained=PreTrainedTokenizerFast(tokenizer_object=backend, **names), start_id=0
    )


TOKENIZERS = {"bert": BERT, "sentencepiece": sentencepiece()}


def asked(paragraph, *answers, text="Qy?"):
    marked = tuple(Answer(paragraph.index(answer), answer) for answer in answers)
    return Question("q", paragraph, text, marked)


@pytest.mark.parametrize("lang", PARAGRAPHS)
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_every_span_of_pieces_is_a_span_of_characters_and_back(kind, lang):
    paragraph = f" {PARAGRAPHS[lang][0]} "
    windows = list(Windows(TOKENIZERS[kind], 28, 6)([asked(paragraph)]))
    assert len(windows) > 1 or kind == "bert"
    for window in windows:
        # The pieces of the paragraph are between two special ones.
        width = len(window.inputs["input_ids"])
        assert window.first > 3 and window.first + len(window.offsets) == width - 1
        for start in range(len(window.offsets)):
            for end in range(start, len(window.offsets)):
                answer = answer_of(paragraph, window, start, end)
                assert paragraph[answer.start : answer.end] == answer.text == answer.text.strip()
                ends = (slice(*window.offsets[place]) for place in (start, end))
                if all(paragraph[part].strip() for part in ends):  # no piece of white space
                    expected = (window.first + start, window.first + end)
                    assert window.pieces_of(answer) == expected


@pytest.mark.parametrize("lang", PARAGRAPHS)
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_gold_answers_come_back(kind, lang):
    question = asked(*PARAGRAPHS[lang])
    windows = list(Windows(TOKENIZERS[kind], 40, 12)([question], 7))
    for gold in question.answers:
        found = [(window, window.pieces_of(gold)) for window in windows]
        found = [(window, pieces) for window, pieces in found if pieces is not None]
        assert found
        for window, (start, end) in found:
            assert window.row == 7
            answer = answer_of(question.paragraph, window, start - window.first, end - window.first)
            # [UNK] stands for a whole word of the fixtures' encoder: no part of it can be marked.
            assert answer == gold or (kind == "bert" and gold.text in answer.text)


def test_windows_overlap_and_cover_the_paragraph():
    paragraph = " ".join(str(number) for number in range(1000, 1100))
    windows = list(Windows(BERT, 32, 5)([asked(paragraph)]))
    assert windows[0].characters[0] == 0 and windows[-1].characters[1] == len(paragraph)
    for before, after in zip(windows, windows[1:]):
        assert (before.offsets[-5:] == after.offsets[:5]).all()
    assert all(len(window.inputs["input_ids"]) <= 32 for window in windows)


def test_long_questions_and_paragraphs_without_pieces():
    question = asked("One two three.", text="why " * 100)
    (window,) = Windows(BERT, 32)([question])
    assert window.first == 1 + 16 + 1
    assert len(window.offsets) == len(BERT.pretrained.tokenize(question.paragraph))
    (window,) = Windows(BERT, 32)([asked("")])
    assert len(window.offsets) == 0 and window.pieces_of(Answer(0, "x")) is None


@pytest.mark.parametrize(
    ("settings", "message"), [((4,), "no room"), ((32, 13), "--overlap is 13: .* Use 0 to 12")]
)
def test_windows_that_cannot_be(settings, message):
    with pytest.raises(ConfigurationError, match=message):
        Windows(BERT, *settings)


@given(n=st.integers(1, 7), most=st.integers(1, 8), seed=st.integers(0, 999))
def test_the_best_span_of_all(n, most, seed):
    generator = torch.Generator().manual_seed(seed)
    starts, ends = torch.randn(2, n, generator=generator)
    spans = [(i, j) for i in range(n) for j in range(i, min(n, i + most))]
    score, start, end = best_span(starts, ends, most)
    assert (start, end) == max(spans, key=lambda span: float(starts[span[0]] + ends[span[1]]))
    assert score == pytest.approx(float(starts[start] + ends[end]))


def test_targets_are_the_answer_or_the_first_piece():
    paragraph = "2015 2016 " * 12 + "308 points. " + "2015 2016 " * 12
    questions = [
        asked(paragraph, "308 points"),
        asked(paragraph),
        asked(paragraph, paragraph[3:-9]),
    ]
    inputs, counts = Answering(BERT, 32, 8).training_inputs(questions)
    assert counts == (
        f"1 questions in {len(inputs)} windows; skipped: 1 without an answer, 1 with no answer "
        "within a window"
    )
    spans = [(row["start_positions"], row["end_positions"]) for row in inputs]
    assert (0, 0) in spans and {*spans} != {(0, 0)}
    pieces = BERT.pretrained.convert_ids_to_tokens
    for row, (start, end) in zip(inputs, spans):
        text = pieces(row["input_ids"])[start : end + 1]
        assert text in (["[CLS]"], BERT.pretrained.tokenize("308 points"))


class Pointer(torch.nn.Module):
    """Prefers special pieces and the question by far, then one piece as start and as end."""

    def __init__(self, start, end):
        super().__init__()
        self.pieces = [BERT.pretrained.convert_tokens_to_ids(piece) for piece in (start, end)]

    def forward(self, input_ids, attention_mask):
        in_question = (input_ids == BERT.end_id).cumsum(1) == 0
        no_answer = 9.0 * (in_question | (input_ids == BERT.end_id))
        scores = [(input_ids == piece) + no_answer for piece in self.pieces]
        return SimpleNamespace(start_logits=scores[0], end_logits=scores[1])


def test_answers_cross_no_special_piece_and_the_question_is_no_answer():
    questions = [asked(PARAGRAPHS["en"][0]), asked("ทีม 30 ทีม 2 แพน"), asked("")]
    task = Answering(BERT, 32, 8)
    answers, counts = task.predict(Pointer("30", "2"), questions, Padding(BERT.pretrained), 2)
    assert answers[1] == "30 ทีม 2" and answers[2] == ""
    assert answers[0] and answers[0] in questions[0].paragraph
    assert counts == {"out_of_reach": 0}


def test_scores_count_what_cannot_be_reached():
    paragraph = "2015 2016 " * 40
    questions = [asked(paragraph, "2015 2016"), asked(paragraph, paragraph.strip()), asked("x")]
    task = Answering(BERT, 32, 8)
    answers, counts = task.predict(Pointer("30", "2"), questions, Padding(BERT.pretrained), 8)
    assert counts == {"out_of_reach": 1}
    scores = task.scores(["2015 2016", "2015", ""], questions, "xquad.th.json")
    assert scores == {
        "questions": 2,
        "em": 50.0,
        "f1": pytest.approx(50 * (1 + 2 / 81)),
        "without_answer": 1,
    }
    assert "mlqa_f1" in task.scores(answers, questions, "xquad.en.json")
