"""Operators by cuDNN, through NVIDIA's frontend for Python: https://docs.nvidia.com/deeplearning/cudnn/frontend.

Not yet run on a GPU.
"""
