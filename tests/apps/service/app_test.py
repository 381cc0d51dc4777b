"""Work that nobody waits for any more is given up before the client hears of it."""

import asyncio
from concurrent.futures import Future

import pytest
from starlette.requests import ClientDisconnect

from udify_allennlp.apps.service.app import _while_wanted


class Client:
    """A request whose client leaves after so many seconds."""

    def __init__(self, seconds):
        self._seconds = seconds

    async def receive(self):
        await asyncio.sleep(self._seconds)
        return {"type": "http.disconnect"}


@pytest.mark.parametrize(
    "client, seconds, error", [(Client(60), 0.01, TimeoutError), (Client(0), 60, ClientDisconnect)]
)
def test_what_is_not_wanted_is_cancelled_at_once(client, seconds, error):
    async def check():
        parsed = Future()

        async def work():
            return await asyncio.wrap_future(parsed)

        with pytest.raises(error):
            await _while_wanted(client, work(), seconds)
        assert parsed.cancelled()

    asyncio.run(check())


def test_what_is_wanted_is_given_and_errors_are_raised():
    async def fail():
        raise ValueError("so")

    async def check():
        assert await _while_wanted(Client(60), asyncio.sleep(0, "parsed"), 60) == "parsed"
        with pytest.raises(ValueError, match="so"):
            await _while_wanted(Client(60), fail(), 60)

    asyncio.run(check())
