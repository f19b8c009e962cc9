"""The graph of a loss as a drawing: its nodes and edges, with the names of parameters and what steps have saved."""
# requires: torchviz==0.0.3 graphviz==0.21 setuptools==80.9.0

import json
import re

import torch
from torchviz import make_dot

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
x = torch.randn(3, 4, requires_grad=True)
loss = torch.nn.functional.mse_loss(model(x), torch.zeros(3, 2))
dot = make_dot(loss, params=dict(model.named_parameters()) | {"x": x})
whole = make_dot(loss, params=dict(model.named_parameters()), show_attrs=True, show_saved=True)
steps = sorted(re.findall(r"\[label=(\w+Backward\d|AccumulateGrad)\]", dot.source))
turned = steps.count("TBackward0")  # PyTorch's linear layer has a step that turns its weight over
print(
    json.dumps(
        {
            "steps": [each for each in steps if each != "TBackward0"],
            "parameters": sorted(re.findall(r'label="([\w.]+)\n', dot.source)),
            "edges": dot.source.count("->") - turned,
            "shows what is saved": ("[saved tensor]" in whole.source) and ("result" in whole.source),
            "loss": loss.item(),
        }
    )
)
