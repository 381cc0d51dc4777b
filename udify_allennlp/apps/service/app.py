"""The addresses of the service, as an ASGI application."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from udify_allennlp.apps.service.access import guards
from udify_allennlp.apps.service.batcher import Busy
from udify_allennlp.apps.service.openapi import openapi
from udify_allennlp.apps.service.page import FILE, draw, page, policy
from udify_allennlp.apps.service.parameters import Parameters, RequestError, parameters
from udify_allennlp.apps.service.process import Service

logger = logging.getLogger(__name__)
access = logging.getLogger("udify_allennlp.access")
"""The log line of a request: method, address, status, seconds."""

METRICS_TYPE = "text/plain; version=0.0.4"
"""The content type that Prometheus expects."""
RETRY_AFTER = 5
"""Seconds after which a client should try again if too much is waiting."""
_TOO_MUCH = 10  # times the limit: so much is still read, for the client to hear of the limit

Answer = Callable[[Parameters], Awaitable[Any]]
Failure = Callable[[Parameters, str, int], Any]


def make_app(
    service: Service,
    max_input: int,
    timeout: float,
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
    access_log: bool = False,
) -> Any:
    """
    # Parameters

    service : `Service`
    max_input : `int`
        Maximum size of a request's body, in bytes.
    timeout : `float`
        Time limit of a request in seconds, including reading it.
    hosts, origins : `Sequence[str]`
        See `access.py`.
    access_log : `bool`
        True to log a line for each request to standard error.

    # Raises

    `ImportError` if Starlette is missing.
    """
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import HTMLResponse, PlainTextResponse, Response
    from starlette.routing import Route

    async def models(fields: Parameters) -> Response:
        return as_json(service.describe())

    async def process(fields: Parameters) -> Response:
        return as_json(await service.process(fields))

    async def tree(fields: Parameters) -> Response:
        drawn = await draw(service, fields)
        return as_page(page(service, fields, drawn))

    async def health(fields: Parameters) -> Response:
        is_healthy = service.is_healthy
        answer = as_json({"status": "ok" if is_healthy else "stopped"})
        answer.status_code = 200 if is_healthy else 503
        return answer

    async def metrics(fields: Parameters) -> Response:
        if service.metrics is None:
            raise RequestError(
                "Metrics need the package prometheus_client: pip install 'udify_allennlp[serve]'",
                501,
            )
        return Response(service.metrics.text(), media_type=METRICS_TYPE, headers=_PLAIN)

    async def description(fields: Parameters) -> Response:
        return as_json(openapi(service.models, max_input))

    def as_json(value: dict[str, Any]) -> Response:
        text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        return Response(text, media_type="application/json", headers=_PLAIN)

    def as_text(fields: Parameters, message: str, status: int) -> Response:
        return PlainTextResponse(message + "\n", status, headers=_PLAIN)

    def as_page(text: str, status: int = 200) -> Response:
        return HTMLResponse(text, status, headers={"Content-Security-Policy": policy()})

    def as_error_page(fields: Parameters, message: str, status: int) -> Response:
        return as_page(page(service, fields, error=message), status)

    async def handle(request: Request, answer: Answer, fail: Failure) -> Response:
        fields: Parameters = {}
        end = time.monotonic() + timeout
        try:
            body = await asyncio.wait_for(_body(request, max_input), timeout)
            kind = request.headers.get("content-type", "")
            query = request.scope["query_string"]
            fields = await asyncio.to_thread(parameters, query, kind, body)
            if not kind.startswith("multipart/"):
                fields.pop(FILE, None)  # a form without files has the name of one only
            return await _while_wanted(request, answer(fields), end - time.monotonic())
        except (asyncio.TimeoutError, TimeoutError):
            what = f"The request took more than {timeout:g} seconds. Send less text at a time."
            return fail(fields, what, 504)
        except RequestError as error:
            return fail(fields, str(error), error.status)
        except Busy:
            what = f"Too many words are waiting to be parsed. Try again in {RETRY_AFTER} seconds."
            response = fail(fields, what, 503)
            response.headers["Retry-After"] = str(RETRY_AFTER)
            return response
        except ClientDisconnect:
            return Response(status_code=499)  # nobody reads it; the log does not take it for a 200
        except Exception:
            logger.exception("a request failed")
            return fail(fields, "The service failed; see its log.", 500)

    def route(
        path: str,
        answer: Answer,
        fail: Failure = as_text,
        methods: Sequence[str] = ("GET", "POST"),
    ) -> Route:
        async def endpoint(request: Request) -> Response:
            start = time.monotonic()
            response = await handle(request, answer, fail)
            seconds = time.monotonic() - start
            # Nothing that the client sent: it could be long, private, or lines of its own.
            access.info("%s %s %d %.3f s", request.method, path, response.status_code, seconds)
            if service.metrics:
                service.metrics.answered(path, response.status_code, seconds)
            return response

        return Route(path, endpoint, methods=list(methods))

    if access_log:
        _log_access()
    return Starlette(
        routes=[
            route("/", tree, as_error_page),
            *(route(f"{base}/models", models) for base in ("", "/api")),
            *(route(f"{base}/process", process) for base in ("", "/api")),
            route("/health", health, methods=["GET"]),
            route("/metrics", metrics, methods=["GET"]),
            route("/openapi.json", description, methods=["GET"]),
        ],
        middleware=guards(hosts, origins),
    )


def _log_access() -> None:
    """Logs accesses to standard error, independently of other logs."""
    if access.propagate:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        access.addHandler(handler)
        access.setLevel(logging.INFO)
        access.propagate = False


_PLAIN = {"X-Content-Type-Options": "nosniff"}


async def _body(request: Any, limit: int) -> bytes:
    """Returns the body; raises `RequestError` if it has more than `limit` bytes."""
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= limit:
            chunks.append(chunk)
        elif size > _TOO_MUCH * limit:
            break
    if size > limit:
        raise RequestError(f"The request has more than {limit} bytes. Send less at a time.", 413)
    return b"".join(chunks)


async def _while_wanted(request: Any, work: Awaitable[Any], seconds: float) -> Any:
    """
    Returns the result of `work`. It is cancelled, with everything it waits for, on timeout
    (`TimeoutError`) or when the client disconnects (`ClientDisconnect`).
    """
    from starlette.requests import ClientDisconnect

    task = asyncio.ensure_future(work)
    left = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({task, left}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ClientDisconnect if left.done() else TimeoutError
    finally:
        task.cancel()
        left.cancel()
        # A cancellation takes effect a turn of the loop later: the client is to hear of it after.
        await asyncio.wait({task, left})


async def _left(request: Any) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
