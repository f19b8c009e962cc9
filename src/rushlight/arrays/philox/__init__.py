"""Random arrays from a counter and a key, as PyTorch draws them on a GPU.

Every function takes the stream (a `PhiloxGenerator`), the shape and the NumPy dtype, as those of `arrays.mt19937` do,
and returns a C-contiguous array. Which number an element gets depends on the GPU only by its number of multiprocessors,
and only from a few hundred thousand elements on.

- *To the bit*: uniform numbers, integers, permutations, `bernoulli`, dropout.
- *But for the last digits*: what takes a logarithm, a sine or a tangent, which GPUs approximate.
- *Not PyTorch's numbers*: `poisson`, `binomial`, `standard_gamma`, `dirichlet` and `multinomial` with replacement. They
  are computed as on the CPU, from the words of this stream.

The order of words follows ATen/native/cuda/DistributionTemplates.h and ATen/core/TransformationHelper.h, which ship
with PyTorch; words become numbers as in cuRAND's device API (docs.nvidia.com/cuda/curand).
"""

from rushlight.arrays import mt19937
from rushlight.arrays.philox.distributions import (
    all_integers,
    bernoulli,
    cauchy,
    channel_mask,
    dropout_mask,
    exponential,
    geometric,
    integers,
    log_normal,
    multinomial,
    normal,
    uniform,
)
from rushlight.arrays.philox.permutation import permutation

DRAWS = {
    mt19937.all_integers: all_integers,
    mt19937.bernoulli: bernoulli,
    mt19937.cauchy: cauchy,
    mt19937.channel_mask: channel_mask,
    mt19937.dropout_mask: dropout_mask,
    mt19937.exponential: exponential,
    mt19937.geometric: geometric,
    mt19937.integers: integers,
    mt19937.log_normal: log_normal,
    mt19937.multinomial: multinomial,
    mt19937.normal: normal,
    mt19937.permutation: permutation,
    mt19937.uniform: uniform,
}
