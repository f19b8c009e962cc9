"""class Tensor: a raw array, the memory it views, and the edge along which its gradient travels.

The operators and most methods are attached from `_generated/methods.py`; this file holds the rest.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.convertible import Convertible
from rushlight.core.display import tensor_view
from rushlight.core.dtype import DEFAULTS
from rushlight.core.errors import noted, type_name
from rushlight.core.fast_new import maker_of
from rushlight.core.graph import SAME, Leaf, Node, Output, leaf_of, result_of
from rushlight.core.history import edge_of
from rushlight.core.modes import MODE, NEVER, TRANSFORMS, change, current
from rushlight.core.origin import Made
from rushlight.core.policy import MEDIUM, WAITING, notice
from rushlight.core.printing import object_format, tensor_format, tensor_repr
from rushlight.core.slots import in_class
from rushlight.core.storage import InferenceStorage, new_storage
from rushlight.core.tables import enter, objects


class Tensor(Convertible):
    """A multi-dimensional array of one dtype, with autograd. https://docs.pytorch.org/docs/stable/tensors.html"""

    __module__ = "torch"
    __array_priority__ = 1000  # NumPy arrays on the left of an operator defer to Tensor

    # Every tensor has these; code that makes a tensor sets them, except `_steps`, which only views have.
    __slots__ = ("_array", "_meta_key", "_base", "_edge", "_generation", "_steps", "_store")

    _array: Any  # a NumPy array, or one of the classes that represent others
    # (shape, dtype) of floating-point tensors that an operation found to be equal in both, and of its result: the same
    # tuple object in all of them. (A leaf has its own from the start.) An operation on two tensors that have it need
    # not read their arrays, which takes 0.1 us. Code that replaces the array of a tensor must clear it; see `look_at`.
    _meta_key: tuple | None
    _store: Any  # the storage, made on first use
    _edge: Node | Output | None
    _base: Tensor | None  # the tensor that this one is a view of
    # The view operations from the base to this tensor: function, arguments, function, arguments... The pair `i, ...` is
    # short for `x[i]`: it makes such a read a tenth faster.
    _steps: tuple
    _step_of: Any  # expands that pair; attached by ops
    # The number of rewrites of the history since there are views; of a view, the value when its `_edge` was computed.
    _generation: int | None
    _creation: str | None = None  # how the view was made, if that limits in-place changes
    _marked = False  # whether requires_grad was set on an inference tensor: it reports True, and nothing is recorded
    _grad_dtype: Any = SAME  # required dtype of its gradient; see `Leaf`
    _own_leaf: Leaf | None = None  # what had the hooks of a tensor that does not require grad any more
    _own_grad: Tensor | None = None  # the gradient of a tensor that is not a leaf requiring grad
    _carrier: Tensor | None = None  # of a sparse tensor: its values, whose history is its own
    _made: Made | None = None  # how it was made, if lines are recorded

    if TYPE_CHECKING:
        # Attached attributes are not listed: any name, the operators, and those assigned on the class.
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

        _attached: Any = ...
        __getitem__ = __setitem__ = __iter__ = __neg__ = __invert__ = __abs__ = __add__ = __radd__ = _attached
        __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = _attached
        __matmul__ = __lt__ = __le__ = __gt__ = __ge__ = _attached
        data: Any
        grad: Any
        grad_dtype: Any
        _grad: Any
        _grad_fn: Any
        _backward_hooks: Any
        new: Any
        retains_grad: Any

    def __new__(cls, *arguments, **keywords):
        return LEGACY.construct(cls, *arguments, **keywords)

    def __init__(self, *arguments, **keywords):
        """Does nothing: all is done in `__new__`, which subclasses may call with other arguments."""

    # ---- the tensor in the graph

    @property
    def requires_grad(self) -> bool:
        # A view requires grad with its base, even without a recorded operation between them. The edge need not be the
        # newest: a view whose history was overtaken has none, and the property must still work.
        if self._edge is not None:
            return True
        if self._base is not None and not self._storage.inference:
            return self._base.requires_grad
        return self._marked

    @requires_grad.setter
    def requires_grad(self, wanted) -> None:
        if type(wanted) is not bool:
            raise RuntimeError("requires_grad must be a bool")
        edge = edge_of(self)
        if edge is not None and not isinstance(edge, Leaf):
            if not wanted:
                raise self._not_a_leaf()
        elif wanted and edge is None:
            self._become_leaf("only Tensors of floating point and complex dtype can require gradients")
        elif not wanted and edge is not None:
            self._keep_grad(edge.grad)
            if edge.hooked:
                self._own_leaf = edge  # its hooks are called again when the tensor requires grad
            self._edge = None
        elif self._marked:
            self._marked = wanted

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    def __dir__(self) -> list[str]:
        absent = {name for name in ("_path", "_steps") if not hasattr(self, name)}  # slots that only some tensors fill
        return [name for name in object.__dir__(self) if name not in absent]

    def _keep_grad(self, gradient: Tensor | None) -> None:
        """Sets `_own_grad`. None is not stored: `vars(x)` shows only attributes set by the program."""
        if gradient is not None:
            self._own_grad = gradient
        elif self._own_grad is not None:
            del self._own_grad

    def _become_leaf(self, refusal: str = "Only Tensors of floating point and complex dtype can require gradients"):
        """Makes the tensor require grad. Raises RuntimeError, with the text of `refusal`, for integers."""
        array = self._array
        if array.dtype.kind not in "fc" and self.dtype.category < dtypes.FLOAT:
            raise noted(RuntimeError(refusal), f"It holds {self.dtype!r}: convert it first, with tensor.float().")
        if self._storage.inference:
            if not current().inference:
                refused = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
                raise RuntimeError(refused)
            self._marked = True
            return
        leaf = leaf_of(self) if self._own_leaf is None else self._own_leaf.again(self)
        if may_have_meta_key(array):
            self._meta_key = self._meta_key or (leaf.shape, leaf.dtype)
        if self._own_grad is not None or leaf.grad is not None:
            leaf.grad = self._own_grad
            self._keep_grad(None)
        if self._grad_dtype is not SAME:
            leaf.grad_dtype, leaf.hooked = self._grad_dtype, True
        self._edge = leaf
        if self._base is None and self._generation is not None:
            # Existing views require grad from now on
            self._generation += 1
            self._storage.rewritten = True

    @staticmethod
    def _not_a_leaf() -> RuntimeError:
        refused = (
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
            "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
        )
        words = "This tensor is the result of an operation; its detach() shares the memory and not the graph."
        return noted(RuntimeError(refused), words)

    def requires_grad_(self, requires_grad: bool = True):
        """Sets `requires_grad` and returns the tensor."""
        if requires_grad and requires_grad is not True:
            words = f"argument 'requires_grad' (position 1) must be bool, not {type_name(requires_grad)}"
            raise TypeError(f"requires_grad_(): {words}")
        if TRANSFORMS.get():
            raise RuntimeError(
                "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* "
                "APIs) inside of a function being transformed by a functorch transform. This is unsupported, please "
                "attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call "
                "requires_grad_() outside of a function being transformed instead."
            )
        return self._require_grad(requires_grad)

    def _require_grad(self, requires_grad: bool = True):
        """`requires_grad_` of code that a transform may run."""
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
        if edge is None or isinstance(edge, Leaf):
            return None
        if type(edge) is Output or not edge.result_metas:
            return result_of(edge, self._array).shown
        return edge.shown

    @property
    def output_nr(self) -> int:
        edge = edge_of(self)
        return edge.number if type(edge) is Output else 0

    @property
    def _version(self) -> int:
        if self._storage.inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return self._storage.version

    # A number of the contents: programs use it to test whether two tensors are the same.
    _cdata = property(lambda self: id(SWAPPED.get(id(self), (None, self))[1]))

    @property
    def _path(self) -> tuple:
        """The view operations from the base to this tensor, as (function, arguments)."""
        pairs = zip(self._steps[::2], self._steps[1::2], strict=True)
        return tuple([Tensor._step_of(pair[0]) if pair[1] is ... else pair for pair in pairs])

    @property
    def _storage(self):
        """The storage, made on first use: most results are never saved, viewed or written to.

        A property is slow: code where speed counts uses `x._store or x._storage`.
        """
        storage = self._store
        if storage is None:
            self._store = storage = new_storage(None)
            storage.version = 0
        return storage

    @_storage.setter
    def _storage(self, storage) -> None:
        self._store = storage

    def _is_view(self) -> bool:
        return self._base is not None and not self._storage.inference

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode."""
        return self._storage.inference

    # ---- Python protocols

    def __len__(self):
        if not self._array.ndim:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __hash__(self):
        return id(self)

    def __repr__(self, *, tensor_contents=None):
        name = "tensor" if type(self) in PLAIN_TYPES else type(self).__name__
        return tensor_repr(self, tensor_contents=tensor_contents, name=name)

    _repr_html_ = tensor_view

    def __format__(self, specification):
        return (tensor_format if type(self) is Tensor else object_format)(self, specification)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        # PyTorch gives truth values as bytes, as its comparisons did before it had the dtype bool.
        return wrap(np.asarray(array, np.uint8 if array.dtype == bool else None))

    def as_subclass(self, cls: type):
        """Returns this tensor, with its memory and its history, as an object of a subclass.

        Raises TypeError if `cls` is not a subclass of Tensor.
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
        """Runs `function` and returns tensors of the subclass: the default that subclasses may override."""
        if not all(issubclass(cls, type_) for type_ in types):
            return NotImplemented
        token = change(subclass_disabled=True)
        try:
            result = function(*arguments, **(keywords or {}))
        finally:
            MODE.reset(token)
        kind = Tensor if function in UNWRAPPED else cls
        # A plain tensor that was written to stays plain
        is_argument = type(result) is Tensor and any([result is each for each in arguments])
        return result.as_subclass(kind) if is_argument else as_subclass(result, kind)


