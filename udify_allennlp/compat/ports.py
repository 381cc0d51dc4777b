"""The port at which the processes of a distributed training find each other."""

import random
import socket
from pathlib import Path

from allennlp.common import util

_FIRST = 20000
"""Below are the ports of well-known services and those that Ray gives its workers."""
_ASSIGNED_FROM = 32768
"""The first port that Linux hands out by itself; other systems' begin higher."""
_SETTING = Path("/proc/sys/net/ipv4/ip_local_port_range")


def find_open_port() -> int:
    """
    A free port of those that the system hands to nobody who does not ask for them by number.

    AllenNLP's is one that the system has just handed out and may hand out again: it is chosen
    before the vocabulary is made and opened when the processes have started, seconds to minutes
    later, and any connection of any program made meanwhile could take it; training then ended in
    "address already in use".

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
    raise OSError("There is no free port for the processes of a distributed training.")


def assigned_from() -> int:
    """The first port that this system hands out by itself."""
    try:
        return int(_SETTING.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return _ASSIGNED_FROM


def apply() -> None:
    """Replaces AllenNLP's function. Safe to call twice."""
    util.find_open_port = find_open_port
