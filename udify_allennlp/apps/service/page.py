"""The page where one types a sentence and sees its tree; it works without JavaScript."""

import base64
import hashlib
from html import escape
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence
from urllib.parse import urlencode

from udify_allennlp.apps.service.models import ServedModel, pick
from udify_allennlp.apps.service.parameters import Parameters
from udify_allennlp.apps.service.process import Service
from udify_allennlp.predictors.conllu_predictor import block
from udify_allennlp.text.drawing.svg import STYLE, runs_leftwards, standalone, tree_svg
from udify_allennlp.text.languages import LANGUAGES, language_name
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.sentence import Sentence

MAX_TEXT = 4000
"""Characters that can be typed: the page's address has to hold them."""
EXAMPLES = {
    "en": "The old dog that we found was sleeping under the table.",
    "de": "Gestern hat mir meine Schwester ein Buch geschenkt, das ich schon kannte.",
    "fr": "Les enfants jouent dans le jardin pendant que leur mère lit le journal.",
    "es": "No sé si mañana lloverá, pero llevaré el paraguas.",
    "cs": "V zimě chodíme s přáteli bruslit na zamrzlý rybník.",
    "fi": "Lapset leikkivät pihalla, vaikka ulkona sataa lunta.",
    "ru": "Мой брат работает врачом в маленьком городе у моря.",
    "tr": "Dün akşam yeni açılan lokantada yemek yedik.",
    "ar": "يدرس أخي الطب في جامعة قريبة من بيتنا.",
    "he": "הילדה קוראת ספר בגן ליד הבית.",
    "hi": "मेरी बहन हर सुबह बगीचे में टहलती है।",
    "ja": "母は毎朝駅まで歩いて新聞を買います。",
    "zh": "昨天我们在公园里看见了一只白色的鸟。",
}
"""By language, a sentence to begin with."""
_MOST_EXAMPLES = 8


class Drawn(NamedTuple):
    """A parsed sentence."""

    html: str
    conllu: str


async def draw(service: Service, given: Parameters) -> List[Drawn]:
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
    return await service.in_turns(
        _figure(number, sentence) for number, sentence in enumerate(sentences, start=1)
    )


def page(
    service: Service, given: Parameters, drawn: Sequence[Drawn] = (), error: Optional[str] = None
) -> str:
    """The whole page, with what was `given` still in its form."""
    models = {model.name: model.name for model in service.models}
    chosen = pick(service.models, given.get("model", "")) or service.models[0]
    result = "".join(each.html for each in drawn)
    if drawn:
        result = f"<p>{_save(''.join(each.conllu for each in drawn), 'parsed.conllu')}</p>{result}"
    if error:
        result = f'<p role="alert">{escape(error)}</p>'
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Parse – {escape(chosen.name)}</title><style>{_STYLE}{STYLE}</style></head><body>\n"
        "<h1>Parse a text</h1><p>The words of each sentence, their parts of speech, features and "
        'lemmas, and its tree in <a href="https://universaldependencies.org">Universal '
        "Dependencies</a>.</p>\n"
        '<form method="get"><label for="data">Text</label>'
        f'<textarea id="data" name="data" rows="3" maxlength="{MAX_TEXT}" dir="auto" required '
        f'autofocus spellcheck="false">\n{escape(given.get("data", ""))}</textarea>'
        f'<label>Model {_select("model", _options(models, chosen.name))}</label>'
        f"<label>Language {_languages(chosen, given.get('lang', ''))}</label>"
        '<button id="parse">Parse</button></form>\n'
        f"{_examples(chosen)}<main>{result}</main>\n"
        f"<script>{_SCRIPT}</script></body></html>\n"
    )


def _select(name: str, options: str) -> str:
    return f'<select id="{name}" name="{name}">{options}</select>'


def _options(values: Dict[str, str], chosen: str) -> str:
    return "".join(
        f'<option value="{escape(value)}"{" selected" if value == chosen else ""}>'
        f"{escape(shown)}</option>"
        for value, shown in values.items()
    )


