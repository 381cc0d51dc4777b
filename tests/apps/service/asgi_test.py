"""The application for other servers, and what starts it: variables, the container, the unit."""

import asyncio
import configparser
import json
import re
import shutil
import subprocess

import pytest
from allennlp.common.checks import ConfigurationError

from tests.conftest import ROOT
from udify_allennlp.apps.service.asgi import DeployedService
from udify_allennlp.apps.service.settings import Settings

DEPLOY = ROOT / "deploy"


async def lived(service, paths=()):
    """The messages of a server's lifespan, and the answers in between."""
    to_app, told, answers = asyncio.Queue(), [], {}

    async def send(message):
        told.append(message)

    life = asyncio.create_task(service({"type": "lifespan"}, to_app.get, send))
    await to_app.put({"type": "lifespan.startup"})
    while not told:
        await asyncio.sleep(0.01)
    for path in paths:
        answers[path] = await asked(service, path)
    await to_app.put({"type": "lifespan.shutdown"})
    await life
    return told, answers


async def asked(service, path):
    given = asyncio.Queue()
    await given.put({"type": "http.request", "body": b"", "more_body": False})
    sent = []

    async def send(message):
        sent.append(message)

    path, _, query = path.partition("?")
    scope = {
        **{"type": "http", "method": "GET", "path": path, "query_string": query.encode()},
        **{"headers": [(b"host", b"localhost")], "server": ("localhost", 1)},
    }
    await service(scope, given.get, send)
    return sent[0]["status"], b"".join(part.get("body", b"") for part in sent)


def test_it_loads_serves_and_ends(run_folder):
    service = DeployedService({"UDIFY_SERVE_MODELS": f"en_ewt={run_folder}", "OTHER": "x"})
    paths = ["/health", "/process?data=A+dog.&tokenizer&parser"]
    told, answers = asyncio.run(lived(service, paths))
    kinds = [message["type"] for message in told]
    assert kinds == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert [answers[path][0] for path in paths] == [200, 200]
    assert json.loads(answers[paths[1]][1])["model"] == "en_ewt"
    status, _ = asyncio.run(asked(service, "/health"))
    assert status == 503  # its threads have ended


@pytest.mark.parametrize(
    "environment, fault",
    [
        (
            {"UDIFY_SERVE_MODEL": "x"},
            "nknown variable UDIFY_SERVE_MODEL. Did you mean UDIFY_SERVE_MOD",
        ),
        ({"UDIFY_SERVE_TIMEOUT": "soon"}, "UDIFY_SERVE_TIMEOUT is 'soon'. Use a number."),
        ({"UDIFY_SERVE_TIMEOUT": "0"}, "UDIFY_SERVE_TIMEOUT is 0.0; it must be above 0."),
        ({"UDIFY_SERVE_ACCESS_LOG": "on"}, "UDIFY_SERVE_ACCESS_LOG is 'on'. Use 0 or 1."),
        ({"UDIFY_SERVE_LANG": "Englsh"}, "Unknown language 'Englsh'."),
        ({"UDIFY_SERVE_MODELS": "/nowhere.tar.gz"}, "/nowhere.tar.gz"),
    ],
)
def test_mistakes_are_one_line(environment, fault):
    told, _ = asyncio.run(lived(DeployedService(environment)))
    (message,) = told
    assert message["type"] == "lifespan.startup.failed"
    assert fault in message["message"] and "\n" not in message["message"]


def test_variables_are_the_options():
    environment = {
        "UDIFY_SERVE_MODELS": "en=a.tar.gz 'b c.tar.gz'",
        "UDIFY_SERVE_MAX_INPUT": "7",
        "UDIFY_SERVE_ALLOW_ORIGIN": "https://a.example *",
        "UDIFY_SERVE_ACCESS_LOG": "1",
        "UDIFY_SERVE_LANG": "",
    }
    assert Settings.from_environment(environment) == Settings(
        models=["en=a.tar.gz", "b c.tar.gz"],
        max_input=7,
        allow_origin=["https://a.example", "*"],
        access_log=True,
    )
    with pytest.raises(ConfigurationError, match="All variables: UDIFY_SERVE_MODELS, "):
        Settings.from_environment({"UDIFY_SERVE_X": ""})


def uvicorn_takes(words):
    """The application that a command line of uvicorn names."""
    uvicorn = pytest.importorskip("uvicorn.main")
    assert words[0].endswith("uvicorn")
    return uvicorn.main.make_context("uvicorn", list(words[1:])).params["app"]


def test_the_container_copies_what_is_there_and_starts_the_application():
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line.split()[1:-1] for line in text.splitlines() if line.startswith("COPY")]
    copied = {name for names in lines for name in names}
    assert copied and all((ROOT / name).exists() for name in copied)
    sent = (DEPLOY / "Dockerfile.dockerignore").read_text().split()
    assert copied == {line[1:] for line in sent if line.startswith("!")}
    packages = re.findall(r"^    (udify\w+)\*$", (ROOT / "setup.cfg").read_text(), re.MULTILINE)
    assert packages and set(packages) <= copied
    links = [path for name in packages for path in (ROOT / name).rglob("*") if path.is_symlink()]
    targets = {path.resolve().relative_to(ROOT).parts[0] for path in links}
    assert targets | {"setup.cfg", "setup.py", "pyproject.toml"} <= copied
    (command,) = re.findall(r"^CMD (\[.*\])", text, re.MULTILINE)
    assert uvicorn_takes(json.loads(command)) == "udify_allennlp.apps.service.asgi:app"
    (variables,) = re.findall(r"^ENV (.*)", text, re.MULTILINE)
    Settings.from_environment(dict(each.split("=", 1) for each in variables.split()))


def test_the_unit_starts_the_application(tmp_path):
    text = (DEPLOY / "udify.service").read_text().replace("\\\n", " ")
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read_string(text)
    command = unit["Service"]["ExecStart"].split()
    assert uvicorn_takes(command) == "udify_allennlp.apps.service.asgi:app"
    for variables in re.findall(r"^Environment=(.*)", text, re.MULTILINE):
        Settings.from_environment(dict(each.split("=", 1) for each in variables.split()))
    if shutil.which("systemd-analyze"):
        (tmp_path / "udify.service").write_text(text.replace(command[0], "/bin/true"))
        words = ["systemd-analyze", "verify", tmp_path / "udify.service"]
        found = subprocess.run(words, capture_output=True, text=True)
        assert "udify.service" not in found.stderr
