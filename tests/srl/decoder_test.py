"""Roles from scores: loss against a loop, predictions that hold what brackets demand, batches."""

import pytest
import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from tests.helpers import tensors
from tests.helpers.roles import DATA, build, reader, scored
from udify_allennlp.apps.commands.roles import _joined
from udify_allennlp.srl.counts import DependencyCounts, dependency_counts
from udify_allennlp.srl.decoder import RoleDecoder
from udify_allennlp.srl.tasks import LABELS, LEFTS, OWNERS, PREDICATES, RIGHTS, ROLES, RolesTask
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.roles.columns import SPANS
from udify_allennlp.text.roles.files import role_sentence
from udify_allennlp.text.roles.predicates import (
    VERB,
    Argument,
    Predicate,
    predicates_of,
    with_predicates,
)


@pytest.mark.parametrize("style", ["conll05", "conll09"])
def test_loss_is_the_sum_over_kept_pairs(style):
    model, instances = build(style, given=True)
    batch = tensors(instances[:7], model.vocab)
    decoder, scores = scored(model, batch)
    gold = {name: batch[name] for name in decoder.targets}
    names = model.vocab.get_token_to_index_vocabulary(LABELS)
    starts, total = 0, torch.zeros(())
    wanted = {}
    for row, sentence in enumerate(batch["sentences"]):
        for predicate in predicates_of(sentence):
            for each in predicate.spans:
                cell = (row, starts + predicate.word - 1, each.start - 1, each.end)
                wanted[cell] = names[each.label]
            for each in predicate.heads:
                wanted[row, starts + predicate.word - 1, each.start, each.start] = names[each.label]
            own = (row, starts + predicate.word - 1, predicate.word, predicate.word)
            wanted.setdefault(own, names[VERB])
        starts += len(sentence)
    met = 0
    for row in range(len(scores.roles)):
        span = int(scores.pairs.span[row])
        place = [int(each[span]) for each in scores.spans]
        predicate = int(scores.predicates[scores.pairs.predicate[row]])
        label = wanted.get((place[0], predicate, place[1], place[2]))
        met += label is not None
        logits = torch.cat([torch.zeros(1), scores.roles[row]])
        target = torch.tensor(0 if label is None else label + 1)
        total = total + F.cross_entropy(logits, target)
    is_word = style == "conll09"
    assert met == sum((left == right) == is_word for _, _, left, right in wanted)
    words = scores.words[_places(gold[PREDICATES], batch["sentences"])]
    senses = decoder.senses.loss(words, gold["role_keys"]["values"], gold["role_senses"]["values"])
    expected = (total + senses) / starts
    torch.testing.assert_close(decoder.loss(scores, gold), expected)
    assert set(gold) >= {OWNERS, LEFTS, RIGHTS, ROLES}


def _places(column, sentences):
    values, found, start = column["values"].tolist(), [], 0
    for count, sentence in zip(column["lengths"].tolist(), sentences):
        found += [start + values.pop(0) - 1 for _ in range(count)]
        start += len(sentence)
    return torch.tensor(found)


def test_what_is_pruned_teaches_nothing_and_is_missed():
    """A gold argument whose span is not kept: its label is in no loss, and recall counts it."""
    model, instances = build("conll09", most_spans=2)
    batch = tensors(instances, model.vocab)
    decoder, scores = scored(model, batch)
    gold = {name: batch[name] for name in decoder.targets}
    kept = {
        (int(scores.predicates[predicate]), int(scores.spans.left[span]))
        for predicate, span in zip(scores.pairs.predicate, scores.pairs.span)
    }
    lengths = torch.tensor([len(sentence) for sentence in batch["sentences"]])
    starts = (lengths.cumsum(0) - lengths).repeat_interleave(gold[OWNERS]["lengths"])
    owners = (starts + gold[OWNERS]["values"] - 1).tolist()
    pruned = torch.tensor(
        [cell not in kept for cell in zip(owners, gold[LEFTS]["values"].tolist())]
    )
    assert pruned.any() and not pruned.all()
    before = decoder.loss(scores, gold)
    for changed, teaches in ((pruned, False), (~pruned, True)):
        labels = (gold[ROLES]["values"] + 1) % len(decoder._labels)
        values = torch.where(changed, labels, gold[ROLES]["values"])
        other = {**gold, ROLES: {**gold[ROLES], "values": values}}
        assert (decoder.loss(scores, other) != before) == teaches
    model.get_metrics(reset=True)
    columns = model(**batch)["columns"]
    counts, whole = DependencyCounts(), 0
    for sentence, new in zip(batch["sentences"], columns):
        golds = predicates_of(sentence)
        counts += dependency_counts(golds, predicates_of(sentence.replace(misc=new["misc"])))
        whole += sum(len({(each.start, each.label) for each in p.heads}) for p in golds)
    assert counts.arguments.gold == whole > counts.arguments.right
    assert model.get_metrics()["dep_R"] == pytest.approx(counts.labelled.recall)


