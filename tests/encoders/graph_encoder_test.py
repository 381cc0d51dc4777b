import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from tests.helpers import ENCODER, vocabulary
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.encoders.bert import Bert
from udify_allennlp.encoders.graph_encoder import GRAPH, GraphEncoder
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.relation_ids import NO_ARC, POLICIES, Graph, PieceNodes
from udify_allennlp.text.sentence import Sentence

VOCAB = vocabulary()
PIECES_OF = WordpieceTokenizer(ENCODER)
SENTENCES = [["Unbelievable", "houses", "burn"], [f"word{i}" for i in range(20)], ["No", "!"]]


def tensors(max_pieces=63, upos="NOUN"):
    reader = UniversalDependenciesReader(
        ENCODER, [], max_pieces=max_pieces, word_of=True, inputs=["upos"]
    )
    made = [Sentence.from_words(words).replace(upos=[upos] * len(words)) for words in SENTENCES]
    collate = Collator(reader.table_of(made, reader.schema), reader.schema)
    collate.index_with(VOCAB)
    batch = collate(range(len(made)))
    return batch, Layout(**batch["layout"])


def chains(layout, label=2):
    """Each word hangs from the one before it, the first from ROOT."""
    heads = torch.arange(layout.nodes.shape[1]).expand(len(layout.nodes), -1) - 1
    labels = torch.full_like(heads, NO_ARC)
    labels.view(-1)[layout.places] = label
    return Graph(heads.clamp(min=0), labels)


def encoder(**settings):
    torch.manual_seed(5)
    return GraphEncoder(VOCAB, ENCODER, **settings).eval()


def encode(model, batch, layout, graph=None):
    with torch.no_grad():
        return model({**batch, "inputs": {**batch["inputs"], GRAPH: graph}}, layout)


def test_without_a_graph_it_is_the_stock_encoder():
    batch, layout = tensors()
    torch.manual_seed(5)
    stock = HuggingFaceEncoder(ENCODER, root="piece", mask_probability=0.0).eval()
    expected = encode(stock, batch, layout)
    assert torch.equal(encode(encoder(), batch, layout), expected)
    assert torch.equal(encode(encoder(relations=False), batch, layout, chains(layout)), expected)
    assert not torch.equal(encode(encoder(), batch, layout, chains(layout)), expected)


@pytest.mark.parametrize(
    "more", [{}, {"labelled": False, "label_embeddings": True, "use_key": True}]
)
def test_with_loaded_weights_it_is_the_same_without_transformers(more):
    batch, layout = tensors()
    of_transformers = encoder(upos=True, dropout=0.1, **more)
    own = GraphEncoder(VOCAB, ENCODER, upos=True, dropout=0.1, load_weights=False, **more).eval()
    assert isinstance(own.transformer, Bert) and not isinstance(of_transformers.transformer, Bert)
    own.load_state_dict(of_transformers.state_dict())
    graph = chains(layout)
    for given in (graph, None):
        expected = encode(of_transformers, batch, layout, given)
        assert torch.equal(encode(own, batch, layout, given), expected)
    nodes = torch.randn(2, 7, own.get_output_dim())
    mask = torch.ones(2, 7, dtype=torch.bool)
    mask[1, 4:] = False
    positions = torch.tensor([[0, 1, 5, 2, 3, 4, 6], [3, 2, 1, 0, 0, 0, 0]])
    pieces = PieceNodes.of(torch.arange(7).expand(2, -1), 7)
    few = Graph(*(torch.zeros(2, 7, dtype=torch.long) for _ in range(2)))
    of_nodes = [
        torch.stack([*each.of_nodes(nodes, mask, pieces, few, positions)])
        for each in (own, of_transformers)
    ]
    assert torch.equal(*of_nodes)
    gradients = []
    for each in (own, of_transformers):
        torch.manual_seed(8)
        each.train()(
            {**batch, "inputs": {**batch["inputs"], GRAPH: graph}}, layout
        ).sum().backward()
        gradients.append([(name, x.grad) for name, x in each.named_parameters()])
    for (name, found), (_, expected) in zip(*gradients, strict=True):
        torch.testing.assert_close(found, expected, msg=name)


def test_every_weight_of_the_checkpoint_is_there_and_only_tables_and_vectors_are_new():
    stock = HuggingFaceEncoder(ENCODER, root="piece", mask_probability=0.0).state_dict()
    found = encoder(upos=True, label_embeddings=True, layer_norm=True).state_dict()
    assert all(torch.equal(found[name], stock[name]) for name in stock if name != "root_piece")
    new = {name.split(".")[0] for name in set(found) - set(stock)}
    assert set(stock) <= set(found) and new == {"graph", "upos", "labels"}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("root", ["piece", "special", "learned"])
