"""Sizes that no memory has are refused at once, in PyTorch's words; so is data that has no shape."""

import numpy as np
import pytest

HUGE = 2**62


def test_sizes_of_more_bytes_than_can_be_counted(torch):
    x = torch.zeros(1)
    for make in (
        lambda: torch.empty([2, 4, 2**29, 2**29], dtype=torch.float64), lambda: torch.zeros(HUGE),
        lambda: torch.ones(2**40, 2**40), lambda: torch.full((HUGE,), 1.0), lambda: torch.rand(2**40, 2**40),
        lambda: torch.empty_strided([8, 8], [2**61, 1], dtype=torch.float64), lambda: x.new_empty(HUGE),
        lambda: torch.empty_strided((2, 3), (-1, 1)), lambda: torch.empty_permuted((2**40, 2**40), (0, 1)),
        lambda: torch.empty(2**40, 2**40, device="meta"), lambda: torch.zeros(1).resize_(HUGE),
        lambda: torch.zeros(1).set_(x.untyped_storage(), 0, (2**61,)),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match="^Storage size calculation overflowed with sizes="):
            make()
    for make in (
        lambda: torch.empty([0, 4, 2305843009213693952]), lambda: torch.zeros(0, HUGE, HUGE),
        lambda: torch.zeros(1).resize_(0, HUGE, HUGE), lambda: x.new_zeros((0, HUGE, HUGE)),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match="^Stride calculation overflowed$"):
            make()
    for make in (
        lambda: torch.zeros(1).resize_(2**61, 2**61),
        lambda: torch.zeros(1).set_(x.untyped_storage(), 0, (2**61, 2**61)),
    ):
        with pytest.raises(RuntimeError, match="^numel: integer multiplication overflow$"):
            make()
    with pytest.raises(RuntimeError, match="can't allocate memory: you tried to allocate 4611686018427387904 bytes"):
        torch.UntypedStorage(HUGE)


def test_strides_of_another_number_than_the_sizes(torch):
    for make in (lambda: torch.empty_strided((2, 3), (1,)), lambda: torch.zeros(1).new_empty_strided((2, 3), (1,))):
        with pytest.raises(RuntimeError, match=r"^dimensionality of sizes \(2\) must match dimensionality of strides"):
            make()


class Strange:
    """A sequence that gives nothing."""

    def __len__(self):
        return 3

    def __getitem__(self, place):
        raise TypeError("not today")


def test_data_that_has_no_shape_or_no_end(torch):
    with pytest.raises(ValueError, match="^could not determine the shape of object type 'Strange'"):
        torch.tensor(Strange())
    endless = [0]
    endless.append(endless)
    for data in (endless, [[1, 2], endless]):
        for make in (torch.tensor, torch.as_tensor):
            with pytest.raises(TypeError, match="self-referential lists are incompatible"):
                make(data)


@pytest.mark.filterwarnings("ignore:Creating a tensor from a list of numpy.ndarrays")
def test_arrays_without_dimensions_are_numbers(torch):
    assert torch.tensor(((7, np.array(5)), (np.array(9), 5.0))).dtype is torch.float32
    assert torch.tensor(((7, 5), (9, np.array(5.0)))).dtype is torch.float64
    assert torch.tensor(((5, np.array(3)), (np.array(3), 5))).tolist() == [[5, 3], [3, 5]]
    assert torch.tensor([torch.tensor(1), np.array(2)]).tolist() == [1, 2]
    with pytest.raises(TypeError, match=r"^len\(\) of unsized object$"):
        torch.tensor([np.array(5), np.array(6)])


def test_a_subclass_is_made_of_a_tensor(torch):
    class Marked(torch.Tensor):
        pass

    x = torch.ones(2, requires_grad=True)
    made = torch.Tensor._make_subclass(Marked, x)
    assert (type(made), made.requires_grad, made.is_leaf) == (Marked, False, True)
    assert made.data_ptr() == x.data_ptr()
    assert torch.Tensor._make_subclass(Marked, x, True).requires_grad
    for wrong in ((int, x), (Marked, [1]), (Marked, x, 1)):
        with pytest.raises(TypeError):
            torch.Tensor._make_subclass(*wrong)


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic", "area"])
def test_images_that_no_memory_holds_are_refused_before_positions_are_computed(torch, mode):
    image = torch.ones(1, 2, 4, 4)
    with pytest.raises(RuntimeError, match="can't allocate memory"):
        torch.nn.functional.interpolate(image, size=(2**29, 2**29), mode=mode)


def test_a_grid_that_no_memory_holds(torch):
    with pytest.raises(RuntimeError, match="can't allocate memory|Storage size calculation overflowed"):
        torch.nn.functional.affine_grid(torch.ones(1, 2, 3), (1, 1, 2**29, 2**29), align_corners=False)
