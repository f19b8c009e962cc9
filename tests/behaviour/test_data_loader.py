"""The loader in one process: its options, what they exclude, and what comes out in which order."""

import importlib
import pickle

import numpy as np
import pytest


@pytest.fixture
def data(torch):
    return importlib.import_module(f"{torch.__name__}.utils.data")


def stream_of(data, count, told=None):
    class Stream(data.IterableDataset):
        def __iter__(self):
            return iter(range(count))

        def __len__(self):
            return count if told is None else told

    return Stream()


def lists(loader):
    return [batch.tolist() for batch in loader]


def test_batches(data):
    loader = data.DataLoader(range(7), batch_size=3)
    assert lists(loader) == [[0, 1, 2], [3, 4, 5], [6]] and len(loader) == 3
    loader = data.DataLoader(range(7), batch_size=3, drop_last=True)
    assert lists(loader) == [[0, 1, 2], [3, 4, 5]] and len(loader) == 2


def test_single_samples(data):
    loader = data.DataLoader([np.array([1, 2]), "a"], batch_size=None)
    array, text = loader
    assert array.tolist() == [1, 2] and text == "a" and len(loader) == 2


def test_samplers_of_ones_own(data):
    assert lists(data.DataLoader(range(10), sampler=[5, 2, 9], batch_size=2)) == [[5, 2], [9]]
    assert lists(data.DataLoader(range(10), batch_sampler=[[1], [2, 3]])) == [[1], [2, 3]]
    assert lists(data.DataLoader({"a": 1, "b": 2}, sampler=["b", "a"])) == [[2], [1]]


def test_a_collate_function_of_ones_own(data):
    assert list(data.DataLoader("abcd", batch_size=2, collate_fn="".join)) == ["ab", "cd"]
    assert list(data.DataLoader("ab", batch_size=None, collate_fn=str.upper)) == ["A", "B"]


