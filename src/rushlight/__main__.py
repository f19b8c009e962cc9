"""`python -m rushlight`: run a PyTorch script, or ask about one."""

import sys

from rushlight.cli.run import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
