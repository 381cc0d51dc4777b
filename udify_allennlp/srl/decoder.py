"""Semantic roles: predicates, their arguments and their senses, scored and searched."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy
import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.collate import UNSEEN
from udify_allennlp.decoders.decoder import Decoder, Encoded
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.spans import Spans, framed
from udify_allennlp.srl.search import best_roles
from udify_allennlp.srl.senses import SenseClassifier
from udify_allennlp.srl.spans import Pairs, SpanRoles, keep_best, kept
from udify_allennlp.srl.tasks import (
    GIVEN,
    KEYS,
    LABELS,
    LEFTS,
    OWNERS,
    PREDICATES,
    RIGHTS,
    ROLES,
    SENSES,
    STYLES,
    STYLES_SEEN,
    RolesTask,
    sense_keys,
)
from udify_allennlp.text.roles.predicates import (
    VERB,
    Argument,
    Predicate,
    predicates_of,
    split_roleset,
    with_predicates,
)
from udify_allennlp.text.sentence import Columns, Sentence

BOTH = "both"
SHARES_OF = ("words", "spans", "squares")
_NO_ROLE = 0


class RoleScores(NamedTuple):
    """The pairs of predicate and span in a batch that remain after pruning, and their scores."""

    predicates: torch.Tensor
    """`(predicates,)`: words of the batch, from 0."""
    spans: Spans
    pairs: Pairs
    roles: torch.Tensor
    """`(pairs, labels)`, float32: the score of each label minus that of no role (nats)."""
    words: torch.Tensor
    layout: Layout


@Decoder.register("udify_role_decoder")
class RoleDecoder(Decoder):
    """
    Predicates and their arguments, of span style, dependency style or both (Mohammadshahi 2023,
    sections 4.3 to 4.5): scores of Equations 4.4 to 4.7 (`SpanRoles`) of the pairs that pruning
    leaves, learned by Equation 4.8, and for each predicate the best spans that do not overlap; an
    argument of dependency style is a single word. Both styles share one set of labels.

    Departures and choices:

    - A predicate has the role V on its own word or span, so that predicates without arguments are
      found: if predicates are not given, a word is one if any of its roles is better than none.
    - Only the span V may contain the predicate's own word, as the brackets of CoNLL 2005 require.
    - ROOT is before the first word, where the thesis has CLS, and a learned vector after the last
      word, where it has SEP.
    - `Phi_v` is part of the score of given predicates, too, as in Equation 4.8; the code of Zhou et
      al. omits it.
    - The loss is divided by the number of words, and that of senses is added to it
      (`SenseClassifier`).
    - If a word has several roles for one predicate, the first is learned.
    - In style `both`, sentences of a file of one style do not train the other (the code of Zhou et
      al. excludes only dependencies).

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
        Width of the word vectors.
    style : `str`
        `span`, `dependency` or `both`.
    given : `bool`
        True if predicates are given, in training as well: the reader's inputs have `predicates`.
        Except in dependency style, the lemmas of their rolesets are then given, too, as in the
        shared tasks.
    predicate_share, most_predicates, span_share, most_spans : `float`, `int`
        Numbers to keep (Table 4.4): `min(0.6 n, 30)` predicates for `n` words, and a share of
        `span_share_of` for spans, at most 300.
    span_share_of : `str`
        `words`: the `n` words, as in He et al. (2018), whom section 4.5 follows. `spans`: all spans
        of the style. `squares`: `(n + 1)^2`, as in the code of Zhou et al. (2020), the source of
        0.6; there are fewer spans than that, so only `most_spans` prunes, from 25 words on.
    **kwargs :
        Settings of `SpanRoles`: `span_dim`, `label_dim`, `unary_dim`, `dropout`, `swap_halves`,
        `label_relu`.

    # Raises

    `ConfigurationError` if the style or `span_share_of` is unknown, a share or number is not
    positive, or the data has no roles, or none of this style.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        style: str = "span",
        given: bool = False,
        predicate_share: float = 0.6,
        most_predicates: int = 30,
        span_share: float = 0.6,
        most_spans: int = 300,
        span_dim: int = 512,
        label_dim: int = 250,
        unary_dim: int = 256,
        dropout: float = 0.3,
        swap_halves: bool = True,
        label_relu: bool = True,
        span_share_of: str = "squares",
    ) -> None:
        super().__init__(RolesTask())
        if style not in (*STYLES, BOTH):
            raise ConfigurationError(
                f"decoders.roles.style is {style!r}. Use one of {', '.join(STYLES)}, {BOTH}."
            )
        styles = list(STYLES) if style == BOTH else [style]
        limits = (predicate_share, most_predicates, span_share, most_spans)
        if min(limits) <= 0:
            raise ConfigurationError(
                "decoders.roles: predicate_share, most_predicates, span_share and most_spans are "
                f"{limits}. All must be above 0."
            )
        if span_share_of not in SHARES_OF:
            raise ConfigurationError(
                f"decoders.roles.span_share_of is {span_share_of!r}. Use one of "
                f"{', '.join(SHARES_OF)}."
            )
        self._share_of = span_share_of
        self._labels = vocab.get_index_to_token_vocabulary(LABELS)
        if not self._labels:
            raise ConfigurationError(
                'The data has no roles. Add "roles" to dataset_reader.tasks, and read files with '
                "roles."
            )
        seen = vocab.get_token_to_index_vocabulary(STYLES_SEEN)
        missing = [wanted for wanted in styles if wanted not in seen]
        if seen and missing:  # an older archive does not say
            raise ConfigurationError(
                f"decoders.roles.style is {style!r}, but no argument of the data is of "
                f"{missing[0]} style. Set it to {next(iter(seen))!r}, or read other files."
            )
        self._verb: Optional[int] = vocab.get_token_to_index_vocabulary(LABELS).get(VERB)
        self._style, self._given, self._limits = style, given, limits
        self.formats = [STYLES[wanted] for wanted in styles]
        self.inputs = (GIVEN,) if given else ()
        sizes = span_dim, label_dim, unary_dim, dropout, swap_halves, label_relu
        self.scorer = SpanRoles(input_dim, len(self._labels), *sizes)
        self.senses = SenseClassifier(vocab, input_dim)
        edges = torch.randn(2, input_dim) * input_dim**-0.5
        self.edges = torch.nn.Parameter(edges)
        """
        The learned vectors before the first word, if ROOT has no vector, and after the last one.
        """

    def scores(self, encoded: Encoded) -> RoleScores:
        words, layout = encoded.words, encoded.layout
        batch = len(layout.nodes)
        lengths = layout.mask.sum(1) - 1
        before = self.edges[0] if encoded.roots is None else encoded.roots
        nodes = framed(words, layout, before, self.edges[1])
        sentence_of = layout.sentence_of

        if self._given:
            predicates = _words_of(encoded.inputs[GIVEN], lengths)
        else:
            scores = self.scorer.predicate_scores(words)
            predicates = keep_best(scores, sentence_of, kept(lengths, *self._limits[:2]))
        ends = self.scorer.ends(nodes)
        wide, narrow = self._style != "dependency", self._style != "span"
        spans = Spans.of(lengths.tolist(), wide, narrow, words.device)
        of_spans = self.scorer.span_scores(ends, spans)
        whole = self._share_of_whole(lengths, spans)
        chosen = keep_best(of_spans, spans.sentence, kept(whole, *self._limits[2:]))
        spans, of_spans = spans.at(chosen), of_spans[chosen]

        pairs = Pairs.of(sentence_of[predicates], spans.sentence, batch)
        vectors = words[predicates]
        roles = self.scorer.label_scores(vectors, self.scorer.spans(ends, spans), pairs)
        of_pair = self.scorer.predicate_scores(vectors)[pairs.predicate] + of_spans[pairs.span]
        roles = (roles + of_pair.unsqueeze(1)).float()
        return RoleScores(predicates, spans, pairs, roles, words, layout)

    def _share_of_whole(self, lengths: torch.Tensor, spans: Spans) -> torch.Tensor:
        """Returns the number that `span_share` is a share of, `(batch,)`."""
        if self._share_of == "spans":
            return spans.sentence.bincount(minlength=len(lengths))
        return lengths if self._share_of == "words" else (lengths + 1) ** 2

    def loss(self, scores: RoleScores, gold: dict[str, Any]) -> torch.Tensor:
        device, layout = scores.roles.device, scores.layout
        lengths = layout.mask.sum(1) - 1
        gold = {
            name: {key: value.to(device) for key, value in gold[name].items()}
            for name in self.targets
        }
        owners = _words_of(gold[OWNERS], lengths)
        labels = gold[ROLES]["values"]
        labelled = labels != UNSEEN
        # Each cell of predicate and span is a number; those of gold are looked up.
        width = int(lengths.max()) + 2
        gold_cells = (owners * width + gold[LEFTS]["values"]) * width + gold[RIGHTS]["values"]
        gold_cells, order = gold_cells[labelled].sort()
        labels = labels[labelled][order]
        spans = scores.spans.at(scores.pairs.span)
        cells = scores.predicates[scores.pairs.predicate] * width + spans.left
        cells = cells * width + spans.right
        targets = torch.zeros_like(cells)
        if len(gold_cells):
            place = torch.searchsorted(gold_cells, cells).clamp(max=len(gold_cells) - 1)
            targets = torch.where(gold_cells[place] == cells, labels[place] + 1, _NO_ROLE)
        logits = torch.cat([torch.zeros_like(scores.roles[:, :1]), scores.roles], 1)
        losses = F.cross_entropy(logits, targets, reduction="none")
        if self._style == BOTH:
            losses = losses[self._told(scores, gold)]
        total = losses.sum()
        predicates = scores.words[_words_of(gold[PREDICATES], lengths)]
        total = total + self.senses.loss(predicates, gold[KEYS]["values"], gold[SENSES]["values"])
        return total / len(scores.words)

    def _told(self, scores: RoleScores, gold: dict[str, Any]) -> torch.Tensor:
        """
        Returns whether gold gives the role of each pair, `(pairs,)`. If predicates have no spans,
        not even V, spans are unknown; if they have span roles and no word roles, words are unknown,
        except the predicate itself.
        """
        left, right = gold[LEFTS]["values"], gold[RIGHTS]["values"]
        batch = len(scores.layout.mask)
        sentence = torch.arange(batch, device=left.device)
        sentence = sentence.repeat_interleave(gold[OWNERS]["lengths"])
        wide, role = left != right, gold[ROLES]["values"] != self._verb

        def some(rows: torch.Tensor) -> torch.Tensor:
            return sentence[rows].bincount(minlength=batch) > 0

        no_spans = some(left >= 0) & ~some(wide)
        no_words = some(wide & role) & ~some(~wide & role)
        spans = scores.spans.at(scores.pairs.span)
        lengths = scores.layout.mask.sum(1) - 1
        words = scores.predicates[scores.pairs.predicate]
        words = words - (lengths.cumsum(0) - lengths)[spans.sentence] + 1
        narrow = spans.left == spans.right
        of_words = ~no_words[spans.sentence] | (spans.left == words)
        return torch.where(narrow, of_words, ~no_spans[spans.sentence])

    def decode(self, scores: RoleScores, sentences: Sequence[Sentence]) -> list[Columns]:
        predicates = self._predicates(scores, sentences)
        return [
            {"misc": with_predicates(sentence.misc, own_predicates)}
            for sentence, own_predicates in zip(sentences, predicates)
        ]

    def _predicates(
        self, scores: RoleScores, sentences: Sequence[Sentence]
    ) -> list[list[Predicate]]:
        starts = numpy.cumsum([0, *map(len, sentences)])
        roles = scores.roles.detach().cpu().numpy()
        left, right = (x.cpu().numpy() for x in scores.spans[1:])
        bounds = numpy.searchsorted(
            scores.pairs.predicate.cpu().numpy(), numpy.arange(len(scores.predicates) + 1)
        )
        span_of_pair = scores.pairs.span.cpu().numpy()
        chosen: list[tuple[int, int, int, Any]] = []
        for number, word in enumerate(scores.predicates.tolist()):
            sentence = int(numpy.searchsorted(starts, word, side="right")) - 1
            own_pairs = slice(bounds[number], bounds[number + 1])
            spans = span_of_pair[own_pairs]
            at = word - int(starts[sentence]) + 1
            best = best_roles(roles[own_pairs], left[spans], right[spans], at, self._verb)
            if best.is_predicate or self._given:
                named = [
                    tuple(
                        Argument(self._labels[x.label], x.left + wide, x.right) for x in arguments
                    )
                    for wide, arguments in ((1, best.spans), (0, best.words))
                ]
                chosen.append((word, sentence, at, named))
        keys = [sense_keys(sentence) for sentence in sentences]
        lemmas = [self._lemmas(sentence) for sentence in sentences]
        rolesets = self.senses.best(
            scores.words[[word for word, *_ in chosen]],
            [keys[sentence][at - 1] for _, sentence, at, _ in chosen],
            [lemmas[sentence].get(at) for _, sentence, at, _ in chosen],
        )
        predicates: list[list[Predicate]] = [[] for _ in sentences]
        for (_, sentence, at, (own_spans, heads)), roleset in zip(chosen, rolesets):
            if self._style != "dependency" and all(span.label != VERB for span in own_spans):
                verb = Argument(VERB, at, at)
                own_spans = tuple(sorted((*own_spans, verb), key=lambda span: span.start))
            predicates[sentence].append(Predicate(at, *split_roleset(roleset), own_spans, heads))
        return predicates

    def _lemmas(self, sentence: Sentence) -> dict[int, str]:
        """Returns the lemmas of given predicates, by word."""
        if not self._given or self._style == "dependency":
            return {}
        return {
            predicate.word: predicate.lemma
            for predicate in predicates_of(sentence)
            if predicate.lemma
        }


def _words_of(column: dict[str, torch.Tensor], lengths: torch.Tensor) -> torch.Tensor:
    """Returns the indices of words of sentences, 1..n, among all words of the batch."""
    counts = column["lengths"].to(lengths.device)
    starts = (lengths.cumsum(0) - lengths).repeat_interleave(counts)
    return starts + column["values"].to(lengths.device) - 1
