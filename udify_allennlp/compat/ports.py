"""The port that the processes of a distributed training use to find each other."""

import random
import socket
from pathlib import Path

from allennlp.common import util

_FIRST = 20000
"""Lower ports are those of well-known services and those that Ray gives its workers."""
_ASSIGNED_FROM = 32768
"""The first port that Linux assigns by itself; other systems' begin higher."""
_SETTING = Path("/proc/sys/net/ipv4/ip_local_port_range")


def find_open_port() -> int:
    """
    Returns a free port among those that the system never assigns by itself. AllenNLP's function
    returns a port that the system has just assigned and may assign again: it is chosen before the
    vocabulary is made and opened when the processes have started, seconds to minutes later. Any
    connection of any program in between could take it, and training then ended in "address already
    in use".

    # Raises

    `OSError` if the system has no free port.
    """
    # Not `random` itself: two trainings of one seed would choose the same port.
    ports = list(range(_FIRST, assigned_from()))
    random.SystemRandom().shuffle(ports)
    for port in [*ports, 0]:  # 0: any, where the system hands out all of them
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
            try:
                sock.bind(("", port))
            except OSError:
                continue
            return int(sock.getsockname()[1])
    raise OSError(
        "The processes of a distributed training need a free port, but none is available. Close "
        "other programs."
    )


def assigned_from() -> int:
    """Returns the first port that this system assigns by itself."""
    try:
        return int(_SETTING.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return _ASSIGNED_FROM


def apply() -> None:
    """Replaces AllenNLP's function. Safe to call twice."""
    util.find_open_port = find_open_port
