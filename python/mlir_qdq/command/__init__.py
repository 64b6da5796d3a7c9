# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands quant-import, quant-run and quant-report."""