def _languages(model: ServedModel, chosen: str) -> str:
    """All, those that the model was trained on first."""
    trained = _by_name(model.languages)
    others = _by_name({*LANGUAGES, chosen} - trained.keys() - {""})
    options = _options({"": "the model’s"}, chosen)
    for title, group in (("trained on", trained), ("others", others)):
        if group:
            options += f'<optgroup label="{title}">{_options(group, chosen)}</optgroup>'
    return _select("lang", options)


def _by_name(codes: Iterable[str]) -> Dict[str, str]:
    names = {code: language_name(code) for code in codes}
    return dict(sorted(names.items(), key=lambda each: each[1]))


def _examples(model: ServedModel) -> str:
    """Of languages that the model was trained on, where there are such."""
    known = [lang for lang in EXAMPLES if lang in model.languages] or list(EXAMPLES)
    links = []
    for lang in known[:_MOST_EXAMPLES]:
        query = urlencode({"data": EXAMPLES[lang], "model": model.name, "lang": lang})
        links.append(f'<a href="?{escape(query)}">{escape(language_name(lang))}</a>')
    return f"<p>Examples: {', '.join(links)}</p>\n"


def _figure(number: int, sentence: Sentence) -> Drawn:
    direction = "rtl" if runs_leftwards(sentence) else "ltr"  # where scrolling starts
    text, conllu = escape(rebuild([sentence]).strip()), block(sentence)
    drawing = tree_svg(sentence)
    html = (
        f'<figure><figcaption dir="auto">{text}</figcaption>'
        f'<div class="scroll" dir="{direction}" tabindex="0">{drawing}</div>'
        f"<details><summary>CoNLL-U</summary><pre>{escape(conllu)}</pre></details>"
        f"{_save(standalone(drawing), f'tree{number}.svg')}</figure>\n"
    )
    return Drawn(html, conllu)


def _save(content: str, name: str) -> str:
    """A link that holds what it saves: nothing is parsed again."""
    coded = base64.b64encode(content.encode()).decode()
    kind = "image/svg+xml" if name.endswith(".svg") else "text/plain;charset=utf-8"
    return f'<a class="save" download="{name}" href="data:{kind};base64,{coded}">Save {name}</a>'


_STYLE = """
body { font: 16px/1.4 sans-serif; margin: 1.5em auto; padding: 0 1em; max-width: 75em;
  color: #222; background: #fff; color-scheme: light }
h1 { font-size: 1.4em; margin: 0 } a { color: #1565c0 }
form { display: flex; flex-wrap: wrap; gap: .7em 1.5em; align-items: center }
label[for] { position: absolute; clip-path: inset(50%) }
textarea { flex: 1 0 100%; box-sizing: border-box; width: 100%; font: inherit; font-size: 1.15em;
  padding: .5em .7em; border: 1px solid #999; border-radius: 6px; resize: vertical }
select, button { font: inherit; padding: .3em .6em; border: 1px solid #999; border-radius: 6px;
  background: #fff; max-width: 18em }
button { margin-inline-start: auto; padding: .35em 1.6em; background: #1565c0; color: #fff;
  border-color: #1565c0; cursor: pointer }
:focus-visible { outline: 3px solid #90caf9; outline-offset: 1px }
figure { margin: 1.5em 0 0; border-top: 1px solid #ddd; padding-top: 1em }
figcaption { font-size: 1.1em } .scroll { overflow-x: auto; padding: .8em 0 }
.save { font-size: .9em }
summary { cursor: pointer; color: #555 } pre { overflow-x: auto; tab-size: 14; font-size: .85em }
[role=alert] { background: #fdecea; color: #b71c1c; padding: .7em 1em; border-radius: 6px }
"""

_SCRIPT = """
const text = document.getElementById('data');
text.onkeydown = event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) text.form.requestSubmit();
};
"""
"""Sends with Ctrl+Enter, which can be done without."""

_HASH = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_HASH}'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The page's Content-Security-Policy: nothing but our own script runs, and nothing is fetched."""
