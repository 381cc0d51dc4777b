"""The tasks that the settings of a reader name."""

from collections.abc import Sequence
from typing import Union

from allennlp.common.checks import ConfigurationError

from udify_allennlp.data.tasks import STANDARD, LabelTask, Task, task_of

DEFAULT: list[Union[str, Task]] = [name for name in STANDARD if name != "xpos"]


def tasks(setting: str, names: Sequence[Union[str, Task]]) -> tuple[Task, ...]:
    """The tasks that a `setting` of the reader names. `ConfigurationError` for an unknown one."""
    try:
        return tuple(map(task_of, names))
    except ConfigurationError as error:
        raise ConfigurationError(f"dataset_reader.{setting}: {error.message}") from None


def lexicon(names: Sequence[str], targets: Sequence[Task]) -> tuple[LabelTask, ...]:
    """
    Returns those of the `targets` that a lexicon is requested for. `ConfigurationError` for a name
    of none of them, or of one that has not one label a word.
    """
    label_tasks = {task.name: task for task in targets if isinstance(task, LabelTask)}
    for name in names:
        if name not in label_tasks:
            raise ConfigurationError(
                f"dataset_reader.lexicon has {name!r}: it can have those of dataset_reader.tasks "
                f"with one label a word, {', '.join(label_tasks) or 'of which there are none'}."
            )
    return tuple(label_tasks[name] for name in names)
