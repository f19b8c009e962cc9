"""Kernels of NVIDIA's GPUs, from the formulas of the kernels of the CPU."""
