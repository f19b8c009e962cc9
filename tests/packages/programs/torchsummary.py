"""The printed summary of a convolutional model and of one with two inputs."""
# requires: torchsummary==1.5.1

import contextlib
import io
import json

import torch
from torchsummary import summary


class TwoInputs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.left = torch.nn.Conv2d(1, 4, 3)
        self.right = torch.nn.Conv2d(2, 4, 1)

    def forward(self, image, other):
        return self.left(image).amax((2, 3)) + self.right(other).mean((2, 3))


torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
    torch.nn.Conv2d(8, 4, 3), torch.nn.Flatten(), torch.nn.Linear(16, 5),
)  # fmt: skip
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    summary(model, (3, 8, 8), device="cpu")
    summary(TwoInputs(), [(1, 8, 8), (2, 6, 6)], batch_size=2, device="cpu")
print(json.dumps({"printed": printed.getvalue()}))
