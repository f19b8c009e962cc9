"""NumPy's numbers as arguments of what was written by hand: functions, layers, optimizers, schedules, distributions.

Those of operators are in `tests/declared/test_numpy_numbers.py`. A number of NumPy's counts as a Python number: a whole
one as int, all others as float.
"""

import math

import numpy as np
import pytest

FLOATS = [np.float16, np.float32, np.float64, np.longdouble]
WHOLE = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
NUMBERS = {  # calls with 2, 2.0 and whatever else is 2
    "full": lambda torch, n: torch.full((2,), n),
    "full_like": lambda torch, n: torch.full_like(torch.ones(2), n),
    "new_full": lambda torch, n: torch.ones(2).new_full((2,), n),
    "scalar_tensor": lambda torch, n: torch.scalar_tensor(n),
    "arange": lambda torch, n: torch.arange(0, 6, n),
    "linspace": lambda torch, n: torch.linspace(0, n, 5),
    "logspace": lambda torch, n: torch.logspace(0, 3, 4, n),
    "fill_": lambda torch, n: torch.zeros(2).fill_(n),
    "fill_diagonal_": lambda torch, n: torch.zeros(2, 2).fill_diagonal_(n),
    "normal": lambda torch, n: torch.normal(n, n, (3,)),
    "normal around": lambda torch, n: torch.normal(torch.zeros(3), n),
    "normal_": lambda torch, n: torch.zeros(3).normal_(n, n),
    "uniform_": lambda torch, n: torch.zeros(3).uniform_(0, n),
    "exponential_": lambda torch, n: torch.zeros(3).exponential_(n),
    "cauchy_": lambda torch, n: torch.zeros(3).cauchy_(n, n),
    "log_normal_": lambda torch, n: torch.zeros(3).log_normal_(n, n),
    "kaiser": lambda torch, n: torch.signal.windows.kaiser(5, beta=n),
    "general_cosine": lambda torch, n: torch.signal.windows.general_cosine(5, a=[n]),
    "exponential": lambda torch, n: torch.signal.windows.exponential(5, tau=n),
    "fftfreq": lambda torch, n: torch.fft.fftfreq(4, n),
    "result_type": lambda torch, n: torch.result_type(torch.ones(1, dtype=torch.int32), n),
    "add two": lambda torch, n: torch.add(n, n),
    "divide two": lambda torch, n: torch.div(n, n),
    "cross_entropy": lambda torch, n: torch.nn.functional.cross_entropy(
        torch.ones(2, 3), torch.tensor([0, 1]), label_smoothing=n / n
    ),
    "gumbel_softmax": lambda torch, n: torch.nn.functional.gumbel_softmax(torch.ones(3), tau=n),
    "triplet": lambda torch, n: torch.nn.functional.triplet_margin_loss(
        torch.ones(1, 3), torch.zeros(1, 3), torch.full((1, 3), 0.5), margin=n, p=n
    ),
    "embedding": lambda torch, n: torch.nn.functional.embedding(
        torch.tensor([0, 1]), torch.arange(6.0).reshape(2, 3), max_norm=n, norm_type=n
    ),
    "Softplus": lambda torch, n: torch.nn.Softplus(n, n)(torch.ones(2)),
    "LayerNorm": lambda torch, n: torch.nn.LayerNorm(3, eps=n)(torch.arange(3.0)),
    "BatchNorm": lambda torch, n: torch.nn.BatchNorm1d(2, eps=n, momentum=1 / n)(torch.arange(4.0).reshape(2, 2)),
    "SmoothL1Loss": lambda torch, n: torch.nn.SmoothL1Loss(beta=n)(torch.arange(4.0), torch.zeros(4)),
    "clip_grad_norm_": lambda torch, n: clipped(torch, n),
}  # fmt: skip
WIDER = {  # the same, where PyTorch computes in the digits of NumPy's number
    "init": lambda torch, n: torch.nn.init.trunc_normal_(torch.empty(3), 0.0, n, 0, n),
    "gain": lambda torch, n: torch.nn.init.xavier_uniform_(torch.empty(2, 2), gain=n),
    "make_tensor": lambda torch, n: torch.testing.make_tensor(3, dtype=torch.float32, device="cpu", low=0, high=n),
}  # fmt: skip
COUNTS = {  # calls with a whole 2
    "zeros": lambda torch, n: torch.zeros(n, 3),
    "ones": lambda torch, n: torch.ones((3, n)),
    "rand": lambda torch, n: torch.rand(n),
    "randint": lambda torch, n: torch.randint(n, (n,)),
    "randperm": lambda torch, n: torch.randperm(n),
    "multinomial": lambda torch, n: torch.multinomial(torch.ones(3), n),
    "random_": lambda torch, n: torch.zeros(4).random_(n),
    "eye": lambda torch, n: torch.eye(n, n),
    "linspace": lambda torch, n: torch.linspace(0, 1, n),
    "hann": lambda torch, n: torch.hann_window(n),
    "item": lambda torch, n: torch.arange(5)[n],
    "slice": lambda torch, n: torch.arange(5)[n:],
    "matrix_power": lambda torch, n: torch.linalg.matrix_power(torch.ones(2, 2), n),
    "Linear": lambda torch, n: torch.nn.Linear(n, n)(torch.ones(2)),
    "GRUCell": lambda torch, n: torch.nn.GRUCell(2, n)(torch.ones(1, 2)),
    "Embedding": lambda torch, n: torch.nn.Embedding(3, n, padding_idx=n)(torch.tensor([1, 2])),
    "Conv2d": lambda torch, n: torch.nn.Conv2d(n, n, (n, n), stride=(n, n))(torch.ones(1, 2, 4, 4)),
    "MaxPool2d": lambda torch, n: torch.nn.MaxPool2d((n, n), (n, n))(torch.arange(16.0).reshape(1, 1, 4, 4)),
    "manual_seed": lambda torch, n: (torch.manual_seed(n), torch.rand(2))[1],
}  # fmt: skip


