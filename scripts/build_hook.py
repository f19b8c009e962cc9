"""Writes the generated code before the package is built or installed, and puts it into what is built.

Called by the build (`[tool.hatch.build.hooks.custom]` in pyproject.toml). Git ignores the files, and a build leaves out
what git ignores; `artifacts` are its exceptions. A source distribution carries them, so that nothing is written again.
"""

import subprocess
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GeneratedCode(BuildHookInterface):
    def initialize(self, version, build_data):
        subprocess.run([sys.executable, Path(self.root, "scripts", "generate"), "--code"], check=True)
        build_data["artifacts"].append("/src/rushlight/_generated/*.py")
        if self.target_name == "sdist":
            build_data["artifacts"].append("/src/rushlight/_generated/digest.txt")