UNWRAPPED: set = set()  # functions whose results keep their class: getters of attributes, filled when they are attached
SUBCLASSED = "_make_subclass(): argument 'require_grad'", 3  # PyTorch's name of the argument in errors


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
        is_subclass = type(data) is not Tensor and type(data) is not Parameter
        if type(requires_grad) is not bool:
            call, position = ("requires_grad_(): argument 'requires_grad'", 1) if is_subclass else SUBCLASSED
            raise TypeError(f"{call} (position {position}) must be bool, not {type_name(requires_grad)}")
        if is_subclass:
            # A subclass keeps its type, says itself how it is detached, and is only marked.
            parameter = data.detach()
            parameter._is_param = True
        else:
            parameter = alias(data, cls)
        if requires_grad:
            parameter._become_leaf()
        return parameter

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        return memo.setdefault(id(self), type(self)(wrap(self._array.copy(order="K")), self.requires_grad))

    def __reduce_ex__(self, protocol):
        return (rebuild_parameter, (wrap(self._array), self.requires_grad))

    def __repr__(self):
        inner = super().__repr__()
        return f"Parameter containing:\n{inner if type(self) is Parameter else f'Parameter({inner})'}"

    # Results of operations on parameters are plain tensors
    __torch_function__ = NEVER  # type: ignore[assignment]


