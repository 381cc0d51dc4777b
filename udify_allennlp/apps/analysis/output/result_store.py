"""Results of a long run, saved as soon as they are complete."""

import json
from pathlib import Path
from typing import Any

from udify_allennlp.apps.analysis.output.files import new_folder, write_json

Record = dict[str, Any]


class KeptResults:
    """
    Results in a JSON file, `{settings..., "finished": false, "results": [...]}`, which is rewritten
    with each of them. The results of an interrupted run with the same settings are loaded.

    # Parameters

    path : `Path`
        The file; its folder is created.
    option : `str`
        The option that named the folder, for messages.
    settings : `Record`
        All settings that determine the results.

    # Raises

    `ConfigurationError` if the folder holds anything but an interrupted run of these settings.
    """

    def __init__(self, path: Path, option: str, settings: Record) -> None:
        self._path = path
        self._settings = json.loads(json.dumps(settings))
        self.results: list[Record] = []
        record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        if record.get("finished") is False and self._record(False, record["results"]) == record:
            self.results = record["results"]
        else:
            new_folder(str(path.parent), option)
            self._write(finished=False)

    def has(self, **key: Any) -> bool:
        """Returns whether a result with these values is stored."""
        return any(key.items() <= result.items() for result in self.results)

    def add(self, result: Record) -> None:
        self.results.append(result)
        self._write(finished=False)

    def finish(self) -> None:
        """Marks the run as complete."""
        self._write(finished=True)

    def _write(self, finished: bool) -> None:
        write_json(self._path, self._record(finished, self.results))

    def _record(self, finished: bool, results: list[Record]) -> Record:
        return {**self._settings, "finished": finished, "results": results}
