"""class Tensor: a raw array, the memory it looks into, and the edge along which its gradient travels.

The operators and most methods are attached from `_generated/methods.py`; here is what a tensor is without mathematics.
"""

from __future__ import annotations

import warnings
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.creation import OVERTAKEN, refusal
from rushlight.core.device import BACKENDS, device
from rushlight.core.display import tensor_view
from rushlight.core.dtype import BY_NUMPY, DEFAULTS
from rushlight.core.errors import about, no_dim, noted, type_name
from rushlight.core.graph import Leaf, Node, Output, function_and_number, leaf_of
from rushlight.core.large import MEDIUM, WAITING, notice
from rushlight.core.modes import MODE, change, current, recording
from rushlight.core.origin import Made, here
from rushlight.core.printing import object_format, tensor_format, tensor_repr
from rushlight.core.size import Size
from rushlight.core.storage import InferenceStorage, Storage, owner
from rushlight.core.strides import contiguous_strides, element_strides
from rushlight.core.unresolved import Unresolved, beneath, marks_of, plain

new = object.__new__


TO_NUMBER = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first.\n"
    "A number has no history, so gradients end here: tensor.item() says that they shall."
)
SAID: dict = {}  # the lines at which that has been said, as `warnings` keeps them


class strided:
    """The layout of every rushlight tensor."""

    def __repr__(self):
        return "torch.strided"


STRIDED = strided()


