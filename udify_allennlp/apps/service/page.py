"""The page where one types a sentence and sees its tree; it works without JavaScript."""

import base64
import hashlib
import pkgutil
from html import escape
from typing import Iterable, List, Optional, Sequence

from udify_allennlp.apps.drawing.svg import STYLE, runs_leftwards, tree_svg
from udify_allennlp.apps.service.models import LANG, pick
from udify_allennlp.apps.service.parameters import Parameters
from udify_allennlp.apps.service.process import Service
from udify_allennlp.predictors.conllu_predictor import block
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.sentence import Sentence

MAX_TEXT = 4000
"""Characters that can be typed: the page's address has to hold them."""


async def draw(service: Service, given: Parameters) -> List[str]:
    """
    The drawn sentences of the raw text `data`, parsed by `model`.

    # Raises

    As `Service.process`.
    """
    if not given.get("data", "").strip():
        return []
    wanted: Parameters = {name: given[name] for name in given if name in ("data", "model", "lang")}
    model = pick(service.models, given.get("model", ""))
    wanted.update(dict.fromkeys(model.steps if model else (), ""))
    _, sentences = await service.parse(wanted)
    return await service.in_turns(map(_figure, sentences))


def page(
    service: Service, given: Parameters, drawn: Sequence[str] = (), error: Optional[str] = None
) -> str:
    """The whole page, with what was `given` still in its form."""
    models = [model.name for model in service.models]
    chosen = pick(service.models, given.get("model", ""))
    languages = sorted({*_languages(), given.get("lang", "")})
    result = f'<p role="alert">{escape(error)}</p>' if error else "".join(drawn)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Parse</title><style>{_STYLE}{STYLE}</style></head><body>\n"
        '<form method="get"><label for="data">Text</label>'
        f'<textarea id="data" name="data" rows="3" maxlength="{MAX_TEXT}" dir="auto" required '
        f'autofocus spellcheck="false">\n{escape(given.get("data", ""))}</textarea>'
        f'<label>Model {_select("model", models, chosen.name if chosen else models[0])}</label>'
        f'<label>Language {_select("lang", languages, given.get("lang", ""))}</label>'
        '<button id="parse">Parse</button></form>\n'
        f"<main>{result}</main>\n<script>{_SCRIPT}</script></body></html>\n"
    )


def _select(name: str, values: Iterable[str], chosen: str) -> str:
    options = "".join(
        f'<option value="{escape(value)}"{" selected" if value == chosen else ""}>'
        f'{escape(value) or "the model’s"}</option>'
        for value in values
    )
    return f'<select id="{name}" name="{name}">{options}</select>'


def _languages() -> List[str]:
    """Those whose words spaCy has rules for."""
    import spacy.lang

    names = (module.name for module in pkgutil.iter_modules(spacy.lang.__path__))
    return [name for name in names if LANG.fullmatch(name) and name != "xx"]


def _figure(sentence: Sentence) -> str:
    direction = "rtl" if runs_leftwards(sentence) else "ltr"  # where scrolling starts
    text = escape(rebuild([sentence]).strip())
    return (
        f'<figure><figcaption dir="auto">{text}</figcaption>'
        f'<div class="scroll" dir="{direction}" tabindex="0">{tree_svg(sentence)}</div>'
        f"<details><summary>CoNLL-U</summary><pre>{escape(block(sentence))}</pre>"
        "</details></figure>\n"
    )


_STYLE = """
body { font: 16px/1.4 sans-serif; margin: 2em auto; padding: 0 1em; max-width: 75em;
  color: #222; background: #fff; color-scheme: light }
form { display: flex; flex-wrap: wrap; gap: .7em 1.5em; align-items: center }
label[for] { position: absolute; clip-path: inset(50%) }
textarea { flex: 1 0 100%; box-sizing: border-box; width: 100%; font: inherit; font-size: 1.15em;
  padding: .5em .7em; border: 1px solid #999; border-radius: 6px; resize: vertical }
select, button { font: inherit; padding: .3em .6em; border: 1px solid #999; border-radius: 6px;
  background: #fff; max-width: 18em }
button { margin-inline-start: auto; padding: .35em 1.6em; background: #1565c0; color: #fff;
  border-color: #1565c0; cursor: pointer }
:focus-visible { outline: 3px solid #90caf9; outline-offset: 1px }
figure { margin: 2em 0 0; border-top: 1px solid #ddd; padding-top: 1em }
figcaption { font-size: 1.1em } .scroll { overflow-x: auto; padding: .8em 0 }
summary { cursor: pointer; color: #555 } pre { overflow-x: auto; tab-size: 14; font-size: .85em }
[role=alert] { background: #fdecea; color: #b71c1c; padding: .7em 1em; border-radius: 6px }
"""

_SCRIPT = """
const text = document.getElementById('data');
text.onkeydown = event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) text.form.requestSubmit();
};
const names = new Intl.DisplayNames(['en'], { type: 'language' });
const [models, ...languages] = document.getElementById('lang').options;
for (const option of languages) try { option.text = names.of(option.value); } catch { }
models.parentNode.append(...languages.sort((a, b) => a.text.localeCompare(b.text)));
"""
"""Sends with Ctrl+Enter; languages by their names instead of codes. Both can be done without."""

_HASH = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_HASH}'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The page's Content-Security-Policy: nothing but our own script runs, and nothing is fetched."""
