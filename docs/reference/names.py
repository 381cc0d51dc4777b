"""Every name that our classes are registered under, from their docstrings and constructors."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from allennlp.common import Registrable

from docs.reference.markdown import prose, table
from udify_allennlp.config import rooms
from udify_allennlp.data.group_sampling import GroupSampling
from udify_allennlp.modules.characters import CharacterFeatures
from udify_allennlp.pretraining.masking import Masking
from udify_allennlp.translation.scores import TranslationScores

# In the order of a config: the base class, and where its names are written.
PLACES = {
    "DatasetReader": "`dataset_reader`",
    "Task": "`tasks` and `inputs` of `dataset_reader`, `task` of a decoder",
    "DataLoader": "`data_loader` and `validation_data_loader`",
    "GroupSampling": "`data_loader`, among its own parameters",
    "BatchSampler": "`batch_sampler` of AllenNLP's own data loader `multiprocess`",
    "Vocabulary": "`vocabulary`",
    "Model": "`model`",
    "WordEncoder": "`model.embedder`",
    "InitialGraph": "`model.initial`",
    "NodeEncoder": "`model.embedder.layers` of `udify_static_vectors`, `udify_frozen_vectors` and "
    "`udify_typology_positions`",
    "PositionGenerator": "`model.embedder.generator` of `udify_typology_positions`",
    "Decoder": "`model.decoders`, one for each task",
    "CharacterFeatures": "`model.characters`, without a `type`",
    "Masking": "`model.masking` of `udify_pretraining`, without a `type`",
    "TranslationScores": "`model.scores` of `udify_translation`, without a `type`",
    "Metric": "`model.scores`",
    "Trainer": "`trainer`",
    "Optimizer": "`trainer.optimizer`",
    "LearningRateScheduler": "`trainer.learning_rate_scheduler`",
    "TrainerCallback": "`trainer.callbacks`",
    "Checkpointer": "`trainer.checkpointer`",
    "Evaluator": "`evaluation`",
    "Scorer": "`evaluation.scorer`",
    "Predictor": "`--predictor` of `allennlp predict`",
}
# Parts of a config that have no name, only parameters.
UNNAMED = (CharacterFeatures, GroupSampling, Masking, TranslationScores)
# What AllenNLP or the model passes by itself.
GIVEN = {
    *("serialization_dir", "vocab", "reader", "data_path", "cuda_device", "batch_serializer"),
    *("model_parameters", "optimizer", "num_steps_per_epoch", "last_epoch", "input_dim"),
    *("places", "typology_dim", "num_languages"),
    *("model", "dataset_reader", "frozen", "num_characters", "output_dim", "instances"),
}
_PARAMETER = re.compile(r"^([\w*]+(?:, \w+)*) ?:(?: |$)")


class Registered(NamedTuple):
    """A class of ours under one of its names."""

    base: str
    name: str
    cls: type
    constructor: Callable


def registered() -> list[Registered]:
    """All but the commands, and `UNNAMED`, by `PLACES`; bases that it lacks come last."""
    rooms.import_all()
    found = [Registered(cls.__name__, "", cls, cls.__init__) for cls in UNNAMED]
    for base, names in Registrable._registry.items():
        for name, (cls, constructor) in names.items():
            if cls.__module__.startswith("udify_allennlp.") and base.__name__ != "Subcommand":
                # A constructor that is only inherited hands all on to `__init__`.
                own = constructor if constructor in vars(cls) else "__init__"
                found.append(Registered(base.__name__, name, cls, getattr(cls, own)))
    order = list(PLACES)
    place = {base: order.index(base) if base in order else len(order) for base, *_ in found}
    return sorted(found, key=lambda each: (place[each.base], each.base, each.name))


def markdown() -> str:
    """A table of all names, and a section for each."""
    entries = registered()
    rows = [
        (f"[`{each.name or each.cls.__name__}`](#{_anchor(each)})", _place(each), _summary(each))
        for each in entries
    ]
    return "\n".join([table(("name", "where", "what"), rows), *map(_section, entries)])


def _place(each: Registered) -> str:
    return PLACES.get(each.base, each.base)


def _anchor(each: Registered) -> str:
    """What a page's heading is linked by."""
    return "-".join(filter(None, [each.name, each.cls.__name__.lower()]))


def _summary(each: Registered) -> str:
    """The first sentence of the docstring."""
    first = " ".join(_description(each.cls).split("\n\n")[0].split())
    return re.split(r"(?<=\.)(?<! al\.)\s", first)[0]


def _section(each: Registered) -> str:
    title = f"`{each.name}` " if each.name else ""
    lines = [
        f"### {title}{each.cls.__name__}\n",
        f"In {_place(each)}; `{each.cls.__module__}`.\n",
        prose(_description(each.cls)),
    ]
    rows = list(_parameters(each))
    if rows:
        lines.append(table(("parameter", "type", "default", "meaning"), rows))
    return "\n".join(lines)


def _parameters(each: Registered) -> Iterator[tuple[str, str, str, str]]:
    texts: dict[str, str] = {}
    for cls in reversed(each.cls.__mro__[:-1]):
        texts.update(documented(inspect.cleandoc(cls.__doc__ or "")))
    for name, parameter in inspect.signature(each.constructor).parameters.items():
        if name in GIVEN | {"self", "cls"} or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        required = parameter.default is parameter.empty
        default = "required" if required else f"`{_plain(parameter.default)}`"
        yield f"`{name}`", f"`{plain_type(parameter.annotation)}`", default, texts.get(name, "")


def _plain(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def plain_type(annotation: Any) -> str:
    """As it is written in code, without the names of modules."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"ForwardRef\('(\w+)'\)", r"\1", text)
    return re.sub(r"\b(?:\w+\.)+", "", text)


def _description(cls: type) -> str:
    """The docstring up to its first heading."""
    return re.split(r"^# ", inspect.cleandoc(cls.__doc__ or ""), flags=re.MULTILINE)[0].strip()


def documented(doc: str) -> dict[str, str]:
    """The first paragraph about each parameter."""
    parts = re.split(r"^# Parameters\n", doc, flags=re.MULTILINE)
    if len(parts) == 1:
        return {}
    texts: dict[str, str] = {}
    current: list[str] = []
    for line in re.split(r"^# ", parts[1], flags=re.MULTILINE)[0].split("\n"):
        match = _PARAMETER.match(line)
        if match:
            current = match[1].split(", ")
            texts.update(dict.fromkeys(current, ""))
        elif not line.strip():
            current = [name for name in current if not texts[name]]
        else:
            texts.update({name: f"{texts[name]} {line.strip()}".strip() for name in current})
    return texts