def clipped(torch, most):
    param = torch.nn.Parameter(torch.ones(4))
    param.grad = torch.full((4,), 9.0)
    torch.nn.utils.clip_grad_norm_([param], most, most)
    return param.grad


def seen(torch, call, number):
    torch.manual_seed(0)
    result = call(torch, number)
    return (result.dtype, result.tolist()) if isinstance(result, torch.Tensor) else result


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number(torch, name):
    for kind in (*FLOATS, *WHOLE):
        number = kind(2)
        expected = seen(torch, NUMBERS[name], (int if isinstance(number, np.integer) else float)(number))
        assert seen(torch, NUMBERS[name], number) == expected, kind


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
@pytest.mark.parametrize("name", WIDER)
def test_a_number_in_double_precision(torch, name):
    for kind in (*FLOATS, *WHOLE):
        assert seen(torch, WIDER[name], kind(2)) == seen(torch, WIDER[name], 2), kind


@pytest.mark.parametrize("name", COUNTS)
def test_a_count(torch, name):
    expected = seen(torch, COUNTS[name], 2)
    for kind in WHOLE:
        assert seen(torch, COUNTS[name], kind(2)) == expected, kind


def test_sizes_do_not_wrap_around(torch):
    assert torch.zeros(np.uint8(16), np.uint8(16)).numel() == 256
    assert torch.arange(256).reshape(np.uint8(16), np.uint8(16)).shape == (16, 16)
    x = torch.ones(3, requires_grad=True)
    torch.nn.functional.pad(x, (np.uint8(1), np.uint8(2))).sum().backward()
    assert x.grad.tolist() == [1, 1, 1]


def test_a_cache_is_not_spoiled_for_others(torch):
    """What is found out once for settings was kept with the numbers of the caller that asked first."""
    x = torch.arange(32.0).reshape(1, 2, 4, 4)
    with pytest.raises(TypeError):
        torch.nn.functional.unfold(x, (np.float16(2), np.float16(3)))
    assert torch.nn.functional.unfold(x, (2, 3)).shape == (1, 12, 6)


def test_bools_of_numpy_are_floats(torch):
    assert torch.full((1,), np.bool_(True)).dtype is torch.float32
    assert torch.result_type(torch.ones(1, dtype=torch.int64), np.bool_(True)) is torch.float32
    with pytest.raises(TypeError, match="must be bool, not numpy.bool"):
        torch.ones(2, 2).sum(0, np.bool_(True))


def test_complex64_loses_its_imaginary_part_and_says_so(torch):
    with pytest.warns(np.exceptions.ComplexWarning):
        assert (torch.ones(1) + np.complex64(1 + 2j)).tolist() == [2]
    assert (torch.ones(1) + np.complex128(1 + 2j)).tolist() == [2 + 2j]


def test_integers_beyond_int64_are_none(torch):
    with pytest.raises(TypeError, match="^an integer is required$"):
        torch.full((1,), np.uint64(2**63))
    with pytest.raises(TypeError, match="unsupported operand"):
        np.uint64(2**63) * torch.ones(1)


def test_words_and_times_of_numpy_are_no_numbers(torch):
    x = torch.ones(2)
    for other in (np.str_("a"), np.datetime64("2020"), np.timedelta64(3, "D")):
        with pytest.raises(TypeError):
            x + other
    assert (x == np.str_("a")) is False
    with pytest.raises(TypeError, match=r"^result_type\(\) received an invalid combination of arguments"):
        torch.result_type(x, np.str_("a"))


def test_what_is_assigned(torch):
    x = torch.zeros(2)
    for number in (np.float64(2), np.int8(2), np.uint64(2)):
        x[0] = number
        assert x[0] == 2
    for number in (np.float16(2), np.float32(2), np.bool_(True)):
        with pytest.raises(TypeError, match=r"^can't assign a numpy\.\w+ to a torch.FloatTensor"):
            x[0] = number


