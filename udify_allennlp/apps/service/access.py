"""Which pages a browser may show the service to: by the name they ask for it, by their origin."""

import ipaddress
from typing import Any, Collection, Sequence

_LOCAL = ("localhost", "127.0.0.1", "::1")


class KnownHosts:
    """
    Refuses requests for a host that is none of ours, with 403: a page elsewhere could give its own
    name our address (DNS rebinding) and would then read our answers as its own.

    Ours are `localhost`, `127.0.0.1`, `[::1]`, the address at which the request came in, and the
    names given. Ports are not compared.

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

        given = Headers(scope=scope).get("host", "")
        if host_name(given) in self._names | {host_name((scope.get("server") or [""])[0])}:
            await self._app(scope, receive, send)
            return
        what = f"Host is {given!r:.60}, which is not served. Allow it with --allow-host.\n"
        await PlainTextResponse(what, 403)(scope, receive, send)


def host_name(host: str) -> str:
    """Without port, in one spelling: `[::1]:8001` is `::1`, `LocalHost.` is `localhost`."""
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
    Starlette's middleware for both. Pages of the `origins`, such as `https://my.site` or `*` for
    all, may read answers (CORS); by default none but the service's own.
    """
    from starlette.middleware import Middleware
    from starlette.middleware.cors import CORSMiddleware

    allowed = Middleware(CORSMiddleware, allow_origins=list(origins), allow_methods=["GET", "POST"])
    return [Middleware(KnownHosts, names=hosts), *([allowed] if origins else [])]
