"""Graph networks: GCN, GAT, SAGE and others are trained on graphs made here, in one graph and in batches of graphs."""
# requires: torch-geometric==2.8.1

import io
import json

import torch
import torch.nn.functional as F
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.loader import DataLoader
from torch_geometric.nn import (
    ChebConv,
    GATConv,
    GATv2Conv,
    GCNConv,
    GINConv,
    GINEConv,
    GraphConv,
    GraphNorm,
    HeteroConv,
    MessagePassing,
    RGCNConv,
    SAGEConv,
    TopKPooling,
    TransformerConv,
    global_add_pool,
    global_max_pool,
    global_mean_pool,
)  # fmt: skip
from torch_geometric.transforms import AddSelfLoops, Compose, NormalizeFeatures, ToUndirected
from torch_geometric.utils import (
    add_self_loops,
    coalesce,
    degree,
    remove_self_loops,
    scatter,
    softmax,
    subgraph,
    to_dense_adj,
    to_dense_batch,
    to_undirected,
)  # fmt: skip

torch.manual_seed(0)
found = {}
nodes, edges = 30, 80
edge_index = torch.randint(0, nodes, (2, edges))
data = Data(x=torch.rand(nodes, 6), edge_index=edge_index, y=torch.randint(0, 3, (nodes,)))
data = Compose([ToUndirected(), NormalizeFeatures(), AddSelfLoops()])(data)
data.train_mask = torch.arange(nodes) < 20
data.validate()
found["data"] = [data.num_nodes, data.num_edges, data.num_features, str(data.is_undirected()), str(data)]

# What people do with edges.
undirected = to_undirected(edge_index)
found["undirected"] = [undirected.size(1), *undirected[0, :8].tolist()]
found["degree"] = degree(undirected[0], nodes).tolist()
found["coalesced"] = [each.sum().item() for each in coalesce(edge_index, torch.arange(edges).float(), reduce="mean")]
found["loops"] = add_self_loops(remove_self_loops(edge_index)[0], num_nodes=nodes)[0].size(1)
found["subgraph"] = subgraph(torch.arange(10), undirected)[0].flatten().tolist()
found["dense"] = to_dense_adj(edge_index, max_num_nodes=nodes)[0].sum(0).tolist()
for reduce in ("sum", "mean", "max", "min", "mul"):
    found[f"scatter {reduce}"] = scatter(data.x[edge_index[0]], edge_index[1], 0, nodes, reduce)[:3].flatten().tolist()
found["softmax"] = softmax(torch.arange(edges) / edges, edge_index[1], num_nodes=nodes).tolist()[:10]


class Net(torch.nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x, edge_index):
        x = F.dropout(self.first(x, edge_index).relu(), p=0.2, training=self.training)
        return self.second(x, edge_index)


class Own(MessagePassing):
    """A layer written by hand."""

    def __init__(self, inputs, outputs):
        super().__init__(aggr="add")
        self.linear = torch.nn.Linear(inputs, outputs)

    def forward(self, x, edge_index):
        row, col = edge_index
        norm = degree(row, x.size(0)).clamp(min=1).pow(-0.5)
        return self.propagate(edge_index, x=self.linear(x), norm=norm[row] * norm[col])

    def message(self, x_j, norm):
        return norm.view(-1, 1) * x_j


layers = {
    "gcn": lambda a, b: GCNConv(a, b),
    "gat": lambda a, b: GATConv(a, b, heads=2, concat=False, dropout=0.1),
    "gatv2": lambda a, b: GATv2Conv(a, b),
    "sage": lambda a, b: SAGEConv(a, b),
    "sage max": lambda a, b: SAGEConv(a, b, aggr="max"),
    "gin": lambda a, b: GINConv(torch.nn.Sequential(torch.nn.Linear(a, b), torch.nn.ReLU(), torch.nn.Linear(b, b))),
    "graph": lambda a, b: GraphConv(a, b),
    "cheb": lambda a, b: ChebConv(a, b, K=2),
    "transformer": lambda a, b: TransformerConv(a, b, heads=2, concat=False),
    "own": Own,
}
for name, layer in layers.items():
    torch.manual_seed(1)
    model = Net(layer(6, 8), layer(8, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        out = model(data.x, data.edge_index)
        loss = F.cross_entropy(out[data.train_mask], data.y[data.train_mask])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    kept = io.BytesIO()
    torch.save(model.state_dict(), kept)
    model.load_state_dict(torch.load(io.BytesIO(kept.getvalue())))
    found[name] = losses + model(data.x, data.edge_index)[:2].flatten().tolist()


# Many small graphs: batches, and what pools make of them.
def graph(size):
    index = torch.randint(0, size, (2, 2 * size))
    return Data(
        x=torch.randn(size, 4), edge_index=index, edge_attr=torch.randn(2 * size, 3), y=torch.tensor([size % 2])
    )


torch.manual_seed(2)
graphs = [graph(size) for size in range(4, 20)]


class OfGraphs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GINEConv(torch.nn.Linear(4, 16), edge_dim=3)
        self.norm = GraphNorm(16)
        self.pool = TopKPooling(16, ratio=0.7)
        self.head = torch.nn.Linear(48, 2)

    def forward(self, data):
        x = self.norm(self.conv(data.x, data.edge_index, data.edge_attr), data.batch).relu()
        x, _, _, batch, _, _ = self.pool(x, data.edge_index, None, data.batch)
        return self.head(
            torch.cat([pool(x, batch) for pool in (global_mean_pool, global_max_pool, global_add_pool)], 1)
        )


torch.manual_seed(3)
model = OfGraphs()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
losses = []
for _ in range(2):
    for batch in DataLoader(graphs, batch_size=6, shuffle=True):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(batch), batch.y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
found["graphs"] = losses
batch = Batch.from_data_list(graphs[:3])
found["batch"] = [batch.num_graphs, batch.num_nodes, *batch.ptr.tolist()]
dense, mask = to_dense_batch(batch.x, batch.batch)
found["dense batch"] = [*dense.shape, int(mask.sum()), dense.sum().item()]
found["apart"] = [each.num_nodes for each in batch.to_data_list()]

# Nodes and edges of several kinds.
torch.manual_seed(4)
hetero = HeteroData()
hetero["user"].x, hetero["item"].x = torch.randn(8, 4), torch.randn(6, 5)
hetero["user", "buys", "item"].edge_index = torch.stack([torch.randint(0, 8, (20,)), torch.randint(0, 6, (20,))])
hetero["item", "sold", "user"].edge_index = torch.stack([torch.randint(0, 6, (20,)), torch.randint(0, 8, (20,))])
conv = HeteroConv(
    {
        ("user", "buys", "item"): SAGEConv((4, 5), 8),
        ("item", "sold", "user"): GATConv((5, 4), 8, add_self_loops=False),
    }
)
out = conv(hetero.x_dict, hetero.edge_index_dict)
found["kinds"] = {name: each.flatten()[:6].tolist() for name, each in sorted(out.items())}
relations = RGCNConv(6, 4, num_relations=3, num_bases=2)
kinds = torch.randint(0, 3, (data.num_edges,))
found["relations"] = relations(data.x, data.edge_index, kinds)[0].tolist()
print(json.dumps(found))
