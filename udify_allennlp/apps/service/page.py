"""The page on which one types a sentence and sees its tree; it works without JavaScript."""

import base64
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple, Optional
from urllib.parse import urlencode

from markupsafe import Markup

from udify_allennlp.apps.pages.rendering import render
from udify_allennlp.apps.service.language import Language
from udify_allennlp.apps.service.models import ServedModel
from udify_allennlp.apps.service.names import choose
from udify_allennlp.apps.service.parameters import Parameters
from udify_allennlp.apps.service.process import Service
from udify_allennlp.text.conllu import separate_block
from udify_allennlp.text.drawing.elements import standalone
from udify_allennlp.text.drawing.svg import runs_leftwards, tree_svg
from udify_allennlp.text.drawing.wrapping import wrapped
from udify_allennlp.text.input_kinds import CONLLU, kind_of_text
from udify_allennlp.text.languages import LANGUAGES, language_name
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.sentence import BOM, Sentence
from udify_allennlp.text.tree_check import head_number

MAX_TEXT = 4000
"""Maximum number of characters to type: the page's address contains them."""
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
"""Example sentences by language."""
_MOST_EXAMPLES = 8
_MOST_DRAWN = 100  # sentences of a file; all of them can be saved
_CONLLU = ("id", "form", "lemma", "UPOS", "XPOS", "features", "head", "relation", "DEPS", "MISC")
_SHOWN = _CONLLU[:8]
FILE = "file"
"""The parameter of an uploaded file, which replaces `data`."""


class Drawn(NamedTuple):
    """The parsed text of a page."""

    language: Optional[Language]
    figures: list[Markup]
    conllu: str
    sentences: int


_NOTHING = Drawn(None, [], "", 0)


async def draw(service: Service, fields: Parameters) -> Drawn:
    """
    Draws the sentences of the raw text `data`, or of the uploaded file, parsed by `model`. For a
    file in CoNLL-U, the words are kept.

    # Raises

    The errors of `Service.process`.
    """
    uploaded = fields.pop(FILE, "").removeprefix(BOM)
    if uploaded:
        fields["data"] = uploaded
    has_words = kind_of_text(uploaded) == CONLLU
    if not fields.get("data", "").strip():
        return _NOTHING
    wanted: Parameters = {
        name: fields[name] for name in fields if name in ("data", "model", "lang")
    }
    choice = choose(service.models, fields.get("model", ""))
    wanted.update(dict.fromkeys(choice.model.steps if choice else (), ""))
    if has_words:
        wanted.pop("tokenizer", None)
        fields["data"] = ""  # in the form it would be raw text
    _, sentences, language = await service.parse(wanted)
    figures = await service.in_turns(
        _figure(number, sentence)
        for number, sentence in enumerate(sentences[:_MOST_DRAWN], start=1)
    )
    conllu = "".join(await service.in_turns(map(separate_block, sentences)))
    return Drawn(language, figures, conllu, len(sentences))


def page(
    service: Service, fields: Parameters, drawn: Drawn = _NOTHING, error: Optional[str] = None
) -> str:
    """Returns the whole page, with the sent values still in its form."""
    choice = choose(service.models, fields.get("model", ""))
    chosen = choice.model if choice else service.models[0]
    text = fields.get("data", "")
    return render(
        "service.html",
        title=f"Parse – {chosen.name}",
        models=[model.name for model in service.models],
        chosen=chosen.name,
        own_language=chosen.lang and language_name(chosen.lang),
        languages=_languages(chosen, fields.get("lang", "")),
        lang=fields.get("lang", ""),
        text=text if len(text) <= MAX_TEXT else "",
        max_text=MAX_TEXT,
        file=FILE,
        examples=list(_examples(chosen)),
        drawn=drawn,
        saved=_saved(drawn.conllu, "parsed.conllu"),
        error=error,
        script=_script(),
    )


def _languages(model: ServedModel, chosen: str) -> list[tuple[str, dict[str, str]]]:
    """Returns all languages in groups, the model's training languages first."""
    trained = _by_name(model.languages)
    others = _by_name({*LANGUAGES, chosen} - trained.keys() - {""})
    return [
        (title, languages)
        for title, languages in (("trained on", trained), ("others", others))
        if languages
    ]


def _by_name(codes: Iterable[str]) -> dict[str, str]:
    names = {code: language_name(code) for code in codes}
    return dict(sorted(names.items(), key=lambda item: item[1]))


def _examples(model: ServedModel) -> Iterator[tuple[str, str]]:
    """Yields query and name of examples, in training languages of the model if possible."""
    langs = [lang for lang in EXAMPLES if lang in model.languages] or list(EXAMPLES)
    for lang in langs[:_MOST_EXAMPLES]:
        query = urlencode({"data": EXAMPLES[lang], "model": model.name, "lang": lang})
        yield query, language_name(lang)


def _figure(number: int, sentence: Sentence) -> Markup:
    drawing = tree_svg(sentence)
    return render(
        "figure.html",
        number=number,
        text=rebuild([sentence]).strip(),
        direction="rtl" if runs_leftwards(sentence) else "ltr",  # where scrolling starts
        drawing=Markup(wrapped(drawing)),
        compact=Markup(wrapped(tree_svg(sentence, has_features=False))),
        rows=_table(sentence),
        conllu=separate_block(sentence),
        saved=_saved(standalone(drawing), f"tree{number}.svg"),
    )


def _table(sentence: Sentence) -> list[dict[str, str]]:
    """
    Returns cells by column, as in CoNLL-U, with the form of the head next to its number; columns
    without any value are left out.
    """
    forms = ["ROOT", *sentence.forms]
    rows = []
    for line in sentence.text.split("\n"):
        cells = line.split("\t")
        if len(cells) != len(_CONLLU):
            continue
        row = {name: "" if cell == "_" else cell for name, cell in zip(_CONLLU, cells)}
        row["form"] = cells[1]  # may be `_`
        row["features"] = row["features"].replace("|", " ")
        head = head_number(cells[6], len(sentence))
        if head is not None:
            row["head"] = f"{head} {forms[head]}"
        rows.append(row)
    shown = [name for name in _SHOWN if any(row[name] for row in rows)]
    return [{name: row[name] for name in shown} for row in rows]


class Saved(NamedTuple):
    """A link that contains the file it saves, so that nothing is parsed again."""

    name: str
    address: str


def _saved(content: str, name: str) -> Saved:
    coded = base64.b64encode(content.encode()).decode()
    kind = "image/svg+xml" if name.endswith(".svg") else "text/plain;charset=utf-8"
    return Saved(name, f"data:{kind};base64,{coded}")


def _script() -> Markup:
    """
    Returns the optional script of the page: it submits on Ctrl+Enter, and omits the file from
    addresses.
    """
    return render("service.js")


@cache
def policy() -> str:
    """
    Returns the page's Content-Security-Policy: only our own script runs, and nothing is fetched.
    """
    digest = base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
