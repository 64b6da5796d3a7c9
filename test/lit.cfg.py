# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The lit suite: FileCheck tests of every pass, and execution tests with mlir-runner.
import os
import re
import subprocess
import sys

import lit.formats

config.name = "mlir-qdq"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "python"]
config.test_source_root = os.path.join(config.qdq_source_dir, "test")
config.test_exec_root = os.path.join(config.qdq_build_dir, "test")

# quant-opt from the build; FileCheck, not, split-file, mlir-opt, mlir-runner from LLVM.
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.qdq_build_dir, "bin"), config.llvm_tools_dir, os.environ["PATH"]]
)
# The package of another build, for tests that run Python: tools/ecosystem/coverage.
if "PYTHONPATH" in os.environ:
    config.environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
config.substitutions += [
    ("%chains", f"{sys.executable} {os.path.join(config.test_source_root, 'chains.py')}"),
    ("%expect", f"{sys.executable} {os.path.join(config.test_source_root, 'expect.py')}"),
    ("%mlir_lib_dir", config.llvm_lib_dir),
    ("%qdq_build_dir", config.qdq_build_dir),
    ("%qdq_source_dir", config.qdq_source_dir),
]

# `REQUIRES: mlir-22`, with the reason beside it.
config.available_features.add(f"mlir-{config.llvm_major}")

# The targets of llc, by its names: `REQUIRES: nvptx64-registered-target`.
llc = os.path.join(config.llvm_tools_dir, "llc")
version = subprocess.run([llc, "--version"], capture_output=True, text=True, check=True).stdout
for target in re.findall(r"^ +([\w-]+) +- ", version, re.MULTILINE):
    config.available_features.add(f"{target}-registered-target")
