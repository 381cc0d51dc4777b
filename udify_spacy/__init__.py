"""
The parser as a component of spaCy's pipelines. It is separate from the package `udify_allennlp`,
which must not need spaCy (the extra `spacy`): AllenNLP's `--include-package` imports every module.
"""

try:
    import spacy  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"udify_spacy needs spaCy: {error}. Install it: pip install 'udify_allennlp[spacy]'",
        name=error.name,
    ) from error

from udify_spacy.component import UdifyComponent, from_doc, make_udify, to_doc

__all__ = ["UdifyComponent", "from_doc", "make_udify", "to_doc"]
