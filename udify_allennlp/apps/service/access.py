"""Access from browsers: checks of the host name and the origin of requests."""

import ipaddress
import logging
from collections.abc import Collection, Sequence
from typing import Any
from urllib.parse import urlsplit

logger = logging.getLogger(__name__)

_MOST_TOLD = 100  # origins that the log names
_LOCAL = ("localhost", "127.0.0.1", "::1")


class KnownHosts:
    """
    A filter that rejects requests for other hosts than ours, with 403: a page elsewhere could give
    its own name our address (DNS rebinding) and would then read our answers as its own.

    Our hosts are `localhost`, `127.0.0.1`, `[::1]`, the address that received the request, and the
    given names. Ports are not compared.

    # Parameters

    app : `Any`
        The ASGI application that gets all other requests.
    names : `Sequence[str]`
    """

    def __init__(self, app: Any, names: Sequence[str]) -> None:
        self._app = app
        self._names = {host_name(name) for name in (*names, *_LOCAL)}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        from starlette.datastructures import Headers
        from starlette.responses import PlainTextResponse

        host = Headers(scope=scope).get("host", "")
        if host_name(host) in self._names | {host_name((scope.get("server") or [""])[0])}:
            await self._app(scope, receive, send)
            return
        what = f"Host is {host!r:.60}, which is not served. Allow it with --allow-host.\n"
        await PlainTextResponse(what, 403)(scope, receive, send)


class ForeignOrigins:
    """
    Logs, once for each origin, that pages of this origin cannot read the answers: the browser shows
    only "Failed to fetch".

    # Parameters

    app : `Any`
        The ASGI application that gets all requests.
    origins : `Collection[str]`
        Origins that may read answers.
    """

    def __init__(self, app: Any, origins: Collection[str]) -> None:
        self._app = app
        self._origins = origins
        self._told: set[str] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        from starlette.datastructures import Headers

        headers = Headers(scope=scope)
        origin = headers.get("origin", "")[:200]
        if (
            origin
            and not {origin, "*"} & set(self._origins)
            and not _is_same(origin, headers.get("host", ""))
            and origin not in self._told
            and len(self._told) < _MOST_TOLD
        ):
            self._told.add(origin)
            logger.warning(
                "A page of %r sent a request; its browser hides the answer. Allow it with "
                "--allow-origin.",
                origin,
            )
        await self._app(scope, receive, send)


def _is_same(origin: str, host: str) -> bool:
    """Returns whether a page is our own; behind a proxy the scheme may differ."""
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False


def host_name(host: str) -> str:
    """
    Returns the host without its port, in one spelling: `[::1]:8001` is `::1`, `LocalHost.` is
    `localhost`.
    """
    name = host.strip().lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.partition(":")[0]
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return name.removesuffix(".")


def guards(hosts: Sequence[str], origins: Collection[str]) -> Sequence[Any]:
    """
    Returns Starlette's middleware for both checks. Pages of the `origins`, such as
    `https://my.site` or `*` for all, may read answers (CORS); by default only the service's own.
    """
    from starlette.middleware import Middleware
    from starlette.middleware.cors import CORSMiddleware

    allowed = Middleware(CORSMiddleware, allow_origins=list(origins), allow_methods=["GET", "POST"])
    told = Middleware(ForeignOrigins, origins=origins)
    return [Middleware(KnownHosts, names=hosts), told, *([allowed] if origins else [])]
