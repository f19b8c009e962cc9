"""`functional_call` with every kind of name and value, next to PyTorch: results, errors, what is left of the module."""

import itertools

import pytest

import rushlight

GIVEN = {
    "a plain attribute": lambda torch: {"x": torch.zeros(2)},
    "a new name": lambda torch: {"extra": torch.ones(1)},
    "a new name further down": lambda torch: {"layer.extra": torch.ones(1)},
    "None for an attribute": lambda torch: {"x": None},
    "None for a parameter": lambda torch: {"layer.bias": None},
    "an attribute that is None": lambda torch: {"nothing": torch.ones(1)},
    "an attribute that is a number": lambda torch: {"number": torch.ones(1)},
    "one that fits before one that does not": lambda torch: {"x": torch.ones(2), "number": torch.ones(1)},
    "what is no tensor": lambda torch: {"x": "text"},
    "a parameter": lambda torch: {"layer.weight": torch.ones(1, 1)},
    "a parameter by its other name": lambda torch: {"tied.weight": torch.ones(1, 1)},
    "two values for one parameter": lambda torch: {"layer.weight": torch.ones(1, 1), "tied.weight": torch.zeros(1, 1)},
    "a module": lambda torch: {"layer": torch.ones(1)},
    "no such module": lambda torch: {"missing.weight": torch.ones(1)},
    "a number as a module": lambda torch: {"number.weight": torch.ones(1)},
    "no name": lambda torch: {"": torch.ones(1)},
    "no name in a module": lambda torch: {"layer.": torch.ones(1)},
    "a buffer that is written to": lambda torch: {"count": torch.full((1,), 5.0)},
}


def model(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.x, self.number, self.nothing = torch.ones(2), 3, None
            self.layer = self.tied = torch.nn.Linear(1, 1)
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x):
            self.count.add_(1)
            return (x * self.x).sum() + getattr(self, "extra", 0) + self.count + self.layer(torch.ones(1))

    made = Model()
    with torch.no_grad():
        made.layer.weight.fill_(2)
        made.layer.bias.fill_(3)
    return made


def outcome(torch, call, given, **options):
    module, tensors = model(torch), GIVEN[given](torch)
    before = {name: id(each) for name, each in vars(module).items()}
    try:
        result = call(module, tensors, torch.ones(2), **options).tolist()
    except Exception as error:
        result = type(error).__name__, str(error).split(" object at ")[0]
    unchanged = before == {name: id(each) for name, each in vars(module).items()}
    values = {name: each.tolist() if isinstance(each, torch.Tensor) else each for name, each in tensors.items()}
    return result, unchanged, values, list(module.state_dict())


@pytest.mark.parametrize(("strict", "tie_weights"), list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize("given", GIVEN)
def test_as_pytorch_does(pytorch, given, strict, tie_weights):
    options = {"strict": strict, "tie_weights": tie_weights}
    theirs, ours = (outcome(torch, torch.func.functional_call, given, **options) for torch in (pytorch, rushlight))
    assert ours == theirs


def test_data_parallel_is_refused(pytorch):
    for torch in (pytorch, rushlight):
        with pytest.raises(RuntimeError, match="The stateless API can't be used with nn.DataParallel module"):
            torch.func.functional_call(torch.nn.DataParallel(torch.nn.Identity()), {}, torch.ones(1))
