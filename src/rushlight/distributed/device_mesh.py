"""`torch.distributed.device_mesh`: processes as a grid with named dimensions, and a group for each row of it.

https://docs.pytorch.org/docs/stable/distributed.html#devicemesh
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from rushlight.core.dtype import int32
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import tensor
from rushlight.distributed import state
from rushlight.distributed.process_group import default_group

__all__ = ["DeviceMesh", "init_device_mesh"]

ENTERED: ContextVar[tuple] = ContextVar("meshes that are entered by `with`", default=())


class DeviceMesh:
    """A grid of ranks. All processes make it together; each is in one group per dimension, with its row.

    `mesh["tp"]` is the part of a mesh along named dimensions that this process is in. Raises RuntimeError if the mesh
    has more ranks than there are processes.
    """

    def __init__(
        self,
        device_type: str,
        mesh: Tensor | Sequence | None = None,
        *,
        mesh_dim_names: Sequence[str] | None = None,
        _init_backend: bool = True,
        _groups: list[Any] | None = None,
        _root: DeviceMesh | None = None,
    ) -> None:
        if not state.is_initialized():
            state.init_process_group()
        self._device_type = device_type
        self._ranks = np.asarray(mesh.tolist() if isinstance(mesh, Tensor) else mesh, dtype=np.int32)
        self._mesh_dim_names = None if mesh_dim_names is None else tuple(mesh_dim_names)
        self._root = _root
        self._flattened: dict[str, DeviceMesh] = {}
        self._rank = state.get_rank()
        check_size(self._ranks.size)
        place = np.argwhere(self._ranks == self._rank)
        self._coordinate = tuple(map(int, place[0])) if len(place) else None
        self._groups = _groups if _groups is not None else self._make_groups() if _init_backend else []

    def _make_groups(self) -> list[Any]:
        """Makes a group of each row along each dimension; returns those of this process."""
        if self.ndim == 1 and self._ranks.tolist() == list(range(state.get_world_size())):
            return [default_group()]
        groups: list[Any] = []
        for dim in range(self.ndim):
            for row in np.moveaxis(self._ranks, dim, -1).reshape(-1, self._ranks.shape[dim]).tolist():
                group = state.new_group(row)  # every process makes all of them, in one order
                if self._rank in row:
                    groups.append(group)
        return groups

    # ---- what it is

    @property
    def device_type(self) -> str:
        """The type of the devices, such as "cpu"."""
        return self._device_type

    @property
    def mesh(self) -> Tensor:
        """The ranks."""
        return tensor(self._ranks, dtype=int32)

    @property
    def mesh_dim_names(self) -> tuple[str, ...] | None:
        """The names of the dimensions."""
        return self._mesh_dim_names

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of ranks along each dimension."""
        return self._ranks.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._ranks.ndim

    def size(self, mesh_dim: int | None = None) -> int:
        """Returns the number of ranks, of all or along a dimension."""
        return self._ranks.size if mesh_dim is None else self._ranks.shape[mesh_dim]

    def get_rank(self) -> int:
        """Returns the rank of this process among all."""
        return self._rank

    def get_coordinate(self) -> tuple[int, ...] | None:
        """Returns where this process is in the mesh; None if it is not in it."""
        return self._coordinate

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """Returns the position of this process along a dimension. Without one the mesh must have one dimension."""
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError(
                    f"Found the DeviceMesh have {self.ndim} dimensions",
                    "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.",
                )
            mesh_dim = 0
        if self._coordinate is None:
            raise RuntimeError(f"Rank {self._rank} is not in this mesh: {self}.")
        return self._coordinate[self._number(mesh_dim)]

    def get_group(self, mesh_dim: int | str | None = None) -> Any:
        """Returns the group of this process along a dimension. Without one the mesh must have one dimension."""
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError(
                    f"Found the DeviceMesh have {self.ndim} dimensions",
                    "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.",
                    "If you want to get the list of all the ProcessGroups in the DeviceMesh,"
                    "please use `get_all_groups()` instead.",
                )
            mesh_dim = 0
        if isinstance(mesh_dim, str) and mesh_dim in self._get_root_mesh()._flattened:
            return self._get_root_mesh()._flattened[mesh_dim].get_group()
        return self._groups[self._number(mesh_dim)]

    def get_all_groups(self) -> list[Any]:
        """Returns the group of this process along each dimension."""
        return list(self._groups)

    def _number(self, mesh_dim: int | str) -> int:
        if isinstance(mesh_dim, int):
            return mesh_dim
        names = self._mesh_dim_names or ()
        if mesh_dim not in names:
            raise KeyError(
                f"Mesh dimension '{mesh_dim}' does not exist.",
                f"Available mesh dimensions are: mesh_dim_names={self._mesh_dim_names}",
            )
        return names.index(mesh_dim)

    # ---- parts of it

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> DeviceMesh:
        if not self._mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else mesh_dim_names
        if names == self._mesh_dim_names:
            return self
        root = self._get_root_mesh()
        if len(names) == 1 and names[0] in root._flattened:
            return root._flattened[names[0]]
        return self._part(self._dims_of(names), names)

    def _dims_of(self, names: tuple[str, ...]) -> list[int]:
        known = list(self._mesh_dim_names or ())
        if not names or any(name not in known for name in names):
            valid = [*known, *self._get_root_mesh()._flattened]
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {valid}.")
        dims = list(map(known.index, names))
        if dims != sorted(dims):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Mesh dim indices should be in ascending order.")
        return dims

    def _part(self, dims: list[int], names: tuple[str, ...]) -> DeviceMesh:
        """Returns the ranks that differ from this process only along these dimensions."""
        place = self._coordinate or (0,) * self.ndim
        index = tuple(slice(None) if dim in dims else at for dim, at in enumerate(place))
        groups = [self._groups[dim] for dim in dims] if self._groups else []
        return DeviceMesh(
            self._device_type, self._ranks[index].tolist(), mesh_dim_names=names, _groups=groups,
            _root=self._get_root_mesh(),
        )  # fmt: skip

    def _flatten(self, mesh_dim_name: str | None = None) -> DeviceMesh:
        """Returns a mesh of one dimension with the same ranks, which the whole mesh then has under its name."""
        root = self._get_root_mesh()
        name = mesh_dim_name or "_".join(self._mesh_dim_names or ())
        if name not in root._flattened:
            rows = self._all_like_this(root)
            groups = [(row, state.new_group(row)) for row in rows]
            own = [group for row, group in groups if self._rank in row]
            ranks = self._ranks.reshape(-1).tolist()
            root._flattened[name] = DeviceMesh(
                self._device_type, ranks, mesh_dim_names=(name,), _groups=own, _root=root
            )
        return root._flattened[name]

    def _all_like_this(self, root: DeviceMesh) -> list[list[int]]:
        """Returns the ranks of this part of the whole mesh and of all its parallel parts."""
        if root is self:
            return [self._ranks.reshape(-1).tolist()]
        dims = [(root._mesh_dim_names or ()).index(name) for name in self._mesh_dim_names or ()]
        last = list(range(root.ndim - len(dims), root.ndim))
        return np.moveaxis(root._ranks, dims, last).reshape(-1, self._ranks.size).tolist()

    def _get_root_mesh(self) -> DeviceMesh:
        return self if self._root is None else self._root

    @staticmethod
    def from_group(
        group: Any, device_type: str, mesh: Any = None, *, mesh_dim_names: Sequence[str] | None = None
    ) -> DeviceMesh:
        """Makes a mesh from a group, or from a list of groups, one for each dimension of `mesh`."""
        if not isinstance(group, list):
            ranks = state.get_process_group_ranks(group)
            return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names, _groups=[group])
        if not group:
            raise ValueError("Expects at least one ProcessGroup to be specified when passing a list")
        if mesh is None:
            raise ValueError("Must pass mesh if passing multiple ProcessGroups")
        return DeviceMesh(device_type, mesh, mesh_dim_names=mesh_dim_names, _groups=list(group))

    # ---- Python protocols

    def __enter__(self) -> DeviceMesh:
        ENTERED.set((*ENTERED.get(), self))
        return self

    def __exit__(self, *exception: object) -> None:
        ENTERED.set(ENTERED.get()[:-1])

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, DeviceMesh) and self._facts() == other._facts())

    def __hash__(self) -> int:
        return hash(self._facts())

    def _facts(self) -> tuple:
        return self._ranks.tobytes(), self.shape, self._device_type, self._mesh_dim_names

    def __repr__(self) -> str:
        names = self._mesh_dim_names
        named = ", ".join(f"{n}={s}" for n, s in zip(names or (), self.shape, strict=False))
        sizes = f"({named})" if names else str(tuple(self.shape))
        strides = tuple(math.prod(self.shape[dim + 1 :]) for dim in range(self.ndim))
        return f"DeviceMesh({sizes}, '{self._device_type}', stride={strides})"


