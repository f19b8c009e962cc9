"""`torch.vmap`: a function of samples, applied to a whole batch.

https://docs.pytorch.org/docs/stable/generated/torch.func.vmap.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import rushlight._generated.functions as F
from rushlight.autograd.under_transforms import transforming
from rushlight.core.tensor import Tensor
from rushlight.core.traced import BatchedArray
from rushlight.func.notes import leaves_vmap, sizes_differ
from rushlight.func.repeated import repeated
from rushlight.random import get_rng_state, set_rng_state
from rushlight.transforms.levels import batch_level, batched, unbatched
from rushlight.utils._pytree import TreeSpec, _broadcast_to_and_flatten, tree_flatten, tree_map_, tree_unflatten

RANDOMNESS = ("error", "different", "same")


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that applies `func` to each sample of a batch, with operations on the whole batch.

    `in_dims` says which dimension of each input counts the samples, None for an input that all of them share: one
    number, or a tree like the inputs. `out_dims` is the same for the outputs. `randomness` says what random operations
    in `func` do: they draw for each sample ("different"), once for all ("same"), or raise RuntimeError ("error").
    `chunk_size` is the largest number of samples computed at once. Raises ValueError if the dimensions do not fit the
    inputs or outputs, and RuntimeError where `func` reads the elements of a sample.

    >>> import rushlight as torch
    >>> torch.vmap(torch.dot)(torch.ones(3, 2), torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    tensor([ 3.,  7., 11.])
    >>> torch.vmap(lambda x, y: x * y, in_dims=(0, None), out_dims=1)(torch.ones(2), torch.arange(3.0))
    tensor([[0., 0.],
            [1., 1.],
            [2., 2.]])
    """
    check_randomness(randomness)
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    def of_batch(*args: Any, **kwargs: Any) -> Any:
        check_out_dims(func, out_dims)
        batch = Batch(func, in_dims, args)
        run = partial(run_batch, func, kwargs, in_dims, out_dims, randomness)
        if chunk_size is None:
            return run(batch.size, batch.dims, batch.values, batch.spec)
        return run_chunks(run, batch, batch.chunks(sizes(batch.size, chunk_size)), out_dims, randomness)

    return repeated(func, of_batch)


