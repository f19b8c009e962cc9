"""Layers that get the size of their input from the first one, and then become the ordinary class."""

from __future__ import annotations

from itertools import chain
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Device, Dtype, Ints
from rushlight.core.dtype import int64
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import tensor

from ..parameter import UninitializedBuffer, UninitializedParameter, is_lazy
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, _BatchNorm, _NormBase, check_dimensions
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, _ConvNd
from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, _InstanceNorm
from .linear import Linear
from .state import own_state


class LazyModuleMixin:
    """Creates a module's parameters at the first call, by its `initialize_parameters(*args, **kwargs)`.

    Before that they are `UninitializedParameter`, and the module can be moved, cast, saved and loaded. Afterwards the
    class of the module is `cls_to_become`.
    """

    cls_to_become: type | None = None
    # Attributes of Module.
    _parameters: Any
    _buffers: Any
    _register_load_state_dict_pre_hook: Any
    register_forward_pre_hook: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, member in own_state(self).items():
            destination[prefix + name] = member if keep_vars or is_lazy(member) else member.detach()

    def _lazy_load_hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        for name, member in own_state(self).items():
            loaded = state_dict.get(prefix + name)
            if is_lazy(member) and loaded is not None and not is_lazy(loaded):
                with no_grad():
                    member.materialize(loaded.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Creates the parameters from the arguments of the first call."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer of the module itself has no shape yet."""
        return any(is_lazy(member) for member in chain(self._parameters.values(), self._buffers.values()))

    def _replicate_for_data_parallel(self):
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy forward pass to "
            "correctly initialize the modules"
        )

    def _infer_parameters(self, module, args, kwargs=None):
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` that gets `in_features` from its first input.

    >>> import rushlight as torch
    >>> layer = torch.nn.LazyLinear(3)
    >>> layer(torch.zeros(2, 5)).shape, layer
    (torch.Size([2, 3]), Linear(in_features=5, out_features=3, bias=True))
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Device = None, dtype: Dtype | None = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draws weight and bias again, once they have shapes."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Sets `in_features` to the input's last dimension."""
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            with no_grad():
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:  # the weight was loaded
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


class _LazyConvNd(LazyModuleMixin, _ConvNd):
    """Base of lazy convolutions."""

    def _make_uninitialized(self, out_channels, bias, device, dtype):
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draws weight and bias again, once they have shapes."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Sets `in_channels` to the input's channel dimension."""
        if not self.has_uninitialized_params():
            return
        if input.dim() not in (self._rank + 1, self._rank + 2):
            least = self._rank + 1
            raise RuntimeError(
                f"Expected {least}D (unbatched) or {least + 1}D (batched) input to {type(self).__name__}, but got "
                f"input of size: {input.shape}"
            )
        self.in_channels = input.shape[-1 - self._rank]
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        self.weight.materialize(self._weight_shape())
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class _LazyConvolutionNd(_LazyConvNd):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Ints | str = 0,
        dilation: Ints = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._make_uninitialized(out_channels, bias, device, dtype)


class _LazyConvTransposeNd(_LazyConvNd):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Ints = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Ints = 1,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: Dtype | None = None,
    ) -> None:
        settings = stride, padding, output_padding, groups, False, dilation, padding_mode
        super().__init__(0, 0, kernel_size, *settings, device, dtype)
        self._make_uninitialized(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConvolutionNd, Conv1d):
    """A `Conv1d` that gets `in_channels` from its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConvolutionNd, Conv2d):
    """A `Conv2d` that gets `in_channels` from its first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConvolutionNd, Conv3d):
    """A `Conv3d` that gets `in_channels` from its first input."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTransposeNd, ConvTranspose1d):
    """A `ConvTranspose1d` that gets `in_channels` from its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTransposeNd, ConvTranspose2d):
    """A `ConvTranspose2d` that gets `in_channels` from its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTransposeNd, ConvTranspose3d):
    """A `ConvTranspose3d` that gets `in_channels` from its first input."""

    cls_to_become = ConvTranspose3d


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """Base of lazy normalizations by channel."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = tensor(0, dtype=int64, device=device)

    def reset_parameters(self) -> None:
        """Resets weight to 1, bias to 0, and the running statistics, once they have shapes."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Sets `num_features` to the input's second dimension."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        for member in chain(self._parameters.values(), self._buffers.values()):
            if is_lazy(member):
                member.materialize((self.num_features,))
        self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """A `BatchNorm1d` that gets `num_features` from its first input."""

    cls_to_become = BatchNorm1d

    def _check_input_dim(self, input):
        check_dimensions(input, 2, 3)


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """A `BatchNorm2d` that gets `num_features` from its first input."""

    cls_to_become = BatchNorm2d

    def _check_input_dim(self, input):
        check_dimensions(input, 4)


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """A `BatchNorm3d` that gets `num_features` from its first input."""

    cls_to_become = BatchNorm3d

    def _check_input_dim(self, input):
        check_dimensions(input, 5)


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """An `InstanceNorm1d` that gets `num_features` from its first input."""

    _rank = 1
    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """An `InstanceNorm2d` that gets `num_features` from its first input."""

    _rank = 2
    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """An `InstanceNorm3d` that gets `num_features` from its first input."""

    _rank = 3
    cls_to_become = InstanceNorm3d
