"""Samplers: the order of samples, which from the same seed is PyTorch's."""

import importlib

import pytest


@pytest.fixture
def data(torch):
    return importlib.import_module(f"{torch.__name__}.utils.data")


SAMPLERS = {
    "shuffled": lambda data: data.RandomSampler(range(700)),
    "fewer than there are": lambda data: data.RandomSampler(range(10), num_samples=4),
    "several rounds": lambda data: data.RandomSampler(range(10), num_samples=25),
    "with replacement": lambda data: data.RandomSampler(range(10), replacement=True, num_samples=70),
    "with replacement, in rounds of 32": lambda data: data.RandomSampler(range(9), replacement=True, num_samples=64),
    "some indices": lambda data: data.SubsetRandomSampler([3, 1, 4, 1, 5, 9]),
    "weights": lambda data: data.WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 20),
    "weights without replacement": lambda data: data.WeightedRandomSampler([0.9, 0.4, 0.05, 0.2], 4, False),
    "batches": lambda data: data.BatchSampler(data.RandomSampler(range(10)), 4, False),
}


@pytest.mark.parametrize("make", SAMPLERS.values(), ids=SAMPLERS)
def test_the_order_is_that_of_pytorch(torch, data, make):
    oracle = pytest.importorskip("torch")
    theirs = importlib.import_module("torch.utils.data")
    for seed in (0, 7):
        oracle.manual_seed(seed)
        expected = [list(make(theirs)) for _ in range(2)], oracle.rand(1).item()
        torch.manual_seed(seed)
        assert ([list(make(data)) for _ in range(2)], torch.rand(1).item()) == expected


def test_a_generator_of_its_own_leaves_the_default_one_alone(torch, data):
    torch.manual_seed(0)
    before = torch.get_rng_state().tolist()
    orders = [list(data.RandomSampler(range(50), generator=torch.Generator().manual_seed(seed))) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert torch.get_rng_state().tolist() == before


def test_in_order(data):
    assert list(data.SequentialSampler("abc")) == [0, 1, 2] and len(data.SequentialSampler("abc")) == 3


def test_batches_of_indices(data):
    sampler = data.BatchSampler(range(7), 3, False)
    assert list(sampler) == [[0, 1, 2], [3, 4, 5], [6]] and len(sampler) == 3
    sampler = data.BatchSampler(range(7), 3, True)
    assert list(sampler) == [[0, 1, 2], [3, 4, 5]] and len(sampler) == 2
    assert len(data.BatchSampler(range(6), 3, False)) == len(list(data.BatchSampler(range(6), 3, False))) == 2


def test_the_number_of_samples_follows_a_source_that_grows(data):
    source = [1, 2]
    sampler = data.RandomSampler(source)
    source.append(3)
    assert len(sampler) == sampler.num_samples == 3 and sorted(sampler) == [0, 1, 2]


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize(("length", "replicas"), [(10, 3), (9, 3), (2, 5), (1, 1)])
def test_programs_that_train_together_share_one_order(data, length, replicas, drop_last):
    pytest.importorskip("torch")
    theirs = importlib.import_module("torch.utils.data.distributed")
    for rank in range(replicas):
        for shuffle, seed, epoch in [(False, 0, 0), (True, 0, 0), (True, 3, 2)]:
            options = (range(length), replicas, rank, shuffle, seed, drop_last)
            samplers = data.DistributedSampler(*options), theirs.DistributedSampler(*options)
            for each in samplers:
                each.set_epoch(epoch)
            ours, expected = map(list, samplers)
            assert ours == expected and len(ours) == len(samplers[0])
    with pytest.raises(ValueError, match=r"Invalid rank 3, rank should be in the interval \[0, 2\]"):
        data.DistributedSampler("abc", 3, 3)


REFUSED = [
    (lambda data: data.RandomSampler([]), ValueError, "num_samples should be a positive integer value, but got num_sa"),
    (lambda data: data.RandomSampler("ab", replacement=1), TypeError, "replacement should be a boolean value, but got"),
    (lambda data: data.RandomSampler("ab", num_samples=0), ValueError, "but got num_samples=0"),
    (lambda data: data.WeightedRandomSampler([1.0], True), ValueError, "but got num_samples=True"),
    (lambda data: data.WeightedRandomSampler([1.0], 1, None), ValueError, "but got replacement=None"),
    (lambda data: data.WeightedRandomSampler([[1.0]], 1), ValueError, r"given weights have shape \(1, 1\)"),
    (lambda data: data.BatchSampler(range(3), 0, False), ValueError, "batch_size should be a positive integer value"),
    (lambda data: data.BatchSampler(range(3), True, False), ValueError, "but got batch_size=True"),
    (lambda data: data.BatchSampler(range(3), 2, 1), ValueError, "drop_last should be a boolean value, but got drop_l"),
    (lambda data: iter(data.Sampler()), NotImplementedError, "^$"),
    (lambda data: len(data.Sampler()), TypeError, "has no len"),
]


@pytest.mark.parametrize(("make", "kind", "message"), REFUSED)
def test_what_makes_no_sense_is_refused(data, make, kind, message):
    with pytest.raises(kind, match=message):
        make(data)
