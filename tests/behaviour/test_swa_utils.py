"""Averaged models: equal and exponential weights, buffers, batch normalisation, and the schedule beside them."""

import importlib

import pytest


@pytest.fixture
def swa(torch):
    return importlib.import_module(torch.__name__ + ".optim.swa_utils")


def model_of(torch, value):
    model = torch.nn.Linear(2, 1)
    with torch.no_grad():
        for param in model.parameters():
            param.fill_(value)
    return model


def averaged(torch, swa, values, **options):
    average = swa.AveragedModel(model_of(torch, values[0]), **options)
    for value in values:
        average.update_parameters(model_of(torch, value))
    return average


def test_equal_weights(torch, swa):
    average = averaged(torch, swa, [1.0, 2.0, 6.0])
    assert average.module.bias.item() == pytest.approx(3.0)
    assert average.n_averaged.item() == 3 and average.n_averaged.dtype == torch.int64
    assert average(torch.ones(1, 2)).item() == pytest.approx(9.0)


@pytest.mark.parametrize(("name", "keyword"), [("get_ema_avg_fn", "avg_fn"), ("get_ema_multi_avg_fn", "multi_avg_fn")])
def test_exponential_weights(torch, swa, name, keyword):
    average = averaged(torch, swa, [1.0, 2.0, 6.0], **{keyword: getattr(swa, name)(0.75)})
    assert average.module.bias.item() == pytest.approx(0.75 * (0.75 + 0.25 * 2) + 0.25 * 6)


@pytest.mark.parametrize(("name", "keyword"), [("get_swa_avg_fn", "avg_fn"), ("get_swa_multi_avg_fn", "multi_avg_fn")])
def test_equal_weights_by_name(torch, swa, name, keyword):
    average = averaged(torch, swa, [1.0, 2.0, 6.0], **{keyword: getattr(swa, name)()})
    assert average.module.weight.tolist() == [[pytest.approx(3.0)] * 2]


def test_the_model_is_copied_and_saved_by_state_dict(torch, swa):
    model = model_of(torch, 1.0)
    average = swa.AveragedModel(model)
    assert average.module is not model
    assert list(average.state_dict()) == ["n_averaged", "module.weight", "module.bias"]
    other = swa.AveragedModel(model_of(torch, 5.0))
    other.load_state_dict(averaged(torch, swa, [1.0, 3.0]).state_dict())
    assert other.module.bias.item() == 2.0 and other.n_averaged.item() == 2


@pytest.mark.parametrize(("use_buffers", "expected"), [(False, 4.0), (True, 3.0)])
def test_buffers_follow_or_are_averaged(torch, swa, use_buffers, expected):
    model = torch.nn.BatchNorm1d(1)
    average = swa.AveragedModel(model, use_buffers=use_buffers)
    for value in (2.0, 4.0):
        model.running_mean.fill_(value)
        model.num_batches_tracked.fill_(int(value))
        average.update_parameters(model)
    assert average.module.running_mean.item() == expected
    assert average.module.num_batches_tracked.item() == expected


def test_only_one_function(torch, swa):
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn should be provided"):
        swa.AveragedModel(model_of(torch, 1.0), avg_fn=swa.get_swa_avg_fn(), multi_avg_fn=swa.get_swa_multi_avg_fn())
    with pytest.raises(ValueError, match="Invalid decay value 2 provided"):
        swa.get_ema_avg_fn(2)


def test_statistics_of_batch_normalisation_anew(torch, swa):
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(1), torch.nn.Dropout(0.5)).eval()
    model[0].running_mean.fill_(100.0)
    batches = [(torch.tensor([[1.0], [3.0]]), "a label"), [torch.tensor([[5.0], [7.0]])]]
    swa.update_bn(batches, model)
    assert model[0].running_mean.item() == 4.0  # the mean over both batches
    assert model[0].momentum == 0.1 and not model.training and not model[0].training


@pytest.mark.parametrize("strategy", ["cos", "linear"])
def test_annealing_to_a_constant_rate(torch, swa, strategy):
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    scheduler = swa.SWALR(optimizer, swa_lr=0.2, anneal_epochs=4, anneal_strategy=strategy)
    seen = []
    for _ in range(6):
        optimizer.step()
        scheduler.step()
        seen.append(optimizer.param_groups[0]["lr"])
    assert seen[1] == pytest.approx(0.6) and seen[3:] == pytest.approx([0.2] * 3)
    assert seen[0] == pytest.approx(0.8 if strategy == "linear" else 0.2 + 0.8 * (1 + 2**-0.5) / 2)
    assert "anneal_func" not in scheduler.state_dict()
    scheduler.load_state_dict(scheduler.state_dict())


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"anneal_strategy": "step"}, "anneal_strategy must be one of 'cos' or 'linear', instead got step"),
        ({"anneal_epochs": -1}, "anneal_epochs must be equal or greater than 0, got -1"),
        ({"swa_lr": [0.1, 0.2]}, "swa_lr must have the same length as optimizer.param_groups"),
    ],
)
def test_refused(torch, swa, options, text):
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    with pytest.raises(ValueError) as caught:
        swa.SWALR(optimizer, **{"swa_lr": 0.1, **options})
    assert str(caught.value).startswith(text)
