"""Generators of language-dependent position vectors (Ji et al. 2023, section 4.2)."""

from typing import Optional

import torch
import torch.nn.functional as F
from allennlp.common import Registrable
from allennlp.common.checks import ConfigurationError

from udify_allennlp.modules.positions import sinusoids

NOTHING, LANGUAGE, TYPOLOGY = "nothing", "language", "typology"


class PositionGenerator(torch.nn.Module, Registrable):
    """
    Base class of generators of a vector for each position from the language. Parameters of all
    subclasses:

    # Parameters

    places : `torch.Tensor`
        `(positions,)` int64: the positions, 0, 1, ... or, if relative, -k, ..., k.
    output_dim : `int`
        Width of the vector of a position.
    typology_dim : `int`
        Width of the vector of a language.
    num_languages : `int`
        Number of training languages.
    """

    places: torch.Tensor
    sees: str = TYPOLOGY
    """
    The input that distinguishes languages: `typology`; `language`, its number in training, so that
    others have no positions; or `nothing`.
    """

    def __init__(
        self, places: torch.Tensor, output_dim: int, typology_dim: int, num_languages: int
    ) -> None:
        super().__init__()
        self.register_buffer("places", places, persistent=False)
        self.output_dim = output_dim

    def forward(self, typology: torch.Tensor, languages: torch.Tensor) -> torch.Tensor:
        """
        Returns the vectors `(n, positions, dim)` of languages `(n, typology_dim)`, whose numbers in
        training are `(n,)`.
        """
        raise NotImplementedError


@PositionGenerator.register("universal")
class UniversalPositions(PositionGenerator):
    """Trained vectors that all languages share (UPR)."""

    sees = NOTHING

    def __init__(
        self, places: torch.Tensor, output_dim: int, typology_dim: int, num_languages: int
    ) -> None:
        super().__init__(places, output_dim, typology_dim, num_languages)
        self.table = _rows(len(places), output_dim)

    def forward(self, typology: torch.Tensor, languages: torch.Tensor) -> torch.Tensor:
        return self.table.expand(len(languages), -1, -1)


@PositionGenerator.register("per_language")
class LanguagePositions(PositionGenerator):
    """
    Separate trained vectors for each language (MPR). Our choice: they start equal, so differences
    between languages come from training.
    """

    sees = LANGUAGE

    def __init__(
        self, places: torch.Tensor, output_dim: int, typology_dim: int, num_languages: int
    ) -> None:
        super().__init__(places, output_dim, typology_dim, num_languages)
        start = _rows(len(places), output_dim).detach()
        self.tables = torch.nn.Parameter(start.repeat(num_languages, 1, 1))

    def forward(self, typology: torch.Tensor, languages: torch.Tensor) -> torch.Tensor:
        return self.tables[languages]


@PositionGenerator.register("id")
class IdPositions(UniversalPositions):
    """`p_i + e_l`, with a trained vector for each language (ID)."""

    sees = LANGUAGE

    def __init__(
        self, places: torch.Tensor, output_dim: int, typology_dim: int, num_languages: int
    ) -> None:
        super().__init__(places, output_dim, typology_dim, num_languages)
        self.languages = _rows(num_languages, output_dim)

    def forward(self, typology: torch.Tensor, languages: torch.Tensor) -> torch.Tensor:
        return self.table + self.languages[languages].unsqueeze(1)


@PositionGenerator.register("feat")
class FeaturePositions(UniversalPositions):
    """`p_i + W l`, with the typology `l` of the language (Feat); the paper does not name `W`."""

    sees = TYPOLOGY

    def __init__(
        self, places: torch.Tensor, output_dim: int, typology_dim: int, num_languages: int
    ) -> None:
        super().__init__(places, output_dim, typology_dim, num_languages)
        self.project = torch.nn.Linear(typology_dim, output_dim, bias=False)

    def forward(self, typology: torch.Tensor, languages: torch.Tensor) -> torch.Tensor:
        projected: torch.Tensor = self.project(typology)
        return self.table + projected.unsqueeze(1)


@PositionGenerator.register("mlp")
class MlpPositions(PositionGenerator):
    """
    `a_i = g(l W_i^1 + b_i^1) W_i^2 + b_i^2`, with separate weights for each position `i` (MLP,
    Equation 3). Our choice: `g`, which the paper describes as non-linear, is ReLU.

    # Parameters

    hidden_dim : `int`
        At least 1 (Table 5: 256).

    # Raises

    `ConfigurationError` if `hidden_dim` is below 1.
    """

    def __init__(
        self,
        places: torch.Tensor,
        output_dim: int,
        typology_dim: int,
        num_languages: int,
        hidden_dim: int = 256,
    ) -> None:
        super().__init__(places, output_dim, typology_dim, num_languages)
        if hidden_dim < 1:
            raise ConfigurationError(
                f"generator.hidden_dim is {hidden_dim}. It must be at least 1."
            )
        self.inner = _maps(len(places), typology_dim, hidden_dim)
        self.inner_bias = torch.nn.Parameter(torch.zeros(len(places), hidden_dim))
        self.outer = _maps(len(places), hidden_dim, output_dim)
        self.outer_bias = torch.nn.Parameter(torch.zeros(len(places), output_dim))

    def forward(self, typology: torch.Tensor, languages: torch.Tensor) -> torch.Tensor:
        hidden = F.relu(torch.einsum("nt,pth->nph", typology, self.inner) + self.inner_bias)
        return torch.einsum("nph,phd->npd", hidden, self.outer) + self.outer_bias


