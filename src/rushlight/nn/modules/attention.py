"""Multi-head attention as a layer."""

from __future__ import annotations

from typing import Any

from rushlight.core.annotations import Device, Dtype
from rushlight.core.tensor import Parameter, Tensor
from rushlight.create.filled import empty

from .. import init
from ..functional.attention import as_float_mask, multi_head_attention_forward
from .linear import Linear
from .module import Module


class NonDynamicallyQuantizableLinear(Linear):
    """The output projection; the class name is PyTorch's, which `repr` shows."""


class MultiheadAttention(Module):
    """Multi-head attention (Vaswani et al., 2017): `forward(query, key, value)`.

    Sequences are (time, batch, embed_dim), or (batch, time, embed_dim) with `batch_first`, or (time, embed_dim); keys
    and values may have other sizes, `kdim` and `vdim`. Returns the attention output and the weights of the keys, or
    None for the weights with `need_weights=False`.

    >>> import rushlight as torch
    >>> x = torch.zeros(5, 2, 4)
    >>> output, weights = torch.nn.MultiheadAttention(4, num_heads=2)(x, x, x)
    >>> output.shape, weights.shape
    (torch.Size([5, 2, 4]), torch.Size([2, 5, 5]))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Device = None,
        dtype: Dtype | None = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self._add_weights(device, dtype)
        self._add("in_proj_bias", (3 * embed_dim,) if bias else None, device, dtype)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            self.bias_k = Parameter(empty((1, 1, embed_dim), device=device, dtype=dtype))
            self.bias_v = Parameter(empty((1, 1, embed_dim), device=device, dtype=dtype))
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _add_weights(self, device, dtype):
        """Registers one weight for all three projections, or three."""
        size = self.embed_dim
        apart = {"q": size, "k": self.kdim, "v": self.vdim}
        if self._qkv_same_embed_dim:
            self._add("in_proj_weight", (3 * size, size), device, dtype)
        for name, width in apart.items():
            self._add(f"{name}_proj_weight", None if self._qkv_same_embed_dim else (size, width), device, dtype)
        if not self._qkv_same_embed_dim:
            self.register_parameter("in_proj_weight", None)

    def _add(self, name, shape, device, dtype):
        parameter = None if shape is None else Parameter(empty(shape, device=device, dtype=dtype))
        self.register_parameter(name, parameter)

    def _reset_parameters(self):
        for name in ("in", "q", "k", "v"):
            weight = getattr(self, f"{name}_proj_weight")
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def __setstate__(self, state: dict[str, Any]) -> None:
        state.setdefault("_qkv_same_embed_dim", True)  # modules saved by PyTorch 1.1 lack it
        super().__setstate__(state)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        key_padding_mask = as_float_mask(key_padding_mask, "key_padding_mask", query.dtype, attn_mask, "attn_mask")
        attn_mask = as_float_mask(attn_mask, "attn_mask", query.dtype)
        transposed = self.batch_first and query.dim() == 3
        if transposed:
            query, key, value = swapped(query, key, value)
        output, weights = multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return output.transpose(1, 0) if transposed else output, weights

    def merge_masks(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor
    ) -> tuple[Tensor | None, int | None]:
        """Merges both masks, (batch, heads, target, source), and 2; only padding: as it is, and 1."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return merged, 2


def swapped(query, key, value):
    """Transposes the sequences to time before batch; a tensor used several times stays one, so it is projected once."""
    queries = query.transpose(1, 0)
    keys = queries if key is query else key.transpose(1, 0)
    values = keys if value is key else queries if value is query else value.transpose(1, 0)
    return queries, keys, values
