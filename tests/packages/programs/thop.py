"""Products and parameters of a convolutional, a recurrent and a custom layer, by hooks on modules."""
# requires: thop==0.1.1-2209072238 setuptools==80.9.0

import json

import torch
from thop import clever_format, profile


class Own(torch.nn.Module):
    def forward(self, x):
        return x * 2


def count_own(module, inputs, output):
    module.total_ops += torch.DoubleTensor([output.numel()])


torch.manual_seed(0)
models = [
    (torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), Own()), (2, 3, 8, 8)),
    (torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.Softmax(-1)), (5, 6)),
    (torch.nn.LSTM(4, 8, 2, bidirectional=True), (5, 2, 4)),
    (torch.nn.Sequential(torch.nn.ConvTranspose2d(3, 2, 3), torch.nn.AdaptiveAvgPool2d(2)), (1, 3, 5, 5)),
]
found = [
    profile(model, inputs=(torch.randn(*size),), custom_ops={Own: count_own}, verbose=False) for model, size in models
]
print(
    json.dumps(
        {
            "products": [float(products) for products, _ in found],
            "parameters": [float(parameters) for _, parameters in found],
            "shown": [" ".join(clever_format(each, "%.3f")) for each in found],
        }
    )
)
