"""The generated parts of the pages; see `__main__.py`."""

import udify_allennlp  # noqa: F401  (before anything imports allennlp)
