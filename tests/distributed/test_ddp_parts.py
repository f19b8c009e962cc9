"""What `DistributedDataParallel` is made of, without processes: buckets, unused parameters, checks of hooks."""

import pytest

import rushlight
from rushlight.distributed.algorithms.ddp_comm_hooks import powerSGD_hook
from rushlight.distributed.algorithms.join import Join, Joinable
from rushlight.distributed.buckets import Bucket, GradBucket, assign
from rushlight.nn.parallel.distributed import check_hook, limits_of
from rushlight.nn.parallel.unused import unused

SIZES = [(3, 4), (7,), (100,), (), (20, 20), (5,), (2, 2, 2), (300,), (1,)]


@pytest.mark.parametrize("limits", [[64], [64, 400], [1000000], [1], [16, 800, 100]])
@pytest.mark.parametrize("mixed", [False, True], ids=["one dtype", "two dtypes"])
@pytest.mark.parametrize("order", [(), (8, 7, 3, 2, 1, 0, 4, 5, 6)], ids=["in order", "as they came"])
def test_parameters_are_assigned_to_buckets_as_in_pytorch(pytorch, limits, mixed, order):
    dtypes = ["float32", "float64"] if mixed else ["float32"]
    ours, theirs = (
        [library.zeros(shape, dtype=getattr(library, dtypes[n % len(dtypes)])) for n, shape in enumerate(SIZES)]
        for library in (rushlight, pytorch)
    )
    theirs = [theirs[index] for index in order] or theirs  # PyTorch takes them in this order
    expected = pytorch.distributed._compute_bucket_assignment_by_size(theirs, limits, [], list(order))
    result = assign(ours, limits, order)
    if mixed and order:  # the last bucket of each dtype comes in the order of a hash table
        result, expected = (sorted(zip(*each, strict=True)) for each in (result, expected))
    assert tuple(result) == tuple(expected)


def test_limits_of_buckets():
    mebibyte = 1024 * 1024
    assert limits_of(None, None, False) == ([mebibyte, 25 * mebibyte], [mebibyte, 25 * mebibyte])
    assert limits_of(2, None, False) == ([2 * mebibyte], [2 * mebibyte])
    assert limits_of(2, None, True)[1] == [2 * mebibyte]
    assert limits_of(2, None, True)[0][0] > 10**15
    assert limits_of(None, [1, 3], True) == ([mebibyte, 3 * mebibyte],) * 2


def test_a_bucket_shows_hooks_its_gradients():
    parameters = [rushlight.ones(2, 3), rushlight.ones(4)]
    bucket = Bucket([0, 1], parameters)
    bucket.put(0, rushlight.full((2, 3), 4.0), 0.5)
    bucket.put(1, None, 0.5)
    shown = GradBucket(1, 2, bucket, bucket.flat)
    assert (shown.index(), shown.is_last(), shown.buffer().tolist()) == (1, True, [2.0] * 6 + [0.0] * 4)
    assert [each.shape for each in shown.gradients()] == [(2, 3), (4,)]
    assert all(mine is theirs for mine, theirs in zip(shown.parameters(), parameters, strict=True))
    shown.set_buffer(shown.buffer().half())
    assert shown.gradients()[0].dtype == rushlight.float16


def test_parameters_that_results_do_not_depend_on_are_found():
    torch = rushlight
    linear, other, frozen = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2), torch.ones(2, requires_grad=True)
    parameters = [*linear.parameters(), *other.parameters(), frozen]
    x = torch.ones(1, 2)
    assert unused(parameters, {"a": [linear(x)], "b": (None, "text")}) == [2, 3, 4]
    assert unused(parameters, (linear(x), other(x).detach())) == [2, 3, 4]
    assert unused(parameters, other(linear(x)) * frozen) == []
    assert unused(parameters, []) == [0, 1, 2, 3, 4]


def test_a_deep_graph_is_searched_without_recursion():
    x = start = rushlight.ones(1, requires_grad=True)
    for _ in range(20_000):
        x = x + 1
    assert unused([start], x) == []


def hook_with_names(state, bucket: "GradBucket") -> "torch.futures.Future[torch.Tensor]":  # noqa: F821
    """A hook in a module that postpones annotations."""


def hook_of_another_bucket(state, bucket: int):
    """A hook that expects a number."""


def hook_with_another_result(state, bucket) -> int:
    """A hook that promises a number."""


def test_hooks_are_checked():
    check_hook(hook_with_names)
    check_hook(lambda state, bucket: None)
    for hook, error, words in (
        (1, TypeError, "Communication hook must be callable."),
        (hook_of_another_bucket, ValueError, "bucket annotation should be dist.GradBucket."),
        (hook_with_another_result, ValueError, "return annotation should be torch.futures.Future"),
    ):
        with pytest.raises(error, match=words):
            check_hook(hook)


def test_power_sgd_needs_two_steps_before_it_begins():
    with pytest.raises(ValueError, match="Expect `start_powerSGD_iter` > 1"):
        powerSGD_hook.PowerSGDState(None, start_powerSGD_iter=1)
    assert powerSGD_hook.PowerSGDState(None, start_powerSGD_iter=1, use_error_feedback=False, warm_start=False)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_factors_are_made_orthonormal(rank):
    rushlight.manual_seed(0)
    matrices = rushlight.randn(3, 6, rank, dtype=rushlight.float64)
    powerSGD_hook.orthogonalize(matrices)
    product = matrices.transpose(1, 2) @ matrices
    assert rushlight.allclose(product, rushlight.eye(rank, dtype=rushlight.float64).expand(3, rank, rank), atol=1e-12)


class Nothing(Joinable):
    """A joinable of a group."""

    def __init__(self, group):
        super().__init__()
        self.group = group

    def join_hook(self, **options):
        return options

    @property
    def join_device(self):
        return "cpu"

    @property
    def join_process_group(self):
        return self.group


def test_join_refuses_nothing_and_several_groups():
    with pytest.raises(ValueError, match="requires at least one joinable"):
        Join([])
    with pytest.raises(ValueError, match="Using join context manager with multiple process groups"):
        Join([Nothing(1), Nothing(2)])
    assert Join([Nothing(1), Nothing(1)], option=3)._hooks == [{"option": 3}] * 2


def test_join_needs_the_constructor_of_joinable():
    with pytest.raises(AssertionError, match="Check that the .* constructor calls the ``Joinable`` constructor"):
        Join.notify_join_context(object())
    assert Join.notify_join_context(Nothing(1)) is None


def test_a_prefix_is_removed_from_a_state(torch):
    model = torch.nn.DataParallel(torch.nn.Linear(2, 1))
    state = model.state_dict()
    torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state) == ["weight", "bias"]
    assert set(state._metadata) == {"", "module"} or set(state._metadata) == {""}
    torch.nn.Linear(2, 1).load_state_dict(state)
