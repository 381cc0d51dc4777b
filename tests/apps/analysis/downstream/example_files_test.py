"""Files of sentence pairs and of questions: their contents, and each fault with its position."""

import json

import pytest

from tests.helpers.downstream import PARAGRAPHS, squad, write_pairs, write_squad
from udify_allennlp.apps.analysis.downstream.answering import Answering
from udify_allennlp.apps.analysis.downstream.files import example_files
from udify_allennlp.apps.analysis.downstream.held_out import split
from udify_allennlp.apps.analysis.downstream.questions import read_questions
from udify_allennlp.apps.analysis.downstream.sentence_pairs import SentencePair, read_pairs
from udify_allennlp.text.errors import InputError


def test_pairs(tmp_path):
    pairs = read_pairs(str(write_pairs(tmp_path / "dev.en.tsv.xz")))
    assert len(pairs) == 12
    assert pairs[1] == ("The 1 came.", "It neutral did.", "neutral")
    path = tmp_path / "other.tsv"
    path.write_text('\ufefflabel\tid\tpremise\thypothesis\r\nneutral\t1\t"A\t b \r\n', "utf-8")
    assert read_pairs(str(path)) == [('"A', "b", "neutral")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\tb\tneutral\n", ":1: no column premise or hypothesis or label"),
        (b"premise\thypothesis\tlabel\na\tb\n", ":2: 2 columns, but line 1 has 3"),
        (b"premise\thypothesis\tlabel\na\tb\tno\n", ":2: label 'no' is unknown. Use one of"),
        (b"premise\thypothesis\tlabel\na\t \tneutral\n", ":2: a text is empty"),
        (b"premise\thypothesis\tlabel\n", ":1: no pairs"),
        (b"premise\thypothesis\tlabel\na\t\xff\tneutral\n", ":2: byte 0xff is not UTF-8"),
    ],
)
def test_faults_of_pairs(tmp_path, content, message):
    path = tmp_path / "x.tsv"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        read_pairs(str(path))
    assert str(error.value).startswith(f"{path}{message}") and "\n" not in str(error.value)


@pytest.mark.parametrize("lang", PARAGRAPHS)
def test_answers_stand_where_they_are_marked(tmp_path, lang):
    path = write_squad(tmp_path / "x.json", lang)
    for question in read_questions(str(path)):
        (answer,) = question.answers
        assert question.paragraph[answer.start : answer.end] == answer.text
        assert answer.text in PARAGRAPHS[lang][1:]


def test_white_space_around_an_answer_is_left_out(tmp_path):
    document = squad("en")
    (entry, _) = document["data"][0]["paragraphs"][0]["qas"]
    start = entry["answers"][0]["answer_start"]
    entry["answers"] = [{"text": " 308 ", "answer_start": start - 1}, {"text": ""}]
    entry["answers"][1]["answer_start"] = 0
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))
    assert read_questions(str(path))[0].answers == ((start, "308"),)


def off(entry):
    entry["answers"][0]["answer_start"] += 1


def no_number(entry):
    entry["answers"][0]["answer_start"] = "1"


def no_text(entry):
    del entry["question"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (off, "question 'en-0': the answer '308 points' is not at character 15"),
        (no_number, "question 'en-0': the answer '308 points' is not at character '1'"),
        (no_text, "question 'en-0': no 'question'"),
    ],
)
def test_faults_of_questions(tmp_path, change, message):
    document = squad("en")
    change(document["data"][0]["paragraphs"][0]["qas"][0])
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as error:
        read_questions(str(path))
    assert str(error.value).startswith(f"{path}: {message}. Correct the file")


def test_faults_of_json(tmp_path):
    path = tmp_path / "x.json"
    for content, message in (
        ('{"data":\n[}', ":2: not JSON"),
        ("[]", ": the beginning: "),
        ('{"data": []}', " has no questions"),
    ):
        path.write_text(content)
        with pytest.raises(InputError) as error:
            read_questions(str(path))
        assert str(error.value).startswith(f"{path}{message}")


def test_files_without_answers_are_no_use(tmp_path):
    questions = read_questions(str(write_squad(tmp_path / "x.json", "en")))
    Answering.check(questions, "x", scored=True)
    with pytest.raises(InputError, match="none of its 2 questions has an answer"):
        Answering.check([question._replace(answers=()) for question in questions], "x", False)
    with pytest.raises(InputError, match="4 questions have the id 'a'"):
        Answering.check([q._replace(name="a") for q in questions * 2], "x", scored=True)
    Answering.check(questions * 2, "x", scored=False)


def test_files_that_do_not_exist(tmp_path):
    with pytest.raises(
        InputError, match=r"^--dev: .* matches no file .*Name files with the ending .tsv"
    ):
        example_files([str(tmp_path / "no.tsv")], "--dev", ".tsv")
    write_pairs(tmp_path / "a.tsv.xz")
    (tmp_path / "b.json").write_text("")
    found = example_files([str(tmp_path)], "--dev", ".tsv")
    assert found == [str(tmp_path / "a.tsv.xz")]


def test_held_out_examples_share_no_source():
    pairs = [SentencePair(f"p{n // 3}", f"h{n}", "neutral") for n in range(90)]
    train, dev = split(pairs, seed=1)
    assert sorted([*train, *dev]) == sorted(pairs) and len(dev) == 9
    assert not {pair.source for pair in train} & {pair.source for pair in dev}
    assert (train, dev) == split(pairs, seed=1) != split(pairs, seed=2)
