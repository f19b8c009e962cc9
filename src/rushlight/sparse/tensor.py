"""The class of sparse tensors: a Tensor whose raw array is a `SparseArray`, and whose history is that of its values.

It receives calls of operators by `__torch_function__`, as any subclass of Tensor does; `table.FUNCTIONS` has what
computes them. Methods of Tensor that are no operators are replaced here by what is in that table.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

from rushlight.core.device import BACKENDS, CPU, Backend
from rushlight.core.errors import noted
from rushlight.core.graph import Node, NodeKind, make_node
from rushlight.core.history import edge_of
from rushlight.core.modes import recording
from rushlight.core.shape_queries import SPARSE_COO, SPARSE_CSR
from rushlight.core.tables import objects
from rushlight.core.tensor import Parameter, Tensor, alias, look_at
from rushlight.sparse.array import BLOCKS, SparseArray
from rushlight.sparse.errors import not_run
from rushlight.sparse.table import FUNCTIONS


class SparseTensor(Tensor):
    """A tensor that stores the elements that are not zero. https://docs.pytorch.org/docs/stable/sparse.html"""

    __module__ = "torch"
    _array: SparseArray

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        """Computes a call of an operator. Raises NotImplementedError for one that sparse tensors do not have."""
        return call(function.__name__, arguments, keywords or {})

    # ---- what it is

    @property
    def nbytes(self) -> int:
        raise RuntimeError(
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the "
            "nbytes of the indices and values.  If you want the size of the  equivalent dense tensor, multiply numel() "
            "by element_size()"
        )

    layout = property(lambda self: self._array.layout)
    is_sparse = property(lambda self: self._array.layout is SPARSE_COO)  # type: ignore[assignment]
    is_sparse_csr = property(lambda self: self._array.layout is SPARSE_CSR)  # type: ignore[assignment]
    _version = property(lambda self: self._array.values._version)

    def sparse_dim(self) -> int:
        """Returns the number of sparse dimensions."""
        return self._array.sparse_dim

    def dense_dim(self) -> int:
        """Returns the number of dense dimensions, which come last."""
        return self._array.dense_dim

    def _dimI(self) -> int:
        return self._array.sparse_dim

    def _dimV(self) -> int:
        return self._array.dense_dim

    def _nnz(self) -> int:
        """Returns the number of entries, those that are zero included."""
        return self._array.entries

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode."""
        return self._array.values.is_inference()

    # ---- its place in the graph, which is that of its values

    _carrier = property(lambda self: self._array.values)
    grad_fn = property(lambda self: self._array.values.grad_fn)  # type: ignore[assignment]
    is_leaf = property(lambda self: self._array.values.is_leaf)  # type: ignore[assignment]
    output_nr = property(lambda self: self._array.values.output_nr)  # type: ignore[assignment]
    retains_grad = property(lambda self: self._array.values.retains_grad)

    @property
    def requires_grad(self) -> bool:
        return self._array.values.requires_grad

    @requires_grad.setter
    def requires_grad(self, wanted) -> None:
        self._array.values.requires_grad = wanted

    def requires_grad_(self, requires_grad: bool = True):
        """Sets `requires_grad` and returns the tensor."""
        self._array.values.requires_grad_(requires_grad)
        return self

    def _require_grad(self, requires_grad: bool = True):
        self._array.values._require_grad(requires_grad)
        return self

    def _become_leaf(self, refusal: str = "only Tensors of floating point and complex dtype can require gradients"):
        """Makes a tensor that was just made on the array of another require grad."""
        look_at(self, self._array.with_values(self._array.values.detach()))
        self._array.values._become_leaf(refusal)

    @property
    def grad(self):
        return self._with_gradient(self._array.values.grad)

    @grad.setter
    def grad(self, gradient) -> None:
        self._array.values.grad = None if gradient is None else self._entries_of(gradient)

    @grad.deleter
    def grad(self) -> None:
        self._array.values.grad = None

    @property
    def data(self):
        return self.detach()

    @data.setter
    def data(self, data) -> None:
        if not isinstance(data, SparseTensor):
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor "
                "type."
            )
        values = self._array.values
        look_at(self, data._array.with_values(data._array.values.detach()))
        if values.requires_grad:
            self._array.values.requires_grad_()

    def _with_gradient(self, gradient):
        """Returns the gradient of the values as one of this tensor."""
        return None if gradient is None else FUNCTIONS["gradient_of"](self, gradient)

    def _entries_of(self, gradient) -> Tensor:
        """Returns the elements of a gradient at the entries of this tensor."""
        return FUNCTIONS["entries_at"](gradient, self)

    def backward(self, gradient=None, retain_graph=None, create_graph: bool = False, inputs=None) -> None:
        """Adds the gradients of this tensor to the `grad` of the leaves that it depends on."""
        if gradient is None:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        self._array.values.backward(self._entries_of(gradient), retain_graph, create_graph, inputs)

    def retain_grad(self) -> None:
        """Keeps the gradient of this result in its `grad`, as leaves do anyway."""
        self._array.values.retain_grad()

    def register_hook(self, hook: Callable[..., Any]):
        """Calls `hook(grad)` with every gradient of this tensor; what it returns replaces the gradient."""

        alike = self.detach()  # not the tensor itself: the hook is kept by its own history

        def on_values(gradient):
            result = hook(alike._with_gradient(gradient))
            return None if result is None else alike._entries_of(result)

        return self._array.values.register_hook(on_values)

    def register_post_accumulate_grad_hook(self, hook: Callable[..., Any]):
        """Calls `hook(tensor)` after the gradient of this leaf has been accumulated."""
        tensor = weakref.ref(self)

        def on_values(_):
            if (own := tensor()) is not None:
                hook(own)

        return self._array.values.register_post_accumulate_grad_hook(on_values)

    # ---- Python protocols

    def __repr__(self, *, tensor_contents=None):
        return ("Parameter containing:\n" if isinstance(self, Parameter) else "") + FUNCTIONS["__repr__"](self)

    def __format__(self, specification):
        return object.__format__(self, specification)

    def __hash__(self):
        return id(self)

    def __dlpack__(self, **options):
        raise BufferError("Can't export tensors with layout other than torch.strided")

    def __dlpack_device__(self):
        return 1, 0  # the CPU

    def __reduce_ex__(self, protocol):
        return FUNCTIONS["__reduce_ex__"](self, protocol)

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        copied = memo[id(self)] = FUNCTIONS["__deepcopy__"](self, memo)
        return copied


SparseTensor.__name__ = SparseTensor.__qualname__ = "Tensor"  # as in PyTorch, where the class is the same


def wrap(array: SparseArray) -> SparseTensor:
    """Makes a tensor of a sparse array."""
    tensor = objects.instance(SparseTensor)
    tensor._array = array
    tensor._meta_key = tensor._edge = tensor._base = tensor._generation = tensor._store = None
    return tensor


# Operators with the operands exchanged: `tensor - sparse` is `sparse.__rsub__(tensor)`.
REFLECTED = {
    f"__r{name}__": f"__{name}__"
    for name in "add sub mul truediv floordiv matmul mod pow and or xor lshift rshift".split()
}


def call(name: str, arguments, keywords) -> Any:
    """Calls the function of an operator."""
    if name in REFLECTED:
        name, arguments = REFLECTED[name], arguments[1::-1]
    function = FUNCTIONS.get(name)
    if function is None:
        raise not_run(name, (*arguments, *keywords.values()))
    if name not in OF_BLOCKS and any(getattr(each, "layout", None) in BLOCKS for each in arguments):
        raise of_blocks(name)
    if (out := keywords.get("out")) is None:
        return function(*arguments, **keywords)
    made = function(*arguments, **{key: value for key, value in keywords.items() if key != "out"})
    return FUNCTIONS["written_out"](out, made, name)


def of_blocks(name: str) -> NotImplementedError:
    """Returns the error for an operator that tensors of blocks do not have."""
    error = NotImplementedError(f"{name}: rushlight has no such operator for tensors of blocks")
    return noted(error, "Convert the tensor: x.to_sparse_coo().")


# What tensors of the layouts BSR and BSC have: `pointwise.py` adds the operators that run on the values.
OF_BLOCKS = set(
    "values crow_indices col_indices ccol_indices row_indices is_coalesced to_dense to_sparse _to_sparse "
    "to_sparse_coo to_sparse_csr to_sparse_csc to_sparse_bsr to_sparse_bsc to cpu clone detach detach_ entries_at "
    "gradient_of sparse_mask __repr__ __reduce_ex__ __deepcopy__ numpy __array__ tolist data_ptr storage stride "
    "is_contiguous contiguous is_same_size is_shared is_pinned storage_offset type_as float double half bfloat16 int "
    "long short char byte bool neg negative __neg__ mm matmul __matmul__ mv addmv addmv_ addmm addmm_ mul multiply "
    "__mul__ mul_ multiply_ __imul__ sum zeros_like empty_like".split()
)


def method(name: str) -> Callable[..., Any]:
    """Returns a method of Tensor that is no operator, as sparse tensors have it."""

    def calling(self, *arguments, **keywords):
        return call(name, (self, *arguments), keywords)

    calling.__name__ = calling.__qualname__ = name
    return calling


# Methods of Tensor that read its shape, its dtype or nothing.
KEPT = frozenset(
    "size dim ndimension numel nelement element_size is_floating_point is_complex is_signed get_device "
    "is_conj is_neg __len__ __setstate__ __init__ __new__ __dir__ _keep_grad _is_view __float__ __int__ __complex__ "
    "__index__ _number".split()
)


def replace_methods() -> None:
    """Replaces the methods of Tensor that would read its array."""
    for owner in reversed(Tensor.__mro__[:-1]):
        for name, function in vars(owner).items():
            if isinstance(function, FunctionType) and not hasattr(function, "declaration"):
                if name not in KEPT and name not in vars(SparseTensor):
                    setattr(SparseTensor, name, method(name))


replace_methods()


# ---- the backend of its array: what would read elements raises


def refuse(array, *rest):
    raise not_run("_to_copy", (wrap(array),))


BACKENDS.by_array[SparseArray] = Backend(
    "cpu", SparseArray, None, from_cpu=refuse, to_cpu=refuse, adopt=refuse, place=CPU
)


# ---- nodes


def named_node(name: str) -> Any:
    """Returns the class of nodes of that name, which send on what comes to them."""
    if name not in NODES:
        members = {"backward": staticmethod(sent_on), "__module__": Node.__module__, "op": SENDING}
        NODES[name] = NodeKind(name, (Node,), members)
    return NODES[name]


def sent_on(F, node, saved, g, edges) -> tuple:
    return (g,)


NODES: dict[str, Any] = {}
SENDING = SimpleNamespace(name="sparse", kind="sparse", zero_second_derivative=False)  # instead of an operator


def result(array: SparseArray, node: str) -> SparseTensor:
    """Makes the tensor of a result, whose values have a node that is called as in PyTorch."""
    values = array.values
    if recording() and values.requires_grad:
        array = array.with_values(named(values, node))
    return wrap(array)


def dense_result(values: Tensor, node: str) -> Tensor:
    """Returns a dense result behind a node that is called as in PyTorch."""
    return named(values, node) if recording() and values.requires_grad else values


def named(values: Tensor, name: str) -> Tensor:
    """Returns the same memory behind one more node of the graph, which only has a name."""
    shared = alias(values)
    shared._edge = make_node(named_node(name), (edge_of(values),))
    return shared
