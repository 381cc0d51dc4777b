"""The features of `everyday_words`, for which the labels of a model are not enough."""

from typing import Optional

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.corrections import Correction
from udify_allennlp.data.everyday_words import everyday_words
from udify_allennlp.data.known_words import NOT_ANNOTATED, KnownWords
from udify_allennlp.text import misc_column
from udify_allennlp.text.casing import lower
from udify_allennlp.text.sentence import Columns, Sentence


class EverydayFeatures(Correction):
    """
    Writes the features of words that training lacks. Without `KnownWords` it changes nothing.

    # Parameters

    vocab : `Numbers`
    """

    def __init__(self, vocab: Numbers) -> None:
        self._known = KnownWords(vocab)

    def __bool__(self) -> bool:
        return bool(self._known)

    def correct(self, own: Columns, sentence: Sentence, lang: str, treebank: str) -> None:
        """
        Writes the features: of the annotations with the predicted UPOS, and with the predicted
        lemma if there are any, those in the person of the subject, as in German `ich ging`, or
        without a subject imperatives (`komm!`), and of these those that have most values in common
        with the predicted features.
        """
        if everyday_words(lang) and "feats" in own and "upos" in own:
            lemmas = own.get("lemmas", sentence.lemmas)
            words = zip(sentence.forms, own["upos"], lemmas, own["feats"])
            subjects = _subjects(own)
            own["feats"] = [
                self._features(lang, treebank, *word, subjects.get(place, "_")) or word[-1]
                for place, word in enumerate(words)
            ]

    def _features(
        self,
        lang: str,
        treebank: str,
        form: str,
        upos: str,
        lemma: str,
        feats: str,
        subject: str,
    ) -> Optional[str]:
        words = [
            word
            for word in everyday_words(lang).get(form, ())
            if word.upos == upos and word.feats != NOT_ANNOTATED
        ]
        of_lemma = [word.feats for word in words if word.lemma == lemma]
        own = of_lemma or [word.feats for word in words]
        spellings = (form, lower(form, lang))
        trained = (self._known.of(treebank).get(each) for each in spellings)
        if not own or any(word and word.values("feats") for word in trained):
            return None
        predicted = {*misc_column.entries(feats).items()}
        person = misc_column.entries(subject).get("Person")

        def fits(each: str) -> tuple[bool, int]:
            values = misc_column.entries(each)
            agrees = values.get("Person") == person if person else values.get("Mood") == "Imp"
            return agrees, len(predicted & {*values.items()})

        return max(own, key=fits)


def _subjects(columns: Columns) -> dict[int, str]:
    """
    Returns, by place, the features of the subjects of predicted verbs, and of their auxiliaries.
    """
    if "heads" not in columns or "deprels" not in columns:
        return {}
    heads = [int(head) - 1 for head in columns["heads"]]
    relations = [deprel.split(":")[0] for deprel in columns["deprels"]]
    found = {
        head: feats
        for head, relation, feats in zip(heads, relations, columns["feats"])
        if relation == "nsubj"
    }
    auxiliaries = {
        place: found[head]
        for place, (head, relation) in enumerate(zip(heads, relations))
        if relation in ("aux", "cop") and head in found
    }
    return {**found, **auxiliaries}
