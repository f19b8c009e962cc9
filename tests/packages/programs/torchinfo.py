"""Summaries of a convolutional, a recurrent and an attention model, as tables and as their numbers."""
# requires: torchinfo==1.8.0

import json

import torch
import torchinfo


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU())
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x, scale=1.0):
        return self.head(self.conv(x).mean((2, 3))) * scale


torch.manual_seed(0)
columns = ("input_size", "output_size", "num_params", "params_percent", "kernel_size", "mult_adds", "trainable")
tables = [
    torchinfo.summary(Classifier(), (2, 3, 8, 8), col_names=columns, depth=3, verbose=0, device="cpu", scale=2.0),
    torchinfo.summary(torch.nn.LSTM(4, 8, 2, batch_first=True), (2, 5, 4), col_names=columns, verbose=0, device="cpu"),
    torchinfo.summary(
        torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (2, 5, 8), verbose=0, device="cpu",
        row_settings=("var_names", "depth", "ascii_only"),
    ),
    torchinfo.summary(
        torch.nn.Embedding(10, 4), input_data=torch.tensor([[1, 2]]), dtypes=[torch.long], verbose=0, device="cpu"
    ),
]  # fmt: skip
frozen = Classifier()
frozen.conv.requires_grad_(False)
tables.append(torchinfo.summary(frozen, input_data=torch.randn(1, 3, 8, 8), col_names=columns, verbose=0, device="cpu"))
print(
    json.dumps(
        {
            "tables": "\n\n".join(map(str, tables)),
            "parameters": [each.total_params for each in tables],
            "trainable": [each.trainable_params for each in tables],
            "products": [each.total_mult_adds for each in tables],
            "bytes": [each.total_output_bytes for each in tables],
        }
    )
)
