import ast
from pathlib import Path

import pytest
from allennlp.commands import Subcommand
from allennlp.common import Registrable
from allennlp.common.checks import ConfigurationError
from allennlp.models import Model

from tests.conftest import ROOT
from tests.helpers.processes import python
from udify_allennlp.config import rooms

PACKAGE = ROOT / "udify_allennlp"


def registered_in(room: str) -> set:
    """Pairs of a base and a name, read off the decorators."""
    path = PACKAGE / room.replace(".", "/")
    files = path.glob("*.py") if path.is_dir() else [path.with_suffix(".py")]
    found = set()
    for file in files:
        for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
            decorators = node.decorator_list if isinstance(node, ast.ClassDef) else []
            for call in decorators:
                if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(".register"):
                    base = ast.unparse(call.func).removesuffix(".register")
                    found.add((base, ast.literal_eval(call.args[0])))
    return found


@pytest.mark.parametrize("room", rooms.ROOMS)
def test_the_table_has_what_each_room_registers_for_bases_outside(room):
    table = {(base, name) for base, names in rooms.ROOMS[room].items() for name in names}
    there = registered_in(room)
    assert table <= there
    # A base that is in the room itself is imported with all its kinds.
    assert {base for base, _ in there - table} <= {"InitialGraph"}


def test_the_table_has_every_room_that_the_plugin_leaves_out():
    done = python("""
        import udify_allennlp.plugin, sys
        print(sorted({name.split(".")[1] for name in sys.modules if "udify_allennlp." in name}))
        """)
    imported = set(ast.literal_eval(done.stdout))
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    with_names = {room for room in folders if registered_in(room)}
    assert with_names - imported == {room for room in rooms.ROOMS if "." not in room}


def test_names_are_listed_and_found_before_their_room_is_imported():
    done = python("""
        import sys
        import udify_allennlp.plugin
        from allennlp.models import Model
        from allennlp.commands import Subcommand
        assert "udify_translation" in Model.list_available()
        assert "ud-serve" in Subcommand.list_available()
        assert "udify_allennlp.translation" not in sys.modules
        assert Model.by_name("udify_translation").__name__ == "TranslationModel"
        assert "udify_allennlp.translation" in sys.modules
        assert "udify_allennlp.apps.commands.serve" not in sys.modules
        assert Subcommand.by_name("train").__module__.endswith("apps.commands.train_evaluate")
        assert "udify_allennlp.srl" not in sys.modules
        """)
    assert done.returncode == 0, done.stderr


def test_each_name_is_listed_once():
    rooms.import_all()
    for base in (Model, Subcommand):
        names = base.list_available()
        assert len(names) == len(set(names)) and {*Registrable._registry[base]} == {*names}


def test_a_wrong_name_is_told_and_imports_nothing():
    with pytest.raises(ConfigurationError, match="did you mean 'udify_translation'"):
        Model.by_name("udify_translatoin")


def test_one_command_hides_the_others_for_as_long_as_it_lasts():
    with rooms.one_command("ud-view"):
        assert Subcommand.list_available() == ["ud-view"]
        assert "udify_multitask" in Model.list_available()
    assert "ud-serve" in Subcommand.list_available()


def test_classes_of_commands_are_found_where_they_were():
    from udify_allennlp.apps import commands

    for name in commands.__all__:
        kind = getattr(commands, name)
        assert issubclass(kind, Subcommand), name
        assert kind.__module__.removeprefix("udify_allennlp.") in rooms.ROOMS
    with pytest.raises(AttributeError, match="no attribute 'Predict'"):
        commands.Predict  # noqa: B018
