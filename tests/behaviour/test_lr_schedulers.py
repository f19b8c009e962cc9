"""Learning-rate schedules: rates by hand, PyTorch's numbers, warnings, checkpoints, and rates that are tensors."""

import copy
import importlib
import math
import pickle
import re

import numpy as np
import pytest

SCHEDULES = {
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda epoch: 0.9**epoch),
    "LambdaLR for each group": lambda s, o: s.LambdaLR(o, [lambda epoch: 1 / (1 + epoch), lambda epoch: 0.5]),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 1 - epoch / 100),
    "StepLR": lambda s, o: s.StepLR(o, 4, gamma=0.3),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [3, 8, 8, 15], gamma=0.5),
    "ConstantLR": lambda s, o: s.ConstantLR(o, factor=0.25, total_iters=7),
    "LinearLR": lambda s, o: s.LinearLR(o, start_factor=0.2, end_factor=0.8, total_iters=9),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.8),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, total_iters=11, power=1.7),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 6, eta_min=0.01),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, T_mult=2, eta_min=0.01),
    "CyclicLR": lambda s, o: s.CyclicLR(o, 0.01, [0.5, 0.2], step_size_up=3, step_size_down=5),
    "CyclicLR triangular2": lambda s, o: s.CyclicLR(o, [0.01, 0.02], 0.5, step_size_up=3, mode="triangular2"),
    "CyclicLR exp_range": lambda s, o: s.CyclicLR(o, 0.1, 0.5, step_size_up=3, mode="exp_range", gamma=0.9),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, [0.5, 0.1], total_steps=25),
    "OneCycleLR three phases": lambda s, o: s.OneCycleLR(
        o, 0.5, epochs=5, steps_per_epoch=5, three_phase=True, anneal_strategy="linear"
    ),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9)]),
    "SequentialLR": lambda s, o: s.SequentialLR(
        o, [s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9), s.StepLR(o, 2)], milestones=[4, 12]
    ),
}


def two_groups(torch, rates=(0.4, 0.05)):
    params = [torch.ones(2, requires_grad=True) for _ in rates]
    return torch.optim.SGD(
        [{"params": [param], "lr": rate} for param, rate in zip(params, rates, strict=True)], lr=0.1, momentum=0.7
    )


def rates_of(optimizer):
    return [float(group["lr"]) for group in optimizer.param_groups]


def history(torch, make, epochs=20, reload_at=None):
    optimizer = two_groups(torch)
    scheduler = make(torch.optim.lr_scheduler, optimizer)
    seen = [rates_of(optimizer)]
    for epoch in range(epochs):
        optimizer.step()
        scheduler.step()
        seen.append([*rates_of(optimizer), *(group["momentum"] for group in optimizer.param_groups)][:4])
        assert scheduler.get_last_lr() == rates_of(optimizer)
        if epoch == reload_at:
            saved = copy.deepcopy((optimizer.state_dict(), scheduler.state_dict()))
            optimizer = two_groups(torch)
            scheduler = make(torch.optim.lr_scheduler, optimizer)
            optimizer.load_state_dict(saved[0])
            scheduler.load_state_dict(saved[1])
    return seen


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("reload_at", [None, 5])
@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")
def test_rates_are_those_of_pytorch(name, reload_at):
    pytest.importorskip("torch")
    ours, theirs = (
        history(importlib.import_module(library), SCHEDULES[name], reload_at=reload_at)
        for library in ("rushlight", "torch")
    )
    for mine, other in zip(ours, theirs, strict=True):
        assert mine == pytest.approx(other, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_names_in_a_checkpoint_are_those_of_pytorch(name):
    pytest.importorskip("torch")
    ours, theirs = (
        SCHEDULES[name](library.optim.lr_scheduler, two_groups(library)).state_dict()
        for library in map(importlib.import_module, ("rushlight", "torch"))
    )
    assert set(ours) == set(theirs)


def one_group(torch, rate=1.0):
    return torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=rate)


def step(optimizer, scheduler, times=1):
    for _ in range(times):
        optimizer.step()
        scheduler.step()


def test_steps_by_hand(torch):
    optimizer = one_group(torch)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    seen = []
    for _ in range(5):
        seen.append(optimizer.param_groups[0]["lr"])
        step(optimizer, scheduler)
    assert seen == [1.0, 1.0, 0.5, 0.5, 0.25]