def check_size(size: int) -> None:
    """Raises RuntimeError if there are fewer processes than a mesh needs."""
    world = state.get_world_size()
    if size > world:
        raise noted(
            RuntimeError(f"Mesh should not be bigger than default world size {world}, but found {size} ranks!"),
            f"Start {size} processes, or make the mesh smaller.",
        )


def init_device_mesh(
    device_type: str,
    mesh_shape: tuple[int, ...],
    *,
    mesh_dim_names: tuple[str, ...] | None = None,
    backend_override: Any = None,
) -> DeviceMesh:
    """Makes a mesh of the first ranks, in their order; all processes call it.

    Raises RuntimeError for repeated names, for a different number of names, or if there are too few processes.
    """
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError(
                "Each mesh_dim_name must be unique.",
                f"Found repeated mesh_dim_name in mesh_dim_names {mesh_dim_names}",
            )
        if len(mesh_shape) != len(mesh_dim_names):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length! "
                f"Found len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}.",
            )
    if not device_type.isalpha():
        raise RuntimeError(
            f"Device type with index is not supported but got {device_type}. ",
            "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.",
        )
    ranks = np.arange(math.prod(mesh_shape)).reshape(mesh_shape)
    return DeviceMesh(device_type, ranks.tolist(), mesh_dim_names=mesh_dim_names)


def current_mesh() -> DeviceMesh:
    """Returns the innermost mesh that was entered by `with`. Raises RuntimeError if there is none."""
    if not ENTERED.get():
        raise RuntimeError("No device mesh is currently active!")
    return ENTERED.get()[-1]
