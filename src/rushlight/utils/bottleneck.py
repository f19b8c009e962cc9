"""`python -m torch.utils.bottleneck SCRIPT`: where the time of a program goes, as PyTorch showed it before 2.13.

The command is in `rushlight.cli.bottleneck`.
"""

import sys
from importlib import import_module

if __name__ == "__main__":
    sys.exit(import_module("rushlight.cli.bottleneck").main(sys.argv[1:]))
