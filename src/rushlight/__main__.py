"""`python -m rushlight`, and the command `rushlight`: run a PyTorch script, or inspect one."""

import sys

from rushlight.cli.run import main


def command() -> int:
    """Entry point of the command `rushlight`."""
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(command())
