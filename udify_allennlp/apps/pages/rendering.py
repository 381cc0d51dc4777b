"""Pages from templates (jinja2). Values are escaped, unless they are `Markup`."""

from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from udify_allennlp.text.drawing import elements, wrapping

TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, **values: Any) -> Markup:
    """
    Returns a template of `templates/` filled with these values.

    # Raises

    `jinja2.UndefinedError` if it needs another value.
    """
    return Markup(_templates().get_template(template).render(**values))


@cache
def _templates() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # only where a page is made

    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["tree_style"] = Markup(elements.STYLE + wrapping.STYLE)
    return templates
