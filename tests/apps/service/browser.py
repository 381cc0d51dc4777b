"""A browser without a window, driven as a user would: typing, keys and clicks."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from typing import Any

FOUND = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
_KEYS = {"Tab": (9, ""), "Enter": (13, "\r"), " ": (32, " ")}


class Browser:
    """
    Speaks the DevTools protocol over two pipes (file descriptors 3 and 4 of the browser), which
    takes no further package. `events` are all that it told.
    """

    def __init__(self, folder: Path) -> None:
        ours, theirs = os.pipe(), os.pipe()
        command = (
            f"exec {FOUND} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
            f"--no-first-run --user-data-dir={folder} --remote-debugging-pipe about:blank "
            f"3<&{theirs[0]} 4>&{ours[1]}"
        )
        self._process = subprocess.Popen(
            ["bash", "-c", command], pass_fds=(theirs[0], ours[1]), stderr=subprocess.DEVNULL
        )
        os.close(theirs[0])
        os.close(ours[1])
        self._in, self._out = os.fdopen(ours[0], "rb"), os.fdopen(theirs[1], "wb")
        self._rest, self._number, self._session = b"", 0, ""
        self.events: list[dict] = []
        (page,) = (
            target["targetId"]
            for target in self.call("Target.getTargets")["targetInfos"]
            if target["type"] == "page"
        )
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self.call("Browser.close")
        self._process.wait(10)
        self._in.close()
        self._out.close()

    def call(self, method: str, **params: Any) -> dict:
        self._number += 1
        message: dict = {"id": self._number, "method": method, "params": params}
        if self._session and not method.startswith(("Target", "Browser")):
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while (answer := self._read()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def visit(self, url: str) -> None:
        with self.new_page():
            self.call("Page.navigate", url=url)

    @contextmanager
    def new_page(self) -> Iterator[None]:
        """Around what leads to another page; at its end that page has loaded."""
        before = self._loaded()
        yield
        while self._loaded() == before:
            self.events.append(self._read())

    def _loaded(self) -> int:
        return sum(event["method"] == "Page.loadEventFired" for event in self.events)

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def press(self, key: str, control: bool = False) -> None:
        code, text = _KEYS[key]
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                text=text,
                modifiers=2 if control else 0,
            )

    def click(self, selector: str) -> None:
        box = self.ask(
            f"JSON.stringify(document.querySelector('{selector}').getBoundingClientRect())"
        )
        place = json.loads(box)
        at = {"x": place["x"] + place["width"] / 2, "y": place["y"] + place["height"] / 2}
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def _read(self) -> dict:
        while b"\0" not in self._rest:
            assert select([self._in], [], [], 30)[0], "the browser says nothing"
            found = os.read(self._in.fileno(), 65536)
            assert found, "the browser ended"
            self._rest += found
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)
