"""Modules of PyTorch's that packages take small things from."""

import importlib
import pickle
import threading
import weakref
from functools import partial

import pytest


@pytest.fixture
def module(torch):
    """A function: the module of the library under test that has a name within `torch`."""
    return lambda name: importlib.import_module(f"{torch.nn.__name__.partition('.')[0]}.{name}")


def error_of(call):
    try:
        return call()
    except Exception as error:
        return type(error), str(error).partition("\n")[0]


def test_what_arguments_of_to_ask_for(torch, module):
    parse = module("_C")._nn._parse_to
    assert parse("cpu") == (torch.device("cpu"), None, False, None)
    assert parse(torch.float16, True) == (None, torch.float16, True, None)
    assert parse(torch.ones(1)) == (torch.device("cpu"), torch.float32, False, None)
    assert parse(memory_format=torch.channels_last) == (None, None, False, torch.channels_last)
    with pytest.raises(TypeError, match=r"to\(\) received an invalid combination of arguments"):
        parse(torch.float32, "cpu")


def test_what_packages_ask_of_the_compiled_part(torch, module):
    c = module("_C")
    assert c._log_api_usage_once("a package") is None
    assert c._get_default_device() == "cpu" and c._get_privateuse1_backend_name() == "privateuseone"
    assert c._get_tracing_state() is None and c._are_functorch_transforms_active() is False
    assert isinstance(torch.Tensor, c._TensorMeta)
    assert c._jit_set_profiling_executor(True) is True and c._jit_set_profiling_mode(True) is True
    before = c._jit_can_fuse_on_cpu()
    c._jit_override_can_fuse_on_cpu(not before)
    assert c._jit_can_fuse_on_cpu() is not before
    c._jit_override_can_fuse_on_cpu(before)


def test_many_tensors_as_one_and_apart_again(torch, module):
    utils = module("_utils")
    parts = [torch.arange(6.0).reshape(2, 3), torch.ones(0), torch.tensor(7.0)]
    flat = utils._flatten_dense_tensors(parts)
    assert flat.tolist() == [0, 1, 2, 3, 4, 5, 7]
    again = utils._unflatten_dense_tensors(flat, parts)
    assert all(torch.equal(one, two) for one, two in zip(again, parts, strict=True))
    again[0][0, 0] = 9
    assert flat[0] == 9
    assert utils._flatten_dense_tensors(parts[:1]).data_ptr() == parts[0].data_ptr()


def test_tensors_in_groups_of_a_size(torch, module):
    x, double = torch.ones(2, 3), torch.ones(2).double()
    groups = list(module("_utils")._take_tensors([x, x, double, x], 48))
    assert [[each.dtype for each in group] for group in groups] == [[x.dtype] * 2, [x.dtype], [double.dtype]]
    ordered = module("_utils")._reorder_tensors_as([double, x], [x, double])
    assert [each.dtype for each in ordered] == [torch.float32, torch.float64]


def test_numbers_of_devices(torch, module):
    index = module("_utils")._get_device_index
    assert index(3) == 3 and index(torch.device("cuda:2")) == 2 and index("cpu", allow_cpu=True) == -1
    for wrong in ("cpu", "cuda", None):
        with pytest.raises(ValueError, match="Expected a "):
            index(wrong)


def test_an_error_of_another_thread_is_raised_here(module):
    wrapper = module("_utils").ExceptionWrapper
    caught = []

    def work():
        try:
            {}["key"]
        except KeyError:
            caught.append(wrapper(where="in thread 1"))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert caught[0].exc_type is KeyError and caught[0].where == "in thread 1"
    with pytest.raises(KeyError, match="Caught KeyError in thread 1"):
        caught[0].reraise()


def test_state_of_objects_with_slots(module):
    utils = module("_utils")

    class Slotted:
        __slots__ = ("value",)

    one, two = Slotted(), Slotted()
    one.value = 3
    assert utils._set_obj_state(two, utils._get_obj_state(one)).value == 3


def test_a_subclass_comes_back_from_its_pickle(torch, module):
    class Marked(torch.Tensor):
        pass

    made = module("_tensor")._rebuild_from_type_v2(torch.ones, Marked, (2,), {"mark": 3})
    assert type(made) is Marked and made.mark == 3