def test_half_a_cosine_by_hand(torch):
    optimizer = one_group(torch)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
    step(optimizer, scheduler, 5)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.5)
    step(optimizer, scheduler, 5)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.0)


@pytest.mark.parametrize(
    "name", [name for name in SCHEDULES if name.split()[0] not in ("ChainedScheduler", "SequentialLR", "OneCycleLR")]
)
@pytest.mark.filterwarnings("ignore:The epoch parameter in `scheduler.step")
def test_an_epoch_may_be_given(name):
    pytest.importorskip("torch")
    seen = []
    for library in map(importlib.import_module, ("rushlight", "torch")):
        optimizer = two_groups(library)
        scheduler = SCHEDULES[name](library.optim.lr_scheduler, optimizer)
        optimizer.step()
        for epoch in (4, 9, 2):
            scheduler.step(epoch)
            seen.append(rates_of(optimizer))
    for mine, other in zip(seen[:3], seen[3:], strict=True):
        assert mine == pytest.approx(other, rel=1e-13)


def test_fractions_of_epochs_restart_too(torch):
    optimizer = one_group(torch)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2, T_mult=2)
    optimizer.step()
    scheduler.step(1.5)
    assert optimizer.param_groups[0]["lr"] == pytest.approx((1 + math.cos(math.pi * 0.75)) / 2)
    scheduler.step(4)
    assert (scheduler.T_i, scheduler.T_cur) == (4, 2)
    with pytest.raises(ValueError, match="Expected non-negative epoch, but got -1"):
        scheduler.step(-1)


METRICS = [3.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]


@pytest.mark.parametrize(
    "options",
    [
        {"patience": 2},
        {"patience": 0, "cooldown": 2, "factor": 0.5},
        {"patience": 1, "threshold": 0.3, "threshold_mode": "abs", "min_lr": [0.01, 0.02]},
        {"patience": 1, "mode": "max", "eps": 0.01},
    ],
)
def test_plateaus(options):
    pytest.importorskip("torch")
    seen = []
    for library in map(importlib.import_module, ("rushlight", "torch")):
        optimizer = two_groups(library)
        scheduler = library.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
        for metric in METRICS:
            optimizer.step()
            scheduler.step(library.tensor(metric))
            seen.append([*rates_of(optimizer), scheduler.num_bad_epochs, scheduler.in_cooldown, scheduler.best])
    half = len(seen) // 2
    assert seen[:half] == seen[half:]
    assert seen[0][0] != seen[half - 1][0]


def test_a_group_that_came_later_has_no_lowest_rate(torch):
    optimizer = two_groups(torch)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=[0.1, 0.1])
    optimizer.add_param_group({"params": [torch.ones(1, requires_grad=True)]})
    scheduler.step(1.0)
    with pytest.raises(RuntimeError, match=r"The number of param groups in the `optimizer` \(3\) differs from when"):
        scheduler.step(2.0)


def test_a_program_says_how_a_plateau_lowers_the_rate(torch):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    epochs = []
    scheduler._reduce_lr = epochs.append
    for metric in (1.0, 2.0, 3.0):
        scheduler.step(metric)
    assert epochs == [2, 3]


# ---- warnings


def test_the_wrong_order_is_warned_of(torch):
    optimizer = one_group(torch)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    with pytest.warns(UserWarning, match=r"Detected call of `lr_scheduler.step\(\)` before `optimizer.step\(\)`"):
        scheduler.step()
    optimizer.step()
    scheduler.step()


def test_a_step_that_was_replaced_is_warned_of(torch):
    optimizer = one_group(torch)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    optimizer.step = lambda closure=None: None
    optimizer.step()
    with pytest.warns(UserWarning, match=r"Seems like `optimizer.step\(\)` has been overridden"):
        scheduler.step()


def test_an_epoch_is_deprecated(torch):
    optimizer = one_group(torch)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    optimizer.step()
    with pytest.warns(UserWarning, match=re.escape(torch.optim.lr_scheduler.EPOCH_DEPRECATION_WARNING)):
        scheduler.step(2)


def test_asking_for_the_next_rate_is_warned_of(torch):
    scheduler = torch.optim.lr_scheduler.ExponentialLR(one_group(torch), 0.9)
    with pytest.warns(UserWarning, match=r"please use `get_last_lr\(\)`"):
        assert scheduler.get_lr() == [0.9]