class Tensor:
    """A multi-dimensional array of one dtype, with autograd. https://docs.pytorch.org/docs/stable/tensors.html"""

    __module__ = "torch"
    __array_priority__ = 1000  # NumPy arrays on the left of an operator defer to us

    _array: np.ndarray
    _store: Any = None  # the storage, once there is one
    _edge: Node | Output | None = None
    _base: Tensor | None = None  # the tensor that this one is a view of
    # The view operations that lead from the base here: function, arguments, function, arguments... The pair `i, ...`
    # stands for `x[i]`: making less of it takes a tenth off the time of such a read.
    _steps: tuple = ()
    _step_of: Any  # what that pair stands for; attached by ops
    _creation: str | None = None  # how the view was made, where that limits what in-place may do
    # How often the history has been rewritten since there are views of it; of a view, when its `_edge` was found.
    _generation: int | None = None
    _grad: Tensor | None = None  # of a tensor that is no leaf requiring grad
    _made: Made | None = None  # how it came about, where lines are recorded

    if TYPE_CHECKING:
        # What is attached from elsewhere is not spelled out: any name, the operators, and those assigned on the class.
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

        _attached: Any = ...
        __getitem__ = __setitem__ = __iter__ = __neg__ = __invert__ = __abs__ = __add__ = __radd__ = _attached
        __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = _attached
        __matmul__ = __lt__ = __le__ = __gt__ = __ge__ = _attached
        data: Any
        grad: Any
        new: Any
        retains_grad: Any

    def __new__(cls, *arguments, **keywords):
        return LEGACY.construct(cls, *arguments, **keywords)

    def __init__(self, *arguments, **keywords):
        """Everything is done in `__new__`, which subclasses may call with arguments of their own."""

    # ---- what it is

    @property
    def shape(self) -> Size:
        return Size(self._array.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        return BY_NUMPY[self._array.dtype]

    @property
    def device(self) -> device:
        return BACKENDS.of(self._array).device_of(self._array)

    @property
    def layout(self):
        return STRIDED

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def itemsize(self) -> int:
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        return self._array.nbytes

    @property
    def is_cuda(self) -> bool:
        return self.device.type == "cuda"

    @property
    def is_cpu(self) -> bool:
        return self.device.type == "cpu"

    @property
    def is_meta(self) -> bool:
        return self.device.type == "meta"

    is_sparse = is_quantized = is_nested = is_mkldnn = is_mps = is_xpu = False
    names = property(lambda self: (None,) * self._array.ndim)

    def get_device(self) -> int:
        """The index of the device, -1 on the CPU."""
        return -1 if self.device.type == "cpu" else self.device.index or 0

    def size(self, dim: int | None = None):
        """The shape, or its entry `dim`.

        Raises IndexError if there is no such dimension.
        """
        if dim is None:
            return Size(self._array.shape)
        try:
            return self._array.shape[dim]
        except (IndexError, TypeError):
            raise no_dim("size", dim, self._array.ndim) from None

    def dim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    ndimension = dim

    def numel(self) -> int:
        """The number of elements."""
        return self._array.size

    nelement = numel

    def element_size(self) -> int:
        """The bytes of one element."""
        return self._array.itemsize

    def stride(self, dim: int | None = None):
        """The steps, in elements, from one entry to the next along each dimension."""
        array = self._array
        # NumPy forgets the strides of dimensions without or with one element; PyTorch keeps those of a fresh tensor.
        strides = contiguous_strides(array.shape) if array.flags.c_contiguous else element_strides(array)
        try:
            return strides if dim is None else strides[dim]
        except (IndexError, TypeError):
            raise no_dim("stride", dim, array.ndim) from None

    def storage_offset(self) -> int:
        """Where in its memory the tensor begins, in elements."""
        return (self.data_ptr() - address(self._memory())) // self._array.itemsize if self._array.size else 0

    def _memory(self):
        return owner(beneath(self._array)) if self._storage.memory is None else self._storage.memory

    def data_ptr(self) -> int:
        """The address of the first element; 0 where there is none."""
        return address(self._array) if self._array.size else 0

    def is_floating_point(self) -> bool:
        """Whether the dtype is a floating-point one."""
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Whether the dtype is a complex one."""
        return self.dtype.is_complex

    def is_signed(self) -> bool:
        """Whether the dtype has a sign."""
        return self.dtype.is_signed

    def is_conj(self) -> bool:
        """Whether the numbers are the conjugates of those in memory."""
        return marks_of(self._array)[0]

    def is_neg(self) -> bool:
        """Whether the numbers are the negatives of those in memory."""
        return marks_of(self._array)[1]

    # ---- its place in the graph

    @property
    def requires_grad(self) -> bool:
        # A view requires grad with its base, also where no operation led from one to the other. The edge need not be
        # the newest one: of a view whose history was overtaken there is none, and the question can be asked.
        return self._edge is not None or (self._base is not None and self._base.requires_grad)

    @requires_grad.setter
    def requires_grad(self, wanted) -> None:
        if type(wanted) is not bool:
            raise RuntimeError("requires_grad must be a bool")
        edge = edge_of(self)
        if edge is not None and not isinstance(edge, Leaf):
            if wanted:
                return
            raise self._not_a_leaf()
        if wanted and edge is None:
            self._become_leaf("only Tensors of floating point and complex dtype can require gradients")
        elif not wanted and edge is not None:
            self._grad, self._edge = edge.grad, None

    def _become_leaf(self, refusal: str = "Only Tensors of floating point and complex dtype can require gradients"):
        """Starts to require grad. Raises RuntimeError for whole numbers, in the words of whoever asked."""
        array = self._array
        if array.dtype.kind not in "fc" and self.dtype.category < dtypes.FLOAT:
            repair = f"The tensor holds {self.dtype!r}: convert it first, with tensor.float()."
            raise noted(RuntimeError(refusal), repair)
        if self._storage.inference and not current().inference:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        leaf = leaf_of(self)
        leaf.grad, self._grad = self._grad, None
        self._edge = leaf
        if self._base is None and self._generation is not None:
            # Views that are there already require grad from now on
            self._generation += 1
            self._storage.rewritten = True

    @staticmethod
    def _not_a_leaf() -> RuntimeError:
        error = RuntimeError(
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
            "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
        )
        error.add_note("This tensor is the result of an operation; its detach() shares the memory without the history.")
        return error

    def requires_grad_(self, requires_grad: bool = True):
        """Sets `requires_grad` and returns the tensor."""
        if requires_grad and self._edge is None and not self.requires_grad:
            self._become_leaf("only Tensors of floating point dtype can require gradients")
        else:
            self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self) -> bool:
        edge = edge_of(self)
        return edge is None or isinstance(edge, Leaf)

    @property
    def grad_fn(self) -> Node | None:
        edge = edge_of(self)
        if type(edge) is Output:
            return edge.node
        return None if edge is None or isinstance(edge, Leaf) else edge

    @property
    def output_nr(self) -> int:
        edge = edge_of(self)
        return edge.number if type(edge) is Output else 0

    @property
    def _version(self) -> int:
        if self._storage.inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return self._storage.version

    @property
    def _path(self) -> tuple:
        """The view operations that lead from the base here, as (function, arguments)."""
        pairs = zip(self._steps[::2], self._steps[1::2], strict=True)
        return tuple([Tensor._step_of(pair[0]) if pair[1] is ... else pair for pair in pairs])

    @property
    def _storage(self):
        """The storage, made when it is first asked for: most results are never saved, viewed or written to.

        A property is never quick: where it counts, `x._store or x._storage` is what is said.
        """
        storage = self._store
        if storage is None:
            self._store = storage = Storage()
            storage.version = 0
        return storage

    @_storage.setter
    def _storage(self, storage) -> None:
        self._store = storage

    def _is_view(self) -> bool:
        return self._base is not None

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode."""
        return self._storage.inference

    # ---- Python protocols

    def __len__(self):
        if not self._array.ndim:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __contains__(self, element):
        if not isinstance(element, (Tensor, Number)):
            words = f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
            raise noted(RuntimeError(words), "A tensor holds numbers only.")
        return bool((self == element).any().item())

    def __reversed__(self):
        return self.flip(0) if self._array.ndim else self

    def __bool__(self):
        if self._array.size == 1:
            return bool(self.item())
        if self._array.size:
            repair = f"The tensor has shape {tuple(self.shape)}: say tensor.any() or tensor.all()."
            raise noted(RuntimeError("Boolean value of Tensor with more than one value is ambiguous"), repair)
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")

    def item(self):
        """The one element as a Python number. Raises RuntimeError if there is not exactly one."""
        try:
            found = self._array.item()
        except (NotImplementedError, ValueError):
            found = self._item_or_reason()
        if type(found) is float:
            return found
        return found if type(found) in PYTHON_NUMBERS else float(found)

    def _item_or_reason(self):
        """The one element of an array that is not in the CPU's memory; raises RuntimeError where there is not one."""
        array = self._array
        if array.size != 1:
            words = f"a Tensor with {array.size} elements cannot be converted to Scalar"
            note = f"item() takes one element out; this tensor has shape {tuple(array.shape)}: tolist() gives all."
            # not from NumPy's complaint
            raise about(RuntimeError(words), "not_one_element", note, tensor=self) from None
        if self.is_meta:
            raise RuntimeError("Tensor.item() cannot be called on meta tensors")
        return BACKENDS.of(array).to_cpu(plain(array)).item()

    def tolist(self):
        """The elements as nested lists of Python numbers, or one number."""
        array = host(self)
        return (array.astype(np.float64) if array.dtype in dtypes.REDUCED_NUMPY else array).tolist()

    def __int__(self):
        return int(self._number("int64_t"))

    def __float__(self):
        return float(self._number("double", warns=True))

    def __complex__(self):
        return complex(self._number(warns=True))

    def _number(self, real: str | None = None, warns: bool = False):
        """The one element, for Python's conversions; `real` is PyTorch's name of the type, unless that is complex.

        Where the conversion `warns`, it does so once for each line of the program at which gradients would end here.
        """
        if self._array.size != 1:
            repair = f"This tensor has shape {tuple(self._array.shape)}: tolist() gives all its elements."
            raise noted(ValueError("only one element tensors can be converted to Python scalars"), repair)
        if warns and self.requires_grad and recording():
            place = here()
            warnings.warn_explicit(TO_NUMBER, UserWarning, place.file, place.line, registry=SAID)
        number = self.item()
        if real is None or type(number) is not complex:
            return number
        if number.imag:
            repair = f"The number {number} has an imaginary part: take tensor.real, or complex(tensor)."
            raise noted(RuntimeError(f"value cannot be converted to type {real} without overflow"), repair)
        return number.real

    def __index__(self):
        if self._array.size != 1 or self.dtype.category > dtypes.INTEGER:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __hash__(self):
        return id(self)

    def __repr__(self, *, tensor_contents=None):
        name = "tensor" if type(self) in PLAIN_TYPES else type(self).__name__
        return tensor_repr(self, tensor_contents=tensor_contents, name=name)

    _repr_html_ = tensor_view

    def __format__(self, specification):
        return (tensor_format if type(self) is Tensor else object_format)(self, specification)

    # ---- NumPy and its neighbours

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The same memory as a NumPy array; with `force` a copy where it cannot be shared.

        Raises TypeError for a tensor of another device, RuntimeError for one that requires grad.
        """
        if force:
            return host(self)
        array = self._array
        if type(array) is not np.ndarray:
            raise self._no_array()
        if edge_of(self) is not None and current().grad:
            raise self._tracked()
        return array

    def _tracked(self) -> Exception:
        error = RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        note = (
            "NumPy cannot record what happens to the array, so the gradient would be lost without a word. If that is "
            "what you want (to plot, to log, to store), write tensor.detach().numpy()."
        )
        return about(error, "numpy_of_tracked", note, tensor=self)

    def _no_array(self) -> Exception:
        if type(beneath(self._array)) is not np.ndarray:
            return self._off_the_cpu()
        if edge_of(self) is not None and current().grad:
            return self._tracked()
        word, function = ("conjugate", "resolve_conj") if self.is_conj() else ("negative", "resolve_neg")
        error = RuntimeError(
            f"Can't call numpy() on Tensor that has {word} bit set. Use tensor.{function}().numpy() instead."
        )
        error.add_note(
            f"The tensor is a view: its numbers are computed when they are read, and NumPy would read its memory as it "
            f"is. numpy(force=True) and tensor.{function}().numpy() give the numbers, in memory of their own."
        )
        return error

    def _off_the_cpu(self) -> TypeError:
        error = TypeError(
            f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
            "memory first."
        )
        error.add_note(
            "A NumPy array lives in the CPU's memory. For a result that requires grad: t.detach().cpu().numpy()."
        )
        return error

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError("Unable to avoid copy while creating an array as requested.")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return wrap(
            array.astype(np.uint8) if array.dtype == bool and type(array) is not np.ndarray else np.asarray(array)
        )

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self._check_dlpack()
        if stream is not None:
            raise AssertionError("stream should be None on cpu.")
        return host(self).__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self):
        return (1, 0)

    def _check_dlpack(self) -> None:
        if edge_of(self) is not None:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self.dtype in dtypes.FLOAT8:
            raise BufferError(f"{self.dtype!r} has no DLPack type")
        if True in marks_of(self._array):
            words = f"Can't export tensors with the {'conjugate' if self.is_conj() else 'negative'} bit set"
            raise noted(BufferError(words), "Export tensor.clone(), which has its numbers in memory of its own.")

    def as_subclass(self, cls: type):
        """This tensor, its memory and its history, as an object of a subclass.

        Raises TypeError if `cls` is no subclass of Tensor.
        """
        if not isinstance(cls, type):
            raise TypeError(f"cls must be a type (got {type(cls).__name__})")
        if not issubclass(cls, Tensor):
            raise TypeError(
                "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure "
                "your class inherits from Tensor."
            )
        shared = alias(self, cls)
        shared._edge = edge_of(self)
        return shared

    def __setstate__(self, state):
        self.__dict__.update(state)

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        """Runs `function` and gives tensors of the subclass back: what a subclass gets unless it overrides this."""
        keywords = keywords or {}
        if not all(issubclass(cls, each) for each in types):
            return NotImplemented
        token = change(subclass_disabled=True)
        try:
            result = function(*arguments, **keywords)
        finally:
            MODE.reset(token)
        return as_subclass(result, cls)


class ParameterMeta(type):
    """Lets `isinstance(parameter, Parameter)` be true of any tensor marked `_is_param`, as in PyTorch."""

    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=ParameterMeta):
    """A tensor that a module registers as its parameter. https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html"""

    __module__ = "torch.nn.parameter"
    _is_param = True

    def __new__(cls, data=None, requires_grad: bool = True):
        if data is None:
            data = wrap(np.empty(0, DEFAULTS.floating.numpy))
        if not isinstance(data, Tensor):
            words = f"'{type_name(data)}' object has no attribute 'detach'"
            raise noted(AttributeError(words), "Make it a tensor first: torch.tensor(data).")
        if type(data) is not Tensor and type(data) is not Parameter:
            # A subclass keeps its type and is only marked.
            parameter = alias(data, type(data))
            parameter._is_param = True
        else:
            parameter = alias(data, cls)
        if requires_grad:
            parameter._become_leaf()
        return parameter

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        copied = type(self)(wrap(self._array.copy(order="K")), self.requires_grad)
        memo[id(self)] = copied
        return copied

    def __reduce_ex__(self, protocol):
        return (rebuild_parameter, (wrap(self._array), self.requires_grad))

    def __repr__(self):
        inner = super().__repr__()
        return f"Parameter containing:\n{inner if type(self) is Parameter else f'Parameter({inner})'}"

    # Results of operations on parameters are plain tensors
    __torch_function__ = None  # type: ignore[assignment]


def rebuild_parameter(data: Tensor, requires_grad: bool) -> Parameter:
    """A parameter from its pickle."""
    return Parameter(data, requires_grad)


# The types whose operations take the generated fast path.
PLAIN_TYPES = frozenset((Tensor, Parameter))
TUPLE_ITERATOR = type(iter(()))  # of the slices of a tensor
PYTHON_NUMBERS = frozenset((bool, int, float, complex))


def share_names() -> None:
    """Lets all tensors share one table of attributes (PEP 412), which Python closes after some thirty tensors."""
    for kind in PLAIN_TYPES:
        tensor = new(kind)
        for name in (
            "_array",
            "_base",
            "_edge",
            "_store",
            "_steps",
            "_generation",
            "_creation",
            "_grad",
            "_made",
        ):
            setattr(tensor, name, None)


share_names()


class Legacy:
    """How `torch.Tensor(...)` makes a tensor; the creation operators register it, for they stand above this file."""

    def __init__(self):
        self.construct = None


LEGACY = Legacy()


def wrap(array) -> Tensor:
    """A tensor on a raw array, sharing its memory."""
    tensor = new(Tensor)
    tensor._array = array
    tensor._edge = tensor._base = tensor._store = None
    if WAITING and (size := array.size) >= MEDIUM:
        notice(size)
    mode = MODE.get()
    if mode is not True and mode is not False and mode.inference:
        tensor._store = InferenceStorage()
    return tensor


def alias(tensor: Tensor, kind: type = Tensor) -> Tensor:
    """A leaf on the same memory and version, without history: what detach() gives."""
    shared: Tensor = new(kind)
    shared._array = tensor._array
    shared._store = tensor._store or tensor._storage
    shared._edge = shared._base = None
    return shared


def as_subclass(result, kind: type):
    """Turns plain tensors in a result into tensors of a subclass."""
    if type(result) is Tensor:
        result.__class__ = kind
        return result
    if type(result) in (tuple, list):
        return type(result)(as_subclass(each, kind) for each in result)
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(as_subclass(each, kind) for each in tuple(result)))
    if isinstance(result, TUPLE_ITERATOR):
        return iter(as_subclass(tuple(result), kind))
    return result


def viewed(base: Tensor) -> int:
    """Notes that there is a view of a tensor, and tells the generation of its history."""
    if base._generation is None:
        base._generation = 0
    return base._generation


def edge_of(tensor: Tensor):
    """The edge of a tensor; for a view of memory whose history was rewritten, the newest one, found by replaying it."""
    base = tensor._base
    if base is None or tensor._generation == base._generation:
        return tensor._edge
    if tensor._creation is not None and edge_of(base) is not None:
        raise refusal(tensor, OVERTAKEN)
    token = change(grad=True, inference=False)
    try:
        replayed = base
        for function, arguments in tensor._path:
            replayed = function(replayed, *arguments)
    finally:
        MODE.reset(token)
    move_retained(tensor, tensor._edge, replayed._edge)
    tensor._edge, tensor._generation = replayed._edge, base._generation
    return tensor._edge


def move_retained(tensor: Tensor, old, new) -> None:
    """`retain_grad` follows a tensor to its newest node."""
    if old is None or isinstance(old, Leaf):
        return
    node, number = function_and_number(old)
    reference = (node.retained or {}).get(number)
    if reference is None or reference() is not tensor:
        return
    del node.retained[number]
    node, number = function_and_number(new)
    node.retained = {**(node.retained or {}), number: reference}
    node.special = True


def host(tensor: Tensor) -> np.ndarray:
    """The raw array in the CPU's memory: the same where it is there already, else a copy."""
    array = tensor._array
    return array if type(array) is np.ndarray else BACKENDS.of(array).to_cpu(plain(array))


def address(array) -> int:
    """The address of the first element of a raw array, or of the memory that owns it."""
    if isinstance(array, np.ndarray):
        return array.__array_interface__["data"][0]
    return address(array.array) if type(array) is Unresolved else id(array)