def test_a_class_prints_like_a_tensor(torch, module):
    text = module("_tensor_str")
    x = torch.arange(6.0).reshape(2, 3)
    assert text._tensor_str(x, 7) == "[[0., 1., 2.],\n        [3., 4., 5.]]"
    assert text._add_suffixes("Index([1, 2]", ["dim_size=3", "is_undirected=True"], 6, False) == (
        "Index([1, 2], dim_size=3, is_undirected=True)"
    )
    assert text._add_suffixes("Index([1, 2]", ["dim_size=3"], 6, True) == "Index([1, 2],\n      dim_size=3)"
    assert text._str_intern(x) == repr(x)
    with text.printoptions(precision=2, threshold=5):
        assert text.PRINT_OPTS.precision == 2 and text.PRINT_OPTS.threshold == 5
    assert text.PRINT_OPTS.precision == 4


def test_swapped_tensors(torch):
    a, b = torch.ones(2), torch.nn.Parameter(torch.zeros(3))
    a.mark = "a"
    holder = [a, b]
    torch.utils.swap_tensors(a, b)
    assert type(holder[0]) is torch.nn.Parameter and type(holder[1]) is torch.Tensor
    assert a.tolist() == [0, 0, 0] and a.requires_grad and b.tolist() == [1, 1] and not b.requires_grad
    assert b.mark == "a" and not hasattr(a, "mark")
    (a * 2).sum().backward()
    assert a.grad.tolist() == [2, 2, 2]


def test_swapping_refuses_tensors_with_weak_references(torch):
    a = torch.ones(2)
    held = weakref.ref(a)
    with pytest.raises(RuntimeError, match="Cannot swap t1 because it has weakref associated with it"):
        torch.utils.swap_tensors(a, torch.ones(1))
    assert held() is a


NUMBERS = (1.5, -1.5, 2, True, 0, float("inf"), float("nan"), "3", None)


def test_numbers_that_might_be_symbolic(pytorch):
    ours = importlib.import_module("rushlight")
    for name in ("sym_int", "sym_float", "sym_not", "sym_sqrt"):
        for number in NUMBERS:
            here, there = (error_of(partial(getattr(lib, name), number)) for lib in (ours, pytorch))
            assert repr(here) == repr(there), (name, number)
    for name in ("sym_max", "sym_min"):
        for pair in ((1, 2), (1, 2.0), (2.0, 1), (True, 2), (True, 2.0), (3.0, 3)):
            here, there = getattr(ours, name)(*pair), getattr(pytorch, name)(*pair)
            assert (type(here), here) == (type(there), there)
    for arguments in ((True, 1, 2), (False, 1, 2), (1, 1, 2), (True, 1, 2.0)):
        here, there = (error_of(lambda lib=lib, a=arguments: lib.sym_ite(*a)) for lib in (ours, pytorch))
        assert here == there
    assert ours.sym_sum([1, 2, 3]) == 6 and not isinstance(3, ours.SymInt)


def test_a_symbolic_number_cannot_be_made():
    ours = importlib.import_module("rushlight")
    with pytest.raises(NotImplementedError, match=r"torch\.SymInt cannot be made"):
        ours.SymInt(3)


@pytest.mark.parametrize(
    "name", ["_check", "_check_index", "_check_value", "_check_type", "_check_not_implemented", "_check_tensor_all"]
)
def test_checks_of_arguments(pytorch, name):
    ours = importlib.import_module("rushlight")

    def calls(lib):
        check = getattr(lib, name)
        masks = (True, False, 1, None, lib.tensor(True), lib.tensor([True, False]), lib.tensor([1, 0]))
        for mask in masks:
            yield error_of(lambda m=mask: check(m))
            yield error_of(lambda m=mask: check(m, lambda: "message"))
            yield error_of(lambda m=mask: check(m, "message"))

    assert list(calls(ours)) == list(calls(pytorch))


