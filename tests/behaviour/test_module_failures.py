"""An error inside a model names the module by its path, what came into it, and what it takes."""

import pickle

import pytest

import rushlight as torch
from rushlight import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Conv2d(4, 2, 3))
        self.head = nn.Linear(3, 1)
        self.table = nn.Embedding(3, 2)
        self.hidden = [nn.Linear(1, 1)]

    def forward(self, part, x):
        return part(x)


def notes_of(call):
    with pytest.raises(Exception) as failure:
        call()
    return getattr(failure.value, "__notes__", [])


def test_a_layer_of_a_sequence_and_where_its_input_came_from():
    net = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(4, 2))
    assert notes_of(lambda: net(torch.ones(8, 3)))[-1] == (
        "in net.2 = Linear(in_features=4, out_features=2, bias=True): the input is (8, 5); its last dimension must be "
        "4.\nThe input came from net.1 (ReLU) <- net.0 = Linear(in_features=3, out_features=5, bias=True)."
    )


@pytest.mark.parametrize(
    ("part", "x", "words"),
    [
        ("encoder", torch.ones(2, 1, 8, 8), "in model.encoder.2 = Conv2d(4, 2"),
        ("encoder", torch.ones(2, 1, 8, 8), "the input is (2, 3, 6, 6); its channels, dimension 1, must be 4."),
        ("head", torch.ones(2, 4), "in model.head = Linear("),
        (
            "head",
            torch.ones(2, 3).double(),
            "it holds float64 and the parameters float32: convert it",
        ),
        ("table", torch.tensor([0, 5]), "its numbers go from 0 to 5, and the table has the rows 0 to 2"),
        ("hidden", torch.ones(3), "in model.<Linear> = Linear("),
    ],
)
def test_the_path_and_what_the_layer_takes(part, x, words):
    model = Model()
    chosen = model.hidden[0] if part == "hidden" else getattr(model, part)
    assert words in notes_of(lambda: model(chosen, x))[-1]


@pytest.mark.parametrize(
    ("layer", "x", "words"),
    [
        (nn.BatchNorm1d(4), torch.ones(2, 3), "its dimension 1 must be 4, num_features"),
        (nn.LSTM(3, 4), torch.ones(5, 2, 4), "its last dimension must be 3"),
        (nn.LayerNorm(4), torch.ones(2, 3), "its last dimensions must be (4,)"),
        (nn.GroupNorm(2, 4), torch.ones(2, 3, 5), "its dimension 1 must be 4, num_channels"),
        (nn.Conv1d(2, 2, 3), torch.ones(2, 3, 4, 5), "it must have 3 dimensions, (batch, channels, ...)"),
        (nn.ConvTranspose2d(2, 2, 3), torch.ones(1, 3, 4, 4), "its channels, dimension 1, must be 2"),
    ],
)
def test_layers_of_every_kind_say_what_they_take(layer, x, words):
    assert words in notes_of(lambda: layer(x))[-1]


def test_the_first_line_stays_pytorchs(torch):
    net = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Linear(4, 2))
    with pytest.raises(RuntimeError) as failure:
        net(torch.ones(8, 3))
    assert str(failure.value).split("\n")[0] == "mat1 and mat2 shapes cannot be multiplied (8x5 and 4x2)"


def test_the_programs_own_exceptions_are_left_alone():
    class Raising(nn.Module):
        def forward(self, error):
            raise error

    for error in (KeyError("x"), RuntimeError("mine"), StopIteration()):
        assert notes_of(lambda: nn.Sequential(Raising())(error)) == []  # noqa: B023


def test_an_exception_that_is_caught_inside_names_nothing_outside():
    class Trying(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)

        def forward(self, x):
            try:
                return self.layer(x)
            except RuntimeError:
                return x

    assert Trying()(torch.ones(3)).tolist() == [1.0, 1.0, 1.0]


def test_such_an_exception_can_be_pickled():
    net = nn.Sequential(nn.Linear(3, 5))
    with pytest.raises(RuntimeError) as failure:
        net(torch.ones(2))
    other = pickle.loads(pickle.dumps(failure.value))
    assert other.__notes__ == failure.value.__notes__
