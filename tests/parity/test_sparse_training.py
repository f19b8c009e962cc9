"""Networks on graphs and tables with sparse gradients: the same losses as PyTorch's, step by step."""

import importlib

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")
LIBRARIES = ["rushlight", "torch"]
NODES, FEATURES, HIDDEN, CLASSES = 40, 8, 16, 3
RANDOM = np.random.default_rng(4)
# A graph of three groups: edges (2, edges) mostly inside a group, features that tell a little of it.
GROUP = RANDOM.integers(0, CLASSES, NODES)
PAIRS = RANDOM.integers(0, NODES, (2, 400))
KEPT = (GROUP[PAIRS[0]] == GROUP[PAIRS[1]]) | (RANDOM.random(400) < 0.15)
EDGES = np.unique(np.concatenate([PAIRS[:, KEPT], PAIRS[::-1, KEPT], np.tile(np.arange(NODES), (2, 1))], 1), axis=1)
X = (RANDOM.standard_normal((NODES, FEATURES)) + np.eye(CLASSES, FEATURES)[GROUP]).astype(np.float32)


def weights(library, *shape):
    """A parameter with the same numbers in both libraries."""
    numbers = np.sin(np.arange(np.prod(shape), dtype=np.float32) * 1.7).reshape(shape)
    return library.nn.Parameter(library.from_numpy(numbers / np.sqrt(np.float32(shape[0]))))


def normalized_adjacency(library, layout):
    """D^-1/2 A D^-1/2 of the graph, of Kipf and Welling."""
    index = library.from_numpy(EDGES)
    matrix = library.sparse_coo_tensor(index, library.ones(index.shape[1]), (NODES, NODES)).coalesce()
    degree = library.sparse.sum(matrix, 1).to_dense()
    row, column = matrix.indices()
    values = degree[row].rsqrt() * matrix.values() * degree[column].rsqrt()
    matrix = library.sparse_coo_tensor(matrix.indices(), values, matrix.shape).coalesce()
    return matrix.to_sparse_csr() if layout == "csr" else matrix


def graph_convolution(library, layout):
    """A two-layer graph convolution, trained with Adam."""
    adjacency, x = normalized_adjacency(library, layout), library.from_numpy(X)
    first, second = weights(library, FEATURES, HIDDEN), weights(library, HIDDEN, CLASSES)
    bias = library.nn.Parameter(library.zeros(CLASSES))

    def forward():
        hidden = library.relu(library.sparse.mm(adjacency, x @ first))
        return library.sparse.mm(adjacency, hidden @ second) + bias

    return forward, [first, second, bias]


def attention(library, layout):
    """A graph attention network: the weights of neighbours are a softmax over the entries of each row."""
    x, index = library.from_numpy(X), library.from_numpy(EDGES)
    layers = [(weights(library, FEATURES, HIDDEN), weights(library, HIDDEN, 2)),
              (weights(library, HIDDEN, CLASSES), weights(library, CLASSES, 2))]  # fmt: skip

    def layer(x, weight, vectors):
        hidden = x @ weight  # (nodes, size)
        score = hidden @ vectors  # (nodes, 2): of a node as the end and as the start of an edge
        logits = library.nn.functional.leaky_relu(score[index[0], 0] + score[index[1], 1], 0.2)
        matrix = library.sparse_coo_tensor(index, logits, (NODES, NODES))
        return library.sparse.mm(library.sparse.softmax(matrix, 1), hidden)

    def forward():
        hidden = library.nn.functional.elu(layer(x, *layers[0]))
        return layer(hidden, *layers[1])

    return forward, [each for pair in layers for each in pair]


def train(library, model, layout, steps=25):
    forward, parameters = model(library, layout)
    optimizer = library.optim.Adam(parameters, lr=0.02)
    target, losses = library.from_numpy(GROUP), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = library.nn.functional.cross_entropy(forward(), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize(
    ("model", "layout"), [(graph_convolution, "coo"), (graph_convolution, "csr"), (attention, "coo")]
)
def test_a_network_on_a_graph_trains_to_the_same_losses(pytorch, model, layout):
    ours, theirs = (train(importlib.import_module(library), model, layout) for library in LIBRARIES)
    np.testing.assert_allclose(ours, theirs, rtol=2e-4)
    assert ours[-1] < 0.7 * ours[0]


OPTIMIZERS = {
    "SGD": ("SGD", {"lr": 0.1}),
    "SGD with momentum": ("SGD", {"lr": 0.05, "momentum": 0.9, "dampening": 0.1}),
    "SGD, Nesterov": ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
    "SGD upwards": ("SGD", {"lr": 0.01, "maximize": True}),
    "Adagrad": ("Adagrad", {"lr": 0.1, "lr_decay": 0.01}),
    "Adagrad upwards": ("Adagrad", {"lr": 0.01, "maximize": True, "initial_accumulator_value": 0.1}),
    "SparseAdam": ("SparseAdam", {"lr": 0.05}),
    "SparseAdam with betas": ("SparseAdam", {"lr": 0.05, "betas": (0.8, 0.95), "eps": 1e-6, "maximize": True}),
    "LBFGS": ("LBFGS", {"lr": 0.1, "max_iter": 2}),
}
TABLES = {
    "embedding": lambda t, w: t.nn.Embedding.from_pretrained(w, freeze=False, sparse=True),
    "padded": lambda t, w: t.nn.Embedding.from_pretrained(w, freeze=False, sparse=True, padding_idx=2),
    "bags of sums": lambda t, w: t.nn.EmbeddingBag.from_pretrained(w, freeze=False, sparse=True, mode="sum"),
    "bags of means": lambda t, w: t.nn.EmbeddingBag.from_pretrained(w, freeze=False, sparse=True, padding_idx=2),
}
WORDS = np.array([[1, 2, 2], [4, 0, 1], [5, 5, 5]])


def table_trained(library, optimizer, table, steps=6):
    """The rows of a table after some steps, and the state of the optimizer."""
    module = TABLES[table](library, library.from_numpy(np.cos(np.arange(14.0)).reshape(7, 2)))
    name, options = OPTIMIZERS[optimizer]
    made = getattr(library.optim, name)(module.parameters(), **options)
    target = library.from_numpy(np.sin(np.arange(6.0)).reshape(3, 2))

    def closure():
        made.zero_grad()
        rows = module(library.from_numpy(WORDS))
        loss = ((rows if rows.ndim == 2 else rows.sum(1)) - target).square().sum()
        loss.backward()
        assert module.weight.grad.is_sparse
        return loss

    for _ in range(steps):
        made.step(closure)
    state = {key: value for key, value in made.state[module.weight].items() if key in ("exp_avg", "exp_avg_sq", "sum")}
    return [module.weight.detach().numpy(), *(value.numpy() for value in state.values())]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_table_with_sparse_gradients_gets_the_same_rows(pytorch, optimizer, table):
    ours, theirs = (table_trained(importlib.import_module(library), optimizer, table) for library in LIBRARIES)
    for mine, wanted in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-9, atol=1e-12)
