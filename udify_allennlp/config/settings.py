"""
Unknown and mistyped settings of a config, found before any work is done. AllenNLP 2.10.1 checks
them one class at a time while it builds each, the trainer's last, and ignores unknown settings of
constructors with `**kwargs`, such as the trainer's.
"""

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional, Union

from allennlp.commands.train import TrainModel
from allennlp.common import FromParams, Lazy, Registrable
from allennlp.common.checks import ConfigurationError
from allennlp.evaluation import Evaluator
from allennlp.nn.parallel import DdpAccelerator
from allennlp.training.optimizers import MultiOptimizer, Optimizer

from udify_command.nearest import did_you_mean

Names = dict[str, Any]
"""The names of parameters, with their annotations."""
_GIVEN = ("self", "cls", "serialization_dir", "local_rank")
# What AllenNLP takes out of a config itself.
_TOP: Names = {
    "type": str,
    "distributed": dict[str, Any],
    "evaluation": Evaluator,
    "include_in_archive": list[str],
    **dict.fromkeys(("random_seed", "numpy_seed", "pytorch_seed"), int),
}
_DISTRIBUTED: Names = {
    "cuda_devices": list[int],
    "num_nodes": int,
    "primary_address": str,
    "primary_port": int,
    "ddp_accelerator": DdpAccelerator,
}
_PRIMITIVES = {
    str: ("text", (str,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
    bool: ("true or false", (bool,)),
}
_OF_OTHERS = {"iterations": " Only models of type udify_refinement have iterations. Omit them."}
"""Remedies for settings that have options of commands, by name."""
_OURS = ("allennlp", "udify_allennlp")


def check_training(settings: Mapping[str, Any]) -> None:
    """
    # Raises

    `ConfigurationError` for the first unknown setting of a training config, with the nearest known
    one, and for the first setting of another type.
    """
    sections = {**_parameters(TrainModel, TrainModel.from_partial_objects)[0], **_TOP}
    _check_names("", settings, sections, "a config")
    _check_names("distributed.", settings.get("distributed") or {}, _DISTRIBUTED, "distributed")


def check_part(name: str, settings: Any) -> None:
    """Checks one section of a config, such as `model`, in the same way."""
    sections = {**_parameters(TrainModel, TrainModel.from_partial_objects)[0], **_TOP}
    _check(name, settings, sections[name])


def _check(path: str, value: Any, annotation: Any) -> None:
    origin = getattr(annotation, "__origin__", None)
    arguments: Sequence[Any] = getattr(annotation, "__args__", ())
    if value is None:
        return
    if origin is Union:
        _check_union(
            path, value, [argument for argument in arguments if argument is not type(None)]
        )
    elif origin is Lazy:
        _check(path, value, arguments[0])
    elif isinstance(annotation, type) and annotation in _PRIMITIVES:
        words, types = _PRIMITIVES[annotation]
        if type(value) not in types:
            raise _wrong(path, value, words)
    elif isinstance(annotation, type) and issubclass(annotation, FromParams):
        _check_class(path, value, annotation)
    elif origin in (list, set, tuple):
        _check_items(path, value, arguments)
    elif origin is dict and len(arguments) == 2:
        if not isinstance(value, Mapping):
            raise _wrong(path, value, "an object")
        for key, entry in value.items():
            _check(f"{path}.{key}", entry, arguments[1])


def _check_items(path: str, value: Any, types: Sequence[Any]) -> None:
    if not isinstance(value, (list, tuple)):
        raise _wrong(path, value, "a list")
    several = len(types) > 1 and types[-1] is not Ellipsis
    for number, item in enumerate(value):
        if types and (number < len(types) or not several):
            _check(f"{path}.{number}", item, types[number if several else 0])


def _check_union(path: str, value: Any, types: Sequence[Any]) -> None:
    errors: list[ConfigurationError] = []
    for alternative in types:
        try:
            return _check(path, value, alternative)
        except ConfigurationError as error:
            errors.append(error)
    # One that looked inside says more than that the value is of another type.
    raise max(errors, key=lambda error: str(error).partition(" ")[0].count("."))


def _check_class(path: str, value: Any, base: Any) -> None:
    if isinstance(value, str):
        value = {"type": value}
    if not isinstance(value, Mapping):
        raise _wrong(path, value, "an object")
    if "_pretrained" in value:
        return
    cls, constructor, name = base, None, base.__name__
    if Registrable._registry.get(base):
        name = value.get("type", base.default_implementation)
        if name is None:
            raise ConfigurationError(f"{path} has no type. Use {_some(base)}.")
        cls, constructor = _resolve(path, base, name)
    parameters, open_ended = _parameters(cls, getattr(cls, constructor) if constructor else None)
    if not open_ended:
        _check_names(f"{path}.", value, {**parameters, "type": str}, f"{name!r}")
        if base is Optimizer:
            _check_groups(f"{path}.parameter_groups", value, _options(cls, parameters, value), name)


def _options(cls: Any, parameters: Names, settings: Mapping[str, Any]) -> Names:
    """Returns the options that the parameter groups of an optimizer accept."""
    options = {**parameters, "requires_grad": bool}
    if cls is MultiOptimizer:
        options["optimizer_name"] = str
        for optimizer in settings.get("optimizers", {}).values():
            kind = (
                optimizer
                if isinstance(optimizer, str)
                else optimizer.get("type", Optimizer.default_implementation)
            )
            options.update(_parameters(Optimizer.resolve_class_name(kind)[0])[0])
    for name in ("model_parameters", "parameter_groups", "optimizers"):
        options.pop(name, None)
    return options


def _check_groups(path: str, settings: Mapping[str, Any], options: Names, owner: Any) -> None:
    """
    Checks the settings of parameter groups, since PyTorch accepts any and ignores unknown ones.
    """
    for number, group in enumerate(settings.get("parameter_groups") or ()):
        if len(group) != 2:
            words = (
                "a list of two: regular expressions, and the settings of the parameters that "
                "they match"
            )
            raise _wrong(f"{path}.{number}", group, words)
        for index, pattern in enumerate(group[0]):
            try:
                re.compile(pattern)
            except re.error as error:
                words = f"a regular expression ({error})"
                raise _wrong(f"{path}.{number}.0.{index}", pattern, words) from None
        _check_names(f"{path}.{number}.1.", group[1], options, f"{owner!r}")


def _check_names(path: str, settings: Any, parameters: Names, owner: str) -> None:
    if not isinstance(settings, Mapping):
        raise _wrong(path.rstrip("."), settings, "an object")
    for key in settings:
        if key not in parameters:
            nearest = (
                _OF_OTHERS.get(key)
                or did_you_mean(key, parameters)
                or f" Its settings: {', '.join(sorted(parameters))}."
            )
            raise ConfigurationError(f"{path}{key} is not a setting of {owner}.{nearest}")
    for key, value in settings.items():
        _check(f"{path}{key}", value, parameters[key])


def _resolve(path: str, base: Any, name: Any) -> tuple[Any, Optional[str]]:
    try:
        return base.resolve_class_name(name)  # type: ignore[no-any-return]
    except ConfigurationError:
        if not isinstance(name, str) or "." in name or ":" in name:
            raise  # a module of the user's own that cannot be imported
    nearest = did_you_mean(name, base.list_available()) or f" Use {_some(base)}."
    raise ConfigurationError(
        f"{path}.type is {name!r}, but no {base.__name__} has that name.{nearest} Name your "
        "own package with --include-package."
    )


def _parameters(cls: Any, constructor: Any = None) -> tuple[Names, bool]:
    """
    Returns the settings that `cls` takes, and whether it may take others too: a class that passes
    unknown settings to its base class takes those of that class.
    """
    names: Names = {}
    for method in _constructors(cls, constructor):
        try:
            parameters = inspect.signature(method).parameters.values()
        except (TypeError, ValueError):  # written in C
            return names, True
        for parameter in parameters:
            if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                names.setdefault(parameter.name, parameter.annotation)
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            return {name: names[name] for name in names if name not in _GIVEN}, False
    ours = cls.__module__.partition(".")[0] in _OURS
    return {name: names[name] for name in names if name not in _GIVEN}, not ours


def _constructors(cls: Any, constructor: Any) -> Iterator[Any]:
    if constructor is not None:
        yield constructor
    for ancestor in cls.__mro__:
        if "__init__" in vars(ancestor) and ancestor is not object:
            yield ancestor.__init__


def _some(base: Any) -> str:
    return ", ".join(sorted(base.list_available()))


def _wrong(path: str, value: Any, words: str) -> ConfigurationError:
    return ConfigurationError(f"{path} is {value!r:.80}; it must be {words}.")
