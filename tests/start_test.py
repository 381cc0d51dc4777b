"""From the shell to one parsed sentence: the modules that are imported, and those that are not."""

import json

from tests.helpers.processes import python

# Of the start-up without these, transformers would be half; see docs/speed.md.
UNNEEDED = {
    *("transformers", "huggingface_hub", "httpx", "PIL", "datasets", "matplotlib", "pandas"),
    *("torch._dynamo", "torch._inductor", "torch.distributed.tensor", "sympy", "scipy", "sklearn"),
    *("spacy", "nltk", "starlette", "uvicorn", "prometheus_client", "tensorboardX"),
}
ROOMS = ("constituency", "graph2graph", "pretraining", "srl", "translation", "typology", "apps")
PARSE = """
import json, sys
from udify_allennlp import Parser
words = Parser.load()("The dog sleeps.")[0]
assert [word.head for word in words] == [2, 3, 0, 3]
print(json.dumps(sorted(sys.modules)))
"""
COMMAND = """
import json, sys
import udify_allennlp.cli
sys.argv[1:] = ["predict", "multilingual", {source!r}, "--output-file", {target!r}, "--silent"]
assert udify_allennlp.cli.run() == 0
print(json.dumps(sorted(sys.modules)))
"""


def loaded(code: str) -> set:
    done = python(code)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_a_parse_in_python_imports_what_it_needs():
    modules = loaded(PARSE)
    assert not modules & UNNEEDED
    assert not modules & {f"udify_allennlp.{room}" for room in ROOMS}


def test_a_command_imports_no_other_command(tmp_path):
    source, target = tmp_path / "text.txt", tmp_path / "parsed.conllu"
    source.write_text("The dog sleeps.\n")
    modules = loaded(COMMAND.format(source=str(source), target=str(target)))
    assert not modules & UNNEEDED
    commands = {name for name in modules if name.startswith("udify_allennlp.apps.commands.")}
    assert "udify_allennlp.apps.commands.predict" in commands
    assert not commands & {
        f"udify_allennlp.apps.commands.{name}" for name in ("serve", "train_evaluate", "view")
    }
    assert "sleeps\tsleep\tVERB" in target.read_text()


def test_the_list_of_commands_imports_neither_torch_nor_allennlp():
    done = python("""
        import sys
        from udify_command.front import at_once
        assert at_once(["--help"]) == 0
        print(sorted({"torch", "allennlp", "udify_allennlp"} & set(sys.modules)))
        """)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