def test_distributions_take_floats_of_python_only(torch):
    assert torch.distributions.Normal(np.float64(0), 1).log_prob(torch.zeros(1)).dtype is torch.float32
    with pytest.raises(ValueError, match="^Input arguments must all be instances of Number"):
        torch.distributions.Normal(np.float32(0), 1)


# ---- optimizers

OPTIMIZERS = {
    "SGD": {"lr": 0.5, "momentum": 0.5, "dampening": 0.25, "weight_decay": 0.25},
    "Adam": {"lr": 0.5, "betas": (0.5, 0.75), "eps": 0.125, "weight_decay": 0.25},
    "AdamW": {"lr": 0.5, "betas": (0.5, 0.75), "eps": 0.125, "weight_decay": 0.25},
    "Adagrad": {"lr": 0.5, "lr_decay": 0.5, "weight_decay": 0.25, "initial_accumulator_value": 0.5, "eps": 0.125},
    "Adadelta": {"lr": 0.5, "rho": 0.5, "eps": 0.125, "weight_decay": 0.25},
    "Adamax": {"lr": 0.5, "betas": (0.5, 0.75), "eps": 0.125, "weight_decay": 0.25},
    "NAdam": {"lr": 0.5, "betas": (0.5, 0.75), "eps": 0.125, "weight_decay": 0.25, "momentum_decay": 0.5},
    "RAdam": {"lr": 0.5, "betas": (0.5, 0.75), "eps": 0.125, "weight_decay": 0.25},
    "RMSprop": {"lr": 0.5, "alpha": 0.5, "eps": 0.125, "weight_decay": 0.25, "momentum": 0.5},
    "Rprop": {"lr": 0.5, "etas": (0.5, 1.5), "step_sizes": (0.125, 8.0)},
    "ASGD": {"lr": 0.5, "lambd": 0.25, "alpha": 0.5, "t0": 1.0, "weight_decay": 0.25},
    "Adafactor": {"lr": 0.5, "beta2_decay": -0.5, "d": 1.0, "weight_decay": 0.25},
    "Muon": {"lr": 0.5, "weight_decay": 0.25, "momentum": 0.5},
    "LBFGS": {"lr": 0.5, "tolerance_grad": 0.125},
}


def trained(torch, name, options, change=lambda group, step: None):
    """A parameter after three steps; `change` writes into the group before each."""
    param = torch.nn.Parameter(torch.arange(6.0).reshape(2, 3))
    optimizer = getattr(torch.optim, name)([param], **options)

    def closure():
        optimizer.zero_grad()
        loss = ((param - 1.5) ** 2).sum()
        loss.backward()
        return loss

    for step in range(3):
        change(optimizer.param_groups[0], step)
        optimizer.step(closure)
    return param.dtype, param.tolist()


def made(kind, value):
    return tuple(kind(each) for each in value) if isinstance(value, tuple) else kind(value)


def betas_must_be_floats(kind, option):
    return option == "betas" and not issubclass(kind, float)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_options_of_an_optimizer(torch, name):
    options = OPTIMIZERS[name]
    expected = trained(torch, name, options)
    for option, value in options.items():
        if betas_must_be_floats(np.float64, option):
            continue
        assert trained(torch, name, {**options, option: made(np.float64, value)}) == expected, option


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_options_of_other_widths(torch, name, kind):
    """PyTorch computes with some of these in their own few digits."""
    options = OPTIMIZERS[name]
    expected = trained(torch, name, options)
    for option, value in options.items():
        if not (name in ("Adam", "AdamW") and betas_must_be_floats(kind, option)):
            assert trained(torch, name, {**options, option: made(kind, value)}) == expected, option


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_options_that_are_written_later(torch, name):
    options = OPTIMIZERS[name]
    expected = trained(torch, name, options)
    for option, value in options.items():
        if option == "initial_accumulator_value":
            continue

        def change(group, step, option=option, value=value):
            group[option] = made(np.float64, value)

        assert trained(torch, name, options, change) == expected, option


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
@pytest.mark.parametrize("kind", [np.uint8, np.uint64, np.bool_])
@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Muon", "Adafactor"])
def test_rates_without_a_sign(torch, name, kind):
    """-lr is 255 to PyTorch, or an error."""
    assert trained(torch, name, {"lr": kind(1)}) == trained(torch, name, {"lr": 1})


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "NAdam", "Adagrad"])
def test_a_schedule_by_numpy(torch, name):
    """LambdaLR by NumPy's cosine: every rate is one of its numbers."""

    def run(cosine, pi):
        param = torch.nn.Parameter(torch.ones(4))
        optimizer = getattr(torch.optim, name)([param], lr=0.1)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5 * (1 + cosine(pi * epoch / 4)))
        for _ in range(3):
            optimizer.zero_grad()
            (param**2).sum().backward()
            optimizer.step()
            schedule.step()
        return param.dtype, param.tolist(), schedule.get_last_lr()

    dtype, values, rates = run(np.cos, np.pi)
    assert dtype is torch.float32
    assert (values, rates) == run(math.cos, math.pi)[1:]
