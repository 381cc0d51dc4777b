"""The tasks in the settings of a reader."""

from collections.abc import Sequence
from typing import Union

from allennlp.common.checks import ConfigurationError

from udify_allennlp.data.tasks import STANDARD, LabelTask, Task, task_of

DEFAULT: list[Union[str, Task]] = [name for name in STANDARD if name != "xpos"]


def tasks(setting: str, names: Sequence[Union[str, Task]]) -> tuple[Task, ...]:
    """
    Returns the tasks that a `setting` of the reader names. Raises `ConfigurationError` for an
    unknown one.
    """
    try:
        return tuple(map(task_of, names))
    except ConfigurationError as error:
        raise ConfigurationError(f"dataset_reader.{setting}: {error.message}") from None


def lexicon(names: Sequence[str], targets: Sequence[Task]) -> tuple[LabelTask, ...]:
    """
    Returns those of the `targets` that a lexicon is requested for. Raises `ConfigurationError` for
    any other name, and for tasks without one label per word.
    """
    label_tasks = {task.name: task for task in targets if isinstance(task, LabelTask)}
    for name in names:
        if name not in label_tasks:
            raise ConfigurationError(
                f"dataset_reader.lexicon has {name!r}. Use those of dataset_reader.tasks with one "
                f"label per word: {', '.join(label_tasks) or 'none has one'}."
            )
    return tuple(label_tasks[name] for name in names)
