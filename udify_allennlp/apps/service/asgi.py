"""
The service as an application for any ASGI server, configured by environment variables
(`settings.py`):

    UDIFY_SERVE_MODELS=multilingual uvicorn udify_allennlp.apps.service.asgi:app
"""

import asyncio
import os
from collections.abc import Mapping
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.service.models import ServedModel
from udify_allennlp.apps.service.settings import PREFIX, Settings
from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.text.errors import InputError


class DeployedService:
    """
    The ASGI application. It loads its models when the server starts it, in the serving process,
    since a server may fork after importing this module. A model that cannot be loaded stops the
    server with one line in its log.

    # Parameters

    environment : `Mapping[str, str]`
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._app: Any = None
        self._models: list[ServedModel] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self._app is None:
            raise RuntimeError("The service was not started. Enable lifespan events in the server.")
        else:
            await self._app(scope, receive, send)

    async def _live(self, receive: Any, send: Any) -> None:
        await receive()  # that it starts
        fault = await asyncio.to_thread(self._start)
        if fault is not None:
            await send({"type": "lifespan.startup.failed", "message": fault})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()  # that it ends
        for model in self._models:
            await asyncio.to_thread(model.batcher.close)
        await send({"type": "lifespan.shutdown.complete"})

    def _start(self) -> Optional[str]:
        """Loads the models; returns a one-line error message, or `None`."""
        try:
            settings = Settings.from_environment(self._environment)
            settings.check(lambda name: PREFIX + name.upper())
            self._app, self._models = settings.load(settings.text_reader())
        except (ConfigurationError, InputError, ArchiveError, FileNotFoundError) as error:
            return " ".join(str(error).split())
        return None


app = DeployedService(os.environ)
