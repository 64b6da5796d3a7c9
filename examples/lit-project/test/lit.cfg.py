# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# FileCheck tests of quantized IR, with the quant-opt that is installed.
import os
import shutil

import lit.formats

config.name = "my quantized models"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.test_source_root, "Output")
config.environment["PATH"] = os.environ["PATH"]

if not shutil.which("quant-opt"):
    lit_config.fatal("quant-opt is not on PATH")
# LLVM's program, or that of PyPI. lit itself knows `not`.
file_check = shutil.which("FileCheck") or shutil.which("filecheck")
if not file_check:
    lit_config.fatal("neither FileCheck nor filecheck is on PATH")
config.substitutions.append((r"\bFileCheck\b", file_check))
