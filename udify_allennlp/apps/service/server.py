"""Runs the application until it is stopped."""

import signal
import socket
import threading
from typing import Any

from allennlp.common.checks import ConfigurationError

MAX_CONNECTIONS = 1000
"""Maximum number of concurrent clients; more are answered with 503."""


def listen(host: str, port: int) -> socket.socket:
    """
    Returns a listening socket; port 0 is any free port. Raises `ConfigurationError` if it cannot
    listen.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        raise ConfigurationError(
            f"Cannot listen on {host}, port {port} ({error}). Choose others with --host and --port."
        ) from error


def address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def make_server(app: Any, timeout: float) -> Any:
    """
    Returns a `uvicorn.Server`. When it stops, requests in progress are finished within `timeout`
    seconds.
    """
    import uvicorn

    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",  # it bounds what comes before the body, which the other one does not
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=int(timeout) + 1,
    )
    return uvicorn.Server(config)


def run(server: Any, listening: socket.socket) -> None:
    """Serves until SIGTERM or SIGINT; a second SIGINT does not wait for requests in progress."""
    # uvicorn raises the signal that stopped it once more when all is done. To us it was no fault.
    caught = threading.current_thread() is threading.main_thread()
    stops = (signal.SIGINT, signal.SIGTERM) if caught else ()
    before = {number: signal.signal(number, lambda *_: None) for number in stops}
    try:
        server.run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
