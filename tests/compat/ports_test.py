import random
import socket

from allennlp.common import util

from udify_allennlp.compat import ports


def test_no_connection_takes_a_port_that_was_found():
    port = util.find_open_port()
    assert ports._FIRST <= port < ports.assigned_from()
    # The system's own choices, of which AllenNLP's is one, are others.
    for _ in range(100):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
            sock.bind(("", 0))
            assert sock.getsockname()[1] >= ports.assigned_from() > port


def test_a_port_in_use_is_passed_over(monkeypatch):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as taken:
        taken.bind(("", ports.find_open_port()))
        port = taken.getsockname()[1]
        monkeypatch.setattr(ports, "_FIRST", port)
        monkeypatch.setattr(ports, "assigned_from", lambda: port + 2)
        assert ports.find_open_port() != port


def test_trainings_of_one_seed_find_each_their_own():
    found = set()
    for _ in range(10):
        random.seed(13370)
        state = random.getstate()
        found.add(ports.find_open_port())
        assert random.getstate() == state  # what a training draws does not depend on its port
    assert len(found) >= 8  # of thousands: that three are alike happens once in a hundred million


def test_where_the_system_hands_out_all_ports_any_is_found(monkeypatch, tmp_path):
    setting = tmp_path / "range"
    setting.write_text("1024\t65000\n")
    monkeypatch.setattr(ports, "_SETTING", setting)
    assert 1024 <= ports.find_open_port() <= 65535
    monkeypatch.setattr(ports, "_SETTING", tmp_path / "none")
    assert ports.assigned_from() == ports._ASSIGNED_FROM
