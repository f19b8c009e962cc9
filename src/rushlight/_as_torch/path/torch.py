"""`import torch` in a Python that was started by a program which runs on rushlight."""

import importlib
import sys

from rushlight._as_torch.finder import install

del sys.modules["torch"]  # this file, whose place rushlight takes
install()
importlib.import_module("torch")
