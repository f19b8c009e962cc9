"""Storages as programs see them: made, read, written, converted, shared, mapped, copied, pickled."""

import copy
import multiprocessing
import os
import pickle
import warnings

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")

DTYPES = {
    "Double": "float64", "Float": "float32", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64", "Int": "int32",
    "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool", "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}  # fmt: skip
CASTS = {
    "double": "float64", "float": "float32", "half": "float16", "bfloat16": "bfloat16", "long": "int64", "int": "int32",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "complex_float": "complex64",
    "complex_double": "complex128", "float8_e5m2": "float8_e5m2", "float8_e4m3fn": "float8_e4m3fn",
}  # fmt: skip


@pytest.mark.parametrize("name", DTYPES)
def test_each_dtype_has_a_class(torch, name):
    kind, made = getattr(torch, DTYPES[name]), getattr(torch, f"{name}Storage")
    storage = made([1, 0, 1])
    assert storage.tolist() == torch.tensor([1, 0, 1], dtype=kind).tolist()
    assert (storage.dtype, made.dtype, made._dtype) == (kind, kind, kind)
    assert storage.type() == f"torch.{name}Storage"
    assert type(storage) is torch.storage.TypedStorage
    assert isinstance(storage, made)
    assert not isinstance(storage, torch.cuda.FloatStorage)
    assert (storage.size(), len(storage)) == (3, 3)
    assert storage.nbytes() == 3 * storage.element_size() == 3 * kind.itemsize
    assert storage.pickle_storage_type() == f"{name}Storage"
    assert torch.zeros(1, dtype=kind).storage_type() is made
    assert (made().size(), made(5).size()) == (0, 5)
    storage[-1] = 0
    storage.fill_(0)
    assert not any(storage)
    assert repr(made(0)).endswith(f"[torch.storage.TypedStorage(dtype={kind}, device=cpu) of size 0]")


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("cast", CASTS)
def test_each_cast_is_that_of_the_tensor(torch, name, cast):
    values = [1, 0, 1] if name == "Bool" else [-1, 0, 1, 2] if name not in ("Byte",) else [3, 0, 1, 2]
    storage = getattr(torch, f"{name}Storage")(values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of imaginary parts that are discarded
        converted = getattr(storage, cast)()
        tensor = torch.tensor(values, dtype=storage.dtype).to(getattr(torch, CASTS[cast]))
    assert converted.dtype is getattr(torch, CASTS[cast])
    assert converted.tolist() == tensor.tolist()
    assert converted.data_ptr() != storage.data_ptr()
    assert storage.tolist() == torch.tensor(values, dtype=storage.dtype).tolist()


def test_the_default_dtype_has_the_default_storage(torch):
    assert torch.Storage is torch.FloatStorage
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.Storage is torch.DoubleStorage
        assert torch.TypedStorage().dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.Storage is torch.FloatStorage


def test_what_tensors_and_storages_share(torch):
    x = torch.arange(6.0)
    bytes_, elements = x.untyped_storage(), x[2:].storage()
    assert bytes_ is x.view(2, 3).untyped_storage() is elements.untyped()
    assert torch.is_storage(bytes_) and torch.is_storage(elements) and not torch.is_storage(x)
    elements[1] = 70
    assert x[1] == 70
    bytes_[4:8].fill_(0)
    assert x[1] == 0
    x[0] = 9
    assert elements[0] == 9
    assert bytes_.data_ptr() == elements.data_ptr() == x.data_ptr()
    assert x.clone().untyped_storage() != bytes_
    y = torch.zeros(6)
    assert y.untyped_storage()._cdata == y[1:].view(torch.int32).storage()._cdata != torch.zeros(6).storage()._cdata


def test_a_storage_is_data_for_a_tensor(torch):
    storage = torch.FloatStorage([1, 2, 3])
    for made in (torch.tensor, torch.FloatTensor, torch.Tensor, torch.as_tensor, torch.asarray, torch.zeros(1).new):
        tensor = made(storage)
        assert tensor.tolist() == storage.tolist()
        assert tensor.data_ptr() == storage.data_ptr()
        tensor[0] += 1
    assert storage[0] == 7
    assert torch.tensor(torch.IntStorage([1, 2]).untyped(), dtype=torch.int32).tolist() == [1, 2]
    assert torch.tensor([storage, storage]).shape == (2, 3)


@pytest.mark.parametrize("own", DTYPES)
def test_a_storage_of_another_dtype_is_refused(torch, own):
    kind = getattr(torch, DTYPES[own])
    for name in DTYPES:
        storage = getattr(torch, f"{name}Storage")([1, 0, 1, 1])
        if name == own:
            assert torch.empty(0, dtype=kind).set_(storage).tolist() == storage.tolist()
            continue
        with pytest.raises(RuntimeError, match=f"^Expected a Storage of type .* but got type {name} for argument 1"):
            torch.empty(0, dtype=kind).set_(storage)
        with pytest.raises(
            RuntimeError, match=f"^Expected a Storage of type {own} or an UntypedStorage, but got {name}"
        ):
            torch.tensor(storage, dtype=kind)
        bytes_ = torch.empty(0, dtype=kind).set_(storage.untyped())
        assert bytes_.numel() == storage.nbytes() // kind.itemsize


def test_set_in_all_its_forms(torch):
    storage = torch.FloatStorage([1, 2, 3, 4])
    for source in (storage, storage.untyped(), torch.FloatTensor(storage)):
        assert torch.empty(0).set_(source).tolist() == [1, 2, 3, 4]
        assert torch.empty(0).set_(source, 1, (2,)).tolist() == [2, 3]
        assert torch.empty(0).set_(source, 1, [2], [2]).tolist() == [2, 4]
        assert torch.empty(0).set_(source, 0, (), ()).shape == ()
        keywords = {"storage_offset": 2, "size": (2, 2), "stride": (1, 0)}
        assert torch.empty(0).set_(source=source, **keywords).tolist() == [[3, 3], [4, 4]]
    x, y = torch.zeros(1), torch.zeros(2, requires_grad=True)
    assert x.set_().shape == (0,)
    with pytest.raises(RuntimeError, match="^a leaf Variable that requires grad is being used in an in-place"):
        y.set_(x)
    for wrong in (
        ([1, 2],),
        (storage, 1),
        (storage, 1, 2),
        (storage, "a", (2,)),
        (storage, 0, (2,), 1),
        (storage, 0, ("a",)),
    ):
        with pytest.raises(TypeError, match=r"^set_\(\) received an invalid combination of arguments"):
            x.set_(*wrong)
    for wrong, words in {
        ((2,), (1, 1), 0): "unequal size length", ((2,), (-1,), 0): "Storage size calculation overflowed",
        ((2,), (1,), -1): "Tensor: invalid storage offset -1", ((-2,), (1,), 0): "numel: integer multiplication",
    }.items():  # fmt: skip
        with pytest.raises(RuntimeError, match=words):
            x.set_(storage, wrong[2], wrong[0], wrong[1])
    with pytest.raises(
        RuntimeError, match='^Attempted to set the storage of a tensor on device "cpu" to a storage on '
    ):
        x.set_(torch.zeros(2, device="meta"))


def test_set_beyond_a_storage_makes_it_larger_for_all(torch):
    x = torch.arange(4.0)
    storage = x.untyped_storage()
    y = torch.empty(0).set_(storage, 0, (10,))
    assert storage.nbytes() == 40
    y[3] = 30
    x[0] = -1
    assert (x.tolist(), y[:4].tolist()) == ([-1, 1, 2, 30], [-1, 1, 2, 30])
    assert x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()


def test_a_storage_that_changes_its_size_keeps_its_tensors(torch):
    x = torch.arange(4.0)
    view, leaf = x[1:3], torch.nn.Parameter(x.view(2, 2))
    storage = x.untyped_storage()
    storage.resize_(100)
    assert storage.nbytes() == x.untyped_storage().nbytes() == 100
    x[1] = 50
    assert (view[0], leaf[0, 1], storage.float()[7]) == (50, 50, 66)
    fresh = torch.UntypedStorage(3)
    fresh.fill_(4)
    fresh.resize_(5)
    assert fresh.tolist()[:3] == [4, 4, 4]
    fresh.resize_(2)
    assert fresh.tolist() == [4, 4]
    elements = torch.IntStorage([1, 2])
    elements.resize_(3)
    assert (elements.size(), elements[1]) == (3, 2)
    with pytest.raises(RuntimeError, match="^Trying to resize storage that is not resizable"):
        torch.from_numpy(np.zeros(3)).untyped_storage().resize_(100)


# PyTorch frees the memory at once, and reading the tensor then reads what is not there.
@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_a_storage_that_shrinks_leaves_its_tensors_what_they_read(torch):
    x = torch.arange(4.0)
    x.untyped_storage().resize_(0)
    assert x.untyped_storage().nbytes() == 0
    assert x.tolist() == [0, 1, 2, 3]
    x.untyped_storage().resize_(16)
    x.copy_(torch.ones(4))
    assert torch.empty(0).set_(x.untyped_storage()).tolist() == [1, 1, 1, 1]


def test_untyped_storages_are_made_read_and_written(torch):
    made = torch.UntypedStorage
    assert made([1, 2, 300]).tolist() == [1, 2, 44]
    assert (made().nbytes(), made(3).nbytes(), made(size=3).nbytes(), made(b"ab").tolist()) == (0, 3, 3, [97, 98])
    storage = made([1, 2, 3, 4])
    storage[0], storage[1:3] = -1, 7
    assert list(storage) == [255, 7, 7, 4]
    storage.byteswap(torch.int16)
    assert (storage[-1], storage[0]) == (7, 7)
    assert storage.copy_(made([5, 6, 7, 8])).tolist() == [5, 6, 7, 8]
    assert storage.clone() != storage and storage.clone().tolist() == storage.tolist()
    assert (storage.new().nbytes(), storage.element_size(), storage.is_cuda, storage.type()) == (
        0, 1, False, "torch.storage.UntypedStorage",
    )  # fmt: skip
    assert storage.cpu() is storage.to(device="cpu") is storage
    for wrong, kind in {"a": TypeError, 1.5: TypeError, None: TypeError, True: TypeError, 9: IndexError}.items():
        with pytest.raises(kind):
            storage[wrong]
    for call in (
        lambda: made([1, 2.5]), lambda: made(2.5), lambda: made(-1), lambda: made(device="xla"),
        lambda: storage[::2], lambda: storage.fill_(1.5), lambda: storage.copy_(made(3)),
        lambda: storage.__setitem__(9, 1), lambda: storage.__setitem__(0, 1.5),
    ):  # fmt: skip
        with pytest.raises(RuntimeError):
            call()
    with pytest.raises(TypeError, match="must be torch.Storage, not list"):
        storage.copy_([1])


def test_what_constructors_of_typed_storages_refuse(torch):
    bytes_ = torch.UntypedStorage(4)
    typed = torch.TypedStorage(wrap_storage=bytes_, dtype=torch.int8)
    assert typed.untyped() is bytes_
    assert torch.FloatStorage(wrap_storage=bytes_).size() == 1
    for refused, call in (
        ("Only child classes of _LegacyStorage can be instantiated", lambda: torch.storage._LegacyStorage()),
        ("Keyword argument 'device' cannot be specified", lambda: torch.FloatStorage(device="cpu")),
        ("Keyword argument 'dtype' cannot be specified", lambda: torch.FloatStorage(dtype=torch.float)),
        ("Too many positional arguments", lambda: torch.FloatStorage(0, 0)),
        ("Too many positional arguments", lambda: torch.TypedStorage(0, 0)),
        ("No positional arguments should be given", lambda: torch.FloatStorage(3, wrap_storage=bytes_)),
        (
            "No positional arguments should be given",
            lambda: torch.TypedStorage(3, wrap_storage=bytes_, dtype=torch.int8),
        ),
        ("Argument 'dtype' must be specified", lambda: torch.TypedStorage(wrap_storage=bytes_)),
        ("'device' should not be", lambda: torch.TypedStorage(wrap_storage=bytes_, dtype=torch.int8, device="cpu")),
        ("must be cpu, but got meta", lambda: torch.FloatStorage(wrap_storage=torch.UntypedStorage(3, device="meta"))),
        ("Storage device not recognized: xla", lambda: torch.TypedStorage(device="xla")),
    ):
        with pytest.raises(RuntimeError, match=refused):
            call()
    for refused, call in (
        ("Argument type not recognized", lambda: torch.FloatStorage(torch.zeros(1))),
        ("Argument type not recognized", lambda: torch.TypedStorage(torch.zeros(1))),
        ("'wrap_storage' must be UntypedStorage", lambda: torch.FloatStorage(wrap_storage=typed)),
        ("'wrap_storage' must be UntypedStorage", lambda: torch.TypedStorage(wrap_storage=typed, dtype=torch.int8)),
        ("'dtype' must be torch.dtype", lambda: torch.TypedStorage(wrap_storage=bytes_, dtype=0)),
        ("invalid data type 'str'", lambda: torch.FloatStorage("abc")),
        ("got an unexpected keyword argument", lambda: torch.FloatStorage(sdlkjf=1)),
    ):
        with pytest.raises(TypeError, match=refused):
            call()


def test_what_typed_storages_refuse(torch):
    storage = torch.FloatStorage([1, 2, 3])
    for kind, refused, call in (
        (IndexError, "^index 3 out of range for storage of size 3$", lambda: storage[3]),
        (RuntimeError, "^slices are only supported in UntypedStorage", lambda: storage[0:2]),
        (RuntimeError, "^can't index a <class 'torch.storage.TypedStorage'> with <class 'str'>", lambda: storage["a"]),
        (RuntimeError, "^cannot set item with value type", lambda: storage.fill_(storage)),
        (RuntimeError, "^size does not match, self was 12 bytes", lambda: storage.copy_(torch.IntStorage(1))),
        (TypeError, "must be torch.Storage, not Tensor", lambda: storage.copy_(torch.zeros(3))),
        (KeyError, "is not recognized", lambda: torch.TypedStorage(dtype=torch.complex32).pickle_storage_type()),
    ):  # fmt: skip
        with pytest.raises(kind, match=refused):
            call()
    assert storage.copy_(torch.IntStorage([0, 0, 0])).tolist() == [0, 0, 0]
    storage[0:2] = torch.tensor([8.0, 9.0])
    assert storage.tolist() == [8, 9, 0]


@pytest.mark.parametrize("name", DTYPES)
def test_storages_without_numbers(torch, name):
    kind = getattr(torch, DTYPES[name])
    for args in ((), (0,), (100,), ([1, 0, 1],)):
        hollow, full = (torch.TypedStorage(*args, dtype=kind, device=place) for place in ("meta", "cpu"))
        assert (hollow.device.type, hollow.data_ptr(), hollow.dtype) == ("meta", 0, kind)
        assert (hollow.nbytes(), hollow.size()) == (full.nbytes(), full.size())
        assert hollow.untyped().nbytes() == full.nbytes()
        for read in (lambda: hollow[0], lambda: hollow.untyped()[0]):  # noqa: B023
            with pytest.raises(NotImplementedError, match="^Not available for 'meta' device type$"):
                read()
        for copied in (lambda: hollow.cpu(), lambda: full.copy_(hollow)):  # noqa: B023
            with pytest.raises(NotImplementedError, match="^Cannot copy out of meta tensor; no data!$"):
                copied()
        for shared in (hollow.share_memory_, hollow._share_fd_cpu_, hollow._share_filename_cpu_):
            with pytest.raises(RuntimeError, match="only available on CPU$"):
                shared()
        hollow.resize_(10)
        with pytest.raises(NotImplementedError, match="^Not available for 'meta' device type$"):
            hollow.tolist()
        assert (hollow.size(), hollow.is_shared(), hollow.resizable()) == (10, False, True)
        hollow.fill_(0)
    tensor = torch.ones(4, 5, dtype=kind).to("meta")
    assert (tensor.storage().size(), tensor.storage().device.type) == (20, "meta")
    assert repr(tensor.storage()) == f"...\n[torch.storage.TypedStorage(dtype={kind}, device=meta) of size 20]"
    assert torch.empty(0, dtype=kind, device="meta").set_(tensor.untyped_storage()).shape == (20,)
    assert torch.empty(2, dtype=kind, device="meta").resize_(2**40).shape == (2**40,)  # nothing is allocated
    assert torch.empty(0, dtype=kind, device="meta").set_(tensor, 3, (2**40,), (1,)).shape == (2**40,)


def test_from_buffer_reads_any_order_of_bytes(torch):
    content = bytearray([1, 2, 3, 4])
    assert torch.ByteStorage.from_buffer(content).tolist() == [1, 2, 3, 4]
    assert torch.ShortStorage.from_buffer(content, "big").tolist() == [258, 772]
    assert torch.ShortStorage.from_buffer(content, "little").tolist() == [513, 1027]
    assert torch.IntStorage.from_buffer(content, "native").size() == 1
    assert torch.ShortStorage.from_buffer(content, "big", offset=2, count=1).tolist() == [772]
    assert torch.ShortStorage.from_buffer(content, "big", 1).tolist() == [258]
    assert torch.FloatStorage.from_buffer(bytearray([0x40, 0x10, 0, 0]), "big")[0] == 2.25
    assert torch.BoolStorage.from_buffer(bytearray(b"\x00\x01\x02\xff"), "big").tolist() == [False, True, True, True]
    complex_ = torch.ComplexFloatStorage.from_buffer(bytearray([0x40, 0x10, 0, 0, 0x40, 0, 0, 0]), "big")
    assert complex_.tolist() == [2.25 + 2j]
    assert torch.UntypedStorage.from_buffer(content, "big", dtype=torch.int16).tolist() == [2, 1, 4, 3]
    assert torch.TypedStorage.from_buffer(content, "big", dtype=torch.int16).tolist() == [258, 772]
    copied = torch.ByteStorage.from_buffer(content)
    content[0] = 99
    assert copied[0] == 1
    for kind, refused, call in (
        (RuntimeError, "missing required argument 'byte_order'", lambda: torch.ShortStorage.from_buffer(content)),
        (RuntimeError, "'dtype' cannot be None", lambda: torch.UntypedStorage.from_buffer(content)),
        (RuntimeError, "'dtype' can only be", lambda: torch.IntStorage.from_buffer(content, "big", dtype=torch.int8)),
        (RuntimeError, "'device' can only be", lambda: torch.IntStorage.from_buffer(content, "big", device="cpu")),
        (RuntimeError, "Not available for CUDA storage", lambda: torch.cuda.FloatStorage.from_buffer()),
        (ValueError, "invalid byte_order 'foo'", lambda: torch.ShortStorage.from_buffer(content, "foo")),
        (ValueError, "specified a size of 5", lambda: torch.ShortStorage.from_buffer(content, "big", 5)),
        (ValueError, "offset must be non-negative", lambda: torch.ShortStorage.from_buffer(content, "big", 0, 5)),
        (ValueError, "must be a multiple", lambda: torch.ShortStorage.from_buffer(bytearray(3), "big")),
        (TypeError, "a bytes-like object is required", lambda: torch.ShortStorage.from_buffer(5, "big")),
    ):
        with pytest.raises(kind, match=refused):
            call()


def test_a_mapped_file_is_memory(torch, tmp_path):
    path = str(tmp_path / "weights-重み")
    first = torch.FloatStorage.from_file(path, True, 10)
    assert os.path.getsize(path) == 40
    one = torch.FloatTensor(first)
    other = torch.from_file(path, shared=True, size=10)
    one[3] = 7
    assert other[3] == 7
    assert first.filename == other.untyped_storage().filename == path
    private = torch.from_file(path, size=5)
    private.fill_(1)
    assert (one[0], private.untyped_storage().filename) == (0, None)
    assert np.fromfile(path, np.float32)[3] == 7
    assert torch.from_file(path, size=4, dtype=torch.int16).dtype is torch.int16
    assert first.is_shared() and private.is_shared()
    for refused, call in (
        (f"unable to open file <{path}2> in read-only mode: No such file", lambda: torch.from_file(path + "2", size=1)),
        ("size <40> is smaller than the required mapping size <200>", lambda: torch.from_file(path, size=50)),
        ("from_file can only be called on derived classes", lambda: torch.TypedStorage.from_file(path, True, 1)),
    ):
        with pytest.raises(RuntimeError, match=refused):
            call()


def _write_nines(tensor) -> None:
    tensor.fill_(9)


def test_shared_memory_is_seen_by_a_forked_process(torch):
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system does not fork")
    model = torch.nn.Linear(2, 2)
    view = model.weight.detach()[0]
    assert not model.weight.is_shared()
    assert model.share_memory() is model
    assert model.weight.is_shared() and model.weight.storage().is_shared() and model.bias.untyped_storage().is_shared()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads in a process that forks
        with torch.no_grad():
            child = multiprocessing.get_context("fork").Process(target=_write_nines, args=(view,))
            child.start()
            child.join()
    assert model.weight.tolist()[0] == [9, 9]
    model(torch.ones(1, 2)).sum().backward()
    assert model.weight.grad is not None
    storage = torch.UntypedStorage._new_shared(4)
    assert storage.is_shared() and storage.nbytes() == 4
    assert torch.FloatStorage._new_shared(3).size() == 3
    assert torch.FloatStorage([1, 2])._new_shared(5).is_shared()


def test_copies_share_what_the_originals_share(torch):
    a, b = torch.arange(4.0), torch.ones(2, dtype=torch.complex64)
    old = [a, a.storage(), a.untyped_storage(), a[1:], b, b.storage()]
    new = copy.deepcopy(old)
    new[0].add_(1)
    assert new[1].tolist() == new[0].tolist() == [1, 2, 3, 4]
    assert new[3].tolist() == [2, 3, 4]
    assert new[2].data_ptr() == new[1].data_ptr() == new[0].data_ptr() != a.data_ptr()
    new[5][0] = 5j
    assert new[4][0] == 5j
    assert a.tolist() == [0, 1, 2, 3]
    shallow = copy.copy(old[1])
    assert shallow.tolist() == a.tolist() and shallow.data_ptr() != a.data_ptr()


def test_a_typed_storage_comes_out_of_a_pickle(torch):
    for name in DTYPES:
        storage = getattr(torch, f"{name}Storage")([1, 0, 1])
        back = pickle.loads(pickle.dumps(storage))
        assert (back.dtype, back.tolist()) == (storage.dtype, storage.tolist())


# PyTorch cannot read back what it has pickled of an untyped storage.
@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_an_untyped_storage_comes_out_of_a_pickle(torch):
    assert pickle.loads(pickle.dumps(torch.UntypedStorage([1, 2]))).tolist() == [1, 2]


def test_the_deprecation_is_reported_by_what_programs_call_and_by_nothing_else(torch):
    storage, tensor = torch.FloatStorage(10), torch.zeros(10)
    reported = (
        torch.FloatStorage, lambda: torch.FloatStorage.dtype, lambda: storage.fill_(0), lambda: storage.is_cuda,
        lambda: storage.untyped(), lambda: len(storage), lambda: storage[0], lambda: storage.size(), tensor.storage,
    )  # fmt: skip
    silent = (
        lambda: torch.FloatStorage(_internal=True), lambda: torch.TypedStorage(dtype=torch.float, _internal=True),
        lambda: storage._resize_(20), storage._size, lambda: storage._untyped_storage, storage._is_shared,
        storage._pickle_storage_type, lambda: storage._setitem(slice(0, 2), 1), storage._element_size,
        lambda: storage._deepcopy({}), storage._data_ptr, storage._nbytes, tensor._typed_storage,
        tensor.untyped_storage,
    )  # fmt: skip
    torch.storage._set_always_warn_typed_storage_removal(True)
    try:
        for calls, expected in ((reported, 1), (silent, 0)):
            for call in calls:
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    call()
                assert [str(each.message)[:26] for each in caught] == ["TypedStorage is deprecated"] * expected
                assert all(each.filename == __file__ for each in caught)
    finally:
        torch.storage._set_always_warn_typed_storage_removal(False)
    torch.storage._reset_warn_typed_storage_removal()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(tensor.storage()) + len(tensor.storage()) == 20
    assert len(caught) == 1


ALIASES = {
    "nothing": lambda x: None,
    "detached": lambda x: x.detach(),
    "data": lambda x: x.data,
    "view": lambda x: x.view(2, 3),
    "part": lambda x: x[2:],
    "part of a part": lambda x: x[1:][1:4],
    "parameter": lambda x: x.detach().requires_grad_(),
    "set": lambda x: x.new_empty(0).set_(x),
    "window": lambda x: x.new_empty(0).set_(x.untyped_storage(), 1, (3,)),
    "bytes": lambda x: x.view(x.dtype).detach()[1],
}
MOVES = {
    "resize_": lambda x: x.detach().resize_(100),
    "storage": lambda x: x.untyped_storage().resize_(1000),
    "shared": lambda x: x.share_memory_(),
    "twice": lambda x: (x.untyped_storage().resize_(500), x.share_memory_()),
}


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("alias", ALIASES)
@pytest.mark.parametrize("leaf", [False, True])
def test_memory_that_moves_takes_all_its_tensors_along(torch, alias, move, leaf):
    x = torch.arange(6.0, requires_grad=leaf)
    with torch.no_grad():
        others = [ALIASES[alias](x), ALIASES[alias](x)]
        before = [None if each is None else each.tolist() for each in others]
        MOVES[move](x)
        assert x.tolist() == [0, 1, 2, 3, 4, 5]
        assert [None if each is None else each.tolist() for each in others] == before
        x.add_(10)
        for each, old in zip(others, before, strict=True):
            if each is not None:
                assert each.tolist() == (torch.tensor(old) + 10).tolist()
                assert each.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    if leaf:
        (x * x).sum().backward()
        assert x.grad.tolist() == (2 * x).tolist()