def chunk_vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", chunks: int = 2
) -> Callable[..., Any]:
    """`vmap` in a number of chunks, one after the other. An older form of `vmap` with `chunk_size`."""
    check_randomness(randomness)
    if chunks == 1:
        return vmap(func, in_dims, out_dims, randomness)

    def of_batch(*args: Any, **kwargs: Any) -> Any:
        check_out_dims(func, out_dims)
        batch = Batch(func, in_dims, args)
        run = partial(run_batch, func, kwargs, in_dims, out_dims, randomness)
        return run_chunks(run, batch, batch.chunks(sizes(batch.size, -(-batch.size // chunks))), out_dims, randomness)

    return repeated(func, of_batch)


def run_batch(
    func: Callable,
    kwargs: dict,
    in_dims: Any,
    out_dims: Any,
    randomness: str,
    size: int,
    dims: list,
    values: list,
    spec: TreeSpec,
) -> Any:
    """Runs a function once, on all samples."""
    with transforming(), batch_level(size, randomness) as level:
        inputs = [value if dim is None else batched(level, value, dim) for dim, value in zip(dims, values, strict=True)]
        try:
            result = func(*tree_unflatten(inputs, spec), **kwargs)
        except Exception as error:
            leaves_vmap(error, level, func, in_dims, dims, tree_unflatten(values, spec))
            raise
        outputs, output_spec = tree_flatten(result)
        flat = flat_out_dims(func, out_dims, result, output_spec)
        pairs = zip(outputs, flat, strict=True)
        return tree_unflatten([without_batch(func, level, output, dim) for output, dim in pairs], output_spec)


def run_chunks(run: Callable, batch: Batch, chunks: Iterator[list], out_dims: Any, randomness: str) -> Any:
    """Runs a function on chunks of samples and joins the outputs."""
    state = get_rng_state() if randomness == "same" else None
    columns: list[list] = []
    spec = None
    for values in chunks:
        size = size_of(batch.dims, values)
        if size == 0:
            continue
        if state is not None:
            set_rng_state(state)
        outputs, spec = tree_flatten(run(size, batch.dims, values, batch.spec))
        columns = columns or [[] for _ in outputs]
        for column, output in zip(columns, outputs, strict=True):
            column.append(output)
    if spec is None:
        raise AssertionError("arg_spec must not be None")
    dims: Any = _broadcast_to_and_flatten(out_dims, spec)
    return tree_unflatten([F.cat(columns.pop(0), dim) for dim in dims], spec)


def sizes(count: int, most: int) -> list[int]:
    """Returns the sizes of chunks of at most `most` samples."""
    return [min(most, count - begin) for begin in range(0, count, most)]


# ---- inputs


class Batch:
    """The inputs of a vmapped function: their leaves, and the dimension of each that counts the samples."""

    def __init__(self, func: Callable, in_dims: Any, args: tuple):
        self.func, self.in_dims = func, in_dims
        if not isinstance(in_dims, (int, tuple)):
            raise self._error(
                "expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: "
                f"{type(in_dims)}."
            )
        if not args:
            raise ValueError(
                f"vmap({name_of(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
                "vmap over a function with no inputs. The latter is unsupported."
            )
        self.values, self.spec = tree_flatten(args)
        dims = _broadcast_to_and_flatten(in_dims, self.spec)
        if dims is None:
            raise self._error(
                "in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                f"{tree_flatten(in_dims)[1]} but inputs has structure {self.spec}."
            )
        self.dims = [self._checked(dim, value) for dim, value in zip(dims, self.values, strict=True)]
        try:
            self.size = size_of(self.dims, self.values)
        except ValueError as error:
            sizes_differ(error, func, in_dims, self.dims, args)
            raise

    def _checked(self, dim: Any, value: Any) -> int | None:
        if dim is None:
            return None
        if not isinstance(dim, int):
            raise self._error(f"Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.")
        if not isinstance(value, Tensor):
            raise self._error(
                f"Got in_dim={dim} for an input but the input is of type {type(value)}. We cannot vmap over "
                "non-Tensor arguments, please use None as the respective in_dim"
            )
        rank = value.dim()
        if not -rank <= dim < rank:
            raise self._error(
                f"Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {rank} so expected "
                f"in_dim to satisfy -{rank} <= in_dim < {rank}."
            )
        return dim % rank

    def _error(self, words: str) -> ValueError:
        return ValueError(f"vmap({name_of(self.func)}, in_dims={self.in_dims}, ...)(<inputs>): {words}")

    def chunks(self, lengths: list[int]) -> Iterator[list]:
        """Yields the inputs for some samples at a time."""
        begin = 0
        for length in lengths:
            pairs = zip(self.dims, self.values, strict=True)
            yield [value if dim is None else F.narrow(value, dim, begin, length) for dim, value in pairs]
            begin += length


def size_of(dims: list[int | None], values: list) -> int:
    """Returns the number of samples. Raises ValueError if inputs differ in it, or if there is none."""
    counts = [value.size(dim) for dim, value in zip(dims, values, strict=True) if dim is not None]
    if not counts:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(count != counts[0] for count in counts):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{counts} for the mapped dimension"
        )
    return counts[0]


# ---- outputs


def flat_out_dims(func: Callable, out_dims: Any, result: Any, spec: TreeSpec) -> list:
    """Returns the place of the batch in each output. Raises ValueError if `out_dims` does not fit the outputs."""
    if isinstance(result, Tensor):
        if out_dims is None or isinstance(out_dims, int):
            return [out_dims]
        flat = list(out_dims) if isinstance(out_dims, tuple) and len(out_dims) == 1 else None
    else:
        flat = _broadcast_to_and_flatten(out_dims, spec)
    if flat is None:
        raise ValueError(
            f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
            f"of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    return flat


def without_batch(func: Callable, level, output: Any, dim: int | None) -> Any:
    """Returns an output for the caller, with the samples along `dim`."""
    name = name_of(func)
    if dim is None:
        if isinstance(output, Tensor) and type(output._array) is BatchedArray and output._array.batched:
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return output
    if not isinstance(output, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(output)}. Did you mean to set "
            "out_dims= to None for output?"
        )
    return unbatched(level, output, dim)


def check_out_dims(func: Callable, out_dims: Any) -> None:
    """Raises ValueError if `out_dims` has other leaves than int and None."""
    if not isinstance(out_dims, int):
        tree_map_(partial(check_out_dim, func, out_dims), out_dims)


def check_out_dim(func: Callable, out_dims: Any, dim: Any) -> None:
    """Raises ValueError if one of `out_dims` is neither int nor None."""
    if not (dim is None or isinstance(dim, int)):
        raise ValueError(
            f"vmap({name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
            "collection of ints representing where in the outputs the vmapped dimension should appear."
        )


def check_randomness(randomness: str) -> None:
    """Raises RuntimeError for an unknown mode."""
    if randomness not in RANDOMNESS:
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")


def name_of(func: Callable) -> str:
    """Returns the name of a function, for errors."""
    if hasattr(func, "__name__"):
        return func.__name__
    if isinstance(func, partial):
        return f"functools.partial({name_of(func.func)}, ...)"
    return repr(func)
