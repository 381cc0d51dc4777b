"""`allennlp ud-serve MODEL`: a parsing service with UDPipe's REST interface."""

import argparse
import importlib.util
import sys

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import MODEL, add_cuda_device, add_lang, add_tokenizer
from udify_allennlp.apps.service.app import make_app
from udify_allennlp.apps.service.batcher import MAX_WAITING, ROUND_WORDS
from udify_allennlp.apps.service.models import load_models, name_and_path
from udify_allennlp.apps.service.process import Service
from udify_allennlp.apps.service.server import address, listen, make_server, run
from udify_allennlp.apps.service.texts import TextReader
from udify_allennlp.compat.devices import check_for_gpu
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.languages import language_code

MAX_INPUT = 2**20
TIMEOUT = 60
_NEEDED = {"python_multipart": "python-multipart", "starlette": "starlette", "uvicorn": "uvicorn"}


@Subcommand.register("ud-serve")
class Serve(Command):
    """
    Parse over HTTP. /process and /models are those of UDPipe's REST service, so its clients work
    with this one: give them the address. At / is a page to type a sentence and see its tree.

      allennlp ud-serve multilingual
      allennlp ud-serve out/ewt/model.tar.gz --lang en
      allennlp ud-serve en_ewt=all.tar.gz fr_gsd=all.tar.gz tr=out/imst --port 8080
      curl -F data=@text.txt -F tokenizer= -F tagger= -F parser= http://localhost:8001/process

    The first model is the default. Sentences of all requests are parsed together. SIGTERM or Ctrl+C
    stops it when the requests under way are answered. It has no passwords and no encryption: for
    others than yourself, run it behind a proxy.
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

    def run(self, args: argparse.Namespace) -> None:
        _serve(args)


def _serve(args: argparse.Namespace) -> None:
    _check(args)
    texts = TextReader(args.tokenizer or own_tokenizer(name_and_path(args.models[0])[1]))
    listening = listen(args.host, args.port)  # before the models: a taken port shows at once
    models = load_models(
        args.models,
        lang=args.lang,
        precision=args.precision,
        cuda_device=args.cuda_device,
        round_words=args.round_words,
        max_waiting=args.max_waiting,
    )
    texts.expect({model.lang for model in models})
    hosts = [args.host, *args.allow_host]
    service = Service(models, texts)
    app = make_app(service, args.max_input, args.timeout, hosts, args.allow_origin)
    server = make_server(app, args.timeout)
    sys.stderr.write(f"{', '.join(model.name for model in models)} at {address(listening)}\n")
    sys.stderr.flush()
    run(server, listening)
    for model in models:
        model.batcher.close()


def _check(args: argparse.Namespace) -> None:
    check_for_gpu(args.cuda_device)
    missing = [name for module, name in _NEEDED.items() if not importlib.util.find_spec(module)]
    if missing:
        raise ConfigurationError(
            f"ud-serve needs {', '.join(missing)}. Install what it needs: "
            "pip install 'udify_allennlp[serve]'"
        )
    for name in ("max_input", "timeout", "max_waiting", "round_words"):
        value = getattr(args, name)
        if value <= 0:
            raise ConfigurationError(f"--{name.replace('_', '-')} is {value}; it must be above 0.")
    if args.lang:
        args.lang = language_code(args.lang)
