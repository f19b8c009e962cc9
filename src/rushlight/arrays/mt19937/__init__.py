"""Random arrays from a stream of 32-bit words, bit for bit as PyTorch's CPU kernels make them.

Every function takes the stream (a `rushlight.core.generator.Generator`), the shape (a tuple) and the NumPy dtype, uses
exactly the words that PyTorch 2.13 would, and returns a new C-contiguous array. Terms used below:

- *to the bit*: the same bits as PyTorch on every machine. The float64 logarithms, exponentials, sines, cosines and
  tangents come from the C library, here as in PyTorch;
- *to the bit with fused multiply-add*: the same bits as PyTorch if its kernels run with AVX2 or AVX-512, which round
  `a * b + c` once. On other processors PyTorch rounds twice, and differs in the last place.

The conversions are those of the headers that ship with PyTorch: ATen/core/TransformationHelper.h and
DistributionsHelper.h (words to numbers), ATen/native/cpu/DistributionTemplates.h and ATen/native/Distributions.h (which
words a kernel uses).
"""

from rushlight.arrays.mt19937.categories import multinomial as multinomial
from rushlight.arrays.mt19937.normals import cauchy as cauchy
from rushlight.arrays.mt19937.normals import exponential as exponential
from rushlight.arrays.mt19937.normals import geometric as geometric
from rushlight.arrays.mt19937.normals import log_normal as log_normal
from rushlight.arrays.mt19937.normals import normal as normal
from rushlight.arrays.mt19937.rejection import binomial as binomial
from rushlight.arrays.mt19937.rejection import dirichlet as dirichlet
from rushlight.arrays.mt19937.rejection import poisson as poisson
from rushlight.arrays.mt19937.rejection import standard_gamma as standard_gamma
from rushlight.arrays.mt19937.tempering import tempered as tempered
from rushlight.arrays.mt19937.tempering import untempered as untempered
from rushlight.arrays.mt19937.uniforms import above_all as above_all
from rushlight.arrays.mt19937.uniforms import all_integers as all_integers
from rushlight.arrays.mt19937.uniforms import bernoulli as bernoulli
from rushlight.arrays.mt19937.uniforms import channel_mask as channel_mask
from rushlight.arrays.mt19937.uniforms import dropout_mask as dropout_mask
from rushlight.arrays.mt19937.uniforms import integers as integers
from rushlight.arrays.mt19937.uniforms import permutation as permutation
from rushlight.arrays.mt19937.uniforms import uniform as uniform
