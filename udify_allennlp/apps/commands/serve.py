"""`allennlp ud-serve MODEL`: a parsing service with UDPipe's REST interface."""

import argparse
import sys
from dataclasses import fields

from allennlp.commands.subcommand import Subcommand

from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import MODEL, add_cuda_device, add_lang, add_tokenizer
from udify_allennlp.apps.service.batcher import MAX_WAITING, ROUND_WORDS
from udify_allennlp.apps.service.server import address, listen, make_server, run
from udify_allennlp.apps.service.settings import MAX_INPUT, TIMEOUT, Settings


@Subcommand.register("ud-serve")
class Serve(Command):
    """
    Parse over HTTP. /process and /models are those of UDPipe's REST service, so its clients work
    with this one: give them the address. At / is a page to type a sentence and see its tree, at
    /openapi.json a description of all addresses, at /health and /metrics what monitors ask for.

      allennlp ud-serve multilingual
      allennlp ud-serve out/ewt/model.tar.gz --lang en
      allennlp ud-serve en_ewt=all.tar.gz fr_gsd=all.tar.gz tr=out/imst --port 8080
      curl -F data=@text.txt -F tokenizer= -F tagger= -F parser= http://localhost:8001/process

    The first model is the default. Sentences of all requests are parsed together. SIGTERM or Ctrl+C
    stops it when the requests under way are answered. It has no passwords and no encryption: for
    others than yourself, run it behind a proxy. Any ASGI server can run it, too:
    `uvicorn udify_allennlp.apps.service.asgi:app`, with variables in the place of options.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "models",
            nargs="+",
            metavar="[NAME=]MODEL",
            help=f"{MODEL}; a name such as fr or fr_gsd also gives the language (default: the "
            "name of the archive or its folder)",
        )
        add("--host", default="127.0.0.1", help="default = 127.0.0.1: this machine only")
        add("--port", type=int, default=8001, help="default = 8001; 0: any that is free")
        add(
            "--allow-host",
            action="append",
            default=[],
            metavar="NAME",
            help="a further name by which the service may be asked for, such as that of its proxy "
            "(always: the address it listens at, localhost, 127.0.0.1, [::1])",
        )
        add(
            "--allow-origin",
            action="append",
            default=[],
            metavar="ORIGIN",
            help="whose pages may use the answers, such as https://my.site, or * for all "
            "(default: none but its own)",
        )
        add_lang(parser, "; for requests that name none")
        add_tokenizer(parser, "the first model")
        add_cuda_device(parser)
        add("--precision", help="float32, bfloat16, float16 or int8 (default: the model's)")
        add(
            "--max-input",
            type=int,
            default=MAX_INPUT,
            help=f"bytes of a request (default = {MAX_INPUT})",
        )
        add(
            "--timeout",
            type=float,
            default=TIMEOUT,
            help=f"seconds for a request (default = {TIMEOUT})",
        )
        add(
            "--max-waiting",
            type=int,
            default=MAX_WAITING,
            help=f"words that may wait in all requests to a model (default = {MAX_WAITING})",
        )
        add(
            "--round-words",
            type=int,
            default=ROUND_WORDS,
            help=f"words that are parsed at a time (default = {ROUND_WORDS})",
        )
        add(
            "--access-log",
            action="store_true",
            help="a line for each request: time, method, address, status, seconds; nothing of its "
            "text",
        )

    def run(self, args: argparse.Namespace) -> None:
        _serve(args)


def _serve(args: argparse.Namespace) -> None:
    settings = Settings(
        **{setting.name: getattr(args, setting.name) for setting in fields(Settings)}
    )
    settings.check(lambda name: f"--{name.replace('_', '-')}")
    texts = settings.text_reader()
    listening = listen(args.host, args.port)  # before the models: a taken port shows at once
    app, models = settings.load(texts, args.host)
    server = make_server(app, args.timeout)
    sys.stderr.write(f"{', '.join(model.name for model in models)} at {address(listening)}\n")
    sys.stderr.flush()
    run(server, listening)
    for model in models:
        model.batcher.close()
