"""`python -m rushlight`, and the command `rushlight`: run a PyTorch script, or ask about one."""

import sys

from rushlight.cli.run import main


def command() -> int:
    """What the command `rushlight` calls."""
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(command())
