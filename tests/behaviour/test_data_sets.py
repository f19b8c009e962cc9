"""Data sets made of others, and how they are split."""

import importlib
import warnings

import pytest


@pytest.fixture
def data(torch):
    return importlib.import_module(f"{torch.__name__}.utils.data")


def stream(data, *samples):
    class Stream(data.IterableDataset):
        def __iter__(self):
            return iter(samples)

        def __len__(self):
            return len(samples)

    return Stream()


def test_a_data_set_says_what_it_lacks(data):
    with pytest.raises(NotImplementedError, match="Subclasses of Dataset should implement __getitem__."):
        data.Dataset()[0]
    with pytest.raises(TypeError):
        len(data.Dataset())


def test_tensors_side_by_side(torch, data):
    pairs = data.TensorDataset(torch.arange(6).reshape(3, 2), torch.tensor([7, 8, 9]))
    assert len(pairs) == 3
    first, second = pairs[2]
    assert first.tolist() == [4, 5] and second.item() == 9
    assert [each.tolist() for each in pairs[1:]] == [[[2, 3], [4, 5]], [8, 9]]
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        data.TensorDataset(torch.ones(3), torch.ones(2))


def test_data_sets_one_after_the_other(data):
    both = data.ConcatDataset(["abc", "", "de"])
    assert len(both) == 5 and both.cumulative_sizes == [3, 3, 5]
    assert "".join(both[place] for place in range(-5, 5)) == "abcdeabcde"
    with pytest.raises(ValueError, match="absolute value of index should not exceed dataset length"):
        both[-6]
    with pytest.raises(IndexError):
        both[5]
    with pytest.raises(AssertionError, match="datasets should not be an empty iterable"):
        data.ConcatDataset([])
    with pytest.raises(AssertionError, match="ConcatDataset does not support IterableDataset"):
        data.ConcatDataset([stream(data, 1)])
    with pytest.warns(FutureWarning, match="renamed to `cumulative_sizes`"):
        assert both.cummulative_sizes == [3, 3, 5]


def test_streams_one_after_the_other(data):
    both = stream(data, 1, 2) + stream(data, 3)
    assert isinstance(both, data.ChainDataset)
    assert list(both) == [1, 2, 3] and len(both) == 3
    wrong = data.ChainDataset([stream(data, 1), [2]])
    with pytest.raises(AssertionError, match="ChainDataset only supports IterableDataset"):
        list(wrong)
    with pytest.raises(AssertionError, match="ChainDataset only supports IterableDataset"):
        len(wrong)


def test_plus_puts_data_sets_one_after_the_other(torch, data):
    half = data.TensorDataset(torch.arange(2))
    whole = half + half
    assert isinstance(whole, data.ConcatDataset) and [each[0].item() for each in whole] == [0, 1, 0, 1]


def test_data_sets_side_by_side(data):
    assert data.StackDataset("ab", [1, 2])[1] == ("b", 2)
    named = data.StackDataset(letter="ab", number=[1, 2])
    assert named[0] == {"letter": "a", "number": 1} and len(named) == 2
    assert named.__getitems__([1, 0]) == [{"letter": "b", "number": 2}, {"letter": "a", "number": 1}]
    assert data.StackDataset("ab").__getitems__([1]) == [("b",)]


def test_data_sets_that_do_not_go_side_by_side(data):
    with pytest.raises(ValueError, match="Size mismatch between datasets"):
        data.StackDataset("ab", "abc")
    with pytest.raises(ValueError, match="At least one dataset should be passed"):
        data.StackDataset()
    with pytest.raises(ValueError, match="both types are given"):
        data.StackDataset("ab", named="ab")


class AtOnce(list):
    """Gives several samples at once, and remembers that it was asked to."""

    asked = ()

    def __getitems__(self, indices):
        self.asked = (*self.asked, tuple(indices))
        return [self[index] for index in indices if self[index] is not None]


def test_samples_are_fetched_at_once_where_that_is_possible(data):
    source = AtOnce("abcd")
    part = data.Subset(source, [3, 1, 0])
    assert part.__getitems__([0, 2]) == ["d", "a"] and source.asked == ((3, 0),)
    assert data.StackDataset(part).__getitems__([1]) == [("b",)] and source.asked[1:] == ((1,),)
    with pytest.raises(ValueError, match="output size mismatch. Expected 2, got 1"):
        data.StackDataset(AtOnce(["a", None])).__getitems__([0, 1])


def test_a_part_of_a_data_set(torch, data):
    part = data.Subset(torch.arange(10), [5, 2, 7])
    assert len(part) == 3 and part[1].item() == 2
    assert part[[0, 2]].tolist() == [5, 7]

    class Half(data.Subset):
        def __getitem__(self, idx):
            return super().__getitem__(idx)

    with pytest.raises(NotImplementedError, match="Half overrides __getitem__ but not __getitems__"):
        Half([1], [0])


@pytest.mark.parametrize("lengths", [[3, 7], [0.3, 0.3, 0.4], [1 / 3, 1 / 3, 1 / 3], [10]])
def test_a_split_is_that_of_pytorch(data, torch, lengths):
    oracle = pytest.importorskip("torch")
    theirs = importlib.import_module("torch.utils.data")
    torch.manual_seed(5), oracle.manual_seed(5)
    expected = [part.indices for part in theirs.random_split(range(10), lengths)]
    torch.manual_seed(5)
    assert [part.indices for part in data.random_split(range(10), lengths)] == expected
    parts = data.random_split(range(10), lengths, generator=torch.Generator().manual_seed(5))
    assert [part.indices for part in parts] == expected
    assert sorted(sample for part in parts for sample in part) == list(range(10))


def test_a_split_that_does_not_work_out(data):
    with pytest.raises(ValueError, match="Sum of input lengths does not equal the length of the input dataset!"):
        data.random_split(range(10), [3, 3])
    with pytest.raises(ValueError, match="Fraction at index 0 is not between 0 and 1"):
        data.random_split(range(10), [-0.5, 1.5])
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0. This might result in an empty dataset."):
        assert [len(part) for part in data.random_split(range(2), [0.9, 0.1])] == [2, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [len(part) for part in data.random_split(range(2), [2, 0])] == [2, 0]


def test_types_may_be_written_with_what_they_hold(data):
    assert data.Dataset[int] and data.IterableDataset[str] and data.Sampler[int] and data.DataLoader[int]
