# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the build that is tested, its sources and LLVM's tools lie, and how to run a tool of them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import mlir_qdq

SOURCE = Path(__file__).resolve().parents[2]
#: mlir_qdq is <build>/python_packages/mlir_qdq.
BUILD = Path(os.path.abspath(mlir_qdq.__file__)).parents[2]
_SITE = BUILD / "test" / "lit.site.cfg.py"
LLVM_TOOLS = Path(re.search(r'llvm_tools_dir = "(.*)"', _SITE.read_text())[1])
LLVM_MAJOR = int(re.search(r'llvm_major = "(.*)"', _SITE.read_text())[1])
_PATH = [str(BUILD / "bin"), os.path.dirname(sys.executable), str(LLVM_TOOLS), os.environ["PATH"]]
ENVIRONMENT = os.environ | {"PATH": os.pathsep.join(_PATH)}


def run_tool(*arguments, **options):
    """Run a tool of the build or of LLVM; what it printed."""
    return subprocess.run(
        [str(argument) for argument in arguments],
        **{"env": ENVIRONMENT, "capture_output": True, "text": True, "check": True} | options,
    )
