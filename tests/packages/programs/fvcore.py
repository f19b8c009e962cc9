"""Operations, activations and parameters of models, counted by module and operator; precise batch norm; losses."""
# requires: fvcore==0.1.5.post20221221

import json
import logging

import torch
from fvcore.nn import (
    ActivationCountAnalysis,
    FlopCountAnalysis,
    flop_count_table,
    parameter_count,
    parameter_count_table,
    sigmoid_focal_loss,
    smooth_l1_loss,
    update_bn_stats,
)  # fmt: skip

logging.disable(logging.WARNING)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, stride=2, groups=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.up = torch.nn.ConvTranspose2d(8, 4, 2)
        self.attention = torch.nn.Linear(4, 4)
        self.normal = torch.nn.LayerNorm(4)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        x = self.up(x).flatten(2).transpose(1, 2)
        weights = torch.softmax(self.attention(x) @ x.transpose(1, 2), -1)
        return self.normal(torch.einsum("bij,bjc->bic", weights, x)).mean(1)


torch.manual_seed(0)
model, image = torch.nn.Sequential(Block(), torch.nn.Linear(4, 3)).eval(), torch.randn(2, 3, 9, 9)
flops, activations = FlopCountAnalysis(model, image), ActivationCountAnalysis(model, image)
model.train()
update_bn_stats(model, [torch.randn(4, 3, 9, 9) for _ in range(3)], 3)
scores = torch.randn(4, 3, requires_grad=True)
loss = sigmoid_focal_loss(scores, torch.ones(4, 3), reduction="mean") + smooth_l1_loss(scores, 0 * scores, 0.5, "mean")
loss.backward()
print(
    json.dumps(
        {
            "total": flops.total(),
            "by operator": {name: int(number) for name, number in sorted(flops.by_operator().items())},
            "by module": {name: int(number) for name, number in sorted(flops.by_module().items())},
            "activations": activations.total(),
            "parameters": dict(parameter_count(model)),
            "tables": flop_count_table(flops) + parameter_count_table(model),
            "mean": model[0].norm.running_mean.tolist(),
            "loss": loss.item(),
            "gradient": scores.grad.flatten().tolist(),
        }
    )
)