def test_ids_of_each_window_against_a_loop(policy, root):
    batch, layout = tensors(max_pieces=12)
    graph = chains(layout)
    model = encoder(policy=policy, root=root)
    model.graph.watcher = print  # who watches gets the ids as they are, others those that are met
    ids = model.relations({"inputs": {GRAPH: graph}}, layout)["pair_ids"]
    labels = model.num_labels + 1
    size = labels + (policy == "special_label")
    shift = root == "piece"
    windows = batch["wordpieces"]["ids"]
    assert len(windows) > len(SENTENCES)  # several for one sentence
    expected = torch.zeros_like(ids)
    for w, row in enumerate(layout.word_of.tolist()):
        node = {}  # column to node
        for column, word in enumerate(row):
            if word:
                place = int(layout.places[word - 1])
                node[column + shift] = place % layout.nodes.shape[1]
        if root != "learned":
            node[int(shift)] = 0
        first = {}
        for column, number in sorted(node.items()):
            first.setdefault(number, column)
        cells = {}
        for column, number in node.items():
            if number == 0:
                continue
            head = number - 1
            if policy in ("special_label", "one_label") and first[number] != column:
                cells[first[number], column] = labels + 1 if policy == "special_label" else 1
            elif policy == "all_pairs":
                cells.update({(c, column): 3 for c, other in node.items() if other == head})
            elif head in first:
                cells[first[head], column] = 3
        for (h, d), label in cells.items():
            expected[w, h, d], expected[w, d, h] = label, label + size
    assert torch.equal(ids, expected)


def test_a_label_that_training_lacks_has_relations_of_its_own():
    batch, layout = tensors()
    model = encoder()
    known, unknown = (
        encode(model, batch, layout, chains(layout, n)) for n in (2, model.num_labels)
    )
    assert model.num_labels == len(VOCAB.get_index_to_token_vocabulary("deprel_labels"))
    assert not torch.equal(known, unknown)


def test_upos_are_added_to_every_piece_of_a_word():
    model = encoder(upos=True)
    noun, verb = (tensors(upos=upos) for upos in ("NOUN", "VERB"))
    assert not torch.equal(encode(model, *noun), encode(model, *verb))
    with torch.no_grad():
        model.upos.weight.zero_()
    plain = encode(encoder(), *noun)
    torch.testing.assert_close(encode(model, *noun), plain)
    ids, _, layout = noun[0]["wordpieces"]["ids"], None, noun[1]
    with torch.no_grad():
        model.upos.weight[1 + noun[0]["inputs"]["upos"][0]] = 1.0
    added = model.text(ids, noun[0], layout)["inputs_embeds"]
    added = added - model.transformer.get_input_embeddings()(ids)
    torch.testing.assert_close(added[..., 0], (layout.word_of > 0).float())


def test_training_data_without_upos_is_told(caplog):
    counter = {"upos_labels": {"_": 5}, "deprel_labels": {"root": 5}}
    vocab = Vocabulary(counter=counter, non_padded_namespaces=["*"])
    GraphEncoder(vocab, ENCODER, upos=True)
    assert "no word of the training data has a UPOS" in caplog.text
    caplog.clear()
    encoder(upos=True)
    assert not caplog.text


def test_labels_are_added_to_the_first_pieces_of_dependents():
    batch, layout = tensors()
    model = encoder(labelled=False, policy="one_label", label_embeddings=True)
    assert len(model.graph.tables[0].values) == 3
    with torch.no_grad():
        model.labels.weight.zero_()
        model.labels.weight[2] = 1.0
        model.labels.weight[-1] = 5.0
    graph = chains(layout)
    graph.labels[0, 1] = NO_ARC  # the first word of the first sentence has no head yet
    ids = batch["wordpieces"]["ids"]
    with torch.no_grad():
        found = model.text(ids, {**batch, "inputs": {GRAPH: graph}}, layout)["inputs_embeds"]
    added = (found - model.transformer.get_input_embeddings()(ids))[..., 0]
    for row, (words, sentence) in enumerate(zip(layout.word_of.tolist(), SENTENCES)):
        for column, word in enumerate(words):
            is_first = word and word != words[column - 1]
            expected = 0.0 if not word else 1.0 if is_first else 5.0
            if is_first and row == 0 and word == 1:
                expected = 0.0
            assert float(added[row, column]) == pytest.approx(expected, abs=1e-5), sentence
    different = [encode(model, batch, layout, chains(layout, label)) for label in (2, 3)]
    assert not torch.equal(*different)  # though relations do not tell them apart


def test_an_unseen_upos_has_a_vector():
    model = encoder(upos=True)
    assert encode(model, *tensors(upos="NEVER")).isfinite().all()


def test_gradients_reach_the_relations_that_are_there():
    batch, layout = tensors()
    model = encoder()
    out = model({**batch, "inputs": {GRAPH: chains(layout)}}, layout)
    out.pow(2).sum().backward()
    size = model.num_labels + 2  # with the unknown and the inside of words
    there = {0, 3, 3 + size, size, 2 * size}
    *lower, top = (
        set(tables.values.grad.abs().sum(1).nonzero().flatten().tolist())
        for tables in model.graph.tables
    )
    assert lower == [there] * 2
    assert top == there - {2 * size}  # no word is read off a piece inside it


@pytest.mark.parametrize(
    "vocab, settings, message",
    [
        (VOCAB, {"policy": "some"}, "embedder.policy is 'some'"),
        (Vocabulary(), {}, "needs deps, but the data has none. Add 'deps' to dataset_reader.tasks"),
        (Vocabulary(), {"relations": False, "upos": True}, "Add 'upos' to dataset_reader.inputs"),
    ],
)
def test_settings_that_cannot_be(vocab, settings, message):
    with pytest.raises(ConfigurationError, match=message):
        GraphEncoder(vocab, ENCODER, **settings)
