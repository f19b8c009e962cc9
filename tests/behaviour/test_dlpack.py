"""Memory that goes from one library to another: DLPack capsules, `asarray` of anything, buffers."""

import array
import gc
import warnings

import numpy as np
import pytest

DTYPES = (
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
    "float64", "complex32", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
    "float8_e5m2fnuz",
)  # fmt: skip


class Old:
    """A library that knows nothing but `stream`."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, stream=None):
        return self.tensor.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


class New(Old):
    """A library that knows all wishes, and notes them."""

    def __dlpack__(self, **wishes):
        self.wishes = wishes
        return self.tensor.__dlpack__(**wishes)


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("version", [None, (1, 0)])
def test_every_dtype_travels_on_the_same_memory(torch, name, version):
    kind = getattr(torch, name)
    x = torch.tensor([[1, 0, 1], [1, 1, 0]]).to(kind)
    for source in (x, x.t(), x[1:, ::2], x[0, 1], x[:0]):
        capsule = source.__dlpack__(max_version=version)
        assert ("dltensor_versioned" in repr(capsule)) is (version is not None)
        for y in (torch.from_dlpack(capsule), torch.asarray(source.__dlpack__(max_version=version))):
            assert (y.dtype, y.shape, y.data_ptr()) == (kind, source.shape, source.data_ptr())
            assert y.stride() == source.stride() or y.numel() < 2
    y = torch.from_dlpack(x.__dlpack__(max_version=version))
    y[0, 0] = 0
    assert not x[0, 0]
    x[1, 0] = 0
    del x
    gc.collect()
    assert y.to(torch.complex128).tolist() == [[0, 0, 1], [0, 1, 0]]


def test_a_capsule_is_read_once(torch):
    capsule = torch.utils.dlpack.to_dlpack(torch.arange(3.0))
    assert torch.utils.dlpack.from_dlpack(capsule).tolist() == [0, 1, 2]
    for spent in (capsule, 5, [1, 2], None):
        with pytest.raises(RuntimeError, match="^from_dlpack received an invalid capsule. Note that DLTensor capsules"):
            torch.from_dlpack(spent)


def test_streams_are_checked(torch):
    x = torch.ones(2)
    for stream in ("a", 1.5, object(), x):
        with pytest.raises(TypeError, match="^stream must be ``int`` or ``none``$"):
            x.__dlpack__(stream=stream)
    for stream in (0, 1, 2):
        with pytest.raises(AssertionError, match="^stream should be None on cpu.$"):
            x.__dlpack__(stream=stream)
    assert torch.from_dlpack(x.__dlpack__(stream=-1)).tolist() == [1, 1]


def test_what_is_asked_of_another_library(torch):
    x = torch.arange(3.0)
    new = New(x)
    assert torch.from_dlpack(new).data_ptr() == x.data_ptr()
    assert new.wishes == {"max_version": (1, 0)}
    assert torch.from_dlpack(new, copy=True).data_ptr() != x.data_ptr()
    assert new.wishes == {"max_version": (1, 0), "copy": True}
    assert torch.from_dlpack(new, copy=False, device="cpu").data_ptr() == x.data_ptr()
    assert new.wishes == {"max_version": (1, 0), "copy": False, "dl_device": (1, 0)}
    assert torch.from_dlpack(Old(x)).data_ptr() == torch.from_dlpack(Old(x), copy=False).data_ptr() == x.data_ptr()
    assert torch.from_dlpack(x, copy=True).data_ptr() != x.data_ptr()
    assert torch.from_dlpack(x, copy=False, device="cpu").data_ptr() == x.data_ptr()
    assert torch.from_dlpack(x.__dlpack__(copy=True)).data_ptr() != x.data_ptr()
    for wrong, kind, words in (
        ({"device": 5.5}, AssertionError, "^from_dlpack: unsupported device type: <class 'float'>"),
        ({"device": "meta"}, BufferError, "^Cannot pack tensors on meta"),
    ):
        with pytest.raises(kind, match=words):
            torch.from_dlpack(x, **wrong)
    for wish in ({"device": "cpu"}, {"copy": True}):
        with pytest.raises(AssertionError, match="^device and copy kwargs not supported when ext_tensor is already a"):
            torch.from_dlpack(x.__dlpack__(), **wish)


def test_what_is_not_exported(torch):
    leaf = torch.ones(2, requires_grad=True)
    for tensor, words in (
        (leaf, "^Can't export tensors that require gradient"), (leaf * 2, "^Can't export tensors that require grad"),
        (torch.ones(2, dtype=torch.complex64).conj(), "^Can't export tensors with the conjugate bit set"),
        (torch.ones(2, device="meta"), "^Cannot pack tensors on meta"),
    ):  # fmt: skip
        with pytest.raises(BufferError, match=words):
            tensor.__dlpack__()
    assert torch.from_dlpack(torch.utils.dlpack.to_dlpack(leaf)).tolist() == [1, 1]


def test_numpy_gives_and_takes(torch):
    a = np.arange(12.0).reshape(3, 4)
    for view in (a, a.T, a[1:, ::2]):
        x = torch.from_dlpack(view)
        assert x.tolist() == view.tolist()
        assert x.stride() == tuple(step // 8 for step in view.strides)
    torch.from_dlpack(a)[0, 0] = 9
    assert a[0, 0] == 9
    x = torch.arange(3)
    np.from_dlpack(x)[0] = 5
    assert x[0] == 5
    assert np.from_dlpack(torch.tensor([True, False])).dtype == bool


@pytest.mark.parametrize("name", [name for name in DTYPES if "float8" not in name and name != "complex32"])
def test_asarray_shares_or_copies(torch, name):
    kind = getattr(torch, name)
    x = torch.tensor([[1, 0], [1, 1]]).to(kind)
    sources = [x, x.__dlpack__]
    if name not in ("bfloat16",):
        sources += [x.numpy(), memoryview(x.numpy())]
    for source in sources:

        def given(source=source):
            return source() if callable(source) else source

        options = {"dtype": kind} if isinstance(source, memoryview) else {}
        for wishes in ({}, {"copy": False}, {"dtype": kind}, {"device": "cpu"}, {"dtype": kind, "copy": False}):
            assert torch.asarray(given(), **{**options, **wishes}).data_ptr() == x.data_ptr()
        for wishes in ({"copy": True}, {"dtype": kind, "copy": True}):
            copied = torch.asarray(given(), **{**options, **wishes})
            assert copied.data_ptr() != x.data_ptr() and copied.dtype is kind
        if not options and not kind.is_complex:
            other = torch.float32 if kind is not torch.float32 else torch.float64
            assert torch.asarray(given(), dtype=other).dtype is other
            with pytest.raises(ValueError, match="^can't alias tensor with dtype '.*' into dtype '.*'.$"):
                torch.asarray(given(), dtype=other, copy=False)
        with pytest.raises(ValueError, match="^can't alias tensor from device 'cpu' to 'meta'.$"):
            torch.asarray(given(), **options, device="meta", copy=False)


@pytest.mark.filterwarnings("ignore:torch.asarray. unspecified requires_grad")
def test_asarray_and_gradients(torch):
    leaf = torch.ones(2, requires_grad=True)
    result = leaf * 2
    assert torch.asarray(leaf) is leaf and torch.asarray(result) is result
    assert torch.asarray(leaf, copy=True).requires_grad and not torch.asarray(leaf, copy=True).is_leaf
    assert torch.asarray(leaf, dtype=torch.float64).requires_grad
    assert torch.asarray(result, requires_grad=True) is result
    assert not torch.asarray(result, requires_grad=False).requires_grad
    assert torch.asarray([1.0], requires_grad=True).is_leaf
    assert torch.asarray(np.ones(2), requires_grad=True).requires_grad
    for data in ([1, 2], np.arange(2), torch.arange(2), torch.arange(2).__dlpack__()):
        with pytest.raises(RuntimeError, match="^Only Tensors of floating point and complex dtype can require grad"):
            torch.asarray(data, requires_grad=True)


def test_asarray_of_what_has_no_memory(torch):
    assert torch.asarray([1, 2]).tolist() == [1, 2]
    assert torch.asarray(np.float32(3)).dtype is torch.float32
    assert torch.asarray(array.array("f", [1, 2])).tolist() == [1, 2]
    assert torch.asarray(bytearray(b"ab"), dtype=torch.int8).tolist() == [97, 98]
    for data in ([1, 2], 3, (1.0,)):
        with pytest.raises(ValueError, match="^can't alias arbitrary sequence into a tensor.$"):
            torch.asarray(data, copy=False)
    with pytest.raises(RuntimeError, match="^can't alias NumPy scalars."):
        torch.asarray(np.float32(3), copy=False)
    for wrong in ({"copy": 1}, {"dtype": "f"}, {"requires_grad": 1}):
        with pytest.raises(TypeError, match=r"^asarray\(\): argument '.*' must be "):
            torch.asarray([1.0], **wrong)
    for data in ("abc", None, object()):
        with pytest.raises((TypeError, RuntimeError)):
            torch.asarray(data)


def test_buffers(torch):
    content = bytearray(b"abcdefgh")
    x = torch.frombuffer(content, dtype=torch.int8, count=3, offset=2)
    assert x.tolist() == [99, 100, 101]
    assert (x.storage_offset(), x.untyped_storage().nbytes()) == (0, 3)
    content[2] = 1
    assert x[0] == 1
    assert x.data_ptr() == np.frombuffer(content, np.int8).__array_interface__["data"][0] + 2
    assert torch.frombuffer(content, dtype=torch.int16, count=-2).shape == (4,)
    assert torch.frombuffer(content, dtype=torch.float64, requires_grad=True).requires_grad
    for wrong, words in {
        (-1, 1): r"buffer length \(7 bytes\) after offset \(1 bytes\) must be a multiple of element size \(2\)",
        (9, 0): r"requested buffer length \(9 \* 2 bytes\) after offset \(0 bytes\) must not be greater than actual",
        (-1, 8): r"offset \(8 bytes\) must be non-negative and no greater than buffer length \(8 bytes\) minus 1",
        (-1, -1): r"offset \(-1 bytes\) must be non-negative",
        (0, 0): r"both buffer length \(8\) and count \(0\) must not be 0",
    }.items():
        with pytest.raises(ValueError, match=f"^{words}"):
            torch.frombuffer(content, dtype=torch.int16, count=wrong[0], offset=wrong[1])
    for empty in (bytearray(), np.array([])):
        with pytest.raises(ValueError, match=r"^both buffer length \(0\) and count \(-1\) must not be 0$"):
            torch.frombuffer(empty, dtype=torch.int8)
    with pytest.raises(ValueError, match="^object does not implement Python buffer protocol.$"):
        torch.frombuffer([1], dtype=torch.int8)
    with pytest.raises(RuntimeError, match="^could not retrieve buffer from object$"):
        torch.frombuffer(memoryview(content)[::2], dtype=torch.int8)
    with pytest.raises(RuntimeError, match="^Only Tensors of floating point and complex dtype can require gradients"):
        torch.frombuffer(content, dtype=torch.int8, requires_grad=True)


# PyTorch warns once in a process.
@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_buffers_that_may_not_be_written_to(torch):
    for make in (torch.frombuffer, torch.asarray):
        with pytest.warns(UserWarning, match="^The given buffer is not writable, and PyTorch does not support non-wri"):
            x = make(b"ab", dtype=torch.int8)
        assert x.tolist() == [97, 98]
        with pytest.raises((ValueError, RuntimeError)):
            x[0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.frombuffer(bytearray(b"ab"), dtype=torch.int8)


# PyTorch says so once in a process.
@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_asarray_tells_of_gradients_that_it_keeps(torch):
    with pytest.warns(UserWarning, match="^torch.asarray: unspecified requires_grad now defaults to obj.requires_grad"):
        torch.asarray(torch.ones(2, requires_grad=True))


class Measured(New):
    """A library whose objects are sequences and arrays, too."""

    def __array__(self, *arguments, **keywords):
        return np.zeros(3)

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return [5, 6][index]


@pytest.mark.parametrize("kind", [Old, New, Measured])
def test_constructors_take_memory_of_another_library(torch, kind):
    x = torch.arange(4.0)
    made = torch.tensor(kind(x), requires_grad=True)
    assert made.tolist() == x.tolist() and made.data_ptr() != x.data_ptr() and made.requires_grad
    assert torch.tensor(kind(x), dtype=torch.int32).dtype is torch.int32
    assert x.double().new_tensor(kind(x)).dtype is torch.float64
    assert torch.as_tensor(kind(x)).data_ptr() == x.data_ptr()
    assert torch.as_tensor(kind(x), dtype=torch.float64).tolist() == x.tolist()
    assert torch.as_tensor(kind(x), device="meta").shape == (4,)
    assert torch.tensor(kind(torch.ones(2, 3).t())).shape == (3, 2)


def test_a_sparse_tensor_has_no_memory_to_export(torch):
    sparse = torch.eye(2).to_sparse()
    assert tuple(sparse.__dlpack_device__()) == (1, 0)
    with pytest.raises(BufferError, match="^Can't export tensors with layout other than torch.strided$"):
        sparse.__dlpack__()