# ---- going on


def test_going_on_at_an_epoch_needs_initial_rates(torch):
    optimizer = one_group(torch)
    with pytest.raises(KeyError, match=r"param 'initial_lr' is not specified in param_groups\[0\]"):
        torch.optim.lr_scheduler.StepLR(optimizer, 2, last_epoch=3)
    optimizer.param_groups[0]["initial_lr"] = 1.0
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch), last_epoch=3)
    assert scheduler.get_last_lr() == [0.2]


class Factor:
    def __init__(self, base):
        self.base = base

    def __call__(self, epoch):
        return self.base**epoch


def test_callable_objects_are_saved_and_functions_are_not(torch):
    optimizer = two_groups(torch)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, [Factor(0.5), lambda epoch: 1.0])
    saved = pickle.loads(pickle.dumps(scheduler.state_dict()))
    assert saved["lr_lambdas"] == [{"base": 0.5}, None]
    other = torch.optim.lr_scheduler.LambdaLR(two_groups(torch), [Factor(0.1), lambda epoch: 2.0])
    other.load_state_dict(saved)
    assert other.lr_lambdas[0].base == 0.5 and other.lr_lambdas[1](0) == 2.0
    assert "lr_lambdas" in saved


def test_a_scale_of_ones_own(torch):
    optimizer = two_groups(torch)
    make = torch.optim.lr_scheduler.CyclicLR
    scheduler = make(optimizer, 0.1, 1.1, step_size_up=2, scale_fn=Factor(0.5), scale_mode="iterations")
    step(optimizer, scheduler)
    assert rates_of(optimizer) == pytest.approx([0.1 + 0.5 * 0.5] * 2)
    assert scheduler.state_dict()["_scale_fn_custom"] == {"base": 0.5}
    assert "optimizer" not in scheduler.state_dict()


# ---- rates and momenta


def test_a_rate_that_is_a_tensor_is_filled(torch):
    rate = torch.tensor(1.0)
    optimizer = torch.optim.Adam([torch.ones(1, requires_grad=True)], lr=rate)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    step(optimizer, scheduler, 2)
    assert optimizer.param_groups[0]["lr"] is rate and rate.item() == 0.25
    scheduler.get_last_lr()[0].zero_()
    assert rate.item() == 0.25


def test_cycles_turn_the_first_beta(torch):
    optimizer = torch.optim.Adam([torch.ones(1, requires_grad=True)], lr=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=11)
    assert optimizer.param_groups[0]["betas"] == (0.95, 0.999)
    step(optimizer, scheduler, 10)
    with pytest.raises(ValueError, match="Tried to step 12 times. The specified number of total steps is 11"):
        step(optimizer, scheduler, 2)


def test_a_schedule_of_ones_own(torch):
    class Halving(torch.optim.lr_scheduler.LRScheduler):
        def get_lr(self):
            return [rate * 0.5**self.last_epoch for rate in self.base_lrs]

    optimizer = two_groups(torch)
    step(optimizer, Halving(optimizer), 3)
    assert rates_of(optimizer) == [0.05, 0.00625]


def test_sequences_begin_again_from_the_initial_rate(torch):
    optimizer = one_group(torch)
    schedulers = torch.optim.lr_scheduler
    first, second = schedulers.ConstantLR(optimizer, 0.1, 20), schedulers.ExponentialLR(optimizer, 0.9)
    scheduler = schedulers.SequentialLR(optimizer, [first, second], milestones=[2])
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.1)
    step(optimizer, scheduler, 2)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(1.0)
    step(optimizer, scheduler)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.9)


