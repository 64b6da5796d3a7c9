# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our lowering with one change each, run on the conformance corpus and on ONNX's node tests: docs/Verification.md."""