def test_checks_with_a_type_of_their_own(torch):
    with pytest.raises(KeyError, match="message"):
        torch._check_with(KeyError, False, lambda: "message")
    with pytest.raises(ValueError, match="message"):
        torch._check_tensor_all_with(ValueError, torch.tensor([False]), lambda: "message")
    torch._assert_async(torch.tensor(2.0))
    with pytest.raises(RuntimeError, match="why"):
        torch._assert_async(torch.tensor(0), "why")
    assert torch._shape_as_tensor(torch.ones(2, 3)).tolist() == [2, 3]


def test_modules_have_their_layers_and_private_names(torch, module):
    assert module("nn.modules.rnn").LSTM is torch.nn.LSTM
    assert module("nn.modules.pixelshuffle").PixelShuffle is torch.nn.PixelShuffle
    keys = module("nn.modules.module")._IncompatibleKeys([], ["x"])
    assert keys.unexpected_keys == ["x"]
    assert module("nn.modules.transformer")._get_activation_fn("relu") is torch.nn.functional.relu
    assert torch.functional.einsum is torch.einsum
    weight = torch.ones(2)
    torch.nn.init._no_grad_fill_(weight, 3)
    assert weight.tolist() == [3, 3]


def test_optimizers_of_packages_ask_what_steps_many_tensors_at_once(torch, module):
    names = module("utils._foreach_utils")
    assert "cuda" in names._get_foreach_kernels_supported_devices()
    assert "cpu" in names._get_fused_kernels_supported_devices()
    x, cpu = torch.ones(1), torch.device("cpu")
    assert names._device_has_foreach_support(cpu) and not names._device_has_foreach_support(torch.device("meta"))
    assert names._has_foreach_support([x, None], cpu)
    assert not names._has_foreach_support([torch.nn.Parameter(x)], cpu)
    groups = names._group_tensors_by_device_and_dtype([[x, x.double()]], with_indices=True)
    assert groups[cpu, torch.float64][1] == [1]


def test_optimizers_of_packages_take_their_tensors_in_groups(torch, module):
    optimizer = module("optim.optimizer")
    x, y = torch.ones(1), torch.ones(2).double()
    grouped = torch.optim.Optimizer._group_tensors_by_device_and_dtype([[x, y, x], [x, y, y]], True)
    (first, at), (second, at_second) = grouped[x.device, torch.float32], grouped[y.device, torch.float64]
    assert at == [0, 2] and at_second == [1]
    assert [len(part) for part in first] == [2, 2] and first[1][1] is y and second[0][0] is y
    assert optimizer._default_to_fused_or_foreach([x], False, True) == (True, False)
    assert optimizer._default_to_fused_or_foreach([x], True, True) == (False, False)
    assert "xla" in optimizer._get_capturable_supported_devices()


def test_marks_of_torchscript_change_nothing(torch, module):
    def method(self, x):
        return x

    assert module("_jit_internal")._copy_to_script_wrapper(method)(None, 3) == 3
    assert not isinstance(torch.nn.Linear(1, 1), torch.jit.ScriptModule)


def test_a_number_of_the_options_that_print_can_be_set_as_an_attribute(module):
    text = module("_tensor_str")
    text.PRINT_OPTS.precision = 2
    try:
        assert text.get_printoptions()["precision"] == 2
    finally:
        text.set_printoptions(profile="default")


def test_a_name_that_is_not_there_is_named():
    c = importlib.import_module("rushlight._C")
    with pytest.raises(AttributeError, match="module 'torch._C' has no attribute '_jit_pass_inline'"):
        c._jit_pass_inline  # noqa: B018


def test_types_for_annotations(torch, module):
    types = module("types")
    assert types.Number == int | float | bool and isinstance(2.5, types._Number)
    assert types._device is torch.device and types._dtype is torch.dtype
    assert pickle.loads(pickle.dumps(types._int)) is int


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("activation", "MultiheadAttention"),
        ("batchnorm", "LazyBatchNorm2d"),
        ("conv", "LazyConvTranspose1d"),
        ("instancenorm", "LazyInstanceNorm3d"),
        ("linear", "LazyLinear"),
        ("module", "_WrappedHook"),
    ],
)
def test_layers_are_at_the_addresses_that_packages_import(torch, module, address, name):
    file = module(f"nn.modules.{address}")
    kind = getattr(file, name)
    assert kind is getattr(torch.nn, name, kind)
    assert not hasattr(file, "there_is_no_such_layer")
