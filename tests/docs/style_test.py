"""The checker of English finds its patterns and lets plain sentences pass."""

import re
import subprocess
import sys

import pytest

from docs.style.allowed import allowed
from docs.style.passages import PACKAGES, config_comment, passages, prose, sentences
from docs.style.patterns import PATTERNS, SPELLINGS, faults
from tests.conftest import ROOT


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.wrong)
def test_an_example_is_found_and_its_correction_passes(pattern):
    for kind in pattern.kinds:
        assert pattern.cure in faults(kind, pattern.wrong)
        assert not list(faults(kind, pattern.right))


@pytest.mark.parametrize(
    "text",
    [
        "What a CoNLL-U file holds.",
        "Whether it was trained on a language; true where it is not known on which it was.",
        "Of each zero-shot treebank with a score, its `distance_trained` and LAS.",
        "How many sentences there are.",
        "From mapped words, `(batch, n, rank)`.",
        "Percent; 0 where there is nothing.",
        "`(batch,)`: what `span_share` is a share of.",
        "As `MultitaskModel` has it, of whole files.",
        "of kept vectors",
    ],
)
def test_fragments_are_found(text):
    assert list(faults("docstring", text)) and list(faults("help", text))


@pytest.mark.parametrize(
    "text",
    [
        "Returns whether a model was trained on a language.",
        "The number of words of a sentence that are right, by `metrics`.",
        "True if all tasks share one mixture of layers.",
        "Shows what a model was trained on and how it scored.",
        "`None` if there is none.",
        "Is one parse better than another beyond chance?",
        "Number of bootstrap samples; 0 disables the bootstrap.",
        'The file `what_is_said.py`, whose title is "What is said".',
    ],
)
def test_plain_sentences_pass(text):
    for kind in ("page", "help", "docstring"):
        assert not list(faults(kind, text))


def test_questions_and_headings_of_pages_pass():
    for text in ("What is in the box", "How to read the figures", "By arc type and distance"):
        assert not list(faults("page", text))


def test_spellings_are_british_with_ize_but_for_code():
    assert list(faults("page", "The colors of labeled arcs.")) == [
        "'colour' for 'color'",
        "'labelled' for 'labeled'",
    ]
    assert list(faults("help", "normalised and tokenises")) == [
        "'normalize' for 'normalise'",
        "'tokenize' for 'tokenise'",
    ]
    assert not list(faults("page", "`color` is a colour; the tokenizer normalizes, then promises."))
    assert not set(SPELLINGS) & set(SPELLINGS.values())


def test_sentences_end_at_full_stops_but_not_at_those_of_abbreviations():
    text = "Trees (Ahmad et al. 2019, e.g. Figure 2) differ. `x` is [a link](page.md#what). Yes?"
    assert sentences(text) == [
        "Trees (Ahmad et al. 2019, e.g. Figure 2) differ.",
        "`x` is a link.",
        "Yes?",
    ]


def test_pages_are_read_without_code_and_generated_parts():
    page = (
        "# Style\n\nOne line\nand another. A second sentence.\n\n```\nMends.\n```\n"
        "<!-- begin api -->\nMends.\n<!-- end -->\n| a | `b` |\n| --- | --- |\n- an item\n"
    )
    assert list(prose(page)) == [
        (1, "Style"),
        (3, "One line and another."),
        (3, "A second sentence."),
        (12, "a"),
        (12, "`b`"),
        (14, "an item"),
    ]


def test_docstrings_and_help_are_passages_with_their_lines(tmp_path):
    (tmp_path / "README.md").write_text("# Parser\n")
    for package in ("udify_allennlp", "udify_command", "udify_spacy"):
        (tmp_path / package).mkdir()
    (tmp_path / "udify_allennlp" / "a.py").write_text(
        '"""A module.\n\nMore."""\n\n\ndef f(add):\n'
        '    """\n    Returns nothing. Ever.\n    """\n'
        '    add("--x", help="of the " f"{add}; 0: none")\n'
        '    add("two words", "a message of words")\n'
    )
    assert list(map(str, passages(tmp_path))) == [
        "README.md:1: Parser",
        "udify_allennlp/a.py:1: A module.",
        "udify_allennlp/a.py:7: Returns nothing.",
        "udify_allennlp/a.py:1: More.",
        "udify_allennlp/a.py:7: Ever.",
        "udify_allennlp/a.py:11: a message of words",
        "udify_allennlp/a.py:10: of the ...; 0: none",
    ]


def test_lists_in_docstrings_have_an_entry_per_line():
    """Filling paragraphs anew had run entries of lists and parameters together."""
    run_together = re.compile(r"^ +[\w, ]+ : `[^`]+` [A-Za-z]|^ *- .*\S - `|^ *\|.*\| \|-", re.M)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            found = run_together.search(path.read_text(encoding="utf-8"))
            assert not found, f"{path}: {found[0]}"


def test_old_fragments_are_found():
    """
    `fragments.txt` has 299 openings of docstrings at commit 6374588 that were judged to be
    fragments by reading, without the checker.
    """
    openings = (ROOT / "tests/docs/fragments.txt").read_text(encoding="utf-8").splitlines()
    missed = [opening for opening in openings if not list(faults("docstring", opening))]
    assert len(openings) == 299 and len(missed) <= 3, missed


def test_thirty_sentences_are_plain_now():
    rows = (ROOT / "docs/style/thirty.tsv").read_text(encoding="utf-8").splitlines()[1:]
    before, now = zip(*(row.split("\t") for row in rows))
    assert len(rows) == 30 and not any(list(faults("page", text)) for text in now)
    assert sum(bool(list(faults("docstring", text))) for text in before) >= 15


def test_terms_are_one_in_code():
    assert list(faults("message", "The folder of a run was refused.")) == [
        "'rejected' for 'refused'",
        "'run folder' for 'folder of a run'",
    ]
    assert not list(faults("page", "The folder of a run was refused."))


def test_comments_of_configs_are_passages():
    config = "// A parser. Minutes on\n// a CPU:\n//   UD_TRAIN=... allennlp train x\n{}\n// More."
    assert list(config_comment(config)) == [(1, "A parser."), (1, "Minutes on a CPU:")]


def test_every_exception_has_a_reason():
    assert all(reason.strip() for reason in allowed().values())


def test_this_checkout_is_clean_and_a_fault_is_reported(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "docs.style"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    (tmp_path / "README.md").write_text("It goes on.\n")
    done = subprocess.run(
        [sys.executable, "-m", "docs.style", tmp_path], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1 and "README.md:1: It goes on." in done.stdout
    assert "'continue', 'resume'" in done.stdout
