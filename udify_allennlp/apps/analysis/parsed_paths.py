"""Which parsed file belongs to which gold file."""

import os
from typing import Iterable, List

from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.conllu import expand_paths, treebank_name


def parsed_paths(treebanks: Iterable[str], parsed: str) -> List[str]:
    """
    The parse of each treebank: of one, `parsed` itself; of several, the files of its folder or
    glob.

    # Raises

    `ConfigurationError` if there is none of one of them.
    """
    names = list(treebanks)
    if len(names) == 1:
        return [parsed]
    pattern = os.path.join(parsed, "*.conllu*") if os.path.isdir(parsed) else parsed
    of_treebank = {treebank_name(path): path for path in expand_paths(pattern.split(","))}
    missing = [name for name in names if name not in of_treebank]
    if missing:
        raise ConfigurationError(
            f"{parsed} has no file of {missing[0]}. Give one for each gold file, such as "
            f"{missing[0]}.conllu."
        )
    return [of_treebank[name] for name in names]
