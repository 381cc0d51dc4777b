"""Sentences of CoNLL-U in the columns of semantic roles; the other way is in `columns.py`."""

from typing import Optional
from urllib.parse import unquote

from udify_allennlp.text.roles.columns import GOLD, NE, PARSE, RoleSentence
from udify_allennlp.text.roles.predicates import PRED, UNKNOWN, predicates_of
from udify_allennlp.text.roles.styles import DEPENDENCIES, SPANS
from udify_allennlp.text.sentence import Sentence, fault


def role_sentence(sentence: Sentence, style: str) -> RoleSentence:
    """
    A sentence in the columns of `conll05` or `conll09`, with the roles of its MISC. Of the two
    columns that `conll09` has of lemmas, tags, feats and trees, both are the sentence's own.

    # Raises

    `ValueError` for spans that overlap but do not nest, and `ConlluError` for a predicate without
    roleset that `conll09` cannot hold.
    """
    misc = [
        dict(part.split("=", 1) for part in cell.split("|") if "=" in part)
        for cell in sentence.misc
    ]
    rows = []
    pairs = zip(sentence.forms, sentence.xpos, misc)
    for number, (form, tag, cells) in enumerate(pairs):
        if style == SPANS:
            kept = (unquote(cells.get(key, "*")) for key in (PARSE, NE))
            rows.append([form, tag, *kept, "-", "-"])
            continue
        columns = (sentence.lemmas, sentence.xpos, sentence.feats, sentence.heads, sentence.deprels)
        twice = [column[number] for column in columns for _ in range(2)]
        rows.append([str(number + 1), form, *twice, "_", "_"])
    text = "".join("\t".join(row) + "\n" for row in rows) + "\n"
    empty = RoleSentence(text, style, sentence.path, sentence.line)
    found = predicates_of(sentence)
    if style == SPANS:
        return empty.replace([each._replace(heads=()) for each in found])
    unknown = next((each.word for each in found if not each.lemma), None)
    if unknown and any(each.lemma or each.heads for each in found):
        what = f"word {unknown} has MISC {PRED}={UNKNOWN}, a predicate without roleset"
        remedy = (
            f"Write {PRED}=see.01: {style} has it only where no predicate has a roleset or roles."
        )
        raise fault(sentence.path, sentence.line_of(unknown), what, remedy)
    return empty.replace([each._replace(spans=()) for each in found])


def with_gold_of(sentence: RoleSentence, origin: Optional[RoleSentence]) -> RoleSentence:
    """
    A sentence of `conll09` with the LEMMA, POS, FEAT, HEAD and DEPREL of the block that it was made
    of, if that is in this format.
    """
    if origin is None or origin.style != DEPENDENCIES or origin.forms != sentence.forms:
        return sentence
    rows = [list(row) for row in sentence.rows]
    for row, gold in zip(rows, origin.rows):
        for column in GOLD:
            row[column] = gold[column]
    text = "".join("\t".join(row) + "\n" for row in rows) + "\n"
    return RoleSentence(text, sentence.style, sentence.path, sentence.line)
