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
    Parse over HTTP. /process and /models follow UDPipe's REST service, so clients of that service
    work with this address. / is a page on which you type a sentence and see its tree, /openapi.json
    describes all addresses, and /health and /metrics are for monitoring.

      allennlp ud-serve multilingual
      allennlp ud-serve out/ewt/model.tar.gz --lang en
      allennlp ud-serve en_ewt=all.tar.gz fr_gsd=all.tar.gz tr=out/imst --port 8080
      curl -F data=@text.txt -F tokenizer= -F tagger= -F parser= http://localhost:8001/process

    The first model is the default. Sentences of concurrent requests are parsed together. SIGTERM or
    Ctrl+C stops the service after it has answered the requests in progress. It has no passwords and
    no encryption: to offer it to others, run it behind a proxy. Any ASGI server can run it, too:
    `uvicorn udify_allennlp.apps.service.asgi:app`, with environment variables instead of options.
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
        add(
            "--host",
            default="127.0.0.1",
            help="address to listen on (default = 127.0.0.1: this machine only)",
        )
        add(
            "--port",
            type=int,
            default=8001,
            help="port to listen on (default = 8001; 0: any free port)",
        )
        add(
            "--allow-host",
            action="append",
            default=[],
            metavar="NAME",
            help="another host name that requests may use, such as that of a proxy (always "
            "allowed: the address it listens on, localhost, 127.0.0.1, [::1])",
        )
        add(
            "--allow-origin",
            action="append",
            default=[],
            metavar="ORIGIN",
            help="origin whose pages may read the answers, such as https://my.site, or * for all "
            "(default: only its own)",
        )
        add_lang(parser, "; for requests that name no language")
        add_tokenizer(parser, "the first model")
        add_cuda_device(parser)
        add("--precision", help="float32, bfloat16, float16 or int8 (default: the model's)")
        add(
            "--max-input",
            type=int,
            default=MAX_INPUT,
            help=f"maximum size of a request in bytes (default = {MAX_INPUT})",
        )
        add(
            "--timeout",
            type=float,
            default=TIMEOUT,
            help=f"time limit of a request in seconds (default = {TIMEOUT})",
        )
        add(
            "--max-waiting",
            type=int,
            default=MAX_WAITING,
            help="maximum number of waiting words per model, over all requests (default = "
            f"{MAX_WAITING})",
        )
        add(
            "--round-words",
            type=int,
            default=ROUND_WORDS,
            help=f"number of words to parse together (default = {ROUND_WORDS})",
        )
        add(
            "--access-log",
            action="store_true",
            help="log a line for each request: time, method, address, status, seconds; no text of "
            "the request",
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