def test_streams(data):
    loader = data.DataLoader(stream_of(data, 5), batch_size=2)
    assert lists(loader) == [[0, 1], [2, 3], [4]] and len(loader) == 3
    assert lists(data.DataLoader(stream_of(data, 5), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert len(data.DataLoader(stream_of(data, 5), batch_size=2, drop_last=True)) == 2
    loader = data.DataLoader(stream_of(data, 3), batch_size=None)
    assert list(loader) == [0, 1, 2] and len(loader) == 3


def test_a_stream_longer_than_it_said(data):
    loader = data.DataLoader(stream_of(data, 3, told=2), batch_size=1)
    assert lists(loader) == [[0], [1], [2]]
    assert len(loader) == 2
    with pytest.warns(UserWarning, match=r"was reported to be 2\(when accessing len.*, but 3 samples have been"):
        assert lists(loader) == [[0], [1], [2]]


class EagerSampler:
    """Draws its order as soon as it is iterated over, as many do."""

    def __init__(self, torch):
        self.torch = torch

    def __iter__(self):
        return iter(self.torch.randperm(6).tolist())

    def __len__(self):
        return 6


ORDERS = {
    "shuffled": lambda torch, data: {"shuffle": True},
    "eager": lambda torch, data: {"sampler": EagerSampler(torch)},
    "own generator": lambda torch, data: {"shuffle": True, "generator": torch.Generator().manual_seed(3)},
    "weighted": lambda torch, data: {"sampler": data.WeightedRandomSampler([1, 2, 3, 4, 5, 6.0], 12)},
}


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_the_order_of_every_epoch_is_that_of_pytorch(torch, data, order, workers):
    def run(torch, data):
        torch.manual_seed(11)
        loader = data.DataLoader(range(6), batch_size=2, num_workers=workers, **order(torch, data))
        return [lists(loader) for _ in range(2)], torch.rand(2).tolist()

    oracle = pytest.importorskip("torch")
    assert run(torch, data) == run(oracle, importlib.import_module("torch.utils.data"))


def test_an_error_in_the_data_set_is_its_own(data):
    class Broken(data.Dataset):
        def __len__(self):
            return 3

        def __getitem__(self, index):
            return {0: "first"}[index]

    batches = iter(data.DataLoader(Broken()))
    assert next(batches) == ["first"]
    with pytest.raises(KeyError, match="^1$"):
        next(batches)


REFUSED = [
    ({"num_workers": -1}, ValueError, "num_workers option should be non-negative; use num_workers=0 to disable"),
    ({"timeout": -1}, ValueError, "timeout option should be non-negative"),
    ({"prefetch_factor": 2}, ValueError, "prefetch_factor option could only be specified in multiprocessing"),
    ({"prefetch_factor": -1, "num_workers": 1}, ValueError, "prefetch_factor option should be non-negative"),
    ({"persistent_workers": True}, ValueError, "persistent_workers option needs num_workers > 0"),
    ({"sampler": [1], "shuffle": True}, ValueError, "sampler option is mutually exclusive with shuffle"),
    ({"batch_sampler": [[1]], "batch_size": 2}, ValueError, "batch_sampler option is mutually exclusive with batch"),
    ({"batch_sampler": [[1]], "drop_last": True}, ValueError, "batch_sampler option is mutually exclusive with batch"),
    ({"batch_size": None, "drop_last": True}, ValueError, "batch_size=None option disables auto-batching and is mut"),
    ({"batch_size": 0}, ValueError, "batch_size should be a positive integer value, but got batch_size=0"),
    ({"multiprocessing_context": "fork"}, ValueError, "can only be used with multi-process loading"),
    ({"multiprocessing_context": "?", "num_workers": 1}, ValueError, "should specify a valid start method in"),
    ({"multiprocessing_context": 3, "num_workers": 1}, TypeError, "should be a valid context object or a string"),
]


@pytest.mark.parametrize(("options", "kind", "message"), REFUSED)
def test_options_that_make_no_sense(data, options, kind, message):
    with pytest.raises(kind, match=message):
        data.DataLoader(range(3), **options)


@pytest.mark.parametrize("options", [{"shuffle": True}, {"sampler": [0]}, {"batch_sampler": [[0]]}])
def test_a_stream_has_no_order_to_choose(data, options):
    (name,) = options
    with pytest.raises(ValueError, match=f"DataLoader with IterableDataset: expected unspecified {name} option, but"):
        data.DataLoader(stream_of(data, 3), **options)


def test_a_timeout_needs_workers(data):
    with pytest.raises(AssertionError):
        iter(data.DataLoader(range(3), timeout=1))


def test_what_a_pass_relies_on_cannot_be_changed(data):
    loader = data.DataLoader(range(3))
    with pytest.raises(ValueError, match="batch_size attribute should not be set after DataLoader is initialized"):
        loader.batch_size = 2
    loader.timeout = 0.5
    assert loader.timeout == 0.5


def test_more_workers_than_processors(data):
    with pytest.warns(UserWarning, match="This DataLoader will create 4096 worker processes in total. Our suggested"):
        data.DataLoader(range(3), num_workers=4096)


def test_without_a_gpu_nothing_is_pinned(data):
    loader = data.DataLoader(range(3), pin_memory=True)
    with pytest.warns(UserWarning, match="'pin_memory' argument is set as true but no accelerator is found"):
        assert lists(loader) == [[0], [1], [2]]


def test_a_pass_is_an_iterator_of_known_length(data):
    batches = iter(data.DataLoader(range(5), batch_size=2))
    assert iter(batches) is batches and len(batches) == 3
    with pytest.raises(NotImplementedError, match="cannot be pickled"):
        pickle.dumps(batches)


def test_outside_of_workers_there_is_no_worker(data):
    assert data.get_worker_info() is None


def test_parts_can_be_imported_from_their_modules(torch):
    for module, name in [("dataset", "random_split"), ("sampler", "RandomSampler"), ("dataloader", "default_collate")]:
        assert hasattr(importlib.import_module(f"{torch.__name__}.utils.data.{module}"), name)


class LoaderOfAPackage:
    """What a package gives to an iterator of PyTorch's in place of a loader: the attributes that it reads."""

    _IterableDataset_len_called, _auto_collation, drop_last, in_order = None, False, False, True
    generator, prefetch_factor, multiprocessing_context = None, None, None
    pin_memory, num_workers, timeout, persistent_workers, pin_memory_device, worker_init_fn = (
        False,
        0,
        0,
        False,
        "",
        None,
    )

    def __init__(self, kind):
        self.dataset, self._dataset_kind, self._index_sampler = self, kind, [0, 1, 2, 3]

    @staticmethod
    def collate_fn(sample):
        return sample * 10

    def _get_shared_seed(self):
        return None

    def __iter__(self):
        return iter([1, 2, 3])


def test_a_package_may_give_a_loader_of_its_own_to_the_iterator(torch):
    dataloader = torch.utils.data.dataloader
    batches = dataloader._SingleProcessDataLoaderIter(LoaderOfAPackage(dataloader._DatasetKind.Iterable))
    assert isinstance(batches, dataloader._BaseDataLoaderIter)
    assert list(batches) == [10, 20, 30]


def test_a_loader_says_what_it_iterates_with(torch):
    dataloader = torch.utils.data.dataloader
    loader = torch.utils.data.DataLoader(range(4), batch_size=2)
    assert loader._dataset_kind == dataloader._DatasetKind.Map
    assert type(iter(loader)) is dataloader._SingleProcessDataLoaderIter
    workers = iter(torch.utils.data.DataLoader(range(4), batch_size=2, num_workers=1))
    assert type(workers) is dataloader._MultiProcessingDataLoaderIter
    assert [batch.tolist() for batch in workers] == [[0, 1], [2, 3]]

    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter(range(3))

    assert torch.utils.data.DataLoader(Stream())._dataset_kind == dataloader._DatasetKind.Iterable


class BeginsAnew:
    """An iterator whose `__iter__` starts again, as those of transformers' pipelines do."""

    def __init__(self, count):
        self.count, self.position = count, 0

    def __iter__(self):
        self.position = 0
        return self

    def __next__(self):
        if self.position == self.count:
            raise StopIteration
        self.position += 1
        return self.position


@pytest.mark.parametrize("batch_size", [None, 1, 2, 3, 5])
def test_an_iterator_is_asked_to_begin_once(torch, batch_size):
    class Numbers(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter(BeginsAnew(5))

    loader = torch.utils.data.DataLoader(Numbers(), batch_size=batch_size, collate_fn=lambda batch: batch)
    batches = [each for each, _ in zip(loader, range(9), strict=False)]
    whole = list(range(1, 6))
    size = batch_size or 1
    assert batches == ([whole[i : i + size] for i in range(0, 5, size)] if batch_size else whole)
