"""Adaptive softmax: rare classes form clusters with smaller projections (Grave et al., 2017, arXiv:1609.04309)."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from itertools import pairwise

from rushlight.core.annotations import Device, Dtype
from rushlight.core.tensor import Tensor

from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of the target classes and their loss, for many classes sorted by frequency.

    The head scores the classes before `cutoffs[0]` and each cluster of later classes; the features of each next cluster
    are fewer by another factor of `div_value`. Targets are (N,) or (), input (N, in_features) or (in_features,).

    >>> import rushlight as torch
    >>> layer = torch.nn.AdaptiveLogSoftmaxWithLoss(16, 20, cutoffs=[4, 10])
    >>> layer.log_prob(torch.zeros(2, 16)).exp().sum(1).allclose(torch.ones(2))
    True
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Device = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        are_integers = all(int(cutoff) == cutoff for cutoff in cutoffs)
        if not are_integers or any(low >= high for low, high in pairwise([0, *cutoffs, n_classes])):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = cutoffs[0]
        self.n_clusters = len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for cluster, (low, high) in enumerate(pairwise(self.cutoffs), 1):
            features = int(in_features // div_value**cluster)
            narrowing = Linear(in_features, features, bias=False, device=device, dtype=dtype)
            scoring = Linear(features, high - low, bias=False, device=device, dtype=dtype)
            self.tail.append(Sequential(narrowing, scoring))

    def reset_parameters(self) -> None:
        """Draws all weights again."""
        for layer in self.modules():
            if isinstance(layer, Linear):
                layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        self._check(input_, target_)
        if target_.dim() == 0:
            output, loss = self._batch(input_.unsqueeze(0), target_.unsqueeze(0))
            return _ASMoutput(output.squeeze(0), loss)
        return _ASMoutput(*self._batch(input_, target_))

    def _check(self, input, target):
        if target.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if target.dim() == 1 and input.size(0) != target.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input.dim() != target.dim() + 1:
            raise RuntimeError(
                f"{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, but found inputs with size "
                f"{input.size()}"
            )

    def _batch(self, input, target):
        """Returns log-probabilities (N,) and the loss: a row's score in the head, and in its cluster if it has one."""
        in_head, log_probs = target.clone(), input.new_zeros(target.size(0))
        counted = 0
        for cluster, (low, high) in enumerate(pairwise([0, *self.cutoffs])):
            inside = (target >= low) & (target < high)
            rows = inside.nonzero().squeeze(1)
            counted += rows.numel()
            if cluster and rows.numel():
                in_head.index_fill_(0, rows, self.shortlist_size + cluster - 1)
                scores = F.log_softmax(self.tail[cluster - 1](input.index_select(0, rows)), dim=1)
                log_probs.index_copy_(0, rows, scores.gather(1, (target[inside] - low).unsqueeze(1)).squeeze(1))
        if counted != target.size(0):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, "
                f"{target.max().item()}] were found. "
            )
        log_probs += F.log_softmax(self.head(input), dim=1).gather(1, in_head.unsqueeze(1)).squeeze(1)
        return log_probs, (-log_probs).mean()

    def _get_full_log_prob(self, input, head_output):
        head = F.log_softmax(head_output, dim=1)
        out = input.new_empty((head_output.size(0), self.n_classes))
        out[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for cluster, (low, high) in enumerate(pairwise(self.cutoffs)):
            scores = F.log_softmax(self.tail[cluster](input), dim=1)
            out[:, low:high] = scores + head[:, self.shortlist_size + cluster].unsqueeze(1)
        return out

    def log_prob(self, input: Tensor) -> Tensor:
        """Returns the log-probabilities of all classes: (N, in_features) to (N, n_classes)."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """Returns the most probable class, (N,): clusters are evaluated only for rows whose head prefers one."""
        head_output = self.head(input)
        output = head_output.argmax(dim=1)
        elsewhere = output >= self.shortlist_size
        if elsewhere.any():
            output[elsewhere] = self._get_full_log_prob(input[elsewhere], head_output[elsewhere]).argmax(dim=1)
        return output
