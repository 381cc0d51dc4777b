"""Requests to a service."""

import time
import urllib.error
import urllib.parse
import urllib.request


def fetch(url, data=None, headers=None):
    """Status, headers and body."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers or {})) as response:
            return response.status, response.headers, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def timed(url, data=None):
    """The status of an answer, and the seconds that it took."""
    start = time.monotonic()
    status = fetch(url, data)[0]
    return status, time.monotonic() - start
