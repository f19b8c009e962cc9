"""`torch.distributions.transforms`: invertible maps with Jacobians."""

from rushlight.distributions._transform import (
    ComposeTransform,
    IndependentTransform,
    Transform,
    identity_transform,
)
from rushlight.distributions._transform import (
    _InverseTransform as _InverseTransform,
)
from rushlight.distributions._transforms_elementwise import (
    AbsTransform,
    AffineTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
)
from rushlight.distributions._transforms_of_parts import CatTransform, StackTransform
from rushlight.distributions._transforms_of_vectors import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    ReshapeTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)
from rushlight.distributions.distribution import Distribution as Distribution

__all__ = [
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
    "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform",
    "SoftplusTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform",
]  # fmt: skip