REFUSED = [
    (lambda s, o: s.StepLR(3, 2), TypeError, "int is not an Optimizer"),
    (lambda s, o: s.LambdaLR(o, [abs]), ValueError, "Expected 2 lr_lambdas, but got 1"),
    (lambda s, o: s.MultiplicativeLR(o, 0.9), TypeError, "lr_lambda should be a function, but got float"),
    (lambda s, o: s.ConstantLR(o, 1.5), ValueError, "Constant multiplicative factor expected to be between 0 and 1."),
    (lambda s, o: s.LinearLR(o, 0), ValueError, "Starting multiplicative factor expected to be greater than 0"),
    (lambda s, o: s.LinearLR(o, 0.5, 2.0), ValueError, "Ending multiplicative factor expected to be between 0 and 1."),
    (lambda s, o: s.CosineAnnealingWarmRestarts(o, 0), ValueError, "Expected positive integer T_0, but got 0"),
    (lambda s, o: s.CosineAnnealingWarmRestarts(o, 2, 0), ValueError, "Expected integer T_mult >= 1, but got 0"),
    (lambda s, o: s.CyclicLR(o, [0.1], 1.0), ValueError, "base_lr must have the same length as optimizer.param_groups"),
    (lambda s, o: s.CyclicLR(o, 0.1, 1.0, mode="square"), ValueError, "mode is invalid and scale_fn is None"),
    (lambda s, o: s.OneCycleLR(o, 0.1), ValueError, "You must define either total_steps OR"),
    (
        lambda s, o: s.OneCycleLR(o, 0.1, total_steps=-1),
        ValueError,
        "Expected positive integer total_steps, but got -1",
    ),
    (lambda s, o: s.OneCycleLR(o, 0.1, 10, pct_start=2.0), ValueError, "Expected float between 0 and 1 pct_start"),
    (lambda s, o: s.OneCycleLR(o, 0.1, 10, anneal_strategy="x"), ValueError, "anneal_strategy must be one of"),
    (lambda s, o: s.ReduceLROnPlateau(o, factor=1.0), ValueError, "Factor should be < 1.0."),
    (lambda s, o: s.ReduceLROnPlateau(o, mode="mean"), ValueError, "mode mean is unknown!"),
    (lambda s, o: s.ReduceLROnPlateau(o, min_lr=[1.0]), ValueError, "expected 2 min_lrs, got 1"),
    (lambda s, o: s.ChainedScheduler([]), ValueError, "ChainedScheduler expects at least one scheduler"),
    (lambda s, o: s.SequentialLR(o, [], []), ValueError, "SequentialLR expects at least one scheduler"),
    (lambda s, o: s.SequentialLR(o, [s.StepLR(o, 1)], [3]), ValueError, "Sequential Schedulers expects number of"),
    (lambda s, o: s.ChainedScheduler([s.ReduceLROnPlateau(o)]), ValueError, "ChainedScheduler does not support"),
]


@pytest.mark.parametrize(("make", "error", "text"), REFUSED)
def test_refused(torch, make, error, text):
    with pytest.raises(error) as caught:
        make(torch.optim.lr_scheduler, two_groups(torch))
    assert str(caught.value).startswith(text)


def test_momentum_cycles_need_a_momentum(torch):
    optimizer = torch.optim.Adagrad([torch.ones(1, requires_grad=True)])
    with pytest.raises(ValueError, match="optimizer must support momentum or beta1"):
        torch.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 1.0)


def test_schedules_of_different_optimizers_do_not_chain(torch):
    schedulers = [torch.optim.lr_scheduler.StepLR(one_group(torch), 1) for _ in range(2)]
    with pytest.raises(ValueError, match="expects all schedulers to belong to the same optimizer"):
        torch.optim.lr_scheduler.ChainedScheduler(schedulers)


def test_an_optimizer_with_a_schedule_can_be_copied(torch):
    optimizer = one_group(torch)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    step(optimizer, scheduler)
    other = copy.deepcopy(optimizer)
    other.step()
    np.testing.assert_allclose(other.param_groups[0]["lr"], 0.1)


def test_the_words_about_epochs_have_a_name(torch):
    scheduler = torch.optim.lr_scheduler.StepLR(one_group(torch), 1)
    with pytest.warns(UserWarning) as caught:
        scheduler.step(2)
    assert caught[-1].message.args == (torch.optim.lr_scheduler.EPOCH_DEPRECATION_WARNING,)


@pytest.mark.parametrize("strategy", ["cos", "linear"])
def test_a_state_of_an_old_release_names_the_function(torch, strategy):
    def scheduler():
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        return torch.optim.lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=8, anneal_strategy=strategy)

    expected, loaded = scheduler(), scheduler()
    state = loaded.state_dict()
    del state["_anneal_func_type"]
    state["anneal_func"] = getattr(torch.optim.lr_scheduler.OneCycleLR, f"_annealing_{strategy}")
    del loaded._anneal_func_type
    loaded.load_state_dict(state)
    for _ in range(7):
        for each in (expected, loaded):
            each.optimizer.step()
            each.step()
        assert loaded.get_last_lr() == expected.get_last_lr()