def test_every_part_learns():
    """Were the unary scores added to no role as well, they would cancel."""
    model, instances = build("conll05", trees=False)
    model.train()
    model(**tensors(instances[:9], model.vocab))["loss"].backward()
    scorer = model.decoders["roles"].scorer
    for part in (scorer.predicate, scorer.argument, scorer.label_of_span, scorer.span):
        weight = next(part.parameters())
        assert weight.grad is not None and float(weight.grad.abs().sum()) > 0
    assert float(model.decoders["roles"].senses.weight.grad.abs().sum()) > 0


@pytest.mark.parametrize("given", [False, True])
def test_predictions_can_be_written(given):
    model, instances = build("conll05", given=given)
    batch = tensors(instances, model.vocab)
    columns = model(**batch)["columns"]
    assert model.get_metrics()["span_F1"] >= 0
    some = 0
    for sentence, new in zip(batch["sentences"], columns):
        predicted = sentence.replace(misc=new["misc"])
        found = predicates_of(predicted)
        role_sentence(predicted, SPANS)  # brackets nest
        if given:
            assert [each.word for each in found] == [each.word for each in predicates_of(sentence)]
            lemmas = [each.lemma for each in predicates_of(sentence)]
            assert [each.lemma for each in found] == lemmas
        for predicate in found:
            some += 1
            cells = [set(range(each.start, each.end + 1)) for each in predicate.spans]
            assert sum(map(len, cells)) == len(set().union(*cells))
            (own,) = [each for each in predicate.spans if each.start <= predicate.word <= each.end]
            assert (own.label, own.start) == (VERB, predicate.word) and predicate.sense
    assert some > 3


@pytest.mark.parametrize("style", ["conll05", "conll09"])
def test_a_batch_is_its_sentences(style):
    model, instances = build(
        style, trees=style == "conll09", initial="file" if style == "conll09" else "empty"
    )
    together = model(**tensors(instances, model.vocab))["columns"]
    alone = [model(**tensors([one], model.vocab))["columns"][0] for one in instances]
    assert together == alone and any("Pred=" in cell for new in alone for cell in new["misc"])


def test_both_styles_at_once(tmp_path):
    """One label set, and one search: spans do not overlap, words are each by themselves."""
    path = str(tmp_path / "both.conllu")
    pairs = zip(read_sentences(DATA["conll05"]), read_sentences(DATA["conll09"]))
    write_sentences((_joined(*pair) for pair in pairs), path)
    model, instances = build("both", trees=True, initial="file", path=path)
    batch = tensors(instances, model.vocab)
    output = model(**batch)
    assert torch.isfinite(output["loss"])
    assert {"span_F1", "dep_F1", "sense_F1"} <= set(model.get_metrics())
    found = [
        each
        for sentence, new in zip(batch["sentences"], output["columns"])
        for each in predicates_of(sentence.replace(misc=new["misc"]))
    ]
    assert any(each.heads for each in found) and all(each.spans for each in found)
    alone = [model(**tensors([one], model.vocab))["columns"][0] for one in instances[:6]]
    assert output["columns"][:6] == alone