def rebuild_parameter(data: Tensor, requires_grad: bool) -> Parameter:
    """Makes a parameter from its pickle."""
    return Parameter(data, requires_grad)


# The types whose operations take the generated fast path.
PLAIN_TYPES = frozenset((Tensor, Parameter))

enter(objects, {"tensor": maker_of(Tensor), "instance": object.__new__})
TUPLE_ITERATOR = type(iter(()))  # the type of an iterator over the slices of a tensor


# The attributes of every tensor; any other attribute belongs to the program.
OWN_ATTRIBUTES = (*Tensor.__slots__, "_creation", "_grad_dtype", "_made", "_marked", "_own_grad", "_own_leaf")


# By `id`, tensors whose contents were swapped: a weak reference that deletes the entry, and an object that moves with
# the contents. Its `id` is `_cdata`: no other tensor has it, also after the other one of the pair is freed.
SWAPPED: dict[int, tuple[weakref.ref, object]] = {}

FLOAT32, FLOAT64 = dtypes.float32.numpy, dtypes.float64.numpy


class Legacy:
    """Holds the function behind `torch.Tensor(...)`, registered by a higher layer."""

    def __init__(self):
        self.construct = None


LEGACY = Legacy()


def wrap(array) -> Tensor:
    """Makes a tensor on a raw array, sharing its memory."""
    tensor = objects.tensor(None)
    tensor._array = array
    tensor._meta_key = tensor._edge = tensor._base = tensor._generation = tensor._store = None
    if WAITING and (size := array.size) >= MEDIUM:
        notice(size)
    mode = MODE.get()
    if mode is not True and mode is not False and mode.inference:
        tensor._store = InferenceStorage()
    return tensor


def may_have_meta_key(array) -> bool:
    """Whether a tensor on an array may have a `_meta_key`. Equal dtypes are not enough: marked ones are equal too.

    Images with a key are contiguous, so that the layout of a result need not be computed.
    """
    if type(array) is not np.ndarray or (array.ndim > 2 and not array.flags.c_contiguous):
        return False
    return (dtype := array.dtype) is FLOAT32 or dtype is FLOAT64


def look_at(tensor: Tensor, array) -> None:
    """Replaces the array of an existing tensor."""
    tensor._array, tensor._meta_key = array, None


def alias(tensor: Tensor, kind: type = Tensor) -> Tensor:
    """Returns a leaf on the same memory and version, without history: the result of detach()."""
    shared: Tensor = objects.instance(kind)
    shared._array, shared._meta_key = tensor._array, tensor._meta_key
    shared._store = tensor._store or tensor._storage
    shared._edge = shared._base = shared._generation = None
    return shared


def as_subclass(result, kind: type):
    """Converts plain tensors in a result to tensors of a subclass."""
    if type(result) is Tensor:
        return in_class(kind, result)
    if type(result) in (tuple, list):
        return type(result)(as_subclass(item, kind) for item in result)
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(as_subclass(item, kind) for item in tuple(result)))
    if isinstance(result, TUPLE_ITERATOR):
        return iter(as_subclass(tuple(result), kind))
    return result
