"""`torch.backends`: availability and switches of the libraries that PyTorch uses.

https://docs.pytorch.org/docs/stable/backends.html
"""

from rushlight.backends import cpu, cuda, cudnn, mha, mkl, mkldnn, mps, nnpack, openmp, opt_einsum, quantized

__all__ = ["cpu", "cuda", "cudnn", "mha", "mkl", "mkldnn", "mps", "nnpack", "openmp", "opt_einsum", "quantized"]
