"""What modules print."""

import pytest


@pytest.fixture
def nn(torch):
    return torch.nn


def test_a_tree_of_modules(nn):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(inplace=True))
            self.empty = nn.Sequential()
            self.head = nn.Linear(4, 2)
            self.absent = nn.ReLU()
            self.absent = None

    assert repr(Model()) == (
        "Model(\n"
        "  (features): Sequential(\n"
        "    (0): Conv2d(1, 4, kernel_size=(3, 3), stride=(1, 1))\n"
        "    (1): ReLU(inplace=True)\n"
        "  )\n"
        "  (empty): Sequential()\n"
        "  (head): Linear(in_features=4, out_features=2, bias=True)\n"
        "  (absent): None\n"
        ")"
    )


@pytest.mark.parametrize(
    ("extra", "with_child", "without"),
    [
        ("", "Model(\n  (child): ReLU()\n)", "Model()"),
        ("a=1", "Model(\n  a=1\n  (child): ReLU()\n)", "Model(a=1)"),
        ("a=1\nb=2", "Model(\n  a=1\n  b=2\n  (child): ReLU()\n)", "Model(\n  a=1\n  b=2\n)"),
    ],
)
def test_extra_repr(nn, extra, with_child, without):
    class Model(nn.Module):
        def extra_repr(self):
            return extra

    model = Model()
    assert repr(model) == without
    model.child = nn.ReLU()
    assert repr(model) == with_child


LAYERS = {
    "Identity(3, a=4)": "Identity()",
    "Linear(2, 3, bias=False)": "Linear(in_features=2, out_features=3, bias=False)",
    "ReLU()": "ReLU()",
    "ReLU6(True)": "ReLU6(inplace=True)",
    "LeakyReLU(0.2, True)": "LeakyReLU(negative_slope=0.2, inplace=True)",
    "ELU(2)": "ELU(alpha=2)",
    "SELU(True)": "SELU(inplace=True)",
    "GELU('tanh')": "GELU(approximate='tanh')",
    "SiLU()": "SiLU()",
    "Hardtanh(-2, 2)": "Hardtanh(min_val=-2, max_val=2)",
    "Threshold(0.1, 20)": "Threshold(threshold=0.1, value=20)",
    "Softplus()": "Softplus(beta=1.0, threshold=20.0)",
    "Softmax(-1)": "Softmax(dim=-1)",
    "LogSoftmax()": "LogSoftmax(dim=None)",
    "PReLU(4)": "PReLU(num_parameters=4)",
    "Dropout(0.25)": "Dropout(p=0.25, inplace=False)",
    "Flatten()": "Flatten(start_dim=1, end_dim=-1)",
    "Embedding(5, 3, padding_idx=-1, max_norm=2)": "Embedding(5, 3, padding_idx=4, max_norm=2)",
    "LayerNorm(3, bias=False)": "LayerNorm((3,), eps=1e-05, elementwise_affine=True, bias=False)",
    "BatchNorm2d(3, momentum=None)": (
        "BatchNorm2d(3, eps=1e-05, momentum=None, affine=True, bias=True, track_running_stats=True)"
    ),
    "Conv1d(2, 4, 3, padding='same', groups=2, bias=False)": (
        "Conv1d(2, 4, kernel_size=(3,), stride=(1,), padding=same, groups=2, bias=False)"
    ),
    "Conv2d(1, 1, (3, 5), 2, 1, 3, padding_mode='reflect')": (
        "Conv2d(1, 1, kernel_size=(3, 5), stride=(2, 2), padding=(1, 1), dilation=(3, 3), padding_mode=reflect)"
    ),
    "MaxPool2d(2)": "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)",
    "AvgPool2d(3, 1)": "AvgPool2d(kernel_size=3, stride=1, padding=0)",
    "AdaptiveAvgPool2d((1, None))": "AdaptiveAvgPool2d(output_size=(1, None))",
    "CrossEntropyLoss()": "CrossEntropyLoss()",
}


@pytest.mark.parametrize("layer", LAYERS)
def test_layers(nn, layer):
    assert repr(eval(f"nn.{layer}", {"nn": nn})) == LAYERS[layer]