@pytest.mark.parametrize("style", ["conll05", "conll09"])
def test_of_a_style_that_gold_does_not_have_nothing_is_learned(style, tmp_path):
    """But that the predicate's own word is one; sentences without predicates say all."""
    path = str(tmp_path / "both.conllu")
    pairs = zip(read_sentences(DATA["conll05"]), read_sentences(DATA["conll09"]))
    joined = [_joined(*pair) for pair in pairs]
    write_sentences(joined, path)
    model, _ = build("both", path=path)
    instances = list(reader("both").read(DATA[style]))
    batch = tensors(instances, model.vocab)
    decoder, scores = scored(model, batch)
    gold = {name: batch[name] for name in decoder.targets}
    roles = scores.roles.detach().clone().requires_grad_()
    decoder.loss(scores._replace(roles=roles), gold).backward()
    silent = (roles.grad == 0).all(1)
    spans = scores.spans.at(scores.pairs.span)
    lengths = torch.tensor([len(sentence) for sentence in batch["sentences"]])
    starts = (lengths.cumsum(0) - lengths)[spans.sentence]
    own = scores.predicates[scores.pairs.predicate] - starts + 1 == spans.left
    narrow = spans.left == spans.right
    annotated = torch.tensor([bool(predicates_of(each)) for each in batch["sentences"]])
    missing = (narrow & ~own if style == "conll05" else ~narrow) & annotated[spans.sentence]
    assert missing.any() and not missing.all() and torch.equal(silent, missing)


def test_of_two_roles_of_a_word_the_first_is_learned():
    sentence = list(read_sentences(DATA["conll09"]))[0]
    first, second = Argument("A0", 2, 2), Argument("A1", 2, 2)
    for heads, label in (((first, second), "A0"), ((second, first), "A1")):
        misc = with_predicates(sentence.misc, [Predicate(3, "chase", "01", (), heads)])
        *_, lefts, _, labels, _ = RolesTask().values(sentence.replace(misc=misc))
        assert dict(zip(lefts, labels)) == {2: label, 3: VERB}


def test_vectors_stand_before_the_first_word_and_behind_the_last():
    """Of spans at an end of the sentence; of others they change nothing."""
    model, instances = build("conll05", given=True)
    batch = tensors(instances[:4], model.vocab)
    decoder, before = scored(model, batch)
    lengths = torch.tensor([len(sentence) for sentence in batch["sentences"]])
    spans = before.spans.at(before.pairs.span)
    at_end = spans.right == lengths[spans.sentence]
    for number, touched in ((1, at_end), (0, torch.zeros_like(at_end))):  # ROOT has a vector here
        kept = decoder.edges.data.clone()
        decoder.edges.data[number] = 3.0
        _, after = scored(model, batch)
        decoder.edges.data.copy_(kept)
        assert torch.equal(after.spans.left, before.spans.left)
        changed = (after.roles != before.roles).any(1)
        assert torch.equal(changed, touched)


@pytest.mark.parametrize("style, kind", [("conll05", "dependency"), ("conll09", "both")])
def test_a_style_that_the_data_lacks_is_told(style, kind):
    vocab = Vocabulary.from_instances(list(reader(style).read(DATA[style])))
    with pytest.raises(ConfigurationError, match=f"style is '{kind}', but no argument"):
        RoleDecoder(vocab, 8, style=kind)


def test_the_graph_matters():
    model, instances = build("conll09", trees=True, initial="file")
    batch = tensors(instances[:5], model.vocab)
    _, first = scored(model, batch)
    batch["inputs"]["predicted_heads"] = batch["inputs"]["predicted_heads"].clone().fill_(1)
    _, second = scored(model, batch)
    assert not torch.allclose(first.words, second.words)


def test_one_word_and_nothing_to_find():
    model, instances = build("conll05")
    (short,) = [one for one in instances if len(one["sentences"].metadata) == 2]
    output = model(**tensors([short], model.vocab))
    assert torch.isfinite(output["loss"]) and len(output["columns"][0]["misc"]) == 2


def test_senses_are_those_of_the_lemma():
    model, _ = build("conll09")
    senses = model.decoders["roles"].senses
    words = torch.randn(4, senses.weight.shape[1])
    keys = ["break", "see", "unheard", "break"]
    found = senses.best(words, keys, [None, None, None, "break_down"])
    assert found[0] in ("break.01", "break_down.19") and found[1:] == [
        "see.01",
        "unheard.01",
        "break_down.19",
    ]


def test_mistakes_in_configs():
    vocab = build("conll05")[0].vocab
    for settings, message in (
        ({"style": "spans"}, "Use one of span, dependency, both"),
        ({"most_spans": 0}, "must be above 0"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            RoleDecoder(vocab, 8, **settings)
    with pytest.raises(ConfigurationError, match="The data has no roles"):
        RoleDecoder(Vocabulary(), 8)