@PositionGenerator.register("attn")
class AttentionPositions(PositionGenerator):
    """
    Each position attends, depending on the language, to vectors `c_j` that are the same for all
    (ATTN, Equation 4):

        alpha_ij = softmax_j((l U_i^Q)(c_j U_i^K)^T / sqrt(h)),  a_i = sum_j alpha_ij (c_j U_i^V)

    Our choice: the root is of the width `h` of the product, which Equation 4 leaves open.

    # Parameters

    prior_dim : `int`
        Width of `c_j`: even, at least 2. Table 5 has 768; the number of weights in appendix B, and
        section 4.2, have 128.
    num_priors : `Optional[int]`
        Number of vectors `c_0`, `c_1`, ...; by default those of the positions themselves, for
        relative ones `c_-4` to `c_4`, which the paper leaves open.
    learned_priors : `bool`
        True if `c_j` are trained from a random start, instead of sinusoids (the ablation of Figure
        5).
    tie_kv : `bool`
        True if `U_i^K` and `U_i^V` are the same, as the number of weights in appendix B implies:
        with 103 features and `prior_dim` 128, 24.5M at 129 + 9 positions.
    inner_dim : `Optional[int]`
        `h`; by default the width of the position vectors, which `tie_kv` requires.

    # Raises

    `ConfigurationError` if a number is too small, `prior_dim` is odd, or `inner_dim` differs from
    the width with `tie_kv`.
    """

    priors: torch.Tensor
    prior_places: torch.Tensor

    def __init__(
        self,
        places: torch.Tensor,
        output_dim: int,
        typology_dim: int,
        num_languages: int,
        prior_dim: int = 128,
        num_priors: Optional[int] = None,
        learned_priors: bool = False,
        tie_kv: bool = False,
        inner_dim: Optional[int] = None,
    ) -> None:
        super().__init__(places, output_dim, typology_dim, num_languages)
        inner_dim = output_dim if inner_dim is None else inner_dim
        if prior_dim < 2 or prior_dim % 2 or min(inner_dim, num_priors or 1) < 1:
            raise ConfigurationError(
                f"generator: prior_dim is {prior_dim}, num_priors {num_priors} and inner_dim "
                f"{inner_dim}. The first must be an even number of at least 2, the others at least "
                "1."
            )
        if tie_kv and inner_dim != output_dim:
            raise ConfigurationError(
                f"generator has tie_kv and inner_dim {inner_dim}, but keys are then values, with "
                f"the width {output_dim}. Omit inner_dim."
            )
        among = places if num_priors is None else torch.arange(num_priors)
        self.register_buffer("prior_places", among, persistent=False)
        if learned_priors:
            self.priors = torch.nn.Parameter(torch.randn(len(among), prior_dim))
        else:
            self.register_buffer("priors", sinusoids(among, prior_dim), persistent=False)
        self.query = _maps(len(places), typology_dim, inner_dim)
        self.key = _maps(len(places), prior_dim, inner_dim)
        self.value = self.key if tie_kv else _maps(len(places), prior_dim, output_dim)

    def attention(self, typology: torch.Tensor) -> torch.Tensor:
        """Returns `alpha`, `(n, positions, priors)`."""
        query = torch.einsum("nt,pth->nph", typology, self.query)
        # q_i (c_j U_i)^T = (q_i U_i^T) c_j^T: nothing is held for each pair but its score.
        asked = torch.einsum("nph,pch->npc", query, self.key)
        scores = asked @ self.priors.T / query.shape[-1] ** 0.5
        return scores.softmax(-1)

    def forward(self, typology: torch.Tensor, languages: torch.Tensor) -> torch.Tensor:
        mixed = self.attention(typology) @ self.priors
        return torch.einsum("npc,pcd->npd", mixed, self.value)


def _rows(count: int, dim: int) -> torch.nn.Parameter:
    """Returns trained vectors, initialized like those of BERT."""
    return torch.nn.Parameter(torch.randn(count, dim) * 0.02)


def _maps(count: int, before: int, after: int) -> torch.nn.Parameter:
    """Returns a linear map for each position."""
    maps = torch.empty(count, before, after)
    bound = (6 / (before + after)) ** 0.5  # Glorot and Bengio (2010), map by map
    return torch.nn.Parameter(maps.uniform_(-bound, bound))
