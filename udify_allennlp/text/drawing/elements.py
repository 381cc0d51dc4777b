"""The elements of a drawing in SVG, and its CSS."""

from collections.abc import Sequence
from html import escape

from udify_allennlp.text.drawing import phrases, roles
from udify_allennlp.text.drawing.layout import LONGEST, Arc, MarkedText
from udify_allennlp.text.non_word_rows import EmptyNode

STYLE = (
    """
svg.tree { direction: ltr }
svg.tree text { text-anchor: middle; font: 12px sans-serif; fill: var(--tree-ink, #222) }
svg.tree .form { font-size: 16px; font-weight: 600 }
svg.tree .form.found { fill: var(--tree-found, #ad1457); text-decoration: underline }
svg.tree .upos { fill: var(--tree-soft, #555); font-weight: 600 }
svg.tree .lemma { font-size: 13px; font-style: italic }
svg.tree .feats { font-size: 11px; fill: var(--tree-soft, #555) }
svg.tree .deprel { paint-order: stroke; stroke: var(--tree-paper, #fff); stroke-width: 5px;
  stroke-linejoin: round }
svg.tree .range { font-size: 14px; fill: var(--tree-range, #6d4c41) }
svg.tree .empty, svg.tree .id { fill: var(--tree-faint, #6b6b6b); font-weight: 400 }
svg.tree .id { font-size: 11px }
svg.tree path { fill: none; stroke: var(--tree-arc, #808080); stroke-width: 1.4 }
svg.tree path.range { fill: none; stroke: var(--tree-range, #6d4c41) }
svg.tree path.tip { fill: var(--tree-arc, #808080); stroke: none }
svg.tree path.gold { stroke: var(--tree-gold, #1565c0); stroke-width: 2 }
svg.tree path.pred { stroke: var(--tree-pred, #c62828); stroke-width: 2; stroke-dasharray: 5 3 }
svg.tree .gold { fill: var(--tree-gold, #1565c0) }
svg.tree .pred { fill: var(--tree-pred, #c62828) }
svg.tree path.gold, svg.tree path.pred { fill: none }
svg.tree path.tip.gold { fill: var(--tree-gold, #1565c0); stroke: none }
svg.tree path.tip.pred { fill: var(--tree-pred, #c62828); stroke: none }
"""
    + roles.STYLE
    + phrases.STYLE
)
"""
The CSS of the drawings, once per page. A page may set its own colours (`--tree-ink` and others),
such as for a dark theme; a separate drawing has the default ones.
"""


def draw_arc(arc: Arc, start: int, to: int, y: int, bottom: int) -> str:
    """Returns the line and its arrow; an arc from ROOT comes straight down."""
    mark = f' class="{arc.mark}"' if arc.mark else ""
    line = f"M{to},{y + 6}V{bottom}"
    if arc.head:
        turn = 5 if to > start else -5
        rise = f"M{start},{bottom}V{y + 5}Q{start},{y} {start + turn},{y}"
        line = f"{rise}H{to - turn}Q{to},{y} {to},{y + 5}V{bottom}"
    tip = f"M{to - 3},{bottom - 5}h6l-3,6z"
    tip_class = f"tip {arc.mark}".strip()
    return f'<path{mark} d="{line}"/><path class="{tip_class}" d="{tip}"/>'


def draw_bracket(start: int, end: int, y: int, form: str) -> str:
    line = f'<path class="range" d="M{start},{y}v4H{end}v-4"/>'
    return line + draw_text((start + end) // 2, y + 17, "range", (("", form),))


def draw_node_id(x: int, y: int, node: EmptyNode) -> str:
    title = f"<title>empty node, DEPS {escape(node.deps)}</title>"
    return f'<text x="{x}" y="{y}" class="id">{node.id}{title}</text>'


def draw_text(x: int, y: int, kind: str, pieces: Sequence[MarkedText]) -> str:
    long = " ".join(text for _, text in pieces)
    title = f"<title>{escape(long)}</title>" if len(long) > LONGEST else ""
    if len(pieces) == 1:
        mark, text = pieces[0]
        return (
            f'<text x="{x}" y="{y}" class="{f"{kind} {mark}".strip()}">{_cut(text)}{title}</text>'
        )
    spans = " ".join(f'<tspan class="{mark}">{_cut(text)}</tspan>' for mark, text in pieces)
    return f'<text x="{x}" y="{y}" class="{kind}">{spans}{title}</text>'


def _cut(text: str) -> str:
    return escape(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


def standalone(svg: str) -> str:
    """Returns a drawing of `tree_svg` with its `STYLE`: a separate file, or a part of any page."""
    return svg.replace("</title>", f"</title><style>{STYLE}</style>", 1)  # which has to be first
