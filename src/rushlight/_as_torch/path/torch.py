"""`import torch` in a Python started by a program that runs on rushlight."""

import importlib
import sys

from rushlight._as_torch.finder import install

del sys.modules["torch"]  # this file, which rushlight replaces
install()
importlib.import_module("torch")
